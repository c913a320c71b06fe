//! Solving: the stencil's subdomains, in the memory of this process or of a node.

use std::sync::atomic::AtomicU32;
use tresse_core::base::real::Real;

use tresse_core::base::id::NodeId;
use tresse_core::field::grid::Decomposition;
use tresse_core::node::executor::{Observer, SlotTable, Slots};
use tresse_files::stored_cell::StoredCell;

use super::Cells;
use super::drive::drive;
use super::error::EngineError;
use super::job::{Iteration, Job};
use super::memory::SubdomainMemory;
use super::observer::Observers;
use super::single::Single;
use crate::checkpoints::{Checkpoints, StencilKeeper};
use crate::solution::Solution;
use tresse_draw::history::HistorySample;

/// Solves on pinned threads.
///
/// `watch` sees samples while the run goes; `observers` see what the workers do, and are handed
/// back.
pub fn solve<F: Real + StoredCell, O: for<'m> Observer<Cells<'m, F>>>(
    job: Job<'_>,
    checkpoints: Checkpoints<'_>,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Solution<F>, Vec<O>), EngineError> {
    job.config.validate()?;
    job.check_grid()?;
    let decomposition = Decomposition::new(job.config)?;
    let mut memory =
        SubdomainMemory::<F>::allocate(&decomposition, job.problem.terms(), job.config);
    let (mut cells, publications) = memory.lend();
    let (parts, mut claims) = cells.lend();
    let words: Vec<_> = decomposition.ids().map(|_| AtomicU32::new(0)).collect();
    let table = SlotTable::new(&words, (0..decomposition.subdomains()).map(Some));
    let slots = Slots { parts, publications: &publications, table };
    let (problem, here, mode) = (job.problem, decomposition.ids(), job.config.mode);
    let keeper = StencilKeeper::new(problem, decomposition, checkpoints, here, NodeId(0), mode)?;
    let single = Single(keeper);
    single.publish(&slots);
    let Job { config, placement, interrupt, .. } = job;
    let iteration = Iteration { config, graph: &decomposition, placement, interrupt };
    let (record, observers) =
        drive(&iteration, NodeId(0), slots, &mut claims, &single, observers, watch)?;
    let grip = &mut claims.grip();
    let field = tresse_files::field::assembled(&decomposition, |id, show| {
        slots.with(id, grip, |part| show(part));
    });
    Ok((Solution { field, record }, observers))
}
