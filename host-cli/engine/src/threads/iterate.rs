//! Iterations of any kind on the engine: parts that a caller brings along.

use std::sync::atomic::AtomicU32;

use tresse_core::base::id::NodeId;
use tresse_core::node::executor::{Alone, SlotTable, Slots};
use tresse_core::node::shared::{Claim, Claims, Copies};
use tresse_core::parts::owned::EdgeMemory;
use tresse_core::parts::{self, Graph, SharedPart};
use tresse_core::run::RunConfig;

use super::drive::drive;
use super::error::EngineError;
use super::job::Iteration;
use super::observer::Observers;
use crate::solution::RunRecord;
use tresse_draw::history::HistorySample;

/// Iterates parts on pinned threads, in one process, until the run has ended; `parts` are those of
/// the graph, in the order of their numbers, as the run begins with them, and then as it has left
/// them.
///
/// There is one copy of each part, so that workers do not help each other ([`RunConfig::help`]).
///
/// `watch` sees samples while the run goes. An error comes before anything is updated: where the
/// configuration makes no sense, the parts are not [`RunConfig::subdomains`] in number, a link
/// leads nowhere, the placement has not a seat for each worker, or the system gives no threads.
pub fn iterate<T: SharedPart, G: Graph<N> + Sync, const N: usize>(
    iteration: &Iteration<'_, G>,
    parts: &mut [T],
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<RunRecord, EngineError> {
    let config = &RunConfig { help: false, ..iteration.config.clone() };
    let iteration = &Iteration { config, ..*iteration };
    let graph = iteration.graph;
    config.validate()?;
    parts::check(graph, parts.len(), config)?;
    let edges = EdgeMemory::<T::Real, N>::new(graph);
    let publications = edges.lend();
    let mut parts: Vec<_> = parts.iter_mut().map(Claim::new).collect();
    let mut claims = Claims::new(&mut parts);
    let words: Vec<_> = (0..graph.parts()).map(|_| AtomicU32::new(0)).collect();
    let table = SlotTable::new(&words, (0..graph.parts()).map(Some));
    let parts = Copies::single(claims.all());
    let slots = Slots { parts, publications: &publications, table };
    let nobody = Observers::of_workers(vec![(); config.workers as usize]);
    drive(iteration, NodeId(0), (slots, &mut claims, &|_, _| {}), &Alone, nobody, watch)
        .map(|(record, _)| record)
}
