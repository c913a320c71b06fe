//! Grapevine on the subdomains of a run: the load of one is its measured sweep time.
//!
//! Workers whose loads are equal get on equally fast. By how much they differ already stays:
//! progressive load balancing compares what was done and pulls the slowest back, this compares how
//! long it takes, so that the spread goes on growing, though slowly.
//!
//! A sweep's time tells of the core as much as of the subdomain, and what it takes elsewhere is
//! known only after a move; until then the time that was measured counts. So the subdomains of a
//! noisy core all look heavy. With four of them a worker, transfers rarely help: one more takes a
//! fourth longer. Exchanges do, as it seems: something heavy goes, something light comes, and soon
//! looks heavy in its place. No load gets better by that, but in each round others are on the noisy
//! core, and none falls far behind. Sockets are ignored: every subdomain may go to every worker.

mod limits;
mod shorten;
mod window;

use core::ops::ControlFlow;

pub use self::limits::Held;
use self::shorten::shortened;
pub use self::window::Window;
use super::grapevine::parallel::Serial;
use super::grapevine::{self, Config, Iteration, Lengths, Problem};
use super::objects::{Millionths, Objects};
use crate::base::bug::OrBug;
use crate::base::id::{ProcessorId, SubdomainId, WorkerId};
use crate::base::table::At;
use crate::base::topology::Topology;
use crate::parts::ownership::{Move, Ownership};
use crate::run::{PlbParams, RunConfig};

/// Setting of a round: one iteration of little gossip and few attempts, since the next round is
/// soon; and none where the most loaded worker has at most 5 % more than the average, which
/// measured times differ by anyway.
pub const CONFIG: Config = Config {
    iterations: 1,
    attempts: 4,
    target: Millionths(50_000),
    idle: 0,
    rounds: 2,
    fanout: 4,
    ..Config::DISTRIBUTED
};

/// A round that decides takes as long as this number of looks at each subdomain, of 8 ns: gossip,
/// offers and answers for 8 to 4,000 subdomains take 0.2 to 0.3 us for each.
const LOOKS: u64 = 40;

/// Lengths of the memory that the rounds of a run need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredNeeds {
    /// Subdomains of the run.
    pub subdomains: usize,
    /// Workers that are balanced together: those of a node.
    pub workers: usize,
}

impl MeasuredNeeds {
    /// Returns the memory that a run needs; none where its balancer measures nothing.
    pub fn of(config: &RunConfig) -> Option<Self> {
        let needs = Self {
            subdomains: usize::try_from(config.subdomains()).unwrap_or(usize::MAX),
            workers: config.workers_per_node() as usize,
        };
        config.balance.measures_sweeps().then_some(needs)
    }
}

/// One subdomain's place before a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placed {
    subdomain: SubdomainId,
    from: ProcessorId,
}

impl Placed {
    /// An unused entry of memory to be lent; a round fills it.
    pub const EMPTY: Self = Self { subdomain: SubdomainId(0), from: ProcessorId(0) };
}

/// Measured times, and memory for a round.
#[derive(Debug)]
pub struct Measured<'a> {
    /// Nanoseconds that the sweeps of each subdomain have taken since the start; whoever drives the
    /// run brings them up to date before a round.
    pub times: &'a mut [u64],
    /// Times of each subdomain's recent sweeps; [`Window::EMPTY`] at the start.
    pub windows: &'a mut [Window],
    /// Place of each subdomain before a round.
    pub placed: &'a mut [Placed],
    /// Load of each subdomain in a round.
    pub loads: &'a mut [u64],
    /// Whether each subdomain stays in a round.
    pub fixed: &'a mut [bool],
    /// Owner of each subdomain after a round.
    pub owners: &'a mut [ProcessorId],
    /// Number of each worker's subdomains, before and after a round.
    pub held: &'a mut [Held],
    /// Memory for as many objects as subdomains, and as many processors as workers.
    pub grapevine: grapevine::GrapevineMemory<'a>,
    /// Number of looks at a subdomain that the last round was worth; 0 at the start.
    pub looks: u64,
}

impl Measured<'_> {
    /// Whether there is as much memory as is needed.
    pub fn fits(&self, needs: &MeasuredNeeds) -> bool {
        let MeasuredNeeds { subdomains, workers } = *needs;
        let of_subdomain = [
            self.times.len(),
            self.windows.len(),
            self.placed.len(),
            self.loads.len(),
            self.fixed.len(),
            self.owners.len(),
        ];
        let lengths = Lengths::of(&CONFIG, subdomains, workers);
        of_subdomain.into_iter().all(|length| length == subdomains)
            && self.held.len() == workers
            && self.grapevine.check(&lengths).is_ok()
    }

    /// Resets what was measured, for another run.
    pub fn clear(&mut self) {
        self.times.fill(0);
        self.windows.fill(Window::EMPTY);
        self.looks = 0;
    }

    /// Makes one round over the workers of `topology`: each move that it makes is already in
    /// `ownership`.
    ///
    /// After the round no worker has fewer subdomains than `low`, or more than `high`, that had not
    /// before: moves that would lead there are left out. A subdomain that has not been swept since
    /// it moved stays too, so that whatever waits for it does not wait for ever. No round makes the
    /// highest load higher, and none moves anything before all subdomains have been swept.
    pub fn round(
        &mut self,
        counts: &[u64],
        topology: Topology<'_>,
        ownership: &mut Ownership<'_>,
        params: &PlbParams,
        seed: u64,
        out: &mut impl FnMut(Move),
    ) {
        let workers = topology.workers();
        let placed = list_placed(self.placed, workers, ownership);
        self.looks = placed.len() as u64;
        for &Placed { subdomain, .. } in placed {
            self.windows
                .at_mut(subdomain)
                .observe(*counts.at(subdomain), *self.times.at(subdomain));
        }
        let Some(loads) = loads(self.loads, placed, self.windows) else { return };
        let fixed = fixed(self.fixed, placed, self.windows);
        let owners = self.owners.stretch_mut(..placed.len());
        let held = self.held.stretch_mut(..workers.len());
        owners.iter_mut().zip(placed.iter()).for_each(|(owner, placed)| *owner = placed.from);
        let plan = Plan { placed, loads, fixed, owners, held };
        let looks = &mut self.looks;
        let decides = &mut || *looks = looks.saturating_mul(LOOKS);
        if plan.make(&mut self.grapevine, params, seed, decides).is_none() {
            return;
        }
        for (&Placed { subdomain, from }, to) in placed.iter().zip(owners.iter()) {
            if *to == from {
                continue;
            }
            let made = ownership.hand_over(subdomain, *workers.at(*to));
            self.windows.at_mut(subdomain).forget();
            out(made);
        }
    }
}

/// Returns the subdomains of these workers, one worker after the other, each's in the order of its
/// list, by which equal loads are told apart.
fn list_placed<'p>(
    memory: &'p mut [Placed],
    workers: &[WorkerId],
    ownership: &Ownership<'_>,
) -> &'p [Placed] {
    let mut number = 0;
    for (from, &worker) in (0..).map(ProcessorId).zip(workers) {
        for subdomain in ownership.of(worker) {
            *memory.at_mut(number) = Placed { subdomain, from };
            number += 1;
        }
    }
    memory.stretch(..number)
}

/// Returns the load of each placed subdomain, in nanoseconds a sweep; none where one was not swept
/// yet.
fn loads<'p>(memory: &'p mut [u64], placed: &[Placed], windows: &[Window]) -> Option<&'p [u64]> {
    for (load, placed) in memory.iter_mut().zip(placed) {
        *load = windows.at(placed.subdomain).mean()?;
    }
    Some(memory.stretch(..placed.len()))
}

/// Returns for each placed subdomain whether it must stay: one that nobody has swept since it
/// moved.
fn fixed<'p>(memory: &'p mut [bool], placed: &[Placed], windows: &[Window]) -> &'p [bool] {
    for (fixed, placed) in memory.iter_mut().zip(placed) {
        *fixed = windows.at(placed.subdomain).is_awaited();
    }
    memory.stretch(..placed.len())
}

/// A round's objects, and what it decides of them.
struct Plan<'p> {
    placed: &'p [Placed],
    loads: &'p [u64],
    fixed: &'p [bool],
    owners: &'p mut [ProcessorId],
    held: &'p mut [Held],
}

impl Plan<'_> {
    /// Decides on the new owner of every subdomain, and writes it into `owners`. None where the
    /// highest load would not fall. Calls `decides` for each iteration of Grapevine.
    fn make(
        self,
        memory: &mut grapevine::GrapevineMemory<'_>,
        params: &PlbParams,
        seed: u64,
        decides: &mut impl FnMut(),
    ) -> Option<()> {
        let Self { placed, loads, fixed, owners, held } = self;
        // Times whose sum does not fit 64 bits are none to go by.
        let objects = Objects::new(loads, fixed).ok()?;
        let config = Config { seed, ..CONFIG };
        let processors = held.len();
        let lengths = Lengths::of(&config, objects.len(), processors);
        let mut memory = shortened(memory, &lengths);
        let problem = Problem {
            config: &config,
            objects: &objects,
            processors: u32::try_from(processors).ok()?,
            bounds: None,
        };
        let mut watch = |_: &Iteration| {
            decides();
            ControlFlow::Continue(())
        };
        let outcome = grapevine::run(&problem, owners, &mut memory, &Serial, &mut watch);
        let outcome = outcome.or_bug("a round is none that Grapevine makes");
        if !limits::keep(params, placed, owners, held) {
            return (outcome.final_max < outcome.initial_max).then_some(());
        }
        // The other moves may do harm without those that were taken back.
        memory.loads.fill(0);
        objects.add_up(owners, memory.loads);
        let max = memory.loads.iter().copied().max().unwrap_or(0);
        (max < outcome.initial_max).then_some(())
    }
}
