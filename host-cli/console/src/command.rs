//! The end of a command: what it prints, and the failure of any kind that ends it.

use std::fmt;
use std::io::{self, Write};

use crate::exit::{Exit, Failure};
use crate::terminal::{self, Shown};

/// A failure that ends a command.
#[derive(Debug)]
pub struct CommandError(Box<dyn Failure>);

impl CommandError {
    /// Returns the exit status for the failure.
    pub fn exit(&self) -> Exit {
        self.0.exit()
    }

    /// Returns the message for a person, in one line.
    pub fn message(&self) -> String {
        self.0.message()
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.words())
    }
}

impl std::error::Error for CommandError {}

impl<F: Failure> From<F> for CommandError {
    fn from(failure: F) -> Self {
        Self(Box::new(failure))
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        PrintError(error).into()
    }
}

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
struct PrintError(io::Error);

impl Failure for PrintError {
    fn exit(&self) -> Exit {
        Exit::NotReached
    }

    fn is_broken_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Writes to standard output; a reader that has gone away is no error.
pub fn printed<E>(write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<Exit, CommandError>
where
    CommandError: From<E>,
{
    let mut out = Shown::text(io::stdout().lock());
    match write(&mut out).map_err(CommandError::from).and_then(|()| Ok(out.flush()?)) {
        Err(error) if !error.0.is_broken_pipe() => Err(error),
        _ => Ok(Exit::Done),
    }
}

/// Writes a line to standard error.
pub fn warn(text: &str) {
    terminal::tell(&format!("warning: {text}"));
}
