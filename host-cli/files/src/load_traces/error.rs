//! What can be wrong with a load trace.

use std::io;
use std::path::PathBuf;

use bytesize::ByteSize;

use super::entity::EntityId;
use crate::escape;

/// Something wrong in a file, and where; prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}{}{fault}", .path.display(), .place, if .place.is_empty() { "" } else { " " })]
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// Where in it, as in `phase 3, tasks[5].time`; empty where it is the whole file.
    pub place: String,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong at some place in a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system does not let it be read.
    #[error("cannot be read ({0}): check the path")]
    Unreadable(io::Error),
    /// A folder, a pipe or the like.
    #[error("is not a regular file: name a folder or the files of a load trace")]
    Irregular,
    /// Nothing in it.
    #[error("is empty: copy it again; a rank without objects has a file that says so")]
    Empty,
    /// A file that would fill the memory.
    #[error(
        "holds more than {}, the most that one rank's file may hold (decompressed): give a load trace \
         with fewer phases", ByteSize(*.0)
    )]
    TooLarge(u64),
    /// A compressed file without its end.
    #[error(
        "is a brotli stream that is cut off, or no trace at all: copy it again, or write the trace \
         again"
    )]
    CutOff,
    /// The file has no form that is known.
    #[error(
        "is neither JSON nor a brotli stream nor lines such as 0,17,0.25 (phase,object,time): name \
         the files of a load trace"
    )]
    Foreign,
    /// A compressed file in a compressed file, or one of no known form.
    #[error(
        "is a brotli stream of something else than a load trace: name the files of a load trace"
    )]
    ForeignInside,
    /// JSON that is none.
    #[error(
        "line {line}, column {column} is not JSON ({message}): copy it again, or mend it there"
    )]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// The parser's words.
        message: String,
    },
    /// JSON of another kind.
    #[error("is of type {0:?}, not \"LBDatafile\": name vt's files of load data (vt_lb_data)")]
    OtherType(String),
    /// A key that is needed.
    #[error("is missing: {0}")]
    Missing(&'static str),
    /// A value of the wrong kind or out of range.
    #[error("is not what it should be ({0})")]
    Value(String),
    /// A line of the older form with too few or too many fields, or other fields.
    #[error("{0}: lines are phase,object,time or phase,from,to,bytes, all of them numbers")]
    Line(String),
    /// A number that is none.
    #[error("is NaN or infinite: it must be a number of 0 or more")]
    NotFinite,
    /// A time or a size below zero.
    #[error("is {0}: it must be 0 or more")]
    Negative(f64),
    /// An object that is there twice.
    #[error("is object {id} again, which is also {first}: an object is on one rank, once a phase")]
    Twice {
        /// The object.
        id: EntityId,
        /// The place of the other one.
        first: String,
    },
    /// An object said to be elsewhere.
    #[error("is {node}, but this is the file of rank {rank}: an object is in the file of its rank")]
    OtherRank {
        /// What the object says.
        node: u32,
        /// The file's rank.
        rank: u32,
    },
    /// A rank without a file.
    #[error(
        "is rank {rank}, but there are files of {files} ranks only: give the files of all ranks"
    )]
    UnknownRank {
        /// The rank.
        rank: u32,
        /// How many files there are.
        files: usize,
    },
    /// Neither the metadata nor the name has the rank.
    #[error(
        "has no rank, neither as metadata.rank nor in its name: name it as in data.3.json, or give \
         a folder, in which such files are left out"
    )]
    NoRank,
    /// The metadata and the name differ.
    #[error("is {metadata}, but the file's name says rank {name}: rename the file, or mend it")]
    RankDiffers {
        /// The rank in the metadata.
        metadata: u32,
        /// The rank in the name.
        name: u32,
    },
    /// Two files of one rank.
    #[error("is of rank {rank}, and so is {}: leave one of them out, or give the files of one trace by \
         name", .other.display())]
    RankTwice {
        /// The rank.
        rank: u32,
        /// The other file.
        other: PathBuf,
    },
    /// A phase that another rank has.
    #[error(
        "is missing, but {} has it: all ranks must have the same phases; write the trace again",
        .other.display()
    )]
    NoSuchPhase {
        /// A file that has it.
        other: PathBuf,
    },
    /// A phase that is there twice.
    #[error("is there twice: leave one of them out")]
    PhaseTwice,
    /// Nothing that a phase could be identical to.
    #[error("is said to be identical to the phase before, but there is none")]
    NothingBefore,
    /// More phases than are read.
    #[error("counts more than {0} phases: give a load trace with fewer")]
    TooManyPhases(usize),
    /// Readers of vt's format refuse it.
    #[error("is not a key that vt's files have here: leave it out, or move it into user_defined")]
    UnknownKey,
}

/// A load trace that cannot be read; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum LoadTraceError {
    /// Something wrong in a file.
    #[error(transparent)]
    Finding(#[from] Finding),
    /// Nothing to read.
    #[error(
        "{}: no file here is named as in data.3.json, data.3.json.br or data.3.vom (stem, rank, \
         form): name a folder with a load trace, or its files", .0.display()
    )]
    NoFiles(PathBuf),
    /// Several traces at once.
    #[error(
        "{} has files of {} traces ({}): choose one of them", .folder.display(), .stems.len(),
        listed(.stems)
    )]
    Stems {
        /// The folder of the first file.
        folder: PathBuf,
        /// What their names begin with.
        stems: Vec<String>,
    },
    /// No trace of that name.
    #[error("{stem}: no such files are there; the stems are: {}", listed(.stems))]
    NoSuchStem {
        /// What was asked for.
        stem: String,
        /// What the names begin with.
        stems: Vec<String>,
    },
    /// Not all files.
    #[error(
        "the files of {files} ranks go up to rank {last}, but {}: give the files of all ranks, \
         from 0 on", missing(.first, *.count)
    )]
    Incomplete {
        /// How many files there are.
        files: usize,
        /// The highest rank.
        last: u32,
        /// The lowest ranks without a file.
        first: Vec<u32>,
        /// How many ranks have no file.
        count: u64,
    },
    /// No phase at all.
    #[error("the trace has no phase: there is nothing to balance; write it with load data")]
    NoPhases,
    /// More than the memory holds.
    #[error(
        "the files hold more than {}, which is the memory that is available: read it on a larger \
         machine, or give a load trace with fewer phases", ByteSize(*.0)
    )]
    Memory(u64),
}

/// The first names of a list, and how many more there are.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(8) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn missing(first: &[u32], count: u64) -> String {
    let names: Vec<_> = first.iter().map(ToString::to_string).collect();
    let more = if count > first.len() as u64 { " (among others)" } else { "" };
    let (noun, verb) = if count == 1 { ("rank", "is") } else { ("ranks", "are") };
    format!("{noun} {}{more} {verb} missing", names.join(", "))
}

/// Where in a document something is, by keys that may be anything; empty for all of it.
pub(super) fn place(path: &serde_path_to_error::Path) -> String {
    let path = path.to_string();
    if path == "." { String::new() } else { one_line(&path) }
}

/// Words of a file or a parser, fit for one line.
pub(super) fn one_line(text: &str) -> String {
    escape::one_line(&text.chars().take(200).collect::<String>())
}
