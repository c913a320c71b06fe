//! Errors in load traces.

use std::io;
use std::path::PathBuf;

use bytesize::ByteSize;

use super::entity::EntityId;
use crate::escape;

/// A fault and its place in a file; prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}{}{fault}", .path.display(), .place, if .place.is_empty() { "" } else { " " })]
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// Place in the file, as in `phase 3, tasks[5].time`; empty where the whole file is meant.
    pub place: String,
    /// The fault.
    pub fault: Fault,
}

/// A fault at some place in a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system does not let the file be read.
    #[error("cannot be read ({0}): check the path")]
    Unreadable(io::Error),
    /// The file is a folder, a pipe or the like.
    #[error("is not a regular file: name a folder or the files of a load trace")]
    Irregular,
    /// The file is empty.
    #[error("is empty: copy it again; a rank without objects has a file that says so")]
    Empty,
    /// The file would fill the memory.
    #[error(
        "holds more than {}, the most that one rank's file may hold (decompressed): give a load trace \
         with fewer phases", ByteSize(*.0)
    )]
    TooLarge(u64),
    /// The file is compressed, and its end is missing.
    #[error(
        "is a brotli stream that is cut off, or no trace at all: copy it again, or write the trace \
         again"
    )]
    CutOff,
    /// The file has no known form.
    #[error(
        "is neither JSON nor a brotli stream nor lines such as 0,17,0.25 (phase,object,time): name \
         the files of a load trace"
    )]
    Foreign,
    /// The file holds, compressed, another compressed file or one of no known form.
    #[error(
        "is a brotli stream of something else than a load trace: name the files of a load trace"
    )]
    ForeignInside,
    /// The text is not JSON.
    #[error(
        "line {line}, column {column} is not JSON ({message}): copy it again, or mend it there"
    )]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// Message of the parser.
        message: String,
    },
    /// The text is JSON of another type.
    #[error("is of type {0:?}, not \"LBDatafile\": name vt's files of load data (vt_lb_data)")]
    OtherType(String),
    /// A required key is missing.
    #[error("is missing: {0}")]
    Missing(&'static str),
    /// A value is of the wrong kind or out of range.
    #[error("is not what it should be ({0})")]
    Value(String),
    /// A line of the older form has too few, too many, or wrong fields.
    #[error("{0}: lines are phase,object,time or phase,from,to,bytes, all of them numbers")]
    Line(String),
    /// A number is not finite.
    #[error("is NaN or infinite: it must be a number of 0 or more")]
    NotFinite,
    /// A time or a size is below zero.
    #[error("is {0}: it must be 0 or more")]
    Negative(f64),
    /// An object is there twice.
    #[error("is object {id} again, which is also {first}: an object is on one rank, once a phase")]
    Twice {
        /// The object.
        id: EntityId,
        /// Place of the object's other entry.
        first: String,
    },
    /// An object names another rank than its file.
    #[error("is {node}, but this is the file of rank {rank}: an object is in the file of its rank")]
    OtherRank {
        /// Rank that the object names.
        node: u32,
        /// Rank of the file.
        rank: u32,
    },
    /// A rank up to the highest has no file.
    #[error(
        "is rank {rank}, but there are files of {files} ranks only: give the files of all ranks"
    )]
    UnknownRank {
        /// The rank.
        rank: u32,
        /// Number of files.
        files: usize,
    },
    /// Neither the metadata nor the file's name has the rank.
    #[error(
        "has no rank, neither as metadata.rank nor in its name: name it as in data.3.json, or give \
         a folder, in which such files are left out"
    )]
    NoRank,
    /// The metadata and the file's name have different ranks.
    #[error("is {metadata}, but the file's name says rank {name}: rename the file, or mend it")]
    RankDiffers {
        /// The rank in the metadata.
        metadata: u32,
        /// The rank in the name.
        name: u32,
    },
    /// Two files have the same rank.
    #[error("is of rank {rank}, and so is {}: leave one of them out, or give the files of one trace by \
         name", .other.display())]
    RankTwice {
        /// The rank.
        rank: u32,
        /// The other file.
        other: PathBuf,
    },
    /// A phase that another rank has is missing.
    #[error(
        "is missing, but {} has it: all ranks must have the same phases; write the trace again",
        .other.display()
    )]
    NoSuchPhase {
        /// A file that has the phase.
        other: PathBuf,
    },
    /// A phase is there twice.
    #[error("is there twice: leave one of them out")]
    PhaseTwice,
    /// The first phase is said to be identical to the one before.
    #[error("is said to be identical to the phase before, but there is none")]
    NothingBefore,
    /// There are more phases than can be read.
    #[error("counts more than {0} phases: give a load trace with fewer")]
    TooManyPhases(usize),
    /// Readers of vt's format refuse this key.
    #[error("is not a key that vt's files have here: leave it out, or move it into user_defined")]
    UnknownKey,
}

/// A load trace that cannot be read; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum LoadTraceError {
    /// A file has a fault.
    #[error(transparent)]
    Finding(#[from] Finding),
    /// No file in the folder is named as one of a load trace.
    #[error(
        "{}: no file here is named as in data.3.json, data.3.json.br or data.3.vom (stem, rank, \
         form): name a folder with a load trace, or its files", .0.display()
    )]
    NoFiles(PathBuf),
    /// The folder has the files of several traces.
    #[error(
        "{} has files of {} traces ({}): choose one of them", .folder.display(), .stems.len(),
        listed(.stems)
    )]
    Stems {
        /// The folder of the first file.
        folder: PathBuf,
        /// Stems of the traces, with which their files' names begin.
        stems: Vec<String>,
    },
    /// The folder has no trace of that stem.
    #[error("{stem}: no such files are there; the stems are: {}", listed(.stems))]
    NoSuchStem {
        /// The stem that was asked for.
        stem: String,
        /// The stems that are there.
        stems: Vec<String>,
    },
    /// Some ranks have no file.
    #[error(
        "the files of {files} ranks go up to rank {last}, but {}: give the files of all ranks, \
         from 0 on", missing(.first, *.count)
    )]
    Incomplete {
        /// Number of files.
        files: usize,
        /// The highest rank.
        last: u32,
        /// The lowest ranks without a file.
        first: Vec<u32>,
        /// Number of ranks without a file.
        count: u64,
    },
    /// The trace has no phase.
    #[error("the trace has no phase: there is nothing to balance; write it with load data")]
    NoPhases,
    /// The files hold more than the available memory.
    #[error(
        "the files hold more than {}, which is the memory that is available: read it on a larger \
         machine, or give a load trace with fewer phases", ByteSize(*.0)
    )]
    Memory(u64),
}

/// Returns the first names of a list, and the number of the others.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(8) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Returns the words for `count` missing ranks, the `first` of which are named.
fn missing(first: &[u32], count: u64) -> String {
    let names: Vec<_> = first.iter().map(ToString::to_string).collect();
    let more = if count > first.len() as u64 { " (among others)" } else { "" };
    let (noun, verb) = if count == 1 { ("rank", "is") } else { ("ranks", "are") };
    format!("{noun} {}{more} {verb} missing", names.join(", "))
}

/// Returns the place in a document by its keys, escaped for one line; empty for the whole document.
pub(super) fn place(path: &serde_path_to_error::Path) -> String {
    let path = path.to_string();
    if path == "." { String::new() } else { one_line(&path) }
}

/// Returns words of a file or a parser, escaped for one line.
pub(super) fn one_line(text: &str) -> String {
    escape::one_line(&text.chars().take(200).collect::<String>())
}
