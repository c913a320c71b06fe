//! Errors of files that people write.

/// A file that cannot be used; prints as one line, which does not name the file.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The file cannot be read.
    #[error("cannot be read ({0}): check the path")]
    Unreadable(std::io::Error),
    /// The file is not a regular file, is too long, or is not text.
    #[error("cannot be used: {0}")]
    Unusable(&'static str),
    /// The file is not TOML.
    #[error("line {line}, column {column} is not TOML: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Message of the parser.
        message: String,
    },
    /// A key is not one of the known keys.
    #[error("unknown key `{key}`: did you mean `{nearest}`?")]
    UnknownKey {
        /// The key, with the tables that it stands in.
        key: String,
        /// The known key whose spelling is nearest.
        nearest: String,
    },
    /// A value is of the wrong kind or out of range.
    #[error("`{key}` is {found}: {expected}")]
    Value {
        /// The key, with the tables that it stands in.
        key: String,
        /// The value in the file.
        found: String,
        /// A description of the values that are accepted.
        expected: String,
    },
}
