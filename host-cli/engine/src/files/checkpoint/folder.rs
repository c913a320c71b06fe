//! The folder of a run's checkpoints: `--checkpoint DIR`.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::error::{CheckpointError, Fault};
use super::found::{Found, complete_path, unfinished};
use super::manifest::{CheckpointState, Manifest, NAME};
use super::open::{Checkpoint, index};
use super::piece::PieceSummary;
use crate::files::output::{OutputError, Outputs};

/// The flag that names the folder.
const FLAG: &str = "--checkpoint";
/// Complete checkpoints that are kept.
const KEPT: usize = 2;

/// The folder of a run's checkpoints; only rank 0 has it, and begins and completes checkpoints.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Numbers of this run's complete checkpoints in the folder, in ascending order, including the
    /// checkpoint that the run was resumed from.
    complete: Vec<u64>,
    /// Checkpoint that the run was resumed from.
    resumed: Option<PathBuf>,
    next: u64,
    _lock: Option<Lock>,
    _made: Made,
}

/// The folders that this run has made, the innermost first; those that stay empty are removed at
/// the end.
#[derive(Debug)]
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        // One that is not empty is not removed, nor are those that it is in.
        let _ = self.0.iter().try_for_each(fs::remove_dir);
    }
}

/// The folder itself, locked for as long as the run lives.
#[derive(Debug)]
struct Lock(File);

impl Folder {
    /// Creates the folder with its parents, and proves that it can be written.
    ///
    /// A folder that has complete checkpoints must be the one of `resumed`, the checkpoint that
    /// this run goes on from, and no other run may use it: to remove their checkpoints would lose
    /// them. Unfinished ones, which nobody can read, are removed; those after `resumed`, which this
    /// run does not go on from, when its own next one is complete.
    pub fn prepare(path: &Path, resumed: Option<&Checkpoint>) -> Result<Self, OutputError> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made: Vec<_> = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        Outputs::default().folder(FLAG, path, [""; 0])?;
        let made = Made(made);
        let attempt = || {
            let lock = lock(path)?;
            let found = Found::of(path)?;
            let complete = match resumed {
                Some(checkpoint) if is_own(checkpoint, path) => {
                    vec![checkpoint.manifest().number]
                }
                _ if found.complete.is_empty() => Vec::new(),
                _ => return Err(io::Error::other(TAKEN)),
            };
            found.unfinished.iter().try_for_each(|number| remove(&unfinished(path, *number)))?;
            let highest = found.complete.iter().chain(&found.unfinished).max();
            let next = highest.map_or(1, |highest| highest.saturating_add(1));
            let resumed = resumed.map(|checkpoint| checkpoint.path().to_owned());
            Ok(Self { path: path.to_owned(), complete, resumed, next, _lock: lock, _made: made })
        };
        let refused = |source| {
            let path = path.to_owned();
            OutputError::NotWritable { flag: FLAG, path, source }
        };
        attempt().map_err(refused)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the newest complete checkpoint, for a message to name: at first the one that the run
    /// was resumed from, if any.
    pub fn newest(&self) -> Option<PathBuf> {
        let newest = self.complete.last().map(|number| complete_path(&self.path, *number));
        newest.or_else(|| self.resumed.clone())
    }

    /// Makes room for the pieces of the next checkpoint, whose number all ranks are to be told.
    pub fn begin(&mut self) -> Result<u64, OutputError> {
        let number = self.next;
        let path = unfinished(&self.path, number);
        fs::create_dir(&path).map_err(|error| failed(&path, error))?;
        self.next = number.saturating_add(1);
        Ok(number)
    }

    /// Removes the files of a checkpoint that some rank could not write.
    pub fn abandon(&self, number: u64) -> Result<(), OutputError> {
        let path = unfinished(&self.path, number);
        remove(&path).map_err(|error| failed(&path, error))
    }

    /// Makes a checkpoint complete, when all ranks have finished their pieces, and returns its
    /// path. The last two are kept, and older ones removed now.
    ///
    /// Refuses pieces that do not have every cell once. After an error [`Folder::newest`] says
    /// whether it is complete all the same, because only older ones could not be removed; it is
    /// abandoned otherwise.
    pub fn complete(
        &mut self,
        number: u64,
        state: CheckpointState,
        mut pieces: Vec<PieceSummary>,
    ) -> Result<PathBuf, OutputError> {
        let (part, whole) = (unfinished(&self.path, number), complete_path(&self.path, number));
        pieces.sort_unstable_by_key(|piece| piece.rank);
        let mut manifest = Manifest {
            number,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            state,
            updates: 0,
            subdomains: 0,
            pieces,
        };
        let mut attempt = || {
            let (_, progress) = index(&part, &manifest).map_err(unfit)?;
            manifest.updates = progress.updates;
            manifest.subdomains = progress.subdomains;
            let mut file = File::create_new(part.join(NAME))?;
            file.write_all(&manifest.to_bytes()?)?;
            file.sync_all()?;
            sync(&part)?;
            fs::rename(&part, &whole)?;
            sync(&self.path)
        };
        if let Err(error) = attempt() {
            // What is wrong has been found; that the remains cannot be removed is no news.
            let _ = remove(&part);
            return Err(failed(&whole, error));
        }
        self.complete.push(number);
        self.prune()?;
        Ok(whole)
    }

    /// Removes everything but this run's last checkpoints.
    fn prune(&mut self) -> Result<(), OutputError> {
        self.complete.drain(..self.complete.len().saturating_sub(KEPT));
        let attempt = || {
            let found = Found::of(&self.path)?;
            found
                .unfinished
                .iter()
                .try_for_each(|number| remove(&unfinished(&self.path, *number)))?;
            let mut old = found.complete.iter().filter(|number| !self.complete.contains(number));
            old.try_for_each(|number| {
                // Out of its name at once: half of it is never taken for a checkpoint.
                let (whole, part) =
                    (complete_path(&self.path, *number), unfinished(&self.path, *number));
                fs::rename(whole, &part)?;
                remove(&part)
            })
        };
        attempt().map_err(|error| failed(&self.path, error))
    }
}

/// Reason for which a folder is refused.
const TAKEN: &str = "it has checkpoints of another run: continue that one with --resume";
const IN_USE: &str = "another run is using it";

/// Returns the error about pieces that are no checkpoint.
fn unfit(CheckpointError { path, fault }: CheckpointError) -> io::Error {
    match fault {
        Fault::Unreadable(error) if error.kind() == ErrorKind::NotFound => io::Error::other(
            format!("{} is not seen here; all hosts must share it", path.display()),
        ),
        fault => io::Error::other(format!("{} {fault}", path.display())),
    }
}

/// Removes a folder with all in it, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Reports whether a checkpoint lies in this folder, under the name that belongs to its number.
fn is_own(checkpoint: &Checkpoint, folder: &Path) -> bool {
    let own = fs::canonicalize(complete_path(folder, checkpoint.manifest().number)).ok();
    own.is_some() && own == fs::canonicalize(checkpoint.path()).ok()
}

/// Returns a lock that the system releases when this process ends, or `None` where the disk has no
/// locks.
fn lock(path: &Path) -> io::Result<Option<Lock>> {
    let folder = File::open(path)?;
    match folder.try_lock() {
        Ok(()) => Ok(Some(Lock(folder))),
        Err(TryLockError::WouldBlock) => Err(io::Error::other(IN_USE)),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // To close the file is not enough while a program that was just started still has it too.
        // An error leaves the lock to the system.
        let _ = self.0.unlock();
    }
}

/// Waits until the names in a folder are on the disk.
fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Returns the error about a file of the folder that could not be written.
pub(super) fn failed(path: &Path, source: io::Error) -> OutputError {
    OutputError::Write { flag: FLAG, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_has_the_file_too_does_not_keep_the_lock() {
        let root = tempfile::tempdir().unwrap();
        let held = lock(root.path()).unwrap().unwrap();
        assert_eq!(lock(root.path()).unwrap_err().to_string(), IN_USE);
        // As after a fork, before the new program closes it.
        let inherited = held.0.try_clone().unwrap();
        drop(held);
        assert!(lock(root.path()).unwrap().is_some());
        drop(inherited);
    }
}
