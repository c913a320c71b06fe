//! Where results go: proved writable before the run, and every file whole.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

/// A directory that was writable when the run began.
#[derive(Clone, Debug)]
pub struct OutputDir {
    path: PathBuf,
    flag: &'static str,
}

/// A file whose directory was writable when the run began.
#[derive(Clone, Debug)]
pub struct OutputFile {
    directory: OutputDir,
    name: OsString,
}

/// Something could not be left behind.
#[derive(Debug, Error)]
pub enum OutputError {
    /// Found before the run: bad input, exit code 2.
    #[error("{flag} {}: cannot be written ({source}): {}", .path.display(), mend(.source, .flag))]
    NotWritable {
        /// The flag that names it.
        flag: &'static str,
        /// The directory or file, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Found after the run: exit code 1.
    #[error("{}: could not be written ({source}): {}", .path.display(), mend(.source, .flag))]
    Write {
        /// The flag that names where it should be.
        flag: &'static str,
        /// The file, under the name that it would have had.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a person can do about it.
fn mend(error: &io::Error, flag: &str) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("free some space, or name a place on another disk with {flag}")
        }
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            format!("a file is in the way: name another place with {flag}")
        }
        ErrorKind::IsADirectory => format!("name a file with {flag}"),
        _ => format!("name a place that you may create and write with {flag}"),
    }
}

impl OutputDir {
    /// Creates the directory with its parents, and makes and removes a file in it.
    pub fn prepare(path: &Path) -> Result<Self, OutputError> {
        Self::prepare_for("--out", path)
    }

    pub(crate) fn prepare_for(flag: &'static str, path: &Path) -> Result<Self, OutputError> {
        let directory = Self { path: path.to_owned(), flag };
        let proof = || {
            fs::create_dir_all(path)?;
            let mut file = directory.temporary()?;
            file.write_all(b"tresse")?;
            file.close()
        };
        match proof() {
            Ok(()) => Ok(directory),
            Err(source) => Err(OutputError::NotWritable { flag, path: path.to_owned(), source }),
        }
    }

    /// Where the files are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file `name` whole or not at all.
    ///
    /// The content goes into a temporary file beside it, which takes the final name only when all
    /// of it is on the disk. An earlier file of that name is replaced then, and not before.
    pub fn write(
        &self,
        name: impl AsRef<Path>,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let path = self.path.join(name);
        let attempt = || {
            let mut buffered = BufWriter::new(self.temporary()?);
            content(&mut buffered)?;
            let file = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        attempt().map_err(|source| self.failed(path.clone(), source))
    }

    pub(super) fn failed(&self, path: PathBuf, source: io::Error) -> OutputError {
        OutputError::Write { flag: self.flag, path, source }
    }

    fn temporary(&self) -> io::Result<NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tresse-").suffix(".part");
        // As private as any new file, not as private as tempfile's default: results are shared.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        builder.tempfile_in(&self.path)
    }
}

impl OutputFile {
    /// Creates the directories that the file, named with `flag`, will be in, and makes and removes
    /// another file there.
    pub fn prepare(flag: &'static str, path: &Path) -> Result<Self, OutputError> {
        let refused = |source: io::Error| {
            Err(OutputError::NotWritable { flag, path: path.to_owned(), source })
        };
        let name = match path.file_name() {
            Some(name) if !path.is_dir() => name.to_owned(),
            _ => return refused(ErrorKind::IsADirectory.into()),
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        match OutputDir::prepare_for(flag, parent.unwrap_or(Path::new("."))) {
            Ok(directory) => Ok(Self { directory, name }),
            Err(OutputError::NotWritable { source, .. }) => refused(source),
            Err(other) => Err(other),
        }
    }

    /// Writes the file whole or not at all, as [`OutputDir::write`] does.
    pub fn write(
        &self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        self.directory.write(&self.name, content)
    }

    /// The error that it could not be written.
    pub fn failed(&self, source: io::Error) -> OutputError {
        self.directory.failed(self.directory.path.join(&self.name), source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_written_whole_and_replaced_whole() {
        let root = tempfile::tempdir().unwrap();
        let out = OutputDir::prepare(&root.path().join("a/b")).unwrap();
        assert!(names(out.path()).is_empty());
        out.write("x.txt", |w| w.write_all(b"first")).unwrap();
        out.write("x.txt", |w| w.write_all(b"second")).unwrap();
        assert_eq!(names(out.path()), ["x.txt"]);
        assert_eq!(fs::read(out.path().join("x.txt")).unwrap(), b"second");
    }

    #[test]
    fn a_failure_midway_leaves_nothing_new() {
        let root = tempfile::tempdir().unwrap();
        let out = OutputDir::prepare(root.path()).unwrap();
        let fail = |w: &mut dyn Write| {
            w.write_all(&vec![7; 100_000])?;
            Err(ErrorKind::StorageFull.into())
        };
        let error = out.write("x.bin", fail).unwrap_err();
        assert!(names(out.path()).is_empty());
        let message = error.to_string();
        assert!(matches!(error, OutputError::Write { .. }));
        assert!(message.contains("x.bin") && message.contains("free some space"), "{message}");
        assert!(!message.contains('\n'));

        out.write("x.bin", |w| w.write_all(b"whole")).unwrap();
        out.write("x.bin", fail).unwrap_err();
        assert_eq!(fs::read(out.path().join("x.bin")).unwrap(), b"whole");
    }

    #[test]
    fn a_full_disk_is_noticed() {
        // Writing to /dev/full always fails with "no space left on device".
        let Ok(mut full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
        let root = tempfile::tempdir().unwrap();
        let out = OutputDir::prepare(root.path()).unwrap();
        let error = out.write("x", |_| full.write_all(b"x")).unwrap_err();
        assert!(error.to_string().contains("free some space"), "{error}");
        assert!(names(out.path()).is_empty());
    }

    #[test]
    fn a_place_that_cannot_be_written_is_found_first() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, b"").unwrap();
        for path in [file.join("below"), file.clone()] {
            let error = OutputDir::prepare(&path).unwrap_err();
            assert!(matches!(error, OutputError::NotWritable { .. }));
            let message = error.to_string();
            assert!(message.starts_with(&format!("--out {}: ", path.display())), "{message}");
            assert!(message.contains("a file is in the way"), "{message}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_the_results() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("plain"), b"").unwrap();
        let out = OutputDir::prepare(root.path()).unwrap();
        out.write("ours", |_| Ok(())).unwrap();
        let mode = |name| fs::metadata(root.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("ours"), mode("plain"));
    }
}
