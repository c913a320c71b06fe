//! The exit status of the program, and the errors that end it.

use std::io::ErrorKind;
use std::process::ExitCode;

use tresse_core::sim::machine::SimulationError;
use tresse_platform::PlatformError;
use tresse_platform::noise::NoiseError;

use crate::command::CommandError;
use crate::{terminal, wording};

/// The exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program did what was asked for.
    Done = 0,
    /// The program ran, but did not reach the tolerance, or could not store its results.
    NotReached = 1,
    /// A flag or a file cannot be used.
    BadInput = 2,
    /// The program was interrupted; its results so far were written.
    Interrupted = 130,
}

impl Exit {
    /// Returns the exit status of what is done; an error is told on standard error.
    pub fn told(done: Result<Self, impl Into<CommandError>>) -> Self {
        done.map_err(Into::into).unwrap_or_else(|error| {
            terminal::tell_all(&format!("error: {}", error.message()));
            error.exit()
        })
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The meanings of the exit status, for people.
pub const STATUS: &str = "\
Exit status:
  0    what was asked for is done
  1    it ran, but did not reach the tolerance, or could not store its results
  2    a flag or a file cannot be used
  130  it was interrupted; the results so far are written";

/// The same on one line.
pub const STATUS_LINE: &str =
    "Exit status: 0 done, 1 not reached or not stored, 2 unusable input, 130 interrupted";

/// An error that ends the program.
pub trait Failure: std::error::Error + Send + Sync + 'static {
    /// Returns the exit status for the error.
    fn exit(&self) -> Exit {
        Exit::BadInput
    }

    /// Returns the words for a person, which may name flags where the error itself does not.
    fn words(&self) -> String {
        self.to_string()
    }

    /// Returns the message for a person: one line, whatever files and names it quotes.
    fn message(&self) -> String {
        terminal::one_line(&self.words())
    }

    /// Reports whether standard output has nobody left to read it.
    fn is_broken_pipe(&self) -> bool {
        false
    }
}

impl Failure for SimulationError {
    fn words(&self) -> String {
        wording::simulation(self)
    }
}

impl Failure for PlatformError {}

impl Failure for NoiseError {
    fn exit(&self) -> Exit {
        match self {
            Self::Output(_) | Self::Lost(_) => Exit::NotReached,
            _ => Exit::BadInput,
        }
    }

    fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == ErrorKind::BrokenPipe)
    }
}
