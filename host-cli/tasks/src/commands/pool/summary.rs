//! The summary of a pool with tasks of any kind: as part of an object, and for a person.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::run::MachineReport;
use tresse_core::run::noise::Noise;
use tresse_core::sim::virtual_pool::PoolCosts;
use tresse_core::tasks::sharing::{Method, Release, SharingConfig};

use super::{Place, Simulated};
use crate::pool::{Managing, PoolReport, WorkerReport};

/// The configuration and the results of a pool.
#[derive(Clone, Debug, Serialize)]
pub struct PoolSummary<'a> {
    /// Configuration of the sharing.
    #[serde(flatten)]
    pub config: SharingConfig,
    /// Number of workers.
    pub workers: usize,
    /// Number of managers.
    pub managers: usize,
    /// Threads that did the managers' work.
    pub manager: Managing,
    /// Duration of the run.
    pub seconds: f64,
    /// Time of all tasks that were not in vain, spread evenly over the workers.
    pub ideal_seconds: f64,
    /// Share of the workers' time with tasks of their own. This share and the next five add up to
    /// 1.
    pub busy: f64,
    /// Share of the workers' time with tasks of copies.
    pub speculating: f64,
    /// Share of the workers' time without tasks, until some came.
    pub searching: f64,
    /// Share of the workers' time without tasks, after the last one.
    pub idle: f64,
    /// Share of the workers' time with managers' work, where workers do that in turn.
    pub managing: f64,
    /// Share of the workers' time with messages, which are counted separately in virtual time only.
    pub messaging: f64,
    /// Claims of copies.
    pub arbitrations: Arbitrations,
    /// Number of tasks of copies that were another worker's.
    pub rolled_back: u64,
    /// Number of messages.
    pub messages: u64,
    /// Share of the time in which the busiest manager had something to do.
    pub manager_busy: f64,
    /// Report of each worker.
    pub by_worker: &'a [WorkerReport],
    /// The machine.
    pub machine: MachineReport<'a>,
    /// Costs, and noise on the cores, in virtual time.
    #[serde(rename = "config", skip_serializing_if = "Option::is_none")]
    pub simulated: Option<&'a Simulated>,
    /// Whether time was virtual.
    #[serde(rename = "virtual")]
    pub is_virtual: bool,
}

/// The numbers of claims of copies.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Arbitrations {
    /// Number of claims.
    pub asked: u64,
    /// Number of claims that were refused.
    pub failed: u64,
}

impl<'a> PoolSummary<'a> {
    /// Summarises the pool; shares are parts of the time of all workers, from 0 to 1.
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
            machine: place.report(),
            simulated: place.simulated.as_ref(),
            is_virtual: place.simulated.is_some(),
        }
    }

    /// Returns the duration of the run, for a person.
    pub fn time(&self) -> String {
        let clock = if self.is_virtual { " of virtual time" } else { "" };
        format!("{:.3} s{clock}", self.seconds)
    }

    /// Returns the shares of the workers' time as text.
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

    /// Writes several aligned lines, without the time; `tasks` is the word for the tasks.
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
        line("machine", self.machine.to_string())
    }
}

/// Prints the effective configuration.
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

/// Returns words for the threads that do the managers' work.
pub(super) const fn manager(managing: Managing) -> &'static str {
    match managing {
        Managing::Turn => "the manager is a turn of the workers",
        Managing::Dedicated => "the manager has a thread of its own",
    }
}

/// Returns text about the costs in virtual time, and the noise on cores.
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
