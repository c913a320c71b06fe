//! Compares what follows from the events with the machine.

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::parts::Part;
use tresse_core::run::{Balance, Mode, PlbParams};
use tresse_core::sim::machine::Simulation;

use super::{Change, Checker, Effort, Verdict, ensure};

impl Checker<'_> {
    /// Counts an event, and compares with the machine after it.
    pub fn after_step<T: Part>(&mut self, machine: &Simulation<'_, '_, T>) -> Verdict {
        if machine.now() > self.now {
            self.at_once = Effort::default();
        }
        self.all.steps += 1;
        self.at_once.steps += 1;
        self.after(machine)
    }

    /// Compares with the machine.
    pub fn after<T: Part>(&mut self, machine: &Simulation<'_, '_, T>) -> Verdict {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        ensure(machine.now() >= self.now, || "time went back".into())?;
        self.now = machine.now();
        self.effort_is_bounded()?;
        self.round_is_whole()?;
        self.numbers_agree(machine)?;
        self.find_holders(machine)?;
        self.least_updated_first(machine)?;
        for (id, &owner) in self.decomposition.ids().zip(&self.owners) {
            let answered = machine.owner(id);
            ensure(answered == Some(owner), || {
                format!("{id} belongs to {answered:?}, by its events to {owner}")
            })?;
        }
        self.in_flight += u64::from(!self.flights.is_empty());
        self.changes_come_through()
    }

    /// Checks that only a bounded number of events has no effect: nobody waits busily, and nothing
    /// runs in circles at one time.
    fn effort_is_bounded(&self) -> Verdict {
        let config = &self.world.config;
        let (workers, nodes) = (u64::from(config.workers), u64::from(config.nodes.number));
        let due = |time: Duration, period: Option<Duration>| {
            nodes * period.map_or(0, |period| time.0 / period.0.max(1) + 1)
        };
        let node_period = config.nodes.balance.period();
        let timed = |time| due(time, node_period) + 2 * due(time, config.balance.period());
        let bound = |effort: Effort, time| 64 + 8 * (effort.effects + workers) + timed(time);
        let Self { all, at_once, .. } = *self;
        ensure(all.steps <= bound(all, self.now.since(Instant::ZERO)), || {
            format!("events without effect: {all:?}")
        })?;
        ensure(at_once.steps <= bound(at_once, Duration::ZERO), || {
            format!("no time passes: {at_once:?}")
        })?;
        ensure(at_once.sweeps <= workers, || format!("sweeps without time: {at_once:?}"))
    }

    /// Checks a round of the papers' predecessors, which exchange subdomains: nobody has more or
    /// fewer after it.
    fn round_is_whole(&mut self) -> Verdict {
        let Some(before) = self.held_before_round.take() else { return Ok(()) };
        let exchanges =
            matches!(self.world.config.balance, Balance::Swap(_) | Balance::Gradient(_));
        ensure(!exchanges || before == self.held, || "an exchange took more than it gave".into())?;
        if matches!(self.world.config.balance, Balance::Grapevine(_)) {
            self.round_keeps_thresholds(&before)?;
        }
        Ok(())
    }

    /// Grapevine's thresholds are for what a round leads to: an exchange is always within them.
    fn round_keeps_thresholds(&self, before: &[u32]) -> Verdict {
        let PlbParams { low, high, .. } = self.world.config.plb;
        let workers = self.world.config.workers as usize;
        let mut held = before.iter().zip(&self.held).take(workers);
        let keeps =
            |&before: &u32, &after: &u32| low.min(before) <= after && after <= high.max(before);
        ensure(held.all(|(before, after)| keeps(before, after)), || {
            format!("beyond {low} or {high}: {before:?} before, {:?} after", self.held)
        })
    }

    /// Where a worker levels, at most one of its subdomains is behind the one that it sweeps.
    fn least_updated_first<T: Part>(&self, machine: &Simulation<'_, '_, T>) -> Verdict {
        if !self.world.config.balance.levels() || self.visits {
            return Ok(());
        }
        for worker in (0..self.world.config.workers).map(WorkerId) {
            let Some(swept) = machine.sweeping(worker) else { continue };
            let version = |id: SubdomainId| self.versions[id.index()];
            let behind = machine.working_set(worker).filter(|&id| version(id) < version(swept));
            let behind = behind.count();
            ensure(behind <= 1, || {
                format!("{worker} sweeps {swept}, of which {behind} others are behind")
            })?;
        }
        Ok(())
    }

    fn numbers_agree<T: Part>(&self, machine: &Simulation<'_, '_, T>) -> Verdict {
        ensure(machine.counts().eq(self.versions.iter().copied()), || "counts differ".into())?;
        let sum = |counts: &[u64]| counts.iter().sum::<u64>();
        let (sum, swept) = (sum(&self.versions), sum(&self.swept));
        let updates = machine.updates();
        ensure(updates == sum && updates == swept, || format!("{updates} updates, {sum} counted"))?;
        let numbers = [machine.moves(), machine.transfers(), machine.rounds()];
        let seen = [self.moves, self.transfers, self.rounds];
        ensure(numbers == seen, || format!("moves, transfers, rounds: {numbers:?}, not {seen:?}"))?;
        let (numbers, seen) = ([machine.away(), machine.helped()], [self.away, self.helped]);
        ensure(numbers == seen, || format!("away, helped: {numbers:?}, not {seen:?}"))?;
        let stale = machine.staleness().max;
        let allowed = match self.world.config.mode {
            Mode::Sync | Mode::Exact => 0,
            Mode::SemiSync(bound) => u64::from(bound),
            Mode::Async => u64::MAX,
        };
        ensure(stale <= allowed, || format!("a halo was {stale} behind"))
    }

    /// Finds the worker that may sweep each subdomain: there is at most one, and swept subdomains
    /// have one.
    fn find_holders<T: Part>(&mut self, machine: &Simulation<'_, '_, T>) -> Verdict {
        self.holders.fill(None);
        for worker in (0..self.world.config.workers).map(WorkerId) {
            let mut last = None;
            for id in machine.working_set(worker) {
                ensure(last < Some(id), || format!("the set of {worker} is not in order"))?;
                last = Some(id);
                let before = self.holders[id.index()].replace(worker);
                ensure(before.is_none(), || format!("{id} is held by {before:?} and {worker}"))?;
            }
            let sweeps = self.sweeping[worker.index()].map(|(id, _)| id);
            ensure(machine.sweeping(worker) == sweeps, || {
                format!("{worker} sweeps {:?}, by its events {sweeps:?}", machine.sweeping(worker))
            })?;
            // What it helps with, and what another has published meanwhile, is not its own.
            let began = self.began[worker.index()];
            let is_own = |id: &SubdomainId| {
                !self.helps[worker.index()] && self.versions[id.index()] == began
            };
            let sweeps = sweeps.filter(is_own);
            if self.visits
                && let Some(id) = sweeps
            {
                let before = self.holders[id.index()].replace(worker);
                ensure(before.is_none(), || format!("{id} is kept by {before:?} meanwhile"))?;
            }
            let holds = |id: SubdomainId| self.holders[id.index()] == Some(worker);
            ensure(sweeps.is_none_or(holds), || format!("{worker} sweeps what it has not"))?;
            let held = machine.held(worker);
            ensure(held == self.held[worker.index()], || format!("{worker} has {held}"))?;
        }
        Ok(())
    }

    /// Checks that a worker that must release a subdomain, or take a free one, does so before its
    /// next iteration.
    fn changes_come_through(&mut self) -> Verdict {
        let workers = self.world.config.workers;
        if self.visits {
            let moved = self.decomposition.ids().zip(&self.owners);
            let mut moved =
                moved.filter(|(id, owner)| self.decomposition.first_owner(*id) != **owner);
            return ensure(moved.next().is_none(), || "a subdomain has left its home".into());
        }
        for (id, (&holder, &owner)) in
            self.decomposition.ids().zip(self.holders.iter().zip(&self.owners))
        {
            let acts = holder.unwrap_or(owner);
            if holder == Some(owner) || acts.0 >= workers {
                self.changes.remove(&id);
                continue;
            }
            let swept = self.swept[acts.index()];
            let change = self.changes.entry(id).or_insert_with(|| Change {
                holder: owner.into(),
                owner,
                sweeps_at_most: 0,
            });
            if (change.holder, change.owner) != (holder, owner) {
                let set = self.holders.iter().filter(|&&other| other == Some(acts)).count();
                *change = Change { holder, owner, sweeps_at_most: swept + set as u64 };
            }
            ensure(swept <= change.sweeps_at_most, || {
                format!("{id}: {acts} has swept {swept} times, and still {change:?}")
            })?;
        }
        Ok(())
    }

    /// Whether all sweeps that go on are those that another worker has made first: nobody waits for
    /// these.
    pub(super) fn sweeps_for_nothing(&self) -> bool {
        let sweeps = self.sweeping.iter().zip(&self.began);
        sweeps
            .filter_map(|(sweeping, &began)| Some((sweeping.as_ref()?.0, began)))
            .all(|(id, began)| self.versions[id.index()] != began)
    }

    /// Checks the state at the end of a run.
    pub fn at_end<T: Part>(&self, machine: &Simulation<'_, '_, T>, interrupted: bool) -> Verdict {
        ensure(self.sweeps_for_nothing(), || "a sweep is not finished".into())?;
        ensure(self.holders.iter().all(Option::is_none), || {
            "a subdomain is in somebody's hands".into()
        })?;
        // However far apart the subdomains are, on average they have what was asked for.
        let asked = self.world.config.stop.iterations.unwrap_or(0) as f64;
        let mean = machine.progress().mean();
        ensure(mean >= asked || interrupted, || format!("it ended after {mean} of {asked}"))?;
        let (end, most) = (machine.progress().spread(), machine.spread_max());
        ensure(end <= most, || format!("a spread of {end}, but {most} at most"))
    }
}
