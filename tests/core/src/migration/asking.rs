//! Ranks whose workers sweep in the exact mode and take shares of the version that the first rank
//! asks for, while subdomains move: the shipped [`Rank`](tresse_core::ranks::Rank) and
//! [`Residuals`], over the transport of the model.

use tresse_core::node::worker::{Halts, Residuals, Shares, Sum, Versions};
use tresse_core::ranks::Exchanged;
use tresse_core::run::Mode;

use super::halting::own;
use super::net::Comes;
use super::rank::RankOf;
use super::system::{Setting, Step, System};
use crate::number::Number;
use crate::world::identify;

/// Place in a record from which on its words may be read at a later moment than those before:
/// within what is told.
const TORN: usize = 13;

/// The residuals of a rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    residuals: Residuals<Number>,
    shares: Vec<Shares<Number>>,
}

/// A step of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A worker sweeps a subdomain.
    Sweep(usize),
    /// A step of a move that is not made in an exchange.
    Move(Step),
    /// A worker exchanges with the other ranks, while the words that were asked for come so far.
    Exchange(usize, Comes),
    /// A word with which a version is asked for comes, of those on their way.
    Hear(usize, usize),
}

/// All ranks, and what they have found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asking {
    /// Ranks and their memories.
    pub system: System,
    nodes: Vec<Node>,
    /// The last version whose residual is known, if any.
    pub known: Option<u64>,
    /// Whether another version was asked for although the last one has not become known.
    pub handle_missed: bool,
    /// Whether a residual was wrong.
    pub is_wrong: bool,
}

/// A subdomain's share of the residual of a version; no two numbers of subdomains add up to the
/// same.
fn share(subdomain: usize, version: u64) -> f64 {
    let place = i32::try_from(subdomain).unwrap_or(i32::MAX);
    4_f64.powi(place) * (version + 1) as f64
}

impl Asking {
    /// Returns all ranks before the first sweep.
    pub fn new(setting: &Setting) -> Self {
        let shares = || setting.first.iter().map(|_| Shares::none()).collect();
        let node = |_| Node { residuals: Residuals::among_nodes(), shares: shares() };
        let nodes = (0..setting.bounds.ranks).map(node).collect();
        let system = System::new(setting);
        Self { system, nodes, known: None, handle_missed: false, is_wrong: false }
    }

    /// Returns the steps that may be possible, where no version above `last` is swept.
    pub fn possible(&self, setting: &Setting, last: u64, tears: bool) -> Vec<Act> {
        let mut acts: Vec<_> = self.sweeps(setting, last).collect();
        for (rank, one) in self.system.ranks.iter().enumerate() {
            acts.extend(self.words(rank));
            let leaves = one.shipped.moves.departure().is_some() && !one.house.is_packed;
            acts.extend(leaves.then_some(Act::Move(Step::LetGo(rank))));
            let reads = self.reads(tears).filter(|_| rank == 0);
            let comes = [Comes::Nothing, Comes::Whole].into_iter().chain(reads);
            acts.extend(comes.map(|comes| Act::Exchange(rank, comes)));
        }
        acts.extend(self.system.sends(setting).into_iter().map(Act::Move));
        acts
    }

    fn words(&self, rank: usize) -> impl Iterator<Item = Act> + use<> {
        (0..self.system.memories[rank].asking.len()).map(move |place| Act::Hear(rank, place))
    }

    /// Returns how a record may come: it is read, whole or its last words once more, and then it
    /// comes.
    fn reads(&self, tears: bool) -> impl Iterator<Item = Comes> + use<> {
        let starts = [0].into_iter().chain(tears.then_some(TORN));
        let read = move |rank| starts.clone().map(move |start| Comes::Read(rank, start));
        (1..self.nodes.len()).flat_map(move |rank| read(rank).chain([Comes::Record(rank)]))
    }

    /// Returns the sweeps of subdomains whose neighbours are as far at least.
    fn sweeps(&self, setting: &Setting, last: u64) -> impl Iterator<Item = Act> {
        let number = setting.first.len();
        (0..number).filter_map(move |id| {
            let (_, copy) = self.system.held(id)?;
            let mut beside = [id.wrapping_sub(1), id + 1].into_iter().filter(|id| *id < number);
            let is_ready = beside.all(|other| self.version(other) >= copy.version);
            (is_ready && copy.version < last).then_some(Act::Sweep(id))
        })
    }

    /// Returns the version of a subdomain, wherever it is.
    fn version(&self, id: usize) -> u64 {
        let houses = self.system.ranks.iter().map(|rank| &rank.house);
        let copies = houses.flat_map(|house| house.held.iter().chain(&house.frozen));
        let versions = copies.filter(|copy| copy.subdomain == identify(id));
        versions.map(|copy| copy.version).max().unwrap_or(0)
    }

    /// Makes a step; one that is not possible changes nothing.
    pub fn apply(&mut self, setting: &Setting, act: Act) {
        match act {
            Act::Sweep(id) => self.sweep(id),
            Act::Move(step) => self.system.apply(setting, step),
            Act::Exchange(rank, comes) => self.exchange(setting, rank, comes),
            Act::Hear(rank, place) => {
                let memory = &mut self.system.memories[rank];
                memory.asked = memory.asking.remove(place);
            }
        }
        self.system.show_unread(setting);
    }

    fn sweep(&mut self, id: usize) {
        let Some((rank, copy)) = self.system.held(id) else { return };
        self.nodes[rank].tell(id, copy.version);
        let held = &mut self.system.ranks[rank].house.held;
        let copies = held.iter_mut().filter(|copy| copy.subdomain == identify(id));
        copies.for_each(|copy| copy.version += 1);
    }

    fn exchange(&mut self, setting: &Setting, rank: usize, comes: Comes) {
        let Self { system, nodes, .. } = self;
        let (halts, own) = (Halts::<Number>::new(Mode::Exact), own(&system.ranks[rank].house, 1));
        let here = |system: &System| {
            let held = system.ranks[rank].house.held.iter();
            held.map(|copy| (copy.subdomain, copy.version)).collect::<Vec<_>>()
        };
        let (before, waiting) = (here(system), system.memories[rank].asking.len());
        let Node { residuals, shares } = &nodes[rank];
        let versions = Some(Versions { residuals, shares });
        let mut exchanged = None;
        system.act(setting, rank, comes, |shipped: &mut RankOf, home, net| {
            let Ok(all) = shipped.exchange(own, &halts, versions, home, net);
            exchanged = Some(all);
        });
        // What has come was swept once.
        for (id, version) in here(system) {
            if before.iter().all(|(other, _)| *other != id) {
                nodes[rank].tell(id.index(), version - 1);
            }
        }
        let asks = rank == 0 && system.memories[rank].asking.len() > waiting;
        let is_first = self.nodes[0].residuals == Residuals::among_nodes();
        let known = exchanged.and_then(|Exchanged { global, .. }| global?.known);
        match known {
            Some(Sum { version, squares, .. }) => {
                let all = (0..setting.first.len()).map(|id| share(id, version));
                self.is_wrong |= squares.to_bits() != all.sum::<f64>().to_bits();
                self.known = Some(version);
            }
            None => self.handle_missed |= asks && !is_first && self.system.memories[0].asked > 0,
        }
    }

    /// Lets everybody go on in turn, with no more moves, until another version is known; false
    /// where none comes.
    pub fn go_on(&mut self, setting: &Setting) -> bool {
        let before = self.known;
        // So many rounds double the margin until it is greater than the sweeps of a round.
        (0..100).any(|_| {
            for rank in 0..self.nodes.len() {
                self.take_turn(setting, rank);
            }
            self.known > before
        })
    }

    fn take_turn(&mut self, setting: &Setting, rank: usize) {
        while let Some(act) = self.words(rank).next() {
            self.apply(setting, act);
        }
        let sweeps: Vec<_> = self.sweeps(setting, u64::MAX).collect();
        for act in sweeps {
            self.apply(setting, act);
        }
        self.apply(setting, Act::Move(Step::LetGo(rank)));
        let comes = [Comes::Nothing, Comes::Whole].into_iter().chain(self.reads(false));
        comes.for_each(|comes| self.apply(setting, Act::Exchange(rank, comes)));
    }
}

impl Node {
    /// Tells the share of a subdomain that is swept from this version, where it takes one.
    fn tell(&self, id: usize, version: u64) {
        if let Some(taken) = self.residuals.taking_at(version) {
            let squares = share(id, version);
            self.residuals.publish_share(&self.shares[id], Sum { version, taken, squares });
        }
    }
}
