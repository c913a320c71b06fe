//! Reads the bytes of a file and decompresses them where they are compressed, whatever the file's
//! name is.

use std::io::{self, Read};

use super::error::Fault;

/// The greatest numbers of bytes that are read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one file after decompression.
    pub file: u64,
    /// Bytes of all files together after decompression.
    pub memory: u64,
}

impl Limits {
    /// Returns the limits for a machine with this number of bytes of memory.
    pub const fn of_memory(available: u64) -> Self {
        // A million objects of one rank take about a third of it.
        Self { file: 1 << 30, memory: available }
    }
}

/// The content of a file after decompression, by its form.
#[derive(Debug)]
pub(super) enum Text {
    Json(Vec<u8>),
    Lines(Vec<u8>),
}

impl Text {
    /// Returns the length of the text in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Json(text) | Self::Lines(text) => text.len(),
        }
    }
}

/// Returns the text that these bytes hold, as it is or compressed.
pub(super) fn text(bytes: Vec<u8>, limit: u64) -> Result<Text, Fault> {
    if bytes.is_empty() {
        return Err(Fault::Empty);
    }
    if bytes.len() as u64 > limit {
        return Err(Fault::TooLarge(limit));
    }
    let bytes = match plain(bytes) {
        Ok(text) => return Ok(text),
        Err(bytes) => bytes,
    };
    let input = Input { rest: &bytes, is_starved: false };
    let mut decompressor = brotli::Decompressor::new(input, 1 << 16);
    match limited(&mut decompressor, limit)? {
        Ok(inside) => plain(inside).map_err(|_| Fault::ForeignInside),
        // Its reader says where it is not what it seems to be.
        Err(_) if is_readable(&bytes) => match bytes.trim_ascii_start() {
            [b'{' | b'[', ..] => Ok(Text::Json(bytes)),
            [b'0'..=b'9', ..] => Ok(Text::Lines(bytes)),
            _ => Err(Fault::Foreign),
        },
        Err(_) if decompressor.get_ref().is_starved => Err(Fault::CutOff),
        Err(_) => Err(Fault::Foreign),
    }
}

/// Input of the decompressor that notes whether more bytes were wanted than there are, which the
/// decompressor does not report.
struct Input<'a> {
    rest: &'a [u8],
    is_starved: bool,
}

impl Read for Input<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.is_starved |= self.rest.is_empty();
        self.rest.read(to)
    }
}

/// Reads to the end, unless that lies beyond the limit of a file ([`Limits::file`]).
pub fn limited(from: impl Read, limit: u64) -> Result<io::Result<Vec<u8>>, Fault> {
    let mut bytes = Vec::new();
    match from.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > limit => Err(Fault::TooLarge(limit)),
        Ok(_) => Ok(Ok(bytes)),
        Err(error) => Ok(Err(error)),
    }
}

/// A brotli stream may begin with any byte, but hardly ever with a line of text.
fn plain(mut bytes: Vec<u8>) -> Result<Text, Vec<u8>> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    match bytes.trim_ascii_start() {
        [b'{', rest @ ..] if is_key(rest) => Ok(Text::Json(bytes)),
        [b'0'..=b'9', ..] if is_line(&bytes) => Ok(Text::Lines(bytes)),
        _ => Err(bytes),
    }
}

/// Reports whether `rest`, the text after the brace of an object, begins with a key.
fn is_key(rest: &[u8]) -> bool {
    matches!(rest.trim_ascii_start(), [] | [b'"' | b'}', ..])
}

/// Reports whether the first line has only numbers and commas.
fn is_line(bytes: &[u8]) -> bool {
    let line = bytes.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.contains(&b',') && is_readable(line)
}

/// Reports whether the first 64 bytes are text in ASCII.
fn is_readable(bytes: &[u8]) -> bool {
    bytes.iter().take(64).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut to = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 22);
        to.write_all(bytes).unwrap();
        to.into_inner()
    }

    #[test]
    fn what_is_compressed_is_found_out() {
        let json = br#"  {"phases": []}"#;
        let lines = b"0,1,0.5\n0,2,0.25\n";
        for bytes in [json.to_vec(), compressed(json), [b"\xef\xbb\xbf", &json[..]].concat()] {
            let Text::Json(text) = text(bytes, 100).unwrap() else { panic!() };
            assert_eq!(text, json);
        }
        for bytes in [lines.to_vec(), compressed(lines)] {
            assert!(matches!(text(bytes, 100), Ok(Text::Lines(text)) if text == lines));
        }
    }

    #[test]
    fn streams_that_are_cut_off_or_explode_are_named() {
        let bytes: Vec<u8> =
            (0..5000_u32).flat_map(|n| format!("{n},1,0.5\n").into_bytes()).collect();
        let whole = compressed(&bytes);
        let refused = |bytes: &[u8], limit| text(bytes.to_vec(), limit).unwrap_err();
        assert!(matches!(refused(&whole[..whole.len() / 2], 1 << 20), Fault::CutOff));
        assert!(matches!(refused(&whole, 1000), Fault::TooLarge(1000)));
        let bomb = compressed(&vec![b' '; 10_000_000]);
        assert!(bomb.len() < 1000);
        assert!(matches!(refused(&bomb, 1 << 20), Fault::TooLarge(_)));
        assert!(matches!(refused(b"", 9), Fault::Empty));
        assert!(matches!(refused(b"some words, but no trace", 99), Fault::Foreign));
        assert!(matches!(refused(&compressed(b"something else"), 99), Fault::ForeignInside));
    }
}
