//! How the program ends.

use std::process::ExitCode;

use crate::terminal;

/// The exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for was reached.
    Done = 0,
    /// It ran, but did not reach the tolerance, or could not store what it computed.
    NotReached = 1,
    /// A flag or a file cannot be used.
    BadInput = 2,
    /// Interrupted; what was computed so far was written out.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error that ends the program.
pub trait Failure: std::error::Error {
    /// Returns the exit status that it ends with.
    fn exit(&self) -> Exit;

    /// What a person is told: one line, whatever files and names it quotes.
    fn message(&self) -> String {
        terminal::one_line(&self.to_string())
    }
}
