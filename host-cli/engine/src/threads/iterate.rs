//! Iterations of any kind on the engine: parts that a caller brings along.

use std::sync::atomic::AtomicU32;

use tresse_core::base::id::{NodeId, SubdomainId};
use tresse_core::node::executor::{Observer, SlotTable, Slots};
use tresse_core::node::shared::{Claim, Claims, Copies, Grip};
use tresse_core::parts::owned::{EdgeMemory, check_connected, check_memory, check_part};
use tresse_core::parts::{self, Graph, GraphError, Part};
use tresse_core::run::RunConfig;

use super::drive::drive;
use super::error::EngineError;
use super::job::Iteration;
use super::memory::CopyWords;
use super::observer::Observers;
use super::single::Single;
use crate::checkpoints::{Checkpoints, PartsKeeper};
use crate::solution::RunRecord;
use tresse_draw::history::HistorySample;
use tresse_platform::Platform;

/// Iterates parts on pinned threads, in one process, until the run has ended; returns the parts of
/// the graph in the order of their numbers, as the run has left them.
///
/// `make` returns a part as the run begins with it. Where workers help each other
/// ([`RunConfig::helps`]) it is called more than once for each, as there are copies.
///
/// They are saved, and go on from what was saved, as `checkpoints` says. `watch` sees samples while
/// the run goes. An error comes before anything is updated: where the configuration makes no sense,
/// the parts are not [`RunConfig::subdomains`] in number, a link leads nowhere, no path leads to a
/// part, the edges need more memory than is free, a part does not publish or unpack as it should,
/// the placement has not a seat for each worker, or the system gives no threads.
pub fn iterate<T: Part, G: Graph<N> + Sync, O: Observer<T, N>, const N: usize>(
    iteration: &Iteration<'_, G>,
    checkpoints: Checkpoints<'_>,
    observers: Observers<O>,
    make: impl Fn(SubdomainId) -> T,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Vec<T>), EngineError> {
    let Iteration { config, graph, .. } = *iteration;
    config.validate()?;
    let number = graph.parts();
    parts::check(graph, number as usize, config)?;
    check_connected(graph)?;
    let available = Platform::detect()?.available_memory;
    check_memory::<T::Unit, _, N>(graph, (0..number).map(SubdomainId), available)?;
    let words = copy_words(config, number as usize);
    let here = (0..number).map(SubdomainId);
    let keeper = PartsKeeper::new(checkpoints, here, NodeId(0), config.mode)?;
    let mut all = keeper.restore(&make, |make| made(words.as_ref(), number, make))?;
    check_parts(graph, &mut Claims::new(&mut all).grip(), if words.is_some() { 2 } else { 1 })?;
    let edges = EdgeMemory::<T::Unit, N>::new(graph);
    let publications = edges.lend();
    let mut claims = Claims::new(&mut all);
    let parts = match &words {
        Some(words) => words.of(claims.all()),
        None => Copies::single(claims.all()),
    };
    let places: Vec<_> = (0..number).map(|_| AtomicU32::new(0)).collect();
    let table = SlotTable::new(&places, (0..number).map(Some));
    let slots = Slots { parts, publications: &publications, table };
    let single = Single(keeper);
    single.publish(&slots);
    let (record, _) = drive(iteration, NodeId(0), slots, &mut claims, &single, observers, watch)?;
    Ok((record, current(words.as_ref(), all)))
}

/// Checks the parts, each of which has this many copies side by side.
fn check_parts<T: Part, G: Graph<N>, const N: usize>(
    graph: &G,
    grip: &mut Grip<'_, T>,
    copies: usize,
) -> Result<(), GraphError> {
    for id in (0..graph.parts()).map(SubdomainId) {
        let place = copies * id.index();
        if grip.take(place) {
            let checked = grip.with(place, |part| check_part(graph, id, part));
            grip.leave(place);
            checked?;
        }
    }
    Ok(())
}

/// Returns the words that tell the copies of parts apart, where there are some.
fn copy_words(config: &RunConfig, parts: usize) -> Option<CopyWords> {
    config.helps().then(|| CopyWords::new(parts, config.workers as usize))
}

/// Returns all parts, each with its copies, and the spare ones, which may become any part.
fn made<T>(
    words: Option<&CopyWords>,
    number: u32,
    make: impl Fn(SubdomainId) -> T,
) -> Vec<Claim<T>> {
    let parts = (0..number).map(SubdomainId);
    let Some(words) = words else { return parts.map(make).map(Claim::new).collect() };
    let twice = parts.flat_map(|id| [id, id]);
    let spare = std::iter::repeat(SubdomainId(0));
    twice.chain(spare).take(words.copies()).map(make).map(Claim::new).collect()
}

/// Returns the current copy of each part.
fn current<T>(words: Option<&CopyWords>, all: Vec<Claim<T>>) -> Vec<T> {
    let all = all.into_iter().map(Claim::into_inner);
    let Some(words) = words else { return all.collect() };
    let mut all: Vec<_> = all.map(Some).collect();
    words.current().filter_map(|copy| all.get_mut(copy)?.take()).collect()
}
