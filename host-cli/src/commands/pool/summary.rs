//! What a pool did, whatever its tasks were: as part of an object, and for a person.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::noise::Noise;
use tresse_core::run::MachineReport;
use tresse_core::sharing::{Method, Release, SharingConfig};
use tresse_core::virtual_pool::PoolCosts;

use super::{Place, Simulated};
use crate::engine::pool::{Managing, PoolReport, WorkerReport};

/// What a pool did, and how.
#[derive(Clone, Debug, Serialize)]
pub struct PoolSummary<'a> {
    /// How the work was shared.
    #[serde(flatten)]
    pub config: SharingConfig,
    /// Workers.
    pub workers: usize,
    /// Managers.
    pub managers: usize,
    /// Who did what they do.
    pub manager: Managing,
    /// How long it took.
    pub seconds: f64,
    /// The time of what was not in vain, spread evenly.
    pub ideal_seconds: f64,
    /// The share of the workers' time with tasks of their own. This and the next five add up to 1.
    pub busy: f64,
    /// With tasks of copies.
    pub speculating: f64,
    /// Without tasks, until some came.
    pub searching: f64,
    /// Without tasks, after the last one.
    pub idle: f64,
    /// With what the managers do, where that is a turn of the workers.
    pub managing: f64,
    /// With messages, where these are told apart: in virtual time.
    pub messaging: f64,
    /// Claims.
    pub arbitrations: Arbitrations,
    /// Tasks of copies that were another's.
    pub rolled_back: u64,
    /// Messages.
    pub messages: u64,
    /// The share of the time in which the busiest manager had something to do.
    pub manager_busy: f64,
    /// What each worker did.
    pub by_worker: &'a [WorkerReport],
    /// The machine.
    pub machine: MachineReport<'a>,
    /// What things cost, and what slows cores, in virtual time.
    #[serde(flatten)]
    pub simulated: Option<&'a Simulated>,
    /// Whether time was virtual.
    #[serde(rename = "virtual")]
    pub is_virtual: bool,
}

/// Claims of copies.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Arbitrations {
    /// How many there were.
    pub asked: u64,
    /// How many of them were refused.
    pub failed: u64,
}

impl<'a> PoolSummary<'a> {
    pub(super) fn new(config: &SharingConfig, pool: &'a PoolReport, place: &'a Place) -> Self {
        let statistics = pool.statistics();
        Self {
            config: *config,
            workers: pool.workers.len(),
            managers: pool.timeline.managers.len(),
            manager: place.managing,
            seconds: pool.seconds,
            ideal_seconds: pool.ideal_seconds(),
            busy: pool.share(|worker| worker.busy),
            speculating: pool.share(|worker| worker.speculating),
            searching: pool.share(|worker| worker.searching),
            idle: pool.share(|worker| worker.idle),
            managing: pool.share(|worker| worker.managing),
            messaging: pool.share(|worker| worker.messaging),
            arbitrations: Arbitrations { asked: statistics.asked, failed: statistics.failed },
            rolled_back: statistics.rolled_back,
            messages: pool.messages,
            manager_busy: pool.manager_busy(),
            by_worker: &pool.workers,
            machine: MachineReport { cpu: &place.machine, cores: place.cores },
            simulated: place.simulated.as_ref(),
            is_virtual: place.simulated.is_some(),
        }
    }

    /// How long it took, for a person.
    pub fn time(&self) -> String {
        let clock = if self.is_virtual { " of virtual time" } else { "" };
        format!("{:.3} s{clock}", self.seconds)
    }

    /// What the workers' time went into.
    fn shares(&self) -> String {
        let shares = [
            (self.busy, "busy"),
            (self.speculating, "speculating"),
            (self.searching, "searching"),
            (self.idle, "idle"),
            (self.managing, "managing"),
            (self.messaging, "messaging"),
        ];
        // The last two are not everywhere.
        let shown =
            shares.iter().enumerate().filter(|(place, (share, _))| *place < 4 || *share >= 5e-4);
        let shown = shown.map(|(_, (share, name))| format!("{:.1} % {name}", share * 100.0));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Several aligned lines, but for the time; `tasks` is what the tasks are called.
    pub fn write(&self, tasks: &str, out: &mut dyn Write) -> io::Result<()> {
        let mut line = |name: &str, value: String| writeln!(out, "{name:<12}{value}");
        let ideal = self.ideal_seconds;
        line("workers", format!("{}; {ideal:.3} s would be ideal", self.shares()))?;
        let Arbitrations { asked, failed } = self.arbitrations;
        let rolled_back = self.rolled_back;
        let copies = format!("{asked} claims, {failed} refused, {rolled_back} {tasks} rolled back");
        line("copies", copies)?;
        let busy = self.manager_busy * 100.0;
        line("messages", format!("{}, the manager busy for {busy:.1} %", self.messages))?;
        line("machine", format!("{} cores of {}", self.machine.cores, self.machine.cpu))
    }
}

/// The effective configuration.
pub(super) fn announce(
    config: &SharingConfig,
    workers: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let SharingConfig { method, chunk, interval, copies, window, arbitration, release, .. } =
        config;
    let mut parameters = match method {
        Method::Adaptive => format!("chunk up to {chunk}"),
        method if method.steals() => format!("chunk {chunk}"),
        _ if *release == Release::Wanted => {
            format!("chunk {chunk}, interval {interval} while the manager wants tasks")
        }
        _ => format!("chunk {chunk}, interval {interval}"),
    };
    if method.speculates() {
        let copies = format!("{copies} copies, window {window}, arbitration by {arbitration}");
        parameters = format!("{parameters}, {copies}");
    }
    writeln!(out, "method      {method}: {parameters}; seed {}", config.seed)?;
    writeln!(out, "workers     {workers}\n")
}

/// Who does what the managers do.
pub(super) const fn manager(managing: Managing) -> &'static str {
    match managing {
        Managing::Turn => "the manager is a turn of the workers",
        Managing::Dedicated => "the manager has a thread of its own",
    }
}

/// What things cost in virtual time, and what slows cores.
pub(super) fn simulated(Simulated { costs, noise, noise_seed }: &Simulated) -> String {
    let PoolCosts { task, message, service, moved, most_at_a_time } = costs;
    let costs = format!(
        "costs       {} ns a task, {} ns a message, {} ns of the manager for each and {} ns for each \
         task of it; {most_at_a_time} at a time",
        task.0, message.0, service.0, moved.0
    );
    let rest = "what the machine has at rest".to_owned();
    let all: Vec<_> = [rest].into_iter().chain(noise.iter().map(Noise::to_string)).collect();
    format!("{costs}\nnoise       {}; seed {noise_seed}", all.join(", "))
}
