//! The files that a run reads.

use std::fs;
use std::path::{Path, PathBuf};

use super::resolved::{Identity, files_identity};

/// The files that a run reads, which none of its results may replace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs(Vec<Input>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Input {
    identity: Identity,
    path: PathBuf,
    /// Flag that names the file, as in `--problem`.
    by: String,
}

impl Inputs {
    /// Adds a file that the flag `by` names, as in `--problem`. A file that does not exist cannot
    /// be lost, and is left out.
    pub fn with(mut self, by: impl Into<String>, path: &Path) -> Self {
        let identity = fs::metadata(path).ok().as_ref().and_then(files_identity);
        let by = by.into();
        self.0.extend(identity.map(|identity| Input { identity, path: path.to_owned(), by }));
        self
    }

    /// Adds several files that the same flag names.
    pub fn with_all(self, by: &str, paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        paths.into_iter().fold(self, |inputs, path| inputs.with(by, path.as_ref()))
    }

    /// Describes a file for a person, if it is one that the run reads.
    pub fn find(&self, identity: Identity) -> Option<String> {
        let found = self.0.iter().find(|input| input.identity == identity)?;
        Some(format!("{} ({}), which this run reads", found.path.display(), found.by))
    }
}
