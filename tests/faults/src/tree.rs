//! A copy of the repository's last commit, in which faults are planted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use thiserror::Error;

use crate::fault::Fault;

/// An error that keeps faults from being planted.
#[derive(Debug, Error)]
pub enum TreeError {
    /// The table of faults.
    #[error("faults.toml: {0}")]
    Table(toml::de::Error),
    /// The text of a fault is not there, or more than once.
    #[error("faults.toml: what \"{name}\" replaces is there {places} times, not once")]
    Places {
        /// Name of the fault.
        name: String,
        /// Number of times that the text is there.
        places: usize,
    },
    /// No fault is meant by the words.
    #[error("no fault of faults.toml has any of these words in its name, file or text: {}", .0.join(" "))]
    NoFault(Vec<String>),
    /// A file of the copy.
    #[error("{}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Nobody reads what is said.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// A program that does not run, or fails.
    #[error("{what} fails: {said}")]
    Command {
        /// Command that was run.
        what: String,
        /// Output of the command.
        said: String,
    },
}

/// The copy; it goes with the value.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Checks the last commit out.
    pub fn of_head() -> Result<Self, TreeError> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/faults/tree");
        let tree = Self { root };
        // What an earlier run left that was killed.
        tree.remove();
        let path = tree.root.to_string_lossy().into_owned();
        git(&["worktree", "add", "--force", "--detach", &path, "HEAD"])?;
        Ok(tree)
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Does something while a fault is there.
    pub fn with<T>(
        &self,
        fault: &Fault,
        act: impl FnOnce() -> Result<T, TreeError>,
    ) -> Result<T, TreeError> {
        let path = self.root.join(&fault.file);
        let named = |source| TreeError::File { path: path.clone(), source };
        let sound = fs::read_to_string(&path).map_err(named)?;
        fs::write(&path, fault.plant(&sound)?).map_err(named)?;
        let done = act();
        fs::write(&path, sound).map_err(named)?;
        done
    }

    fn remove(&self) {
        let path = self.root.to_string_lossy().into_owned();
        // Where there is none, there is nothing to remove.
        let _ = git(&["worktree", "remove", "--force", &path]);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.remove();
    }
}

fn git(arguments: &[&str]) -> Result<(), TreeError> {
    let what = || format!("git {}", arguments.join(" "));
    let output =
        Command::new("git").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output =
        output.map_err(|error| TreeError::Command { what: what(), said: error.to_string() })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(TreeError::Command { what: what(), said })
}
