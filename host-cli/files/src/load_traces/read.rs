//! Reads a load trace: its files at the same time, with faults always reported in the same order.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::assemble::{Member, assemble};
use super::bytes::{self, Limits, Text};
use super::comma::{self, Lines};
use super::document::{self, RankFile};
use super::error::{Fault, Finding, LoadTraceError};
use super::load_trace::LoadTrace;
use super::names::{self, Named};
use super::schema;
use super::task::Faulty;

/// The bytes of one file, and the path that errors name.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

/// A function that returns the content of a file.
pub type Load<'a> = dyn Fn(&Path) -> Result<Vec<u8>, Fault> + Sync + 'a;

/// The rules that a file is checked by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Only the figures that balancing needs are checked.
    Figures,
    /// The keys that vt's own readers require are checked too.
    Schema,
}

/// A file that was read as far as it could be.
pub(super) struct Attempt {
    pub file: Named,
    pub content: Option<Content>,
    pub faults: Vec<Faulty>,
}

pub(super) enum Content {
    Json(RankFile),
    Lines(Lines),
}

/// Reads a load trace from its files, which `load` gets, several at a time and each up to
/// [`Limits::file`]; `ended` is called after each, from any thread.
pub fn read(
    paths: Vec<PathBuf>,
    load: &Load<'_>,
    limits: Limits,
    ended: &(dyn Fn() + Sync),
) -> Result<LoadTrace, LoadTraceError> {
    finish(attempts(paths, load, limits, Strictness::Figures, ended)?)
}

/// Reads a load trace that is in memory.
pub fn read_sources(sources: Vec<Source>, limits: Limits) -> Result<LoadTrace, LoadTraceError> {
    finish(attempts_of(sources, limits, Strictness::Figures)?)
}

/// Reads every file, and returns the results in the order of the ranks.
pub(super) fn attempts(
    paths: Vec<PathBuf>,
    load: &Load<'_>,
    limits: Limits,
    strictness: Strictness,
    ended: &(dyn Fn() + Sync),
) -> Result<Vec<Attempt>, LoadTraceError> {
    let all = AtomicU64::new(0);
    let attempts = paths.into_par_iter().map(|path| {
        let attempt = attempt(&path, load(&path), limits, strictness, &all);
        ended();
        attempt
    });
    sorted(attempts.collect(), &all, limits)
}

/// Reads files whose bytes are here already, in parallel. Returns an error where they are too large
/// together.
pub(super) fn attempts_of(
    sources: Vec<Source>,
    limits: Limits,
    strictness: Strictness,
) -> Result<Vec<Attempt>, LoadTraceError> {
    let all = AtomicU64::new(0);
    let attempts = sources
        .into_par_iter()
        .map(|source| attempt(&source.path, Ok(source.bytes), limits, strictness, &all));
    sorted(attempts.collect(), &all, limits)
}

/// Reads one file, adds its length to `all` and collects its faults. There is no content where it
/// cannot be read, or where the memory is used up.
fn attempt(
    path: &Path,
    bytes: Result<Vec<u8>, Fault>,
    limits: Limits,
    strictness: Strictness,
    all: &AtomicU64,
) -> Attempt {
    let file = names::named(path);
    let mut faults = Vec::new();
    let content = match bytes.and_then(|bytes| bytes::text(bytes, limits.file)) {
        // What is not kept is not worth reading: the error is that of all files together.
        Ok(text) if add_length(all, text.len()) > limits.memory => None,
        Ok(Text::Json(text)) => {
            let content = document::read(&text, file.rank, &mut faults).map(Content::Json);
            if strictness == Strictness::Schema {
                schema::check(&text, &mut faults);
            }
            content
        }
        Ok(Text::Lines(text)) => Some(Content::Lines(comma::read(&text, &mut faults))),
        Err(fault) => {
            faults.push((String::new(), fault));
            None
        }
    };
    Attempt { file, content, faults }
}

/// Adds the length of a file to that of all files, in bytes, and returns the new sum.
fn add_length(all: &AtomicU64, more: usize) -> u64 {
    all.fetch_add(more as u64, Ordering::Relaxed).saturating_add(more as u64)
}

/// Sorts the files by rank and path; an error where all together are larger than the memory.
fn sorted(
    mut attempts: Vec<Attempt>,
    all: &AtomicU64,
    limits: Limits,
) -> Result<Vec<Attempt>, LoadTraceError> {
    if all.load(Ordering::Relaxed) > limits.memory {
        return Err(LoadTraceError::Memory(limits.memory));
    }
    // The shell and the system name them in another order than ranks are counted.
    attempts.sort_by(|one, other| {
        let key = |attempt: &Attempt| (attempt.rank(), attempt.file.path.clone());
        key(one).cmp(&key(other))
    });
    Ok(attempts)
}

impl Attempt {
    /// Returns the rank in the file's metadata, or, without one, in its name.
    pub fn rank(&self) -> Option<u32> {
        match &self.content {
            Some(Content::Json(file)) => file.rank.or(self.file.rank),
            _ => self.file.rank,
        }
    }
}

/// Returns the trace, or the first fault.
fn finish(mut attempts: Vec<Attempt>) -> Result<LoadTrace, LoadTraceError> {
    for attempt in &mut attempts {
        if !attempt.faults.is_empty() {
            let (place, fault) = attempt.faults.swap_remove(0);
            return Err(Finding { path: attempt.file.path.clone(), place, fault }.into());
        }
    }
    let mut findings = Vec::new();
    let trace = complete(attempts, &mut findings);
    match findings.into_iter().next() {
        Some(finding) => Err(finding.into()),
        None => trace,
    }
}

/// Joins the files to one trace, and adds the faults found on the way to `findings`.
pub(super) fn complete(
    attempts: Vec<Attempt>,
    findings: &mut Vec<Finding>,
) -> Result<LoadTrace, LoadTraceError> {
    let mut members = Vec::new();
    let mut stem = None;
    let mut lines = Vec::new();
    for attempt in attempts {
        let Some(rank) = attempt.rank() else {
            let path = attempt.file.path;
            findings.push(Finding { path, place: String::new(), fault: Fault::NoRank });
            continue;
        };
        stem = stem.or(attempt.file.stem);
        let path = attempt.file.path;
        match attempt.content {
            Some(Content::Json(file)) => members.push(Member { path, rank, file }),
            Some(Content::Lines(content)) => lines.push((path, rank, content)),
            None => {}
        }
    }
    let (paths, lines): (Vec<_>, Vec<_>) =
        lines.into_iter().map(|(path, rank, lines)| ((path, rank), (rank, lines))).unzip();
    let files = comma::ranks(lines);
    members.extend(paths.into_iter().zip(files).map(|((path, rank), file)| Member {
        path,
        rank,
        file,
    }));
    members.sort_by_key(|member| member.rank);
    assemble(stem.unwrap_or_else(|| "data".into()), members, findings)
}
