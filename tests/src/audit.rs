//! Checks of the recorded sweeps of any run, whatever its timing.
//!
//! Sweeps are in ascending order of subdomain and version.

use std::collections::{BTreeMap, BTreeSet};

use tresse::engine::solution::RunRecord;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::run::{Mode, RunConfig};

use crate::problems::Failure;
use crate::recording::Sweep;

/// Every check of a run that needs no particular problem.
pub fn run(config: &RunConfig, record: &RunRecord, sweeps: &[Sweep]) -> Result<(), Failure> {
    let decomposition = Decomposition::new(config)?;
    every_version_once(sweeps, &decomposition)?;
    cells_are_handed_over_whole(sweeps)?;
    halos_never_go_backwards(sweeps)?;
    halos_are_whole_edges(sweeps, &decomposition)?;
    let gap = gaps_are_within(sweeps, config.mode)?;
    let halos = sweeps.iter().flat_map(|sweep| sweep.halos.iter().flatten()).count();
    if (record.staleness.max, record.staleness.halos) != (gap, halos as u64) {
        return Err(format!("{:?}, but {halos} halos up to {gap} old", record.staleness).into());
    }
    if record.progress.updates != sweeps.len() as u64 {
        return Err(format!("{:?}, but {} sweeps", record.progress, sweeps.len()).into());
    }
    Ok(())
}

/// Each subdomain's versions are 1, 2, 3, …: no sweep is lost or made twice.
pub fn every_version_once(sweeps: &[Sweep], decomposition: &Decomposition) -> Result<(), String> {
    for id in decomposition.ids() {
        let versions = sweeps.iter().filter(|sweep| sweep.subdomain == id.0);
        for (version, expected) in versions.map(|sweep| sweep.version).zip(1..) {
            if version != expected {
                return Err(format!("subdomain {id}: version {version} instead of {expected}"));
            }
        }
    }
    let ids = sweeps.iter().map(|sweep| sweep.subdomain).collect::<BTreeSet<_>>();
    match ids.last() {
        Some(&last) if last >= decomposition.subdomains() => Err(format!("no subdomain {last}")),
        _ => Ok(()),
    }
}

/// Each sweep starts from the cells that the one before left, whoever made it.
pub fn cells_are_handed_over_whole(sweeps: &[Sweep]) -> Result<(), String> {
    for (earlier, later) in successive(sweeps) {
        if earlier.interior[1] != later.interior[0] {
            return Err(format!("cells changed between sweeps: {earlier:?} and {later:?}"));
        }
    }
    Ok(())
}

/// The halos that a subdomain reads from a neighbour never go backwards.
pub fn halos_never_go_backwards(sweeps: &[Sweep]) -> Result<(), String> {
    for (earlier, later) in successive(sweeps) {
        if earlier.halos.iter().zip(&later.halos).any(|(earlier, later)| later < earlier) {
            return Err(format!("a halo went backwards: {earlier:?} and {later:?}"));
        }
    }
    Ok(())
}

/// Every halo is, cell by cell, the edge that the neighbour had at the version it is said to be of.
pub fn halos_are_whole_edges(
    sweeps: &[Sweep],
    decomposition: &Decomposition,
) -> Result<(), String> {
    let mut edges = BTreeMap::new();
    for sweep in sweeps {
        edges.insert((sweep.subdomain, sweep.version - 1), sweep.edges[0]);
        edges.insert((sweep.subdomain, sweep.version), sweep.edges[1]);
    }
    for sweep in sweeps {
        for side in Side::ALL {
            let neighbour = decomposition.neighbour(SubdomainId(sweep.subdomain), side);
            let version = sweep.halos[side.index()];
            let (Some(neighbour), Some(version)) = (neighbour, version) else {
                if neighbour.is_none() == version.is_none() {
                    continue;
                }
                return Err(format!("a halo was not read, or read of nobody: {sweep:?}"));
            };
            // A neighbour that made no sweep has left no trace of its initial edges.
            let Some(edge) = edges.get(&(neighbour.0, version)) else {
                if version == 0 {
                    continue;
                }
                return Err(format!("{side:?}: a version that nobody made: {sweep:?}"));
            };
            if edge[side.opposite().index()] != sweep.halo_cells[side.index()] {
                return Err(format!("{side:?}: cells of another version: {sweep:?}"));
            }
        }
    }
    Ok(())
}

/// Checks that no halo is further behind than a mode allows; returns the largest gap.
pub fn gaps_are_within(sweeps: &[Sweep], mode: Mode) -> Result<u64, String> {
    let mut largest = 0;
    for sweep in sweeps {
        let own = sweep.version - 1;
        for halo in sweep.halos.into_iter().flatten() {
            let allowed = match mode {
                Mode::Sync | Mode::Exact => halo == own,
                Mode::SemiSync(bound) => own.saturating_sub(halo) <= u64::from(bound),
                Mode::Async => true,
            };
            if !allowed {
                return Err(format!("{mode}: a halo of version {halo}: {sweep:?}"));
            }
            largest = largest.max(own.saturating_sub(halo));
        }
    }
    Ok(largest)
}

/// The maximum principle: without a source, cells stay within the initial and boundary values. It
/// holds exactly, since rounding is monotone and four times a number, divided by four, is itself.
pub fn cells_stay_within(sweeps: &[Sweep], least: f64, greatest: f64) -> Result<(), String> {
    match sweeps.iter().find(|sweep| sweep.range[0] < least || sweep.range[1] > greatest) {
        Some(sweep) => Err(format!("a cell left {least}..={greatest}: {sweep:?}")),
        None => Ok(()),
    }
}

/// Checks that no cell ever rises, which holds from a start above the solution, while halos do not
/// go backwards.
pub fn no_cell_rises(sweeps: &[Sweep]) -> Result<(), String> {
    match sweeps.iter().find(|sweep| sweep.rises) {
        Some(sweep) => Err(format!("a cell rose: {sweep:?}")),
        None => Ok(()),
    }
}

/// Times that a subdomain was swept by another worker than the time before.
pub fn changes_of_hands(sweeps: &[Sweep]) -> usize {
    successive(sweeps).filter(|(earlier, later)| earlier.worker != later.worker).count()
}

/// Returns each two successive sweeps of the same subdomain.
fn successive(sweeps: &[Sweep]) -> impl Iterator<Item = (&Sweep, &Sweep)> {
    let pairs = sweeps.iter().zip(sweeps.iter().skip(1));
    pairs.filter(|(earlier, later)| earlier.subdomain == later.subdomain)
}
