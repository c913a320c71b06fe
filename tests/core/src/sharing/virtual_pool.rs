//! Any pool on any virtual machine, from bytes: one decoder for properties and for fuzzing.

use tresse_core::run::noise::Noise;
use tresse_core::sim::machine::{CoreNoise, Hardware};
use tresse_core::sim::owned::{SpeedTrace, lent};
use tresse_core::sim::virtual_pool::{PoolCosts, PoolRun, PoolSimulation};
use tresse_core::tasks::sharing::{
    Arbitration, Manager, Managers, Message, Method, Release, SharingConfig, SharingStatistics,
};

use super::tasks::{Hashed, HashedTask, Wrong};
use crate::Failure;
use crate::choices::Choices;

/// Events after which a run of so few tasks has no end.
const MANY: u32 = 4_000_000;

/// A pool, its tasks, and the machine.
#[derive(Clone, Debug)]
pub struct VirtualPool {
    /// Configuration of the sharing.
    pub config: SharingConfig,
    /// Workers and managers.
    pub managers: Managers,
    /// The machine.
    pub hardware: Hardware,
    /// Noise on it.
    pub noise: Vec<Noise>,
    /// Speeds of single cores over time.
    pub traces: Vec<SpeedTrace>,
    /// Costs of tasks and messages.
    pub costs: PoolCosts,
    /// The task that all others come of.
    pub root: HashedTask,
    /// The most children of a task.
    pub branches: u32,
}

impl VirtualPool {
    /// Returns the pool that bytes stand for; all bytes stand for one, missing ones are zeros.
    ///
    /// Few tasks, short chunks, and costs that are often zero, so that much happens at once.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut choices = Choices(bytes);
        let config = choices.sharing();
        let workers = choices.between(1, 9);
        let managers = if config.method.steals() { 1 } else { choices.between(1, 4) };
        let managers = Managers::with(workers, managers);
        let (number, depth) = (choices.between(0, 65_535).into(), choices.between(0, 10));
        let root = (number, u8::try_from(depth).unwrap_or(0));
        let branches = choices.between(1, 4);
        // Thieves that nothing keeps ask each other every nanosecond, as long as a burst on another
        // core lasts.
        let least = if config.method.steals() { 50 } else { 0 };
        let costs = PoolCosts {
            task: choices.time(&[400, 0, 1, 9_000]),
            message: choices.time(&[100, least, least + 1, 2_000]),
            service: choices.time(&[200, 0, 1, 5_000]),
            moved: choices.time(&[5, 0, 300]),
            most_at_a_time: choices.one_of(&[1, 0, 3, 50]),
        };
        let (ranks, nodes) = (workers + managers.number(), choices.between(1, 3));
        let hardware = choices.hardware(nodes, ranks.div_ceil(nodes));
        let cores = nodes * hardware.node_cores();
        let noise = (0..choices.between(0, 2)).map(|_| choices.noise(nodes, &hardware)).collect();
        let traces = (0..choices.between(0, 1)).map(|_| choices.trace(cores)).collect();
        Self { config, managers, hardware, noise, traces, costs, root, branches }
    }

    /// Goes through a run: every task counts once, the end is announced when all are executed, and
    /// then nothing is on its way that matters.
    pub fn check(&self, wrong: Wrong) -> Result<(), Failure> {
        let traces = lent(&self.traces);
        let noise = CoreNoise { noise: &self.noise, traces: &traces, seed: self.config.seed };
        let Self { config, managers, hardware, costs, root, branches, .. } = self;
        let (config, managers, costs) = (*config, *managers, *costs);
        let simulation =
            PoolSimulation { config, managers, hardware, noise, costs, most_tasks: 1 << 16 };
        let work = |_| Hashed { wrong, ..Hashed::new(*branches) };
        let alone = Hashed::alone(*root, *branches);
        let mut run = simulation.start(&[*root], work).map_err(|error| format!("{error}"))?;
        let (mut is_announced, mut steps) = (false, 0);
        while run.step().map_err(|error| format!("{error}"))? {
            if !is_announced && run.managers().any(Manager::has_ended) {
                is_announced = true;
                compare("when the end was announced", together(&run), alone)?;
            }
            steps += 1;
            if steps > MANY {
                return Err("it has no end".into());
            }
        }
        compare("at the end", together(&run), alone)?;
        let left = run.workers().map(|(worker, _)| worker.tasks()).sum::<usize>()
            + run.managers().map(Manager::tasks).sum::<usize>();
        compare("tasks that are left", left, 0)?;
        let statistics = run
            .workers()
            .fold(SharingStatistics::default(), |sum, (worker, _)| sum.and(*worker.statistics()));
        let SharingStatistics { executed, speculated, committed, rolled_back, .. } = statistics;
        compare("tasks by the workers' own count", executed + committed, alone.0)?;
        compare("tasks of copies", speculated, committed + rolled_back)?;
        let undone = run.workers().map(|(_, work)| work.undone).sum();
        compare("tasks that were undone", rolled_back, undone)?;
        let matters = |message: &Message| {
            matches!(message, Message::Work { .. } | Message::Release | Message::Granted { .. })
        };
        match run.in_flight().find(|envelope| matters(envelope.message)) {
            Some(envelope) => Err(format!("still on its way: {envelope:?}").into()),
            None => Ok(()),
        }
    }
}

impl Choices<'_> {
    fn sharing(&mut self) -> SharingConfig {
        SharingConfig {
            method: self.one_of(Method::ALL),
            chunk: self.between(1, 12),
            interval: self.one_of(&[1, 2, 5, 16, 40]),
            copies: self.between(0, 4),
            window: self.between(1, 16),
            arbitration: self.one_of(Arbitration::ALL),
            release: self.one_of(Release::ALL),
            seed: self.between(0, 255).into(),
        }
    }
}

/// Returns the commits of all workers together.
fn together(run: &PoolRun<'_, Hashed>) -> (u64, u64) {
    run.workers()
        .fold((0, 0), |(nodes, sum), (_, work)| (nodes + work.nodes, sum.wrapping_add(work.sum)))
}

pub(super) fn compare<T: PartialEq + std::fmt::Debug + Copy>(
    what: &str,
    is: T,
    should_be: T,
) -> Result<(), Failure> {
    if is == should_be { Ok(()) } else { Err(format!("{what}: {is:?}, not {should_be:?}").into()) }
}
