//! Files that people write, in TOML: read with errors that name the file, the line and the key.

mod error;
mod section;

use std::path::Path;

use toml::Table;

use crate::terminal::one_line;

pub use error::DocumentError;
pub(crate) use section::Section;

/// Reads a text file of at most `longest` bytes; `mend` says what to do where it is longer.
pub(crate) fn read(path: &Path, longest: u64, mend: &'static str) -> Result<String, DocumentError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    let metadata = std::fs::metadata(path).map_err(DocumentError::Unreadable)?;
    if !metadata.is_file() {
        return Err(DocumentError::Unusable("name a file, not a folder or a device"));
    }
    if metadata.len() > longest {
        return Err(DocumentError::Unusable(mend));
    }
    let bytes = std::fs::read(path).map_err(DocumentError::Unreadable)?;
    String::from_utf8(bytes).map_err(|_| DocumentError::Unusable("it is not text in UTF-8"))
}

/// Reads TOML.
pub(crate) fn table(text: &str) -> Result<Table, DocumentError> {
    text.parse().map_err(|error| syntax(text, &error))
}

fn syntax(text: &str, error: &toml::de::Error) -> DocumentError {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
    DocumentError::Syntax {
        line: before.matches('\n').count() + 1,
        column: before.chars().rev().take_while(|&character| character != '\n').count() + 1,
        message: one_line(&error.message().split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}
