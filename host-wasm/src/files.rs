//! Files that a person has given, as one sequence of bytes between the page and its worker.

use serde::{Deserialize, Serialize};

/// A file that a person has given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenFile {
    /// Name of the file.
    pub name: String,
    /// Content of the file.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Packs files for the way to the worker.
pub fn pack(files: &[GivenFile]) -> Vec<u8> {
    // There is memory, or there is no page.
    postcard::to_allocvec(files).unwrap_or_default()
}

/// Unpacks files; an empty sequence has none.
pub fn unpack(packed: &[u8]) -> Vec<GivenFile> {
    postcard::from_bytes(packed).unwrap_or_default()
}
