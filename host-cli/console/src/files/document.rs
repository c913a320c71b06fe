//! Files that people write ([`tresse_files::document`]), on the disk.

use std::path::Path;

pub use tresse_files::document::DocumentError;
use tresse_files::document::{self, Limit};

/// Reads a text file, unless it is longer than the limit.
pub fn read(path: &Path, limit: Limit) -> Result<String, DocumentError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    let metadata = std::fs::metadata(path).map_err(DocumentError::Unreadable)?;
    if !metadata.is_file() {
        return Err(DocumentError::Unusable("name a file, not a folder or a device"));
    }
    if metadata.len() > limit.bytes {
        return Err(DocumentError::Unusable(limit.mend));
    }
    document::text(std::fs::read(path).map_err(DocumentError::Unreadable)?, limit)
}
