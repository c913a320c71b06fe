//! A whole run: iterations, trials, and the choice of the placement that is taken.

use core::ops::ControlFlow;

use super::attempt::Attempt;
use super::memory::{GrapevineMemory, Lengths, WrongLength};
use super::outer_iterations::{Next, OuterIterations, is_taken, is_worth_another};
use super::tally::{Iteration, Tally};
use crate::balance::footprint::Bounds;
use crate::balance::grapevine::config::{Config, ConfigError, View};
use crate::balance::grapevine::gossip::{Knowledge, Rounds};
use crate::balance::grapevine::moment::Moment;
use crate::balance::grapevine::parallel::{Parallel, copy};
use crate::balance::grapevine::transfer::sender::Rules;
use crate::balance::objects::{Average, Objects, ObjectsError};
use crate::base::id::ProcessorId;

/// The objects to be balanced, and the setting.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The parameters.
    pub config: &'a Config,
    /// The objects.
    pub objects: &'a Objects<'a>,
    /// Number of processors.
    pub processors: u32,
    /// Bounds on the processors' memory, where there are some.
    pub bounds: Option<&'a Bounds<'a>>,
}

/// The placement that was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BalanceOutcome {
    /// The highest load of a processor at the start.
    pub initial_max: u64,
    /// The highest load of a processor in the placement that was taken.
    pub final_max: u64,
    /// The trial that the placement belongs to, from 0.
    pub trial: u32,
    /// The iteration of that trial after which it was seen; 0 for the start.
    pub iteration: u32,
}

/// Reason why nothing was balanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunError {
    /// A parameter is out of its bounds.
    Config(ConfigError),
    /// The owners are not those of the objects.
    Objects(ObjectsError),
    /// The memory or the bounds have not the length that is needed.
    Memory(WrongLength),
    /// There are no processors.
    NoProcessors,
    /// Objects and processors together are 2³² or more.
    TooMany,
    /// Memory is bounded, but receivers that know only what was gossiped may not refuse.
    Unbounded,
}

impl core::fmt::Display for RunError {
    #[inline]
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Objects(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
            Self::NoProcessors => f.write_str("there are no processors"),
            Self::TooMany => f.write_str("objects and processors together are 2^32 or more"),
            Self::Unbounded => f.write_str(
                "bounds on memory hold only where the receiver may refuse, or all loads are live",
            ),
        }
    }
}

impl core::error::Error for RunError {}

/// State at the end of an iteration, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s, 'm> {
    /// The owner of each object.
    pub owners: &'s [ProcessorId],
    /// The load of each processor.
    pub loads: &'s [u64],
    /// Knowledge of the processors of each other in the iteration.
    pub knowledge: &'s Knowledge<'m>,
}

/// Balances `owners`. Each iteration is shown to `watch`, which may end the run.
///
/// The same problem gives the same result whatever `parallel` does with it.
pub fn run(
    problem: &Problem<'_>,
    owners: &mut [ProcessorId],
    memory: &mut GrapevineMemory<'_>,
    parallel: &impl Parallel,
    watch: &mut impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<BalanceOutcome, RunError> {
    run_seen(problem, owners, memory, parallel, &mut |made, _| watch(made))
}

/// Balances `owners` as [`run()`] does, where `watch` also sees the state at the end of each
/// iteration.
pub fn run_seen(
    problem: &Problem<'_>,
    owners: &mut [ProcessorId],
    memory: &mut GrapevineMemory<'_>,
    parallel: &impl Parallel,
    watch: &mut impl FnMut(&Iteration, Seen<'_, '_>) -> ControlFlow<()>,
) -> Result<BalanceOutcome, RunError> {
    problem.check(owners, memory)?;
    let Config { trials, keep_best, .. } = *problem.config;
    problem.sum_up(owners, memory);
    let max = highest(memory.loads);
    let mut outcome =
        BalanceOutcome { initial_max: max, final_max: max, ..BalanceOutcome::default() };
    if trials > 1 {
        copy(memory.start, owners);
    }
    if keep_best {
        copy(memory.best, owners);
    }
    for trial in 0..trials {
        if trial > 0 {
            copy(owners, memory.start);
            problem.sum_up(owners, memory);
        }
        if problem.trial(trial, owners, memory, parallel, &mut outcome, watch).is_break() {
            break;
        }
    }
    if keep_best {
        copy(owners, memory.best);
    }
    Ok(outcome)
}

impl Problem<'_> {
    /// Checks the configuration, the problem and the lengths of all memory.
    fn check(&self, owners: &[ProcessorId], memory: &GrapevineMemory<'_>) -> Result<(), RunError> {
        let Config { view, refuse, .. } = *self.config;
        self.config.check().map_err(RunError::Config)?;
        if self.processors == 0 {
            return Err(RunError::NoProcessors);
        }
        if (self.objects.len() as u64 + u64::from(self.processors)) > u64::from(u32::MAX) {
            return Err(RunError::TooMany);
        }
        if self.bounds.is_some() && view == View::Gossiped && !refuse {
            return Err(RunError::Unbounded);
        }
        self.objects.check(owners, self.processors).map_err(RunError::Objects)?;
        let lengths = Lengths::of(self.config, self.objects.len(), self.processors as usize);
        memory.check(&lengths).and_then(|()| self.check_lengths()).map_err(RunError::Memory)
    }

    /// Checks that the bounds are those of all objects and processors.
    fn check_lengths(&self) -> Result<(), WrongLength> {
        let processors = self.processors as usize;
        let Some(bounds) = self.bounds else { return Ok(()) };
        WrongLength::unless(("footprints", self.objects.len(), bounds.footprints.len()))?;
        WrongLength::unless(("resident", processors, bounds.resident.len()))?;
        let named = bounds.footprints.iter().filter_map(|footprint| footprint.block);
        let blocks = named.map(|block| block.0 as usize + 1).max().unwrap_or(0);
        // There may be blocks of no object.
        WrongLength::unless(("blocks", blocks, bounds.blocks.len().min(blocks)))
    }

    fn average(&self) -> Average {
        Average { total: self.objects.total(), processors: self.processors }
    }

    /// Recomputes the loads of the processors from the owners of the objects.
    fn sum_up(&self, owners: &[ProcessorId], memory: &mut GrapevineMemory<'_>) {
        memory.loads.fill(0);
        self.objects.add_up(owners, memory.loads);
    }

    /// Makes the iterations of one trial from the placement in `owners`. Breaks off where `watch`
    /// wants that, or the target is reached.
    fn trial(
        &self,
        trial: u32,
        owners: &mut [ProcessorId],
        memory: &mut GrapevineMemory<'_>,
        parallel: &impl Parallel,
        outcome: &mut BalanceOutcome,
        watch: &mut impl FnMut(&Iteration, Seen<'_, '_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut outer = OuterIterations::default();
        loop {
            match outer.next(self.config, self.average(), highest(memory.loads)) {
                Next::Iteration(iteration) => {
                    let moment = Moment { seed: self.config.seed, trial, iteration };
                    let made = self.iterate(moment, owners, memory, parallel);
                    self.keep(&made, owners, memory, outcome);
                    let GrapevineMemory { loads, knowledge, .. } = &*memory;
                    watch(&made, Seen { owners, loads, knowledge })?;
                    outer.count(made.tally.transfers);
                }
                Next::End => return ControlFlow::Continue(()),
                Next::Reached => return ControlFlow::Break(()),
            }
        }
    }

    /// Records the placement after an iteration, if it is the best so far, or if simply the last
    /// one is asked for.
    fn keep(
        &self,
        made: &Iteration,
        owners: &[ProcessorId],
        memory: &mut GrapevineMemory<'_>,
        outcome: &mut BalanceOutcome,
    ) {
        if !is_taken(self.config, made.max, outcome.final_max) {
            return;
        }
        if self.config.keep_best {
            copy(memory.best, owners);
        }
        let (trial, iteration) = (made.trial, made.number);
        *outcome = BalanceOutcome { final_max: made.max, trial, iteration, ..*outcome };
    }

    /// Makes one iteration: gossip, and then attempts to transfer until one is worth no more.
    fn iterate(
        &self,
        moment: Moment,
        owners: &mut [ProcessorId],
        memory: &mut GrapevineMemory<'_>,
        parallel: &impl Parallel,
    ) -> Iteration {
        let &Self { config, objects, bounds, .. } = self;
        let rules = &Rules::new(config, self.average(), highest(memory.loads));
        copy(memory.published, memory.loads);
        for (under, &load) in memory.underloaded.iter_mut().zip(memory.loads.iter()) {
            *under = rules.is_gossiped(load);
        }
        let bound = config.known.unwrap_or(u32::MAX);
        let underloaded = &*memory.underloaded;
        let rounds = Rounds { config, moment, underloaded, bound };
        let told = memory.knowledge.gossip(&rounds, parallel);
        let mut tally = Tally::default();
        for number in 0..config.attempts {
            // No processor gives any more, so that nothing can change.
            if !memory.loads.iter().any(|&load| rules.gives(load)) {
                break;
            }
            let attempt = Attempt { config, rules, objects, bounds, moment, number };
            let made = match config.view {
                View::Gossiped => attempt.at_once(owners, memory, parallel),
                View::Live => attempt.in_turns(owners, memory),
            };
            tally = tally.and(made);
            if !is_worth_another(made.transfers, tally.transfers) {
                break;
            }
        }
        let (trial, number) = (moment.trial, moment.iteration + 1);
        Iteration { trial, number, tally, told, max: highest(memory.loads) }
    }
}

fn highest(loads: &[u64]) -> u64 {
    loads.iter().copied().max().unwrap_or(0)
}
