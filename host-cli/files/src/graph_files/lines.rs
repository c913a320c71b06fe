//! The lines of a file, one after the other, and where an error is.

use std::io::{BufRead, Read as _};

use super::error::{GraphFault, GraphFileError};

/// The longest line that is read: no edge is nearly as long.
const LONGEST: u64 = 1 << 12;

/// Lines of a text.
pub(super) struct Lines<R> {
    from: R,
    bytes: Vec<u8>,
    /// The number of the line that was read last, from 1.
    number: u64,
    /// It is to be read once more.
    again: bool,
}

impl<R: BufRead> Lines<R> {
    pub fn new(from: R) -> Self {
        Self { from, bytes: vec![], number: 0, again: false }
    }

    /// What is wrong with the line that was read last.
    pub fn wrong(&self, fault: GraphFault) -> GraphFileError {
        GraphFileError::Line { line: self.number, fault }
    }

    /// Reads the line that was read last once more.
    pub const fn again(&mut self) {
        self.again = self.number > 0;
    }

    /// The next line without blanks around it, if there is one.
    pub fn next(&mut self) -> Result<Option<&str>, GraphFileError> {
        if !std::mem::take(&mut self.again) {
            self.bytes.clear();
            let line = &mut (&mut self.from).take(LONGEST);
            if line.read_until(b'\n', &mut self.bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
        }
        if self.bytes.len() as u64 == LONGEST && self.bytes.last() != Some(&b'\n') {
            return Err(self.wrong(GraphFault::TooLong));
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(line) => Ok(Some(line.trim())),
            Err(_) => Err(self.wrong(GraphFault::NotText)),
        }
    }

    /// The next line that is neither empty nor a comment.
    pub fn next_full(&mut self, comments: &[char]) -> Result<Option<&str>, GraphFileError> {
        while self.next()?.is_some_and(|line| line.is_empty() || line.starts_with(comments)) {}
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.again();
        self.next()
    }
}
