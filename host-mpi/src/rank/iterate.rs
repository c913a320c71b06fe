//! Iterating the parts of one rank, of whatever kind, together with the other ranks.

use tresse::engine::checkpoints::Keeper;
use tresse::engine::threads::{Iteration, Observer, Observers, RunRecord, Slots, drive};
use tresse::report::history::HistorySample;
use tresse_core::base::id::SubdomainId;
use tresse_core::base::table::At;
use tresse_core::base::unit::Unit;
use tresse_core::node::shared::{Claim, Claims};
use tresse_core::parts::{Graph, Part};

use super::error::RankError;
use super::gather::gather;
use super::layout::Layout;
use super::memory::PartPlaces;
use super::mirrors::MirrorMemory;
use super::ranks::{Counted, Entering, GhostViews, Ranks, Setup, fetches};
use super::windows::Windows;
use crate::mpi::{Entry, Word};

/// One rank's part of an iteration.
pub struct RankIteration<'a, G, K, O> {
    /// The iteration, with as many nodes as there are ranks, and this rank's placement.
    pub iteration: Iteration<'a, G>,
    /// Keeper of this rank's parts.
    pub keeper: &'a K,
    /// Places of the parts.
    pub places: &'a PartPlaces,
    /// Threads that let messages through.
    pub entering: Entering,
    /// Whether shared memory is not used even where the node has some.
    pub only_gets: bool,
    /// Observers of the workers.
    pub observers: Observers<O>,
}

/// Iterates this rank's parts until the run of all ranks has ended. Then `take` gets those that
/// started here, as they are packed, wherever they were in the end. Collective; `watch` sees
/// samples of the whole run on the first rank.
///
/// `parts` are the [`PartPlaces::number`] copies, of which the first ones of those that start here
/// are as the run begins with them, or as big.
pub fn iterate<T, G, K, O, const N: usize>(
    entry: &mut Entry,
    job: RankIteration<'_, G, K, O>,
    parts: Vec<T>,
    take: impl FnMut(SubdomainId, &mut dyn Iterator<Item = T::Unit>),
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Counted), RankError>
where
    T: Part<Unit: Unit<Shared: Word>>,
    G: Graph<N> + Sync,
    K: Keeper<T>,
    O: Observer<T, N>,
{
    let Iteration { config, graph, .. } = job.iteration;
    config.validate()?;
    let rooms = job.places.here().map(|(id, copy)| room(graph, id, parts.at(copy)));
    let packed = entry.max_u64(rooms.max().unwrap_or(0));
    let packed = usize::try_from(packed).unwrap_or(usize::MAX);
    let layout = Layout::new(config, graph, packed);
    let windows = Windows::<T::Unit>::allocate(entry, &layout)?;
    let iterated = iterate_within(entry, job, parts, (layout, &windows), take, watch);
    // Whatever became of this rank, the others free theirs as well.
    windows.free(entry)?;
    Ok(iterated)
}

/// Returns the number of units in which a part may be packed: as many as now, and what it has then
/// read of each neighbour, with a number for its length.
fn room<T: Part, const N: usize>(graph: &impl Graph<N>, id: SubdomainId, part: &T) -> u64 {
    let links = graph.neighbours(id).into_iter().enumerate();
    let read = links.filter_map(|(link, neighbour)| {
        let neighbour = neighbour?;
        Some(u64::from(graph.edge(graph.size(neighbour), graph.back(id, link))) + 1)
    });
    part.pack().count() as u64 + read.sum::<u64>()
}

/// Iterates in windows that are there already.
fn iterate_within<T, G, K, O, const N: usize>(
    entry: &mut Entry,
    job: RankIteration<'_, G, K, O>,
    parts: Vec<T>,
    (layout, windows): (Layout<N>, &Windows<T::Unit>),
    take: impl FnMut(SubdomainId, &mut dyn Iterator<Item = T::Unit>),
    watch: &mut dyn FnMut(&HistorySample),
) -> (RunRecord, Counted)
where
    T: Part<Unit: Unit<Shared: Word>>,
    G: Graph<N> + Sync,
    K: Keeper<T>,
    O: Observer<T, N>,
{
    let RankIteration { iteration, keeper, places, entering, only_gets, observers } = job;
    let Iteration { config, graph, interrupt, .. } = iteration;
    let own = entry.rank();
    let fetches = fetches(entry, only_gets);
    let publications: Vec<_> = windows.publications(own, &layout, fetches).collect();
    let together: Vec<_> = entry.nodes().with(own).collect();
    let views: Vec<_> =
        together.iter().flat_map(|rank| windows.publications(*rank, &layout, fetches)).collect();
    let mirrored = MirrorMemory::<T::Unit>::allocate(&layout, fetches);
    let mirrors = mirrored.lend();
    let ghost_views = GhostViews::new(&mirrors, &views, &together);
    let table = places.table();
    let mut parts: Vec<_> = parts.into_iter().map(Claim::new).collect();
    let mut claims = Claims::new(&mut parts);
    let slots = Slots { parts: places.of(claims.all()), publications: &publications, table };

    let ranks = Ranks::new::<T>(Setup {
        entry,
        config,
        graph,
        keeper,
        layout,
        windows,
        publications: &publications,
        ghost_views: &ghost_views,
        table,
        only_gets,
        entering,
        interrupt,
    });
    let driven = drive(&iteration, own, slots, &mut claims, &ranks, observers, watch);
    let counted = ranks.end();
    drop(ranks);
    // The others are in the run already.
    let (record, _) = driven.unwrap_or_else(|error| entry.give_up(&error));
    gather(entry, places.homes(), (&slots, &mut claims.grip()), take);
    (record, counted)
}
