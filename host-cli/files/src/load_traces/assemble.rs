//! Puts the files of all ranks together to one load trace: every rank has the same phases, and each
//! object is there once.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::document::RankFile;
use super::entity::EntityId;
use super::error::{Fault, Finding, LoadTraceError};
use super::load_trace::{LoadTrace, Part, Phase};

/// The file of a rank.
pub(super) struct Member {
    pub path: PathBuf,
    pub rank: u32,
    pub file: RankFile,
}

/// Joins the files, which are in the order of their ranks, to one trace.
pub(super) fn assemble(
    stem: String,
    mut members: Vec<Member>,
    findings: &mut Vec<Finding>,
) -> Result<LoadTrace, LoadTraceError> {
    leave_doubles_out(&mut members, findings);
    complete(&members)?;
    let ids: BTreeSet<u64> =
        members.iter().flat_map(|member| member.file.phases.keys().copied()).collect();
    if ids.is_empty() {
        return Err(LoadTraceError::NoPhases);
    }
    let paths: Vec<PathBuf> = members.iter().map(|member| member.path.clone()).collect();
    let mut phases = Vec::with_capacity(ids.len());
    for id in ids {
        let has = |member: &Member| member.file.phases.contains_key(&id);
        let other = members.iter().find(|member| has(member));
        for member in members.iter().filter(|member| !has(member)) {
            let other = other.map(|member| member.path.clone()).unwrap_or_default();
            findings.push(Finding {
                path: member.path.clone(),
                place: format!("phase {id}"),
                fault: Fault::NoSuchPhase { other },
            });
        }
        let part = |member: &mut Member| member.file.phases.remove(&id).unwrap_or_default();
        phases.push(Phase { id, parts: members.iter_mut().map(part).collect() });
    }
    let heads = members.into_iter().map(|member| Arc::new(member.file.head)).collect();
    let checked = phases.par_iter().enumerate().map(|(index, phase)| {
        let before = index.checked_sub(1).and_then(|before| phases.get(before));
        check(phase, before, &paths)
    });
    findings.extend(checked.collect::<Vec<_>>().into_iter().flatten());
    Ok(LoadTrace { stem, heads, phases })
}

/// Keeps the first file of each rank and reports the others. The files are in the order of ranks.
fn leave_doubles_out(members: &mut Vec<Member>, findings: &mut Vec<Finding>) {
    let mut last: Option<(u32, PathBuf)> = None;
    members.retain(|Member { path, rank, .. }| match &last {
        Some((before, other)) if before == rank => {
            let fault = Fault::RankTwice { rank: *rank, other: other.clone() };
            findings.push(Finding { path: path.clone(), place: String::new(), fault });
            false
        }
        _ => {
            last = Some((*rank, path.clone()));
            true
        }
    });
}

/// Reports an error unless there is a file for every rank up to the highest.
fn complete(members: &[Member]) -> Result<(), LoadTraceError> {
    let Some(last) = members.last().map(|member| member.rank) else { return Ok(()) };
    let files = members.len();
    let count = u64::from(last) + 1 - files as u64;
    if count == 0 {
        return Ok(());
    }
    let ranks: BTreeSet<u32> = members.iter().map(|member| member.rank).collect();
    let first = (0..last).filter(|rank| !ranks.contains(rank)).take(8).collect();
    Err(LoadTraceError::Incomplete { files, last, first, count })
}

/// Returns the faults of a phase as a whole, rank by rank.
fn check(phase: &Phase, before: Option<&Phase>, paths: &[PathBuf]) -> Vec<Finding> {
    let shared = |before: &Phase| {
        before.parts.iter().zip(&phase.parts).all(|(one, other)| Arc::ptr_eq(one, other))
    };
    if before.is_some_and(shared) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut find = |rank: usize, place: String, fault: Fault| {
        let path = paths.get(rank).cloned().unwrap_or_default();
        findings.push(Finding { path, place: format!("phase {}, {place}", phase.id), fault });
    };
    let mut names: Vec<(EntityId, usize, usize)> = Vec::new();
    for (rank, part) in phase.parts.iter().enumerate() {
        names.extend(part.tasks.iter().enumerate().map(|(index, task)| (task.id, rank, index)));
        for (list, index, key, home) in homes(part) {
            if home as usize >= paths.len() {
                let fault = Fault::UnknownRank { rank: home, files: paths.len() };
                find(rank, format!("{list}[{index}].{key}"), fault);
            }
        }
    }
    names.sort_unstable();
    for pair in names.windows(2) {
        if let [(id, first_rank, first), (again, rank, index)] = pair
            && id == again
        {
            let path = paths.get(*first_rank).map(|path| path.display().to_string());
            let first = if first_rank == rank {
                format!("tasks[{first}]")
            } else {
                format!("tasks[{first}] of {}", path.unwrap_or_default())
            };
            find(*rank, format!("tasks[{index}].entity"), Fault::Twice { id: *id, first });
        }
    }
    findings
}

/// Returns every home that a rank's objects and communications name: list, index, key and rank.
fn homes(part: &Part) -> impl Iterator<Item = (&'static str, usize, &'static str, u32)> {
    let tasks = part.tasks.iter().enumerate();
    let tasks = tasks.map(|(index, task)| ("tasks", index, "entity.home", task.home));
    let communications = part.communications.iter().enumerate().flat_map(|(index, entry)| {
        entry.homes().map(move |(key, home)| ("communications", index, key, home))
    });
    tasks.chain(communications)
}
