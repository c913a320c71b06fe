//! The keeper of the stencil's subdomains.

use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::time::Instant;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::refit;
use tresse_core::run::Mode;
use tresse_files::stored_cell::StoredCell;

use super::group::Group;
use super::keeper::Keeper;
use super::restored::Restored;
use super::saving::{Checkpoints, Saving};
use crate::files::checkpoint::CheckpointError;
use crate::files::problem::Problem;
use crate::threads::{Cells, Moment};

/// The keeper of a process's subdomains: it knows the terms of their equation, and the field of the
/// checkpoints.
pub struct StencilKeeper<'p, F> {
    cut: Decomposition,
    problem: &'p Problem,
    saving: Option<Saving<'p, F>>,
    restored: Option<Restored<F>>,
}

impl<'p, F: StoredCell> StencilKeeper<'p, F> {
    /// Reads the subdomains that start `here` from the checkpoint that the run goes on from, if
    /// there is one.
    pub fn new(
        problem: &'p Problem,
        cut: Decomposition,
        checkpoints: Checkpoints<'p>,
        here: impl Iterator<Item = SubdomainId>,
        rank: RankId,
        mode: Mode,
    ) -> Result<Self, CheckpointError> {
        let Checkpoints { plan, resumed } = checkpoints;
        let read = |checkpoint| Restored::read(checkpoint, &cut, here, mode);
        Ok(Self {
            cut,
            problem,
            saving: plan.map(|plan| Saving::new(plan, rank)),
            restored: resumed.map(read).transpose()?,
        })
    }
}

impl<'r, F: StoredCell> Keeper<Cells<'r, F>> for StencilKeeper<'_, F> {
    fn unpack(
        &self,
        id: SubdomainId,
        part: &mut Cells<'r, F>,
        mut units: &mut dyn Iterator<Item = F>,
    ) -> bool {
        if !refit(&self.cut, id, part) {
            return false;
        }
        self.problem.fill(&self.cut, id, part);
        part.set_interior(&mut units) && units.next().is_none()
    }

    fn fill(&self, id: SubdomainId, part: &mut Cells<'r, F>) {
        let restored = self.restored.as_ref();
        if !restored.is_some_and(|restored| restored.fill(self.problem, &self.cut, id, part)) {
            self.problem.fill(&self.cut, id, part);
        }
    }

    fn updates(&self, id: SubdomainId) -> Option<u64> {
        self.restored.as_ref().and_then(|restored| restored.updates(id))
    }

    fn all_updates(&self) -> u64 {
        self.restored.as_ref().map_or(0, Restored::all_updates)
    }

    fn initial(&self) -> Option<f64> {
        self.restored.as_ref().map(Restored::initial)
    }

    fn is_wanted(&self, now: Instant) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.is_wanted(now))
    }

    fn begin(&self, moment: &Moment, mut group: &mut dyn Group) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.begin(moment, None, &mut group))
    }

    fn save(&self, id: SubdomainId, updates: u64, part: &Cells<'r, F>) {
        if let Some(saving) = &self.saving {
            saving.save(self.cut.rectangle(id), updates, part);
        }
    }

    fn complete(&self, mut group: &mut dyn Group) {
        if let Some(saving) = &self.saving {
            saving.complete(&mut group);
        }
    }

    fn left(&self) -> Option<String> {
        self.saving.as_ref().map(Saving::left)
    }
}
