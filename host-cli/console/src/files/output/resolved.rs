//! Resolves the paths of results, and writes files to their places.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::fs::{Access, OFlags, access, fcntl_setfl};
use rustix::io::Errno;
use tempfile::NamedTempFile;

use crate::interrupt;
use crate::terminal;

/// Greatest number of links that are followed, as many as the system follows.
const MOST_LINKS: u32 = 40;
/// Time between two looks for a pipe's reader, and time before a person is told of the wait.
const LOOK: Duration = Duration::from_millis(10);
const SILENCE: Duration = Duration::from_secs(1);

/// A file's device and its number on the device, which are the same for every name of the file.
pub type Identity = (u64, u64);

/// The file that a path leads to, all links followed.
#[derive(Debug)]
pub enum ResolvedPath {
    /// A regular file, which exists or not: new content is written beside it and then takes its
    /// name.
    Regular(Target),
    /// A pipe, a device or a socket, which is written to directly.
    Stream {
        path: PathBuf,
        is_pipe: bool,
        /// Identity of the file; `None` for a device with no memory, which may be both read and
        /// written.
        identity: Option<Identity>,
    },
    /// A file that this process has open, such as `/dev/stdout`, which is written to at its present
    /// position.
    Open { number: u32, identity: Option<Identity> },
}

/// The place of a regular file, which exists or not.
#[derive(Debug)]
pub struct Target {
    /// Path without any link in it.
    path: PathBuf,
    /// Metadata of the file that is there.
    old: Option<Metadata>,
}

impl ResolvedPath {
    /// Follows every link of a path; the last one may lead to a file that does not exist.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        let mut links = 0;
        loop {
            if let Some(number) = open_file(&path) {
                let identity = files_identity(&fs::metadata(&path)?);
                return Ok(Self::Open { number, identity });
            }
            let to = match fs::read_link(&path) {
                Ok(to) => to,
                // No link, or nothing there.
                Err(error)
                    if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound) =>
                {
                    return Self::at(path);
                }
                Err(error) => return Err(error),
            };
            links += 1;
            if links > MOST_LINKS {
                return Err(Errno::LOOP.into());
            }
            path = folder(&path).join(to);
        }
    }

    /// Returns the file that a path without links at its end leads to.
    fn at(path: PathBuf) -> io::Result<Self> {
        let old = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let Some(name) = path.file_name() else { return Err(error) };
                let path = fs::canonicalize(folder(&path))?.join(name);
                return Ok(Self::Regular(Target { path, old: None }));
            }
            Err(error) => return Err(error),
        };
        if old.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        access(&path, Access::WRITE_OK)?;
        let kind = old.file_type();
        if kind.is_file() {
            return Ok(Self::Regular(Target { path: fs::canonicalize(path)?, old: Some(old) }));
        }
        let identity = files_identity(&old);
        Ok(Self::Stream { path, is_pipe: kind.is_fifo(), identity })
    }

    /// Returns the file's identity, or `None` where there is no file yet, or none that could be
    /// lost.
    pub fn identity(&self) -> Option<Identity> {
        match self {
            Self::Regular(target) => target.old.as_ref().and_then(files_identity),
            Self::Stream { identity, .. } | Self::Open { identity, .. } => *identity,
        }
    }

    /// Returns the target, if it is a regular file or is yet to be one.
    pub fn into_regular(self) -> Option<Target> {
        match self {
            Self::Regular(target) => Some(target),
            Self::Stream { .. } | Self::Open { .. } => None,
        }
    }

    /// Reports whether a new file would be made in the folder `real`.
    pub fn is_in(&self, real: &Path) -> bool {
        matches!(self, Self::Regular(target) if folder(&target.path) == real)
    }

    /// Proves that the file can be written: makes and removes another file where it will be made.
    pub fn prove(&self) -> io::Result<()> {
        let Self::Regular(target) = self else { return Ok(()) };
        prove(folder(&target.path))
    }

    /// Writes the whole file; a regular file is replaced completely or not at all.
    pub fn write(self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let file = match self {
            Self::Regular(target) => return target.write(content),
            Self::Stream { path, is_pipe, .. } => open_stream(&path, is_pipe)?,
            Self::Open { number: 1, .. } => duplicate(&io::stdout())?,
            Self::Open { number: 2, .. } => duplicate(&io::stderr())?,
            // What is there already stays, as it does for whoever has opened it.
            Self::Open { number, .. } => {
                OpenOptions::new().append(true).open(format!("/dev/fd/{number}"))?
            }
        };
        let mut buffered = BufWriter::new(file);
        content(&mut buffered)?;
        buffered.flush()
    }
}

impl Target {
    /// Returns the path without any link in it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns another path in the same folder.
    pub fn beside(&self, ending: &str) -> PathBuf {
        let mut name = OsStr::new(".tresse-").to_owned();
        name.push(self.path.file_name().unwrap_or_default());
        name.push(ending);
        self.path.with_file_name(name)
    }

    /// Gives a complete file the name, and the permissions of the file that had the name before.
    pub fn replace_by(
        &self,
        file: &File,
        rename: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Some(old) = &self.old {
            // Only root may give a file to somebody else: it stays the writer's otherwise.
            let _ = fchown(file, Some(old.uid()), Some(old.gid()));
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        rename(&self.path)
    }

    /// Writes the content to a temporary file, which then takes the place of the target.
    fn write(self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut buffered = BufWriter::new(temporary(folder(&self.path))?);
        content(&mut buffered)?;
        let (file, path) =
            buffered.into_inner().map_err(io::IntoInnerError::into_error)?.into_parts();
        self.replace_by(&file, |name| Ok(path.persist(name)?))
    }
}

/// Makes and removes a file in a folder.
pub fn prove(folder: &Path) -> io::Result<()> {
    let mut file = temporary(folder)?;
    file.write_all(b"tresse")?;
    file.close()
}

/// Opens a temporary file in the folder, with the usual permissions of a new file.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tresse-").suffix(".part");
    // As private as any new file, not as private as tempfile's default: results are shared.
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Returns device and number of a file whose content could be lost by writing to it.
pub fn files_identity(metadata: &Metadata) -> Option<Identity> {
    let is_device = metadata.file_type().is_char_device();
    (!is_device).then(|| (metadata.dev(), metadata.ino()))
}

/// Returns the folder that a file is in.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the number of the open file of this process that a path is.
fn open_file(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let real = fs::canonicalize(folder(path)).ok()?;
    let own = ["/dev/fd", "/proc/self/fd"].map(fs::canonicalize).into_iter().flatten();
    own.into_iter().any(|own| own == real).then_some(number)
}

fn duplicate(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}

/// Opens a pipe or a device, and waits for the reader of a pipe, as the system's own waiting would
/// not notice an interrupt.
fn open_stream(path: &Path, is_pipe: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    if !is_pipe {
        return options.open(path);
    }
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let start = Instant::now();
    let mut is_told = false;
    loop {
        match options.open(path) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
                if interrupt::is_asked() {
                    return Err(io::Error::other("nobody reads from the pipe"));
                }
                if !is_told && start.elapsed() > SILENCE {
                    terminal::tell(&format!("waiting for a reader of {}", path.display()));
                    is_told = true;
                }
                sleep(LOOK);
            }
            opened => {
                let file = opened?;
                fcntl_setfl(&file, OFlags::empty())?;
                return Ok(file);
            }
        }
    }
}
