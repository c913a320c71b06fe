//! One file a subcommand.

pub mod completions;
pub mod decide;
pub mod man;
pub mod noise;
pub mod topology;

use std::io::{self, Write};

/// Writes a finished text to standard output. A reader that has gone away is no failure.
fn print(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
