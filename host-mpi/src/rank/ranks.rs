//! The other ranks of a run, as the engine of one of them sees them.
//!
//! Workers read the edges of neighbours on other ranks by themselves, see [`GhostViews`].
//! Everything else is done by whichever worker has its turn, or by the thread that watches: looking
//! at mailboxes, moving subdomains, publishing how this rank gets on, looking at the others. Nobody
//! waits for another rank in that, and nothing is collective but what is done while all are halted,
//! or in the synchronous mode.

mod home;
mod peers;
mod statement;
mod window_transport;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tresse::engine::checkpoints::Keeper;
use tresse::engine::threads::SlotTable;
use tresse_core::balance::Mean;
use tresse_core::balance::dplb::NodeBalancer;
use tresse_core::base::id::{RankId, SlotId, SubdomainId};
use tresse_core::base::time::Instant;
use tresse_core::base::unit::Unit;
use tresse_core::node::worker::Halts;
use tresse_core::parts::halo::{DirectoryEntry, HaloTag, Location, Publication};
use tresse_core::parts::{Graph, Part};
use tresse_core::ranks::{
    Cadence, LinkOf, LinksOf, MovingOf, Rank, Seen, SeenOf, ViewOf, migration,
};
use tresse_core::run::RunConfig;

use crate::mpi::{Entry, WindowError, Word};
use crate::rank::Windows;
use crate::rank::layout::Layout;
use crate::rank::termination_notice::TerminationNotice;

use home::HomeState;
pub use window_transport::GhostViews;
use window_transport::WindowTransport;

/// The threads that let messages through while workers sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entering {
    /// No thread: gets come through by themselves.
    Nobody,
    /// The workers, after every sweep.
    Workers,
    /// The thread that watches.
    Watcher,
}

/// What a rank's peers are made of.
pub struct Setup<'m, 'r, F: Unit<Shared: Word>, G, K, const N: usize> {
    /// Right to call MPI.
    pub entry: &'m mut Entry,
    /// Configuration of the run, with as many nodes as there are ranks.
    pub config: &'r RunConfig,
    /// Graph of the parts.
    pub graph: &'r G,
    /// Keeper of this rank's parts.
    pub keeper: &'r K,
    /// Places in the windows.
    pub layout: Layout<N>,
    /// Windows, through which ranks see each other.
    pub windows: &'r Windows<F>,
    /// Publications of this rank's slots.
    pub publications: &'r [Publication<'r, F, N>],
    /// Places where workers find the edges of neighbours on other ranks.
    pub ghost_views: &'r GhostViews<'r, F, N>,
    /// Table of the parts that are here.
    pub table: SlotTable<'r>,
    /// Whether shared memory is not used even where the node has some.
    pub only_gets: bool,
    /// Threads that let messages through.
    pub entering: Entering,
    /// Flag that is set when this rank is asked to end early.
    pub interrupt: &'r AtomicBool,
}

/// The peers of one rank.
pub struct Ranks<'m, 'r, F: Unit<Shared: Word>, G, K, const N: usize> {
    graph: &'r G,
    keeper: &'r K,
    own: RankId,
    table: SlotTable<'r>,
    ghost_views: &'r GhostViews<'r, F, N>,
    entering: Entering,
    /// Whether any edges are fetched.
    fetches: bool,
    /// Halts of all ranks together.
    halts: Halts<AtomicU64>,
    /// Number of updates that all ranks had made before the run.
    before: u64,
    interrupt: &'r AtomicBool,
    termination_notice: TerminationNotice,
    state: Mutex<RankState<'m, 'r, F, G, N>>,
}

/// The neighbours on other ranks.
type RankLinks<'m, 'r, F, G, const N: usize> = LinksOf<
    WindowTransport<'m, 'r, F, N>,
    &'r G,
    &'r GhostViews<'r, F, N>,
    Vec<Option<LinkOf<WindowTransport<'m, 'r, F, N>>>>,
    N,
>;
/// Parts on their way.
type RankMoves<'m, 'r, F, G, const N: usize> =
    MovingOf<WindowTransport<'m, 'r, F, N>, &'r G, Vec<u32>, Vec<bool>, N>;
/// Progress of all ranks.
type RankView<'m, 'r, F, const N: usize> =
    ViewOf<WindowTransport<'m, 'r, F, N>, Vec<SeenOf<WindowTransport<'m, 'r, F, N>>>, Vec<Mean>>;

type RankOf<'m, 'r, F, G, const N: usize> =
    Rank<RankLinks<'m, 'r, F, G, N>, RankMoves<'m, 'r, F, G, N>, RankView<'m, 'r, F, N>>;

/// The state that one thread at a time uses.
struct RankState<'m, 'r, F: Unit<Shared: Word>, G, const N: usize> {
    transport: WindowTransport<'m, 'r, F, N>,
    rank: RankOf<'m, 'r, F, G, N>,
    home_state: HomeState,
    cadence: Cadence,
}

/// The counts of one rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Subdomains that the rank sent to other ranks.
    pub sent: u64,
    /// Edges that were written while they were read by gets.
    pub halo_retries: u64,
    /// Forwards that the rank followed.
    pub forwards_followed: u64,
}

impl<'m, 'r, F, G, K, const N: usize> Ranks<'m, 'r, F, G, K, N>
where
    F: Unit<Shared: Word>,
    G: Graph<N>,
{
    /// Returns the peers with every part at its start, where its neighbours know it to be.
    pub fn new<T: Part<Unit = F>>(setup: Setup<'m, 'r, F, G, K, N>) -> Self
    where
        K: Keeper<T>,
    {
        let Setup { entry, config, graph, keeper, layout, table, .. } = setup;
        let (own, ranks) = (entry.rank(), entry.ranks());
        let termination_notice = TerminationNotice::new(entry);
        let before = entry.sum_u64(keeper.all_updates());
        let fetches = fetches(entry, setup.only_gets);
        let mut transport = WindowTransport::new(entry, layout, setup.windows, setup.only_gets);
        let bounds = layout.bounds();
        let by_place = (0..N * bounds.slots as usize).map(|_| None).collect();
        let mut links = RankLinks::new(graph, config.mode, setup.ghost_views, by_place);
        start(&mut transport, table, setup.publications, |id| keeper.updates(id).unwrap_or(0));
        links.open_first(table.here(), &homes(config, graph), &mut transport);
        let (handled, taken) = (vec![0; bounds.ranks as usize], vec![false; bounds.slots as usize]);
        let seen = (0..ranks).map(|_| Seen::nothing()).collect();
        let means = vec![Mean::default(); ranks as usize];
        let here = table.here().count();
        let mut rank = Rank {
            links,
            moves: RankMoves::<F, G, N>::new(own, bounds, graph, handled, taken, here),
            view: RankView::<F, N>::new(own, config.nodes.rule, seen, means),
        };
        if own == RankId(0) {
            // What is in reach is shown from the beginning.
            let looked = rank.view.look(&mut transport);
            must(looked, transport.entry);
        }
        let home_state = HomeState::new(NodeBalancer::new(own, config, Instant::ZERO));
        let state = RankState { transport, rank, home_state, cadence: Cadence::new(&config.stop) };
        Self {
            graph,
            keeper,
            own,
            table,
            ghost_views: setup.ghost_views,
            entering: setup.entering,
            fetches,
            halts: Halts::new(config.mode),
            before,
            interrupt: setup.interrupt,
            termination_notice,
            state: Mutex::new(state),
        }
    }

    /// Returns the counts after the run; waits until all gets have come.
    pub fn end(&self) -> Counted {
        let mut state = self.lock();
        let RankState { transport, rank: Rank { links, view, moves, .. }, .. } = &mut *state;
        links.end(transport);
        view.end(transport);
        loop {
            let cleared = transport.clear();
            if must(cleared, transport.entry) {
                break;
            }
        }
        Counted {
            sent: moves.sent,
            halo_retries: links.tally.retries,
            forwards_followed: links.tally.forwards,
        }
    }

    /// Locks the state for one thread at a time; only a panic, which ends all ranks, could leave it
    /// half changed.
    fn lock(&self) -> MutexGuard<'_, RankState<'m, 'r, F, G, N>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports whether there are ranks whose edges are fetched.
pub fn fetches(entry: &Entry, only_gets: bool) -> bool {
    only_gets && entry.ranks() > 1 || entry.nodes().number() > 1
}

/// Returns the value, or ends all ranks where MPI has failed.
fn must<T>(result: Result<T, WindowError>, entry: &mut Entry) -> T {
    result.unwrap_or_else(|error| entry.give_up(&error))
}

/// Fills the slots, the table and the directory at the start of a run; `updates` returns the count
/// that a part goes on with.
fn start<F: Unit<Shared: Word>, const N: usize>(
    transport: &mut WindowTransport<'_, '_, F, N>,
    table: SlotTable<'_>,
    publications: &[Publication<'_, F, N>],
    updates: impl Fn(SubdomainId) -> u64,
) {
    let own = transport.entry.rank();
    let (words, _) = transport.local();
    for (id, slot) in table.here() {
        if let Some(publication) = publications.get(slot) {
            publication.vacate(id, updates(id));
            publication.admit(HaloTag { subdomain: id, owner: own });
        }
        let slot = SlotId(u32::try_from(slot).unwrap_or(u32::MAX));
        if let Some(word) = words.get(transport.layout.entry(id)) {
            word.store(DirectoryEntry::Here { slot, epoch: 0 }.encode(), Ordering::Release);
        }
    }
}

/// Returns the place where each part starts.
pub fn homes<const N: usize>(config: &RunConfig, graph: &impl Graph<N>) -> Vec<Location> {
    let mut taken = vec![0; config.nodes.number as usize];
    migration::homes(config, graph, &mut taken).collect()
}
