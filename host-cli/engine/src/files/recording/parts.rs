//! The recording of a run on several processes: each writes a part beside the file, and one of them
//! joins the parts.
//!
//! A part has the events of its process' tracks under their numbers in the whole. That of a field
//! has the cells of a band of rows as well, so that whoever joins them can take the hash of the
//! field without holding it.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};

use tresse_core::run;
use tresse_files::field::{FieldHash, FieldHasher};
use tresse_files::recording::format::{self, FrameWriter, Kind, PREFIX};
use tresse_files::recording::{End, Head, PartsHead, RecordingError};

use crate::files::output::{OutputError, OutputFile, Target};
use crate::wording;

/// The numbers of a process' tracks in the whole recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Tracks of the process' workers.
    pub workers: Range<u32>,
    /// Tracks of the process' parasites.
    pub noise: Range<u32>,
}

impl Part {
    /// Returns the path of a rank's part until the parts of `recording` are joined.
    pub fn path(recording: &Target, rank: u32) -> PathBuf {
        recording.beside(&format!(".rank-{rank}.part"))
    }

    /// Checks that this process sees the part of another process.
    pub fn check_seen(part: &Path) -> Result<(), OutputError> {
        match part.try_exists() {
            Ok(true) => Ok(()),
            Ok(false) => Err(unusable(part, io::Error::new(ErrorKind::NotFound, UNSEEN))),
            Err(source) => Err(unusable(part, source)),
        }
    }
}

const UNSEEN: &str = "the file of another rank is not seen here; all hosts must share the folder";

/// Returns the error about a part that another process cannot see or write.
fn unusable(part: &Path, source: io::Error) -> OutputError {
    OutputError::NotWritable { flag: "--record", path: part.to_owned(), source }
}

/// What the joined recording is of.
pub enum JoinedHead<'h> {
    /// A field, whose bands follow each other in the parts.
    Run(&'h Head),
    /// An iteration of one's own, and the hash of what it has come to.
    Parts(&'h PartsHead, FieldHash),
}

/// Writes the recording of all parts, of a run that ended for the reason `why`.
pub fn join(
    head: &JoinedHead<'_>,
    parts: &[PathBuf],
    why: run::End,
    file: &OutputFile,
) -> Result<(), OutputError> {
    file.write(|to| {
        let mut frames = FrameWriter::begin(to)?;
        let field = match head {
            JoinedHead::Run(head) => {
                head.write(&mut frames)?;
                FieldHasher::new(head.config.grid.rows, head.config.grid.columns)
            }
            JoinedHead::Parts(head, _) => {
                head.write(&mut frames)?;
                FieldHasher::new(0, 0)
            }
        };
        let mut whole = RecordingTotals { events: 0, sweeps: 0, field };
        for part in parts {
            whole.add(part, &mut frames)?;
        }
        let RecordingTotals { events, sweeps, field } = whole;
        let field = match head {
            JoinedHead::Run(_) => field.finish(),
            JoinedHead::Parts(_, hash) => *hash,
        };
        let end = End { events, sweeps, field, why: Some(why) };
        frames.write(Kind::End, 0, &end.to_json()?)
    })
}

/// The totals of all parts together, for the end of the recording.
struct RecordingTotals {
    events: u64,
    sweeps: u64,
    field: FieldHasher,
}

impl RecordingTotals {
    /// Copies the events of a part, and adds its counts and its cells to the totals.
    fn add(&mut self, path: &Path, frames: &mut FrameWriter<'_>) -> io::Result<()> {
        let unusable = |error: RecordingError| {
            io::Error::other(format!("the part {} {}", path.display(), wording::recording(&error)))
        };
        let mut part = BufReader::new(File::open(path)?);
        format::read_prefix(&mut part).map_err(unusable)?;
        let mut place = PREFIX;
        loop {
            let frame = format::read_frame(&mut part, place).map_err(unusable)?;
            place = frame.end;
            match frame.kind {
                Kind::Events => frames.copy(&frame)?,
                Kind::Array => self.field.add(&frame.unpack().map_err(unusable)?),
                Kind::End => {
                    let end = frame.unpack().and_then(|json| End::from_json(&json));
                    let end = end.map_err(unusable)?;
                    self.events += end.events;
                    self.sweeps += end.sweeps;
                    return Ok(());
                }
                Kind::Head | Kind::Pool | Kind::Spans | Kind::Parts => {
                    return Err(unusable(RecordingError::nonsense("two heads")));
                }
            }
        }
    }
}
