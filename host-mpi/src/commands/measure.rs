//! Makes one run on all ranks, and collects the figures that all have measured.

use mpi::traits::Equivalence;
use tresse::engine::checkpoints::{Checkpoints, Plan};
use tresse::engine::solvers::{Method, Solver};
use tresse::engine::threads::{Job, RunRecord, TaskTracks};
use tresse::files::stored_cell::StoredCell;
use tresse::interrupt;
use tresse::report::history::HistorySample;
use tresse_core::base::real::Real;

use super::error::SolveError;
use super::reach::Reach;
use super::ready::Ready;
use super::recording::Told;
use crate::commands::report::RankReport;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};
use crate::mpi::window::Word;
use crate::rank::bands::FieldRows;
use crate::rank::{self, RankJob, Solved};
use crate::rank::{baseline, multigrid};

/// A run that all ranks have made.
pub(super) struct Measured<F> {
    /// Record of this rank's run; on the first rank that of the whole run.
    pub(super) record: RunRecord,
    /// Figures of all ranks, on the first one.
    pub(super) per_rank: Option<Vec<RankReport>>,
    /// Band of the field that this rank has.
    pub(super) band: FieldRows<F>,
}

impl Ready {
    /// Makes the run; `watch` sees samples of the whole run on the first rank. Collective.
    pub(super) fn measure<F>(
        &self,
        entry: &mut Entry,
        reach: Reach,
        plan: Option<Plan<'_>>,
        Told { observers, tracks }: Told<'_>,
        watch: &mut dyn FnMut(&HistorySample),
    ) -> Result<Measured<F>, Refused>
    where
        F: Real<Shared: Word> + StoredCell + Equivalence,
    {
        let (config, problem) = (&self.own, &self.resolved.problem);
        let (placement, interrupt) = (&self.placement, interrupt::flag());
        let job = Job { config, problem, placement, interrupt };
        let solved = match (self.resolved.method, self.resolved.solver) {
            (Method::Multigrid(choices), _) => {
                let saved = Checkpoints { plan, resumed: self.resumed.as_ref() };
                let unrecorded = TaskTracks::default();
                let tracks = tracks.unwrap_or(&unrecorded);
                multigrid::solve::<F>(entry, job, choices, saved, tracks, watch)
                    .map_err(SolveError::from)
            }
            (Method::Jacobi, Solver::Rayon) => Ok(baseline::solve::<F>(entry, job, watch)),
            (Method::Jacobi, Solver::Engine(_)) => {
                let job = RankJob {
                    config,
                    problem,
                    placement,
                    interrupt,
                    entering: reach.entering,
                    only_gets: reach.only_gets,
                    plan,
                    resumed: self.resumed.as_ref(),
                    observers,
                };
                rank::solve::<F>(entry, job, watch).map_err(SolveError::from)
            }
        };
        let Solved { mut record, counted, band } = together(entry, solved)?;
        let cores = self.placement.cores();
        let sources = &self.resolved.config.noise;
        let cpu = self.machine.report().cpu;
        let figures = RankReport::new(entry.rank(), cpu, cores, &record, counted, sources);
        let per_rank = figures.gather(entry);
        if let Some(all) = &per_rank {
            RankReport::complete(all, &mut record, sources);
        }
        Ok(Measured { record, per_rank, band })
    }
}
