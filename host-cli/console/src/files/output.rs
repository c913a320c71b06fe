//! Writes all files that a run leaves; no file is written in any other way.
//!
//! A result is never a file that the run reads, by whatever name, and no two results are one file;
//! both are found before the run where their names are known then. Links are followed: the link
//! stays, and what it leads to is replaced. A pipe or a device is written to and stays what it is.
//! Everything else is written beside its place and takes the name when all of it is on the disk, so
//! that it is whole or not at all; it keeps the permissions of the file that it replaces.

mod error;
mod inputs;
mod resolved;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use error::OutputError;
pub use inputs::Inputs;
pub use resolved::Target;

use resolved::{Identity, ResolvedPath, files_identity};

use crate::interrupt;

/// All results of one run, and the files that it reads.
#[derive(Clone, Debug)]
pub struct Outputs(Arc<Door>);

#[derive(Debug)]
struct Door {
    inputs: Inputs,
    /// Standard output and standard error, where these are files.
    streams: Vec<(Identity, &'static str)>,
    /// Results that are known, by the places that their paths lead to.
    results: Mutex<HashMap<PathBuf, Named>>,
}

/// A result, with the flag and the path that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    flag: &'static str,
    path: PathBuf,
}

/// A directory that was writable when the run began.
#[derive(Clone, Debug)]
pub struct OutputDir {
    outputs: Outputs,
    named: Named,
}

/// A file that could be written when the run began.
#[derive(Clone, Debug)]
pub struct OutputFile {
    outputs: Outputs,
    named: Named,
}

impl Default for Outputs {
    fn default() -> Self {
        Self::new(Inputs::default())
    }
}

impl Outputs {
    /// Returns the results of a run that reads these files.
    pub fn new(inputs: Inputs) -> Self {
        let out = file_of(&io::stdout()).map(|it| (it, "where standard output goes"));
        let err = file_of(&io::stderr()).map(|it| (it, "where standard error goes"));
        let streams = [out, err].into_iter().flatten().collect();
        Self(Arc::new(Door { inputs, streams, results: Mutex::default() }))
    }

    /// Creates the directory that `flag` names, with its parents, and makes and removes a file in
    /// it; `known` are the names of files in it that are certain already.
    pub fn folder(
        &self,
        flag: &'static str,
        path: &Path,
        known: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<OutputDir, OutputError> {
        let named = Named { flag, path: path.to_owned() };
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let missing: Vec<_> = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        let attempt = || {
            fs::create_dir_all(path)?;
            interrupt::made(missing);
            resolved::prove(path)?;
            fs::canonicalize(path)
        };
        let real = attempt().map_err(|source| named.refused(source))?;
        let directory = OutputDir { outputs: self.clone(), named };
        for name in known {
            let file = directory.file(name.as_ref());
            let place = file.place(Named::refused)?;
            if !place.is_in(&real) {
                place.prove().map_err(|source| file.named.refused(source))?;
            }
        }
        Ok(directory)
    }

    /// Creates the directories that the file, named with `flag`, will be in, and makes and removes
    /// another file beside it.
    pub fn file(&self, flag: &'static str, path: &Path) -> Result<OutputFile, OutputError> {
        let named = Named { flag, path: path.to_owned() };
        let refused = |source| named.refused(source);
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.file_name().is_none() {
            return Err(refused(ErrorKind::IsADirectory.into()));
        }
        fs::create_dir_all(resolved::folder(path)).map_err(refused)?;
        let file = OutputFile { outputs: self.clone(), named: named.clone() };
        file.place(Named::refused)?.prove().map_err(refused)?;
        Ok(file)
    }

    /// Refuses a place that another file of the run has already, and otherwise reserves the place
    /// for this result.
    fn reserve(&self, named: &Named, place: &ResolvedPath) -> Result<(), OutputError> {
        let Door { inputs, streams, results } = &*self.0;
        let taken = place.identity().and_then(|identity| {
            // An open file is named on purpose.
            let is_open = matches!(place, ResolvedPath::Open { .. });
            let stream = streams.iter().find(|(stream, _)| !is_open && *stream == identity);
            inputs.find(identity).or_else(|| stream.map(|(_, what)| (*what).to_owned()))
        });
        let Named { flag, path } = named.clone();
        if let Some(taken) = taken {
            return Err(OutputError::Taken { flag, path, taken });
        }
        let ResolvedPath::Regular(target) = place else { return Ok(()) };
        let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
        let first = results.entry(target.path().to_owned()).or_insert_with(|| named.clone());
        if first == named {
            return Ok(());
        }
        let Named { flag: other_flag, path: other } = first.clone();
        Err(OutputError::Twice { flag, path, other_flag, other })
    }
}

impl OutputDir {
    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.named.path
    }

    /// Writes the file `name`, as [`OutputFile::write`] does.
    pub fn write(
        &self,
        name: impl AsRef<Path>,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        self.file(name.as_ref()).write(content)
    }

    /// Returns the place of the regular file `name`, which is there or not yet, for processes that
    /// write the file together; `why` says in an error why it has to be a regular file.
    pub fn target(&self, name: &str, why: &'static str) -> Result<Target, OutputError> {
        self.file(name.as_ref()).regular(why)
    }

    /// Returns the error that the file `name` could not be written.
    pub fn failed(&self, name: &str, source: io::Error) -> OutputError {
        self.file(name.as_ref()).failed(source)
    }

    /// Returns the file of this name in the folder.
    fn file(&self, name: &Path) -> OutputFile {
        let Named { flag, path } = &self.named;
        OutputFile { outputs: self.outputs.clone(), named: Named { flag, path: path.join(name) } }
    }
}

impl OutputFile {
    /// Writes the file whole or not at all.
    ///
    /// The content goes into a temporary file beside it, which takes the final name only when all
    /// of it is on the disk. An earlier file of that name is replaced then, and not before. A pipe
    /// or a device takes what comes.
    pub fn write(
        &self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        self.place(Named::failed)?.write(content).map_err(|source| self.failed(source))
    }

    /// Returns the place that the path leads to, without any link; `why` says in an error why it
    /// has to be a regular file.
    pub fn regular(&self, why: &'static str) -> Result<Target, OutputError> {
        let place = self.place(Named::failed)?;
        let Named { flag, path } = self.named.clone();
        place.into_regular().ok_or(OutputError::Stream { flag, path, why })
    }

    /// Returns the error that the file could not be written.
    pub fn failed(&self, source: io::Error) -> OutputError {
        self.named.failed(source)
    }

    /// Returns the place that the path leads to, and refuses a place that must not be written.
    fn place(
        &self,
        error: impl FnOnce(&Named, io::Error) -> OutputError,
    ) -> Result<ResolvedPath, OutputError> {
        let place =
            ResolvedPath::of(&self.named.path).map_err(|source| error(&self.named, source))?;
        self.outputs.reserve(&self.named, &place)?;
        Ok(place)
    }
}

impl Named {
    /// Returns the error about a place that cannot be written.
    fn refused(&self, source: io::Error) -> OutputError {
        OutputError::NotWritable { flag: self.flag, path: self.path.clone(), source }
    }

    /// Returns the error about a file that could not be written.
    fn failed(&self, source: io::Error) -> OutputError {
        OutputError::Write { flag: self.flag, path: self.path.clone(), source }
    }
}

/// Returns the regular file that a stream of this process goes to.
fn file_of(stream: &impl AsFd) -> Option<Identity> {
    let file = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
    let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
    files_identity(&metadata)
}
