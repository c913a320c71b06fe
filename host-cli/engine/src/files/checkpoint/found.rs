//! The checkpoints that are in a folder, by their names.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Beginning of a checkpoint's name, before its number.
const PREFIX: &str = "checkpoint-";
/// Ending of a checkpoint's name, after the number, until the checkpoint is complete.
const UNFINISHED: &str = ".part";

/// Returns the newest complete checkpoint in a folder, by its name.
pub fn newest(folder: &Path) -> Option<PathBuf> {
    let found = Found::of(folder).ok()?;
    found.complete.last().map(|number| complete_path(folder, *number))
}

/// The checkpoints in a folder.
#[derive(Default)]
pub(super) struct Found {
    /// Numbers of the complete checkpoints, ascending.
    pub(super) complete: Vec<u64>,
    pub(super) unfinished: Vec<u64>,
}

impl Found {
    /// Lists the complete and the unfinished checkpoints of a folder by their numbers.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name();
            let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
                continue;
            };
            let (number, numbers) = match rest.strip_suffix(UNFINISHED) {
                Some(number) => (number, &mut found.unfinished),
                None => (rest, &mut found.complete),
            };
            // Only as it is written here: without a sign or zeros before it.
            let number = number.parse().ok().filter(|parsed: &u64| parsed.to_string() == number);
            numbers.extend(number);
        }
        found.complete.sort_unstable();
        Ok(found)
    }
}

/// Returns the path of the complete checkpoint with a number.
pub fn complete_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number}"))
}

/// Returns the path of a checkpoint that is not complete yet.
pub(super) fn unfinished(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number}{UNFINISHED}"))
}
