//! Graphs ([`tresse_files::graph_files`]) on the disk.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

pub use tresse_files::graph_files::{
    GraphFault, GraphFile, GraphFileError, GraphForm, Numbers, Reading,
};

/// Number of bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Reads a file, see [`GraphFile::read`]; the ending of its name may say which form it has.
pub fn read(path: &Path, undirected: bool, most: u64) -> Result<GraphFile, GraphFileError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(GraphFileError::Irregular);
    }
    let form = path.extension().and_then(|ending| GraphForm::of_ending(ending.to_str()?));
    let file = BufReader::with_capacity(PIECE, File::open(path)?);
    GraphFile::read(file, Reading { form, undirected, most })
}
