//! Runs a pool of tasks of any kind, here or in virtual time, with progress and a report.

mod progress;
mod results;
mod summary;

use std::io::{self, Write};

use serde::Serialize;
use tresse_console::command::{CommandError, printed, warn};
use tresse_console::files::output::Inputs;
use tresse_console::interrupt;
use tresse_console::summary::write_json;
use tresse_core::base::id::WorkerId;
use tresse_core::run::MachineReport;
use tresse_core::run::noise::{MAX_NOISE, Noise};
use tresse_core::sim::machine::CoreNoise;
use tresse_core::sim::virtual_pool::{PoolCosts, PoolSimulation};
use tresse_core::tasks::sharing::{Managers, SharingConfig, Work};
use tresse_platform::{Placement, Platform};

pub use self::progress::PoolLine;
pub use self::results::Results;
pub use self::summary::{Arbitrations, PoolSummary};

use super::SetUpError;
use crate::commands::args::{PoolArgs, PoolOutputArgs, VirtualPool, VirtualPoolArgs};
use crate::pool::{self, Managing, PoolJob, PoolReport, Pooled};
use crate::virtual_pool::{self, VirtualPoolError};
use tresse_core::sim::owned::lent;

/// Divisor of the free memory for the share that tasks may take.
const SHARE_OF_MEMORY: u64 = 2;

/// The subject of a pool's work, for people.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Kind of the subject, in one word.
    pub kind: &'static str,
    /// Name of the subject.
    pub name: String,
    /// Word for what is done with the subject.
    pub doing: &'static str,
    /// Word for the tasks.
    pub tasks: &'static str,
}

/// A pool that is about to begin.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Subject of the work.
    pub subject: Subject,
    /// Configuration of the sharing; valid.
    pub config: SharingConfig,
    /// Flags for the output and the files.
    output: PoolOutputArgs,
    available: u64,
}

/// The machine that a pool has run on, and the threads that did the managers' work.
#[derive(Clone, Debug)]
pub struct Place {
    /// Threads that did the managers' work.
    pub managing: Managing,
    /// Description of the machine, for people.
    pub machine: String,
    /// Number of cores.
    pub cores: u32,
    /// Cores that a CPU quota is worth, where one bounds the process.
    pub cpu_quota: Option<f64>,
    /// Core of each worker, where the machine is real and the core is known.
    pub worker_cores: Vec<u32>,
    /// Costs and noise, where time was virtual.
    pub simulated: Option<Simulated>,
}

impl Place {
    /// Returns the machine's part of the report.
    fn report(&self) -> MachineReport<'_> {
        MachineReport { cpu: &self.machine, cores: self.cores, cpu_quota: self.cpu_quota }
    }
}

/// Values that decide a pool in virtual time, besides the machine.
#[derive(Clone, Debug, Serialize)]
pub struct Simulated {
    /// Costs of tasks and messages.
    pub costs: PoolCosts,
    /// Noise, besides what the machine has at rest.
    pub noise: heapless::Vec<Noise, MAX_NOISE>,
    /// Seed of paces and noise.
    pub noise_seed: u64,
}

/// The result of a pool.
#[derive(Debug)]
pub struct Done<W> {
    /// Work of each worker, and the report.
    pub pooled: Pooled<W>,
    /// Machine that the pool has run on.
    pub place: Place,
    /// Files of the results.
    pub results: Results,
}

impl Pool {
    /// Prepares the pool that the flags describe.
    pub fn prepare(
        subject: Subject,
        args: &PoolArgs,
        here: &Platform,
        output: &PoolOutputArgs,
    ) -> Result<Self, CommandError> {
        let config = args.config();
        config.validate().map_err(SetUpError::from)?;
        let (available, output) = (here.available_memory, output.clone());
        Ok(Self { subject, config, output, available })
    }

    /// Executes tasks, and all tasks that they create: on pinned threads, or in virtual time where
    /// a machine is named. `place` are the flags about such a machine, and `inputs` the files that
    /// were read for the pool.
    pub fn run<W>(
        &self,
        args: &PoolArgs,
        place: &VirtualPoolArgs,
        here: &Platform,
        inputs: Inputs,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
    ) -> Result<Done<W>, CommandError>
    where
        W: Work + Send,
        W::Task: Send + Sync,
        W::Outcome: Send,
    {
        let machine = place.load()?;
        args.warnings(machine.is_some()).for_each(|warning| warn(&warning));
        let files = machine.as_ref().map_or(&[][..], |place| &place.machine.files);
        let results = self.results(inputs.with_all("--machine", files))?;
        let (pooled, place) = match machine {
            Some(machine) => self.on(machine, args.workers, place.managers, first, work)?,
            None => self.here(here, args, first, work)?,
        };
        Ok(Done { pooled, place, results })
    }

    /// Returns the files for the results of a run that reads these files.
    pub fn results(&self, inputs: Inputs) -> Result<Results, CommandError> {
        Results::prepare(&self.output, inputs)
    }

    /// Runs the pool on this machine's cores; `first` are the tasks that it begins with.
    fn here<W>(
        &self,
        machine: &Platform,
        args: &PoolArgs,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
    ) -> Result<(Pooled<W>, Place), CommandError>
    where
        W: Work + Send,
        W::Task: Send + Sync,
        W::Outcome: Send,
    {
        let placement = Placement::plan(machine, args.workers, None)?;
        if let Some(warning) = placement.warning() {
            warn(&warning);
        }
        let (workers, managing) = (placement.workers(), args.manager);
        let job = PoolJob {
            config: self.config,
            placement: &placement,
            managing,
            most_tasks: self.most_tasks::<W::Task>(workers),
            interrupt: interrupt::flag(),
        };
        self.announce(&format!("{workers}, {}", summary::manager(managing)))?;
        let mut line = self.line(false);
        let pooled = pool::run(job, first, work, &mut |progress| line.say(progress))?;
        line.finish();
        for core in &pooled.report.unpinned {
            warn(&format!("a worker could not be pinned to core {core}: its figures mean little"));
        }
        let MachineReport { cpu, cores, cpu_quota } = machine.report();
        let (machine, worker_cores) = (cpu.to_owned(), placement.cores());
        let place = Place { managing, machine, cores, cpu_quota, worker_cores, simulated: None };
        Ok((pooled, place))
    }

    /// Runs the pool in virtual time. Numbers of workers and managers that are not given follow
    /// from the machine.
    fn on<W: Work>(
        &self,
        VirtualPool { machine, noise, seed }: VirtualPool,
        workers: Option<u32>,
        managers: Option<u32>,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
    ) -> Result<(Pooled<W>, Place), CommandError> {
        let arranged = |workers| match managers {
            Some(managers) => Managers::with(workers, managers),
            None if self.config.method.steals() => Managers::one(workers),
            None => Managers::enough_for(workers),
        };
        let hardware = &machine.hardware;
        let workers =
            workers.unwrap_or_else(|| virtual_pool::most_workers(hardware.all_cores(), arranged));
        let most = Managers::most(workers);
        if let Some(managers) = managers.filter(|&managers| managers > most) {
            return Err(SetUpError::Managers { managers, most }.into());
        }
        let costs = PoolCosts::default();
        let traces = lent(&machine.traces);
        let simulation = PoolSimulation {
            config: self.config,
            managers: arranged(workers),
            hardware,
            noise: CoreNoise { noise: &noise, traces: &traces, seed },
            costs,
            most_tasks: self.most_tasks::<W::Task>(workers),
        };
        simulation.validate().map_err(VirtualPoolError::from)?;
        let number = simulation.managers.number();
        let manager = if number == 1 { "manager" } else { "managers" };
        let ranks = format!("{workers}, and {number} {manager}, a core each of {machine}");
        let simulated = Simulated { costs, noise: noise.clone(), noise_seed: seed };
        self.announce(&format!("{ranks}\n{}", summary::simulated(&simulated)))?;
        let mut line = self.line(false);
        let watch = &mut |progress| line.say(progress);
        let pooled = virtual_pool::run(&simulation, first, work, interrupt::flag(), watch)?;
        line.finish();
        let place = Place {
            managing: Managing::Dedicated,
            machine: machine.to_string(),
            cores: hardware.all_cores(),
            cpu_quota: None,
            worker_cores: vec![],
            simulated: Some(simulated),
        };
        Ok((pooled, place))
    }

    /// Announces the subject, the configuration and the workers.
    pub fn announce(&self, workers: &str) -> Result<(), CommandError> {
        if self.is_told() {
            let Subject { kind, name, .. } = &self.subject;
            printed(|out| {
                writeln!(out, "{kind:<12}{name}")?;
                summary::announce(&self.config, workers, out)
            })?;
        }
        Ok(())
    }

    /// Reports whether progress and report are printed for a person.
    const fn is_told(&self) -> bool {
        !self.output.json && !self.output.quiet
    }

    /// Returns a line with the pool's progress, unless that is not wanted.
    pub fn line(&self, is_hidden: bool) -> PoolLine {
        PoolLine::new(is_hidden || !self.is_told(), false, &self.subject)
    }

    /// Returns the line of progress for a run under a launcher; where there is no terminal, lines
    /// are printed now and then.
    pub fn line_of_ranks(&self, is_hidden: bool) -> PoolLine {
        PoolLine::new(is_hidden || !self.is_told(), true, &self.subject)
    }

    /// Prints and stores the results; each is done even where the other fails.
    pub fn conclude(
        &self,
        report: &PoolReport,
        place: &Place,
        results: &Results,
        json: &impl Serialize,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        let shown = match &self.output {
            output if output.json => printed(|out| write_json(json, out)).map(drop),
            output if output.quiet => Ok(()),
            _ => printed(text).map(drop),
        };
        let Subject { kind, name, .. } = &self.subject;
        let clock = if place.simulated.is_some() { " in virtual time" } else { "" };
        let workers = report.workers.len();
        let title = format!("{kind} {name}, {}, {workers} workers{clock}", self.config.method);
        let recorded = results.record(&self.subject, &self.config, report, place);
        results.store(&title, report, json)?;
        recorded?;
        shown?;
        if self.is_told() {
            printed(|out| results.lines().try_for_each(|line| writeln!(out, "{line}")))?;
        }
        Ok(())
    }

    /// Returns the summary of a pool.
    pub fn summary<'a>(&self, report: &'a PoolReport, place: &'a Place) -> PoolSummary<'a> {
        PoolSummary::new(&self.config, report, place)
    }

    /// Returns the greatest number of tasks of one of several workers or managers here, so that all
    /// together leave memory to others.
    pub fn most_tasks<T>(&self, workers: u32) -> usize {
        let all = self.available / SHARE_OF_MEMORY / size_of::<T>().max(1) as u64;
        let each = all / (u64::from(workers) + 1);
        usize::try_from(each).unwrap_or(usize::MAX).max(1 << 12)
    }
}
