//! Finds the files of load traces in folders.

use std::io;
use std::path::{Path, PathBuf};

use tresse_files::load_traces::{Fault, Finding, LoadTraceError, choose, stem_of};

/// Returns the paths of the files of one trace among `inputs`, which are folders and files; `stem`
/// chooses among several traces.
pub fn select(inputs: &[PathBuf], stem: Option<&str>) -> Result<Vec<PathBuf>, LoadTraceError> {
    let mut paths = Vec::new();
    for input in inputs {
        if input.is_dir() {
            paths.extend(listed(input)?);
        } else {
            paths.push(input.clone());
        }
    }
    choose(paths, stem)
}

/// Returns the files of a folder that are named as those of a load trace.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, LoadTraceError> {
    let unreadable = |error| {
        let fault = Fault::Unreadable(error);
        LoadTraceError::Finding(Finding { path: folder.to_owned(), place: String::new(), fault })
    };
    let entries: Vec<_> =
        folder.read_dir().and_then(Iterator::collect::<io::Result<_>>).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    paths.retain(|path| stem_of(path).is_some());
    // The system lists them in any order.
    paths.sort();
    if paths.is_empty() { Err(LoadTraceError::NoFiles(folder.to_owned())) } else { Ok(paths) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_traces_are_taken_from_a_folder() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a.1.json", "a.0.json", "b.0.json", "notes.txt"] {
            std::fs::write(root.path().join(name), b"{}").unwrap();
        }
        let inputs = [root.path().to_owned()];
        let chosen = select(&inputs, Some("a")).unwrap();
        assert_eq!(chosen, ["a.0.json", "a.1.json"].map(|name| root.path().join(name)));
        let message = select(&inputs, None).unwrap_err().to_string();
        assert!(message.contains("2 traces (a, b)"), "{message}");
        let empty = tempfile::tempdir().unwrap();
        assert!(matches!(select(&[empty.path().into()], None), Err(LoadTraceError::NoFiles(_))));
    }
}
