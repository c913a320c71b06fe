//! Files that people write, in TOML: read with errors that name the line and the key.

mod error;
mod section;

use toml::Table;
use tresse_core::base::grammar;

use crate::escape::one_line;

pub use error::DocumentError;
pub use section::Section;

/// The greatest length of a text file.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Number of bytes.
    pub bytes: u64,
    /// Advice for a file that is longer.
    pub mend: &'static str,
}

/// Returns the bytes of a file as text.
pub fn text(bytes: Vec<u8>, limit: Limit) -> Result<String, DocumentError> {
    if bytes.len() as u64 > limit.bytes {
        return Err(DocumentError::Unusable(limit.mend));
    }
    String::from_utf8(bytes).map_err(|_| DocumentError::Unusable("it is not text in UTF-8"))
}

/// Reads TOML.
pub fn table(text: &str) -> Result<Table, DocumentError> {
    text.parse().map_err(|error| syntax(text, &error))
}

/// Reads a whole number of at least 1.
pub fn positive(text: &str) -> Result<u32, &'static str> {
    match grammar::count32(text) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("expected a whole number from 1 to 4294967295"),
    }
}

/// Turns an error of the TOML parser into one with its line and column, both from 1.
fn syntax(text: &str, error: &toml::de::Error) -> DocumentError {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
    DocumentError::Syntax {
        line: before.matches('\n').count() + 1,
        column: before.chars().rev().take_while(|&character| character != '\n').count() + 1,
        message: one_line(&error.message().split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}
