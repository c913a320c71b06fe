//! Reads the lines of a file one after the other and counts them for errors.

use std::io::{BufRead, Read as _, Seek};

use super::error::{GraphFault, GraphFileError};

/// Bytes of the longest line that is read unless more is allowed; lines with an edge are much
/// shorter.
const LONGEST: u64 = 1 << 12;

/// Lines of a text.
pub(super) struct Lines<R> {
    from: R,
    bytes: Vec<u8>,
    /// The number of the line that was read last, from 1.
    number: u64,
    /// Bytes of the longest line that is read.
    longest: u64,
    /// Whether the next read returns the last line again.
    again: bool,
}

impl<R: BufRead> Lines<R> {
    pub fn new(from: R) -> Self {
        Self { from, bytes: vec![], number: 0, longest: LONGEST, again: false }
    }

    /// Allows lines of that many bytes.
    pub const fn allow(&mut self, longest: u64) {
        self.longest = longest;
    }

    /// Returns an error about the line that was read last.
    pub fn wrong(&self, fault: GraphFault) -> GraphFileError {
        GraphFileError::Line { line: self.number, fault }
    }

    /// Makes the next read return the last line again.
    pub const fn again(&mut self) {
        self.again = self.number > 0;
    }

    /// Returns the next line without the blanks around it, if there is one.
    pub fn next(&mut self) -> Result<Option<&str>, GraphFileError> {
        if !std::mem::take(&mut self.again) {
            self.bytes.clear();
            let line = &mut (&mut self.from).take(self.longest);
            if line.read_until(b'\n', &mut self.bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
        }
        if self.bytes.len() as u64 == self.longest && self.bytes.last() != Some(&b'\n') {
            return Err(self.wrong(GraphFault::TooLong));
        }
        match std::str::from_utf8(&self.bytes) {
            // Some editors begin a text with a mark of its encoding.
            Ok(line) if self.number == 1 => Ok(Some(line.trim_start_matches('\u{feff}').trim())),
            Ok(line) => Ok(Some(line.trim())),
            Err(_) => Err(self.wrong(GraphFault::NotText)),
        }
    }

    /// Returns the next line that is neither empty nor a comment.
    pub fn next_full(&mut self, comments: &[char]) -> Result<Option<&str>, GraphFileError> {
        while self.next()?.is_some_and(|line| line.is_empty() || line.starts_with(comments)) {}
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.again();
        self.next()
    }

    /// Returns the next line that is no comment; it may be empty.
    pub fn next_uncommented(&mut self, comment: char) -> Result<Option<&str>, GraphFileError> {
        while self.next()?.is_some_and(|line| line.starts_with(comment)) {}
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.again();
        self.next()
    }
}

impl<R: BufRead + Seek> Lines<R> {
    /// Goes back to the start.
    pub fn rewind(&mut self) -> Result<(), GraphFileError> {
        self.from.rewind()?;
        (self.number, self.longest, self.again) = (0, LONGEST, false);
        self.bytes = vec![];
        Ok(())
    }
}
