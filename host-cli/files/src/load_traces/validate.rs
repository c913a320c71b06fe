//! Finds all faults of a load trace, and not only the first.

use std::path::PathBuf;

use super::bytes::Limits;
use super::error::{Finding, LoadTraceError};
use super::read::{Attempt, Load, Source, Strictness, attempts, attempts_of, complete};

/// The faults found.
#[derive(Debug)]
pub struct Validation {
    /// Number of files that were read.
    pub files: usize,
    /// Faults, in the order of ranks.
    pub problems: Vec<LoadTraceError>,
}

/// Reads a load trace from its files, as [`super::read()`] does, and checks it.
///
/// Besides what that refuses, it finds what vt's readers would refuse: keys that they do not know,
/// and values of another kind. How the files go together is only checked where each can be read.
pub fn validate(
    paths: Vec<PathBuf>,
    load: &Load<'_>,
    limits: Limits,
    ended: &(dyn Fn() + Sync),
) -> Result<Validation, LoadTraceError> {
    attempts(paths, load, limits, Strictness::Schema, ended).map(found)
}

/// Checks a load trace in memory.
pub fn validate_sources(
    sources: Vec<Source>,
    limits: Limits,
) -> Result<Validation, LoadTraceError> {
    attempts_of(sources, limits, Strictness::Schema).map(found)
}

/// Collects the faults of all files. Only where every file has content are they checked as a whole.
fn found(mut attempts: Vec<Attempt>) -> Validation {
    let files = attempts.len();
    let mut problems = Vec::new();
    for attempt in &mut attempts {
        let path = &attempt.file.path;
        let finding = |(place, fault)| Finding { path: path.clone(), place, fault }.into();
        problems.extend(attempt.faults.drain(..).map(finding));
    }
    if attempts.iter().all(|attempt| attempt.content.is_some()) {
        let mut findings = Vec::new();
        let whole = complete(attempts, &mut findings);
        problems.extend(findings.into_iter().map(LoadTraceError::from));
        problems.extend(whole.err());
    }
    Validation { files, problems }
}
