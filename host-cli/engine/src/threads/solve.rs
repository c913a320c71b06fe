//! Solving: the stencil's subdomains, in the memory of this process or of a node.

use std::sync::atomic::AtomicU32;
use tresse_core::base::real::Real;

use tresse_core::base::bug::OrBug;
use tresse_core::base::id::NodeId;
use tresse_core::field::grid::Decomposition;
use tresse_core::node::executor::{Observer, Peers, SlotTable, Slots};
use tresse_core::node::shared::Claims;
use tresse_files::stored_cell::StoredCell;

use super::Cells;
use super::drive::drive;
use super::error::EngineError;
use super::job::{Iteration, Job};
use super::memory::SubdomainMemory;
use super::observer::Observers;
use super::single::Single;
use crate::checkpoints::Checkpoints;
use crate::solution::{RunRecord, Solution};
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
    let decomposition = Decomposition::new(job.config)?;
    let mut memory =
        SubdomainMemory::<F>::allocate(&decomposition, job.problem.terms(), job.config);
    let (mut cells, publications) = memory.lend();
    let (parts, mut claims) = cells.lend();
    let words: Vec<_> = decomposition.ids().map(|_| AtomicU32::new(0)).collect();
    let table = SlotTable::new(&words, (0..decomposition.subdomains()).map(Some));
    let slots = Slots { parts, publications: &publications, table };
    let single = Single::new(job, decomposition, checkpoints)?;
    single.publish(&slots);
    let (record, observers) =
        solve_among(job, NodeId(0), (slots, &mut claims), &single, observers, watch)?;
    let grip = &mut claims.grip();
    let field = tresse_files::field::assembled(&decomposition, |id, show| {
        slots.with(id, grip, |part| show(part)).or_bug("a subdomain is still held at the end");
    });
    Ok((Solution { field, record }, observers))
}

/// Solves one node's part on pinned threads, together with other processes; the placement is that
/// of the node's workers. The cells are in the slots at the end, and nobody holds them.
pub fn solve_among<'r, F, P, O>(
    job: Job<'_>,
    node: NodeId,
    (slots, claims): (Slots<'r, Cells<'r, F>>, &mut Claims<'r, Cells<'r, F>>),
    peers: &P,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Vec<O>), EngineError>
where
    F: Real,
    P: Peers<'r, Cells<'r, F>>,
    O: Observer<Cells<'r, F>>,
{
    let Job { config, problem, placement, interrupt } = job;
    config.validate()?;
    job.check_grid()?;
    let graph = &Decomposition::new(config)?;
    let fill = |id, part: &mut Cells<'r, F>| {
        if !peers.restore(id, part) {
            problem.fill(graph, id, part);
        }
    };
    let iteration = Iteration { config, graph, placement, interrupt };
    drive(&iteration, node, (slots, claims, &fill), peers, observers, watch)
}
