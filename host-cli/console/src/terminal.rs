//! Writes text to a terminal: every message and every report goes through this module.

use std::borrow::Cow;
use std::io::{self, Write};

pub use tresse_files::escape::{is_obeyed, json, lines, one_line};

/// Writes a line to standard error.
pub fn tell(text: &str) {
    tell_all(&one_line(text));
}

/// Writes lines to standard error, for text of the program's own that has several.
pub fn tell_all(text: &str) {
    // Nothing is left to tell when standard error is gone as well.
    let _ = writeln!(io::stderr(), "{}", lines(text));
}

/// Passes text on to a terminal; the end of a write must not cut a character.
#[derive(Debug)]
pub struct Shown<W> {
    to: W,
    escape: fn(&str) -> Cow<'_, str>,
}

impl<W: Write> Shown<W> {
    /// Returns a writer of any text, escaped by [`lines`].
    pub fn text(to: W) -> Self {
        Self { to, escape: lines }
    }

    /// Returns a writer of JSON, escaped by [`json`].
    pub fn json(to: W) -> Self {
        Self { to, escape: json }
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for chunk in bytes.utf8_chunks() {
            self.to.write_all((self.escape)(chunk.valid()).as_bytes())?;
            write!(self.to, "{}", chunk.invalid().escape_ascii())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_written_out() {
        let mut to = Vec::new();
        Shown::text(&mut to).write_all(b"a\x9b\xff\tb\x1bc\n").unwrap();
        assert_eq!(String::from_utf8(to).unwrap(), "a\\x9b\\xff\tb\\u{1b}c\n");
    }
}
