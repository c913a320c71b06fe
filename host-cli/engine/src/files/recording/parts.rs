//! The recording of a run on several processes: each writes a part beside the file, and one of them
//! joins the parts.
//!
//! A part has the events of its process' tracks under their numbers in the whole, and the cells of
//! a band of rows, so that whoever joins them can take the hash of the field without holding it.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};

use tresse_core::run;
use tresse_files::field::FieldHasher;
use tresse_files::recording::format::{self, FrameWriter, Kind, PREFIX};
use tresse_files::recording::{End, Head, RecordingError};

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

/// Writes the recording of all parts, whose bands follow each other, of a run that ended for the
/// reason `why`.
pub fn join(
    head: &Head,
    parts: &[PathBuf],
    why: run::End,
    file: &OutputFile,
) -> Result<(), OutputError> {
    file.write(|to| {
        let mut frames = FrameWriter::begin(to)?;
        head.write(&mut frames)?;
        let grid = head.config.grid;
        let mut whole = RecordingTotals {
            events: 0,
            sweeps: 0,
            field: FieldHasher::new(grid.rows, grid.columns),
        };
        for part in parts {
            whole.add(part, &mut frames)?;
        }
        let RecordingTotals { events, sweeps, field } = whole;
        let end = End { events, sweeps, field: field.finish(), why: Some(why) };
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
