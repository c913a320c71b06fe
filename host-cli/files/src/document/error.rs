//! What can be wrong with a file that a person writes.

/// A file that cannot be used; prints as one line, which does not name the file.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The file cannot be read.
    #[error("cannot be read ({0}): check the path")]
    Unreadable(std::io::Error),
    /// Not a regular file, too long, or not text.
    #[error("cannot be used: {0}")]
    Unusable(&'static str),
    /// Not TOML.
    #[error("line {line}, column {column} is not TOML: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The parser's words.
        message: String,
    },
    /// A key that means nothing.
    #[error("unknown key `{key}`: did you mean `{nearest}`?")]
    UnknownKey {
        /// With the tables that it stands in.
        key: String,
        /// The known key that is written most alike.
        nearest: String,
    },
    /// A value of the wrong kind or out of range.
    #[error("`{key}` is {found}: {expected}")]
    Value {
        /// With the tables that it stands in.
        key: String,
        /// What stands there.
        found: String,
        /// The mend.
        expected: String,
    },
}
