//! The other ranks of a run, as the engine of one of them sees them.
//!
//! Workers read the edges of neighbours on other ranks by themselves, see [`links`]. Everything else
//! is done by whichever worker has its turn, or by the thread that watches: looking at mail, moving
//! subdomains, publishing how this rank gets on, looking at the others. Nobody waits for another rank
//! in that, and nothing is collective but what is done while all are halted, or in the synchronous
//! mode.

mod links;
mod moving;
mod residual;
mod view;
mod wire;

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration as Sleep;

use tresse::problem::Problem;
use tresse::stored_cell::StoredCell;
use tresse::threads::{Elsewhere, Exchanged, Local, Moment, Peers, Places};
use tresse_core::balance::Mean;
use tresse_core::balance::dplb::NodeBalancer;
use tresse_core::grid::{Decomposition, Side};
use tresse_core::id::{Berth, NodeId, SubdomainId};
use tresse_core::migration::{Entry as Place, Location, Tenant};
use tresse_core::run::RunConfig;
use tresse_core::shared::{Edges, Publication, SharedReal};
use tresse_core::subdomain::Subdomain;
use tresse_core::time::{Duration, Instant};

use crate::farewell::Farewell;
use crate::layout::Layout;
use crate::record::Record;
use crate::restored::Restored;
use crate::saving::{Plan, Saving};
use crate::window::{WindowError, Word};
use crate::{Entry, Windows};

use links::Links;
pub use links::Sights;
use moving::Moving;
use view::View;
use wire::Wire;

/// Who lets messages through while workers sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entering {
    /// Nobody: gets come through by themselves.
    Nobody,
    /// The workers, after every sweep.
    Workers,
    /// The thread that watches.
    Watcher,
}

/// What a rank brings along to the others.
pub struct Setup<'m, 'r, F: SharedReal<Shared: Word>> {
    /// The right to call MPI.
    pub entry: &'m mut Entry,
    /// The run, with as many nodes as there are ranks.
    pub config: &'r RunConfig,
    /// Its equations.
    pub problem: &'r Problem,
    /// The cut of the grid.
    pub cut: Decomposition,
    /// The places in the windows.
    pub layout: Layout,
    /// What ranks see of each other.
    pub windows: &'r Windows<F>,
    /// What lies in this rank's berths.
    pub publications: &'r [Publication<'r, F>],
    /// Where workers find the edges of neighbours on other ranks.
    pub sights: &'r Sights<'r, F>,
    /// Which subdomains are here.
    pub places: &'r Places,
    /// Whether shared memory is not used even where there is some.
    pub only_gets: bool,
    /// Who lets messages through.
    pub entering: Entering,
    /// Set when this rank is asked to end early.
    pub interrupt: &'r AtomicBool,
    /// What is saved.
    pub plan: Option<Plan<'m>>,
    /// What is gone on with.
    pub restored: Option<&'r Restored<F>>,
}

/// The peers of one rank.
pub struct Ranks<'m, 'r, F: SharedReal<Shared: Word>> {
    cut: Decomposition,
    own: NodeId,
    places: &'r Places,
    sights: &'r Sights<'r, F>,
    entering: Entering,
    /// Whether there are edges that are fetched.
    fetches: bool,
    /// Whether this rank wants all to halt.
    wishes: AtomicBool,
    is_synchronous: bool,
    saving: Option<Saving<'m, F>>,
    restored: Option<&'r Restored<F>>,
    problem: &'r Problem,
    /// Updates that all ranks had made before the run.
    before: u64,
    interrupt: &'r AtomicBool,
    farewell: Farewell,
    state: Mutex<State<'m, 'r, F>>,
}

/// What one thread at a time works with.
struct State<'m, 'r, F: SharedReal<Shared: Word>> {
    wire: Wire<'m, 'r, F>,
    links: Links<'r, F>,
    moving: Moving<'r, F>,
    view: View<'r>,
    /// How often all were told to halt.
    halts: u64,
}

/// What was counted on one rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Subdomains that it sent to other ranks.
    pub sent: u64,
    /// Edges that were written while they were read by gets.
    pub halo_retries: u64,
    /// Forwards that were followed.
    pub forwards_followed: u64,
}

/// Time between two looks at the other ranks, and what is added for each of them on the first rank,
/// which sees what all have come to.
const LOOK: Duration = Duration::from_millis(1);
const LOOK_COST: Duration = Duration::from_micros(20);
/// Between two times that the thread which watches lets messages through.
const ATTENTION: Sleep = Sleep::from_micros(50);

impl<'m, 'r, F: SharedReal<Shared: Word> + StoredCell> Ranks<'m, 'r, F> {
    /// Every subdomain where it starts, and known to be there by its neighbours.
    pub fn new(setup: Setup<'m, 'r, F>) -> Self {
        let Setup { entry, config, problem, cut, layout, windows, places, .. } = setup;
        let (own, ranks) = (entry.rank(), entry.ranks());
        let farewell = Farewell::new(entry);
        let before = entry.sum_u64(setup.restored.map_or(0, Restored::all_updates));
        let fetches = setup.only_gets && ranks > 1 || entry.nodes().number() > 1;
        let mut wire = Wire::new(entry, layout, windows, setup.only_gets);
        let mut links = Links::new(cut, config.mode, setup.sights);
        let here = start(&mut wire, places, setup.publications, setup.restored);
        links.open_first(places, &homes(config, &cut));
        let balancer = NodeBalancer::new(own, config, Instant::ZERO);
        let state = State {
            wire,
            links,
            moving: Moving::new((own, layout.bounds()), (problem, cut), balancer, here),
            view: View::new(own, ranks),
            halts: 0,
        };
        Self {
            own,
            cut,
            places,
            sights: setup.sights,
            entering: setup.entering,
            fetches,
            wishes: AtomicBool::new(false),
            is_synchronous: config.mode.is_synchronous(),
            saving: setup.plan.map(|plan| Saving::new(plan, cut, own)),
            restored: setup.restored,
            problem,
            before,
            interrupt: setup.interrupt,
            farewell,
            state: Mutex::new(state),
        }
    }

    /// What was counted, after the run; everything that was asked for has come then.
    pub fn end(&self) -> Counted {
        let mut state = self.lock();
        let State { wire, links, view, moving, .. } = &mut *state;
        let ended = links.end(wire).and_then(|()| view.end(wire.entry));
        must(ended, wire.entry);
        Counted {
            sent: moving.sent,
            halo_retries: links.tally.retries,
            forwards_followed: links.tally.forwards,
        }
    }

    /// Lets messages through, unless somebody is at it.
    fn let_through(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            let State { wire, links, .. } = &mut *state;
            wire.entry.enter();
            let advanced = links.advance(wire);
            must(advanced, wire.entry);
        }
    }

    /// One thread at a time; only a panic, which ends all ranks, could leave it half done.
    fn lock(&self) -> MutexGuard<'_, State<'m, 'r, F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says who lies in which berth, and where; how many are here.
fn start<F: SharedReal<Shared: Word>>(
    wire: &mut Wire<'_, '_, F>,
    places: &Places,
    publications: &[Publication<'_, F>],
    restored: Option<&Restored<F>>,
) -> usize
where
    F: StoredCell,
{
    let own = wire.entry.rank();
    let (words, _) = wire.local();
    for (id, berth) in places.here() {
        if let Some(publication) = publications.get(berth) {
            publication.vacate(restored.and_then(|restored| restored.updates(id)).unwrap_or(0));
            publication.admit(Tenant { subdomain: id, owner: own });
        }
        let berth = Berth(u32::try_from(berth).unwrap_or(u32::MAX));
        if let Some(word) = words.get(wire.layout.entry(id)) {
            word.store(Place::Here { berth, epoch: 0 }.encode(), Ordering::Release);
        }
    }
    places.here().count()
}

/// Where each subdomain starts: those of a rank lie in its first berths, in ascending order.
pub fn homes(config: &RunConfig, cut: &Decomposition) -> Vec<Location> {
    let workers = config.workers_per_node().max(1);
    let mut berths = vec![0; config.nodes.number as usize];
    let home = |id| {
        let node = NodeId(cut.first_owner(id).0 / workers);
        let next = berths.get_mut(node.index());
        let berth = next.map_or(0, |next| {
            *next += 1;
            *next - 1
        });
        Location { node, berth: Berth(berth), epoch: 0 }
    };
    cut.ids().map(home).collect()
}

/// There is no way on where MPI fails.
fn must<T>(result: Result<T, WindowError>, entry: &mut Entry) -> T {
    result.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: rank {}: {error}", entry.rank());
        entry.abort(1)
    })
}

impl<F: SharedReal<Shared: Word>> State<'_, '_, F> {
    /// What this rank says of itself.
    fn record(&self, local: &Local<'_, '_, '_, F>, residual: f64, wishes: bool) -> Record {
        let mean = Mean::of(local.workers, local.counts, local.ownership);
        Record {
            mean,
            residual,
            progress: local.progress,
            moves: local.moves,
            rounds: local.rounds,
            sent: self.moving.sent,
            wishes,
            is_current: true,
        }
    }

    /// Makes workers look again where their neighbours are, if that has changed.
    fn reconnect(&mut self, local: &Local<'_, '_, '_, F>) {
        if std::mem::take(&mut self.links.has_changed) {
            local.reconnect();
        }
    }
}

impl<'r, F: SharedReal<Shared: Word>> State<'_, 'r, F> {
    /// Balances between nodes, where that is due and everybody was heard of.
    fn balance(&mut self, local: &mut Local<'_, '_, 'r, F>) {
        let Self { moving, view, wire, .. } = self;
        let transfer =
            moving.balancer.poll(local.now, view.means(), local.ownership, local.workers);
        if let Some(transfer) = transfer {
            moving.send(transfer, local, wire);
        }
    }

    /// Everything that is due with the others; whether they all were heard of.
    fn exchange(
        &mut self,
        local: &mut Local<'_, '_, 'r, F>,
        is_first: bool,
    ) -> Result<bool, WindowError> {
        let Self { moving, links, wire, view, .. } = self;
        moving.advance(local, wire, links)?;
        links.advance(wire)?;
        let is_due = local.now >= moving.balancer.poll_at();
        let is_complete = (is_first || is_due) && view.look(wire)?;
        if is_complete && is_due {
            self.balance(local);
        }
        self.reconnect(local);
        Ok(is_complete)
    }

    /// Tells every rank to halt.
    fn call_halt(&mut self) -> Result<(), WindowError> {
        let command = self.wire.layout.command();
        for rank in (0..self.wire.entry.ranks()).map(NodeId) {
            self.wire.store(rank, command, self.halts + 1)?;
        }
        Ok(())
    }
}

impl<'r, F: SharedReal<Shared: Word> + StoredCell> Peers<'r, F> for Ranks<'_, 'r, F> {
    const ALONE: bool = false;

    fn edges(&self, reader: SubdomainId, side: Side) -> Option<Edges<'r, 'r, F>> {
        self.sights.edges(self.places.berth(reader)?, side)
    }

    #[inline]
    fn enter(&self) {
        if self.fetches && self.entering == Entering::Workers {
            self.let_through();
        }
    }

    fn attend(&self) -> Sleep {
        if self.interrupt.load(Ordering::Relaxed)
            && let Some(saving) = &self.saving
        {
            self.farewell.say(|| saving.newest());
        }
        if self.fetches && self.entering == Entering::Watcher {
            self.let_through();
            return ATTENTION;
        }
        Sleep::from_millis(2)
    }

    fn restore(&self, id: SubdomainId, subdomain: &mut Subdomain<'_, F>) -> bool {
        self.restored.is_some_and(|restored| restored.fill(self.problem, &self.cut, id, subdomain))
    }

    fn initial(&self) -> Option<f64> {
        self.restored.map(Restored::initial)
    }

    fn exchange(&self, local: &mut Local<'_, '_, 'r, F>, sum: f64) -> Exchanged {
        if self.saving.as_ref().is_some_and(|saving| saving.is_wanted(local.now)) {
            self.wishes.store(true, Ordering::Relaxed);
        }
        let mut state = self.lock();
        let is_first = self.own == NodeId(0);
        let record = state.record(local, sum, self.wishes.load(Ordering::Relaxed));
        let State { view, wire, .. } = &mut *state;
        view.publish(record, wire);
        let exchanged = state.exchange(local, is_first);
        let is_complete = must(exchanged, state.wire.entry);
        let mut whole = None;
        if is_first && is_complete {
            whole = state.view.whole();
            if state.view.is_wished() && !self.is_synchronous {
                let called = state.call_halt();
                must(called, state.wire.entry);
            }
        }
        let told = state.wire.own(state.wire.layout.command());
        let halts = told > state.halts;
        let ranks = if is_first { u64::from(state.wire.entry.ranks()) } else { 0 };
        let pause = LOOK.max(Duration(LOOK_COST.0 * ranks));
        Exchanged { whole, halts, due: local.now.after(pause) }
    }

    fn ask_to_halt(&self) -> bool {
        self.wishes.store(true, Ordering::Relaxed);
        false
    }

    fn step(&self) -> bool {
        let mut state = self.lock();
        let wishes = self.wishes.load(Ordering::Relaxed);
        let halts = state.wire.entry.max_u64(u64::from(wishes)) > 0;
        let State { links, wire, .. } = &mut *state;
        links.renew();
        while !links.are_fresh() {
            let advanced = links.advance(wire);
            must(advanced, wire.entry);
        }
        halts
    }

    fn settle(&self, local: &mut Local<'_, '_, 'r, F>) {
        let mut state = self.lock();
        let State { view, wire, .. } = &mut *state;
        view.publish(Record::default(), wire);
        loop {
            let State { moving, links, wire, .. } = &mut *state;
            let advanced = moving.advance(local, wire, links);
            must(advanced, wire.entry);
            if wire.entry.sum_u64(u64::from(!moving.is_idle())) == 0 {
                break;
            }
        }
        // After this nobody sends a command before the next record.
        state.halts = state.wire.own(state.wire.layout.command());
        self.wishes.store(false, Ordering::Relaxed);
        state.reconnect(local);
    }

    fn refresh(&self, local: &mut Local<'_, '_, 'r, F>) {
        let mut state = self.lock();
        let State { links, wire, .. } = &mut *state;
        // All edges are out that are asked for from here on.
        wire.entry.barrier();
        links.renew_all();
        loop {
            let advanced = links.advance(wire);
            must(advanced, wire.entry);
            if wire.entry.sum_u64(u64::from(!links.are_fresh())) == 0 {
                break;
            }
        }
        state.reconnect(local);
    }

    fn sum(&self, residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>) -> f64 {
        let mut state = self.lock();
        let entry = &mut *state.wire.entry;
        let words = residuals.flat_map(|(id, residual)| [u64::from(id.0), residual.to_bits()]);
        let all = entry.gather_bytes(words.flat_map(u64::to_le_bytes).collect());
        let sum = all.map(|all| residual::in_order(&all, self.cut.subdomains()));
        let mut bytes = match sum {
            Some(Ok(sum)) => sum.to_le_bytes().to_vec(),
            Some(Err(error)) => {
                let _ = writeln!(io::stderr(), "error: {error}");
                entry.abort(1)
            }
            None => Vec::new(),
        };
        entry.broadcast(&mut bytes);
        bytes.try_into().map_or(f64::NAN, f64::from_le_bytes)
    }

    fn any(&self, is: bool) -> bool {
        self.lock().wire.entry.max_u64(u64::from(is)) > 0
    }

    fn agree(&self, own: u8) -> u8 {
        let mut bytes = vec![own];
        self.lock().wire.entry.broadcast(&mut bytes);
        bytes.first().copied().unwrap_or(0)
    }

    fn saves(&self, moment: &Moment) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.begin(moment, self.lock().wire.entry))
    }

    fn save(&self, id: SubdomainId, updates: u64, subdomain: &Subdomain<'_, F>) {
        if let Some(saving) = &self.saving {
            saving.save(id, updates, subdomain);
        }
    }

    fn saved(&self) {
        if let Some(saving) = &self.saving {
            saving.complete(self.lock().wire.entry);
        }
    }

    fn elsewhere(&self, counts: &mut [u64]) -> Option<Elsewhere> {
        if self.own != NodeId(0) {
            return None;
        }
        let state = self.state.try_lock().ok()?;
        state.view.counts(counts, &state.wire);
        let add = |sum: Elsewhere, record: &Record| Elsewhere {
            residual: sum.residual + record.residual,
            moves: sum.moves + record.moves,
            rounds: sum.rounds + record.rounds,
            ..sum
        };
        let start = Elsewhere { before: self.before, ..Elsewhere::default() };
        Some(state.view.others().fold(start, add))
    }
}
