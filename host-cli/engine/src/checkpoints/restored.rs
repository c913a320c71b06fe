//! The subdomains of one process as a checkpoint has them.

use std::collections::BTreeMap;

use tresse_core::base::id::SubdomainId;
use tresse_core::base::table::At;
use tresse_core::field::grid::{Decomposition, Rectangle};
use tresse_core::field::subdomain::Subdomain;
use tresse_core::run::Mode;
use tresse_files::stored_cell::StoredCell;

use crate::files::checkpoint::{Checkpoint, CheckpointError};
use crate::files::problem::Problem;

/// Cells and update counts of a process's subdomains, however the checkpoint's run was cut.
#[derive(Debug)]
pub struct Restored<F> {
    subdomains: BTreeMap<SubdomainId, (u64, Vec<F>)>,
    initial: f64,
}

impl<F: StoredCell> Restored<F> {
    /// Reads the subdomains that start `here`. In the synchronous mode, where all counts are equal,
    /// every count is the checkpoint's mean.
    pub fn read(
        checkpoint: &Checkpoint,
        cut: &Decomposition,
        here: impl Iterator<Item = SubdomainId>,
        mode: Mode,
    ) -> Result<Self, CheckpointError> {
        let ids: Vec<_> = here.collect();
        let parts: Vec<Rectangle> = ids.iter().map(|id| cut.rectangle(*id)).collect();
        let empty = |part: &Rectangle| vec![F::ZERO; part.size.rows * part.size.columns];
        let mut cells: Vec<_> = parts.iter().map(empty).collect();
        checkpoint.read::<F>(&parts, &mut |stretch| {
            let start = stretch.row * parts.at(stretch.wanted).size.columns + stretch.column;
            let place = cells.at_mut(stretch.wanted).stretch_mut(start..);
            for (place, cell) in place.iter_mut().zip(stretch.cells) {
                *place = *cell;
            }
        })?;
        let mean = whole_iterations(checkpoint);
        let count = |part| if mode.is_level() { mean } else { checkpoint.updates_of(part) };
        let counts: Vec<_> = parts.iter().map(count).collect();
        let initial = checkpoint.manifest().state.initial_residual;
        let subdomains = ids.into_iter().zip(counts.into_iter().zip(cells)).collect();
        Ok(Self { subdomains, initial })
    }

    /// Returns the update count of a subdomain.
    pub fn updates(&self, id: SubdomainId) -> Option<u64> {
        self.subdomains.get(&id).map(|(updates, _)| *updates)
    }

    /// Returns the number of updates of all of this process's subdomains.
    pub fn all_updates(&self) -> u64 {
        self.subdomains.values().map(|(updates, _)| updates).sum()
    }

    /// Returns the sum of squares of the residual of the first run's initial field.
    pub const fn initial(&self) -> f64 {
        self.initial
    }

    /// Fills a subdomain with its restored cells; returns `false` where it was not restored.
    pub fn fill(
        &self,
        problem: &Problem,
        cut: &Decomposition,
        id: SubdomainId,
        subdomain: &mut Subdomain<'_, F>,
    ) -> bool {
        let Some((_, cells)) = self.subdomains.get(&id) else { return false };
        let columns = cut.rectangle(id).size.columns;
        problem.fill_with(cut, id, subdomain, |row, column| *cells.at(row * columns + column));
        true
    }
}

/// Returns the number of whole iterations that a checkpoint's run had made.
pub fn whole_iterations(checkpoint: &Checkpoint) -> u64 {
    let manifest = checkpoint.manifest();
    manifest.updates.checked_div(manifest.subdomains).unwrap_or(0)
}
