//! The only process of a run of the stencil: nobody to talk to, but it may save its subdomains, and
//! go on from saved ones.

use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::real::Real;
use tresse_core::base::time::Instant;
use tresse_core::field::grid::Decomposition;
use tresse_core::node::executor::{Exchanged, Local, Moment, Peers, RemoteProgress, Slots};
use tresse_core::parts::halo::HaloTag;
use tresse_files::stored_cell::StoredCell;

use super::Cells;
use super::job::Job;
use crate::checkpoints::{Checkpoints, Restored, Saving};
use crate::files::checkpoint::CheckpointError;
use crate::files::problem::Problem;

/// The process.
pub(super) struct Single<'p, F> {
    cut: Decomposition,
    problem: &'p Problem,
    saving: Option<Saving<'p, F>>,
    restored: Option<Restored<F>>,
}

impl<'p, F: Real + StoredCell> Single<'p, F> {
    /// Reads the checkpoint that the run goes on from, if there is one.
    pub(super) fn new(
        job: Job<'p>,
        cut: Decomposition,
        checkpoints: Checkpoints<'p>,
    ) -> Result<Self, CheckpointError> {
        let Checkpoints { plan, resumed } = checkpoints;
        let read = |checkpoint| Restored::read(checkpoint, &cut, cut.ids(), job.config.mode);
        Ok(Self {
            cut,
            problem: job.problem,
            saving: plan.map(|plan| Saving::new(plan, RankId(0))),
            restored: resumed.map(read).transpose()?,
        })
    }

    /// Publishes the counts that the subdomains go on with.
    pub(super) fn publish<'r>(&self, slots: &Slots<'r, Cells<'r, F>>) {
        let Some(restored) = &self.restored else { return };
        for (id, publication) in slots.here() {
            publication.vacate(id, restored.updates(id).unwrap_or(0));
            publication.admit(HaloTag { subdomain: id, owner: RankId(0) });
        }
    }
}

impl<'r, F: Real + StoredCell> Peers<'r, Cells<'r, F>> for Single<'_, F> {
    const ALONE: bool = true;

    fn restore(&self, id: SubdomainId, subdomain: &mut Cells<'r, F>) -> bool {
        let restored = self.restored.as_ref();
        restored.is_some_and(|restored| restored.fill(self.problem, &self.cut, id, subdomain))
    }

    fn initial(&self) -> Option<f64> {
        self.restored.as_ref().map(Restored::initial)
    }

    fn exchange(&self, local: &mut Local<'_, '_, 'r, Cells<'r, F>>, sum: f64) -> Exchanged {
        Exchanged { halts: self.is_wanted(local.now), ..local.alone(sum) }
    }

    fn wants_to_save(&self, now: Instant) -> bool {
        self.is_wanted(now)
    }

    fn begin_saving(&self, moment: &Moment) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.begin(moment, None, &mut ()))
    }

    fn save(&self, id: SubdomainId, updates: u64, subdomain: &Cells<'r, F>) {
        if let Some(saving) = &self.saving {
            saving.save(self.cut.rectangle(id), updates, subdomain);
        }
    }

    fn saved(&self) {
        if let Some(saving) = &self.saving {
            saving.complete(&mut ());
        }
    }

    fn remote(&self, _: &mut [u64]) -> Option<RemoteProgress> {
        let before = self.restored.as_ref().map_or(0, Restored::all_updates);
        Some(RemoteProgress { before, ..RemoteProgress::default() })
    }
}

impl<F: StoredCell> Single<'_, F> {
    fn is_wanted(&self, now: Instant) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.is_wanted(now))
    }
}
