//! Words on their way to a terminal: the door that every message and every report goes through.

use std::borrow::Cow;
use std::io::{self, Write};

pub use tresse_files::escape::{is_obeyed, json, lines, one_line};

/// A line on standard error.
pub fn tell(text: &str) {
    tell_all(&one_line(text));
}

/// Lines on standard error, for text of our own that has several.
pub fn tell_all(text: &str) {
    // Nothing is left to tell when standard error is gone as well.
    let _ = writeln!(io::stderr(), "{}", lines(text));
}

/// Passes text on to a terminal; a character must not be cut by the end of a write.
#[derive(Debug)]
pub struct Shown<W> {
    to: W,
    escape: fn(&str) -> Cow<'_, str>,
}

impl<W: Write> Shown<W> {
    /// Any text, by [`lines`].
    pub fn text(to: W) -> Self {
        Self { to, escape: lines }
    }

    /// JSON, by [`json`].
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
