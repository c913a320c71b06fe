//! The balancer that a run was configured with: its clock, and one round of it.

use super::borrow::{self, Derived, Limits, Seen};
use super::measured::Measured;
use super::plb;
use crate::base::bug::Minus;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::rng::Rng;
use crate::base::table::At;
use crate::base::time::Instant;
use crate::base::topology::Topology;
use crate::parts::ownership::{Move, Ownership};
use crate::run::progress::Progress;
use crate::run::{Balance, Chosen, PlbParams, RunConfig};

/// A balancer's view of the run.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Update count of each subdomain.
    pub counts: &'a [u64],
    /// Sweeps that each worker has made since the start.
    pub worker_updates: &'a [u64],
    /// The workers that are balanced, and their sockets.
    pub topology: Topology<'a>,
}

/// Memory that a balancer is lent: its state from round to round, and scratch for its calculations.
#[derive(Debug)]
pub struct Lent<'l, 'm> {
    /// What is kept of each balanced worker from round to round, in the order of
    /// [`Topology::workers`]: its updates so far (the gradient method) or what it has borrowed;
    /// zero at the start.
    pub state: &'l mut [u64],
    /// Scratch for a number for each balanced worker within a round.
    pub scratch: &'l mut [u64],
    /// Measured times, for Grapevine, which does nothing without them.
    pub measured: Option<&'l mut Measured<'m>>,
}

/// One of the policies with its parameters, its clock and its seed.
#[derive(Clone, Debug)]
pub struct Balancer {
    balance: Balance,
    params: PlbParams,
    next: Instant,
    rounds: u64,
    moves: u64,
    rng: Rng,
    derived: Derived,
    may_switch: bool,
}

impl Balancer {
    /// Returns the balancer of a configuration, whose first round is one period after `start`; its
    /// draws are from the stream of this number.
    pub fn new(config: &RunConfig, stream: u64, start: Instant) -> Self {
        let &RunConfig { balance, plb: params, seed, .. } = config;
        let next = balance.period().map_or(Instant::NEVER, |period| start.after(period));
        let (rng, derived) = (Rng::new(seed, stream), Derived::new(start));
        let may_switch = config.may_switch();
        Self { balance, params, next, rounds: 0, moves: 0, rng, derived, may_switch }
    }

    /// Returns the time of the next round.
    pub const fn poll_at(&self) -> Instant {
        self.next
    }

    /// Returns the number of rounds made so far.
    pub const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns the number of moves made so far.
    pub const fn moves(&self) -> u64 {
        self.moves
    }

    /// Whether a round is due.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Makes a round where one is due. Returns the number of its moves, each of which is already in
    /// `ownership`; none where no round is due.
    pub fn poll(
        &mut self,
        now: Instant,
        observed: &Observed<'_>,
        lent: Lent<'_, '_>,
        ownership: &mut Ownership<'_>,
        out: &mut impl FnMut(Move),
    ) -> Option<u32> {
        if !self.is_due(now) {
            return None;
        }
        let period = self.chosen().map(|chosen| chosen.period).or(self.balance.period());
        self.next = period.map_or(Instant::NEVER, |period| now.after(period));
        self.rounds += 1;
        let mut made = 0;
        self.round(observed, lent, ownership, &mut |moved| {
            made += 1;
            out(moved);
        });
        self.moves += u64::from(made);
        if self.balance == Balance::Auto {
            self.derive(now, made.into(), observed, ownership);
        }
        Some(made)
    }

    /// Makes one round of the chosen balancer. Each move is already made in `ownership` when `out`
    /// gets it.
    fn round(
        &mut self,
        observed: &Observed<'_>,
        lent: Lent<'_, '_>,
        ownership: &mut Ownership<'_>,
        out: &mut impl FnMut(Move),
    ) {
        let Observed { counts, topology, .. } = observed;
        match self.balance {
            Balance::None | Balance::Pull(_) => {}
            // All subdomains in a row are read much faster than one worker's after the other.
            Balance::Joint(_) if topology.workers().len() == ownership.workers() => {
                plb::joint(counts, ownership, &self.params, out);
            }
            Balance::Joint(_) => {
                plb::joint_within(counts, ownership, topology, &self.params, out);
            }
            Balance::Split(_) | Balance::Hybrid(..) => {
                // The exchange comes before the split, so that the random subdomain is not moved
                // twice.
                let crossed = self.crosses().then(|| {
                    plb::exchange(counts, ownership, topology, &self.params, &mut self.rng)
                });
                let crossed = crossed.flatten();
                crossed.into_iter().for_each(&mut *out);
                let moved = crossed.map(|crossed| crossed.subdomain);
                plb::split(counts, ownership, topology, &self.params, moved, out);
            }
            Balance::Swap(_) => plb::swap(counts, ownership, topology, &self.params, out),
            Balance::Gradient(_) => {
                let rates = measure(observed, lent.state, lent.scratch);
                plb::gradient(counts, rates, ownership, topology, &self.params, out);
            }
            Balance::Grapevine(_) => {
                if let Some(measured) = lent.measured {
                    let seed = self.rng.bits();
                    measured.round(counts, *topology, ownership, &self.params, seed, out);
                }
            }
            Balance::Borrow(_, lag) => self.borrow(lag, observed, lent, ownership, out),
            Balance::Auto => {
                self.borrow(self.derived.chosen().lag, observed, lent, ownership, out);
            }
        }
    }

    /// Whether a subdomain crosses sockets in this round.
    const fn crosses(&self) -> bool {
        matches!(self.balance, Balance::Hybrid(_, every) if self.rounds.is_multiple_of(every as u64))
    }

    /// Derives the next round's parameters from this round's `moves` and the progress before it.
    fn derive(
        &mut self,
        now: Instant,
        moves: u64,
        observed: &Observed<'_>,
        ownership: &Ownership<'_>,
    ) {
        let Observed { counts, worker_updates, topology } = observed;
        let spread = Progress::of(counts.iter().copied()).spread();
        let here = topology.workers();
        let parts = here.iter().map(|&worker| u64::from(ownership.held(worker))).sum();
        let updates = here.iter().filter_map(|worker| worker_updates.get(worker.index())).sum();
        self.derived.observe(now, Seen { parts, updates, moves, spread });
    }

    /// Returns the parameters that [`Balance::Auto`] has arrived at; none for another balancer.
    pub fn chosen(&self) -> Option<Chosen> {
        (self.balance == Balance::Auto).then_some(self.derived.chosen())
    }

    /// Returns the spread for which a halt is asked for, from which on workers pull: with
    /// [`Balance::Auto`], where borrowing does not keep them together.
    pub fn switches_at(&self) -> Option<u64> {
        self.derived.unexplained_spread().filter(|_| self.may_switch)
    }

    /// Gives every subdomain back to its home, from where none moves any more, so that workers can
    /// pull from now on. Called while all are halted, at the time `at`, where a node [switches
    /// at](Balancer::switches_at) `spread`.
    pub fn switch_to_pull(
        &mut self,
        at: Instant,
        spread: u64,
        ownership: &mut Ownership<'_>,
        homes: impl Iterator<Item = (SubdomainId, WorkerId)>,
        out: &mut impl FnMut(Move),
    ) {
        self.derived.record_switch(at, spread);
        self.next = Instant::NEVER;
        for (part, home) in homes {
            if let Some(made) = ownership.give(part, home) {
                self.moves += 1;
                out(made);
            }
        }
    }

    /// Makes one round of borrowing. A subdomain may be borrowed that is more than `lag` updates
    /// behind.
    fn borrow(
        &self,
        lag: u64,
        observed: &Observed<'_>,
        lent: Lent<'_, '_>,
        ownership: &mut Ownership<'_>,
        out: &mut impl FnMut(Move),
    ) {
        let Lent { state: loans, scratch: levels, .. } = lent;
        let memory = borrow::Memory { loans, levels };
        let limits = Limits { lag, pairs: self.params.pairs };
        borrow::round(observed.counts, memory, ownership, &observed.topology, limits, out);
    }
}

/// Returns the updates that each worker made since the last round, in the order of the topology,
/// and keeps their present number in `last_updates`.
fn measure<'l>(
    observed: &Observed<'_>,
    last_updates: &mut [u64],
    scratch: &'l mut [u64],
) -> &'l [u64] {
    let workers = observed.topology.workers();
    debug_assert!(scratch.len().min(last_updates.len()) >= workers.len(), "a worker has no rate");
    let memory = scratch.iter_mut().zip(last_updates);
    for ((rate, last), worker) in memory.zip(workers) {
        let updates = *observed.worker_updates.at(*worker);
        *rate = updates.minus(*last);
        *last = updates;
    }
    scratch
}
