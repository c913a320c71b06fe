//! The plan of an experiment: its settings.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use super::balancing::Balancing;
use super::error::ExperimentError;
use super::pooling::{Pooled, Pooling};
use super::replicate::Replicate;
use super::run::Run;
use super::simulation::{Simulated, Simulation};

/// The runs of an experiment, and remarks on them.
#[derive(Default)]
pub struct Plan {
    /// Settings, each of which is run once for every replicate.
    pub settings: Vec<Setting>,
    /// Problems that are solved, balanced or searched, each once; empty where the rows name them.
    pub problems: Vec<String>,
    /// Split and thresholds of the balancing; empty where there is none.
    pub balancing: Vec<String>,
    /// Remarks on choices made here that decide the results.
    pub remarks: Vec<String>,
}

impl Plan {
    /// Returns the plan for some settings.
    pub fn of(settings: impl IntoIterator<Item = Setting>, remarks: &[&str]) -> Self {
        let settings: Vec<Setting> = settings.into_iter().collect();
        let simulations = || settings.iter().filter_map(|setting| setting.job.simulation());
        let pools = settings.iter().filter_map(|setting| setting.job.pooling());
        let solved = simulations().map(Simulation::on_grid);
        Self {
            problems: unique(solved.chain(pools.map(|pool| pool.workload.to_string()))),
            balancing: unique(simulations().filter_map(Simulation::balancing)),
            remarks: remarks.iter().map(|&remark| remark.to_owned()).collect(),
            settings,
        }
    }

    /// Returns the warnings for a person to read before the runs, each once.
    pub fn warnings(&self) -> BTreeSet<String> {
        let of = |Setting { label, job }: &Setting| {
            let warnings = job.simulation().map(Simulation::warnings).unwrap_or_default();
            warnings.into_iter().map(|warning| format!("{label}: {warning}")).collect::<Vec<_>>()
        };
        self.settings.iter().flat_map(of).collect()
    }
}

/// Returns the elements without repetitions, in their order.
pub fn unique<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// A setting, which is run once for every replicate.
pub struct Setting {
    /// Label that tells the setting from the others.
    pub label: String,
    /// Job of each run.
    pub job: Job,
}

/// The jobs of a run.
pub enum Job {
    /// The solver runs on the virtual machine.
    Simulation(Box<Simulation>),
    /// Objects are balanced.
    Balancing(Balancing),
    /// Workers share tasks on the virtual machine.
    Pooling(Box<Pooling>),
}

impl Job {
    /// Returns the job of the solver, if it is one.
    pub fn simulation(&self) -> Option<&Simulation> {
        match self {
            Self::Simulation(simulation) => Some(simulation),
            Self::Balancing(_) | Self::Pooling(_) => None,
        }
    }

    /// Returns the job of a pool of tasks, if it is one.
    pub fn pooling(&self) -> Option<&Pooling> {
        match self {
            Self::Pooling(pooling) => Some(pooling),
            Self::Simulation(_) | Self::Balancing(_) => None,
        }
    }
}

impl Setting {
    /// Makes one run.
    pub fn run(&self, replicate: Replicate, end: &AtomicBool) -> Result<Run, ExperimentError> {
        let run = match &self.job {
            Job::Simulation(simulation) => {
                let Simulated { ended, solved, history } = simulation.run(replicate, end)?;
                Run { ended, solved, history, ..Run::default() }
            }
            Job::Balancing(balancing) => {
                Run { ended: true, balanced: balancing.run(replicate, end)?, ..Run::default() }
            }
            Job::Pooling(pooling) => {
                let Pooled { ended, pool } = pooling.run(replicate, end)?;
                Run { ended, pool, ..Run::default() }
            }
        };
        Ok(Run { setting: self.label.clone(), replicate, ..run })
    }
}

impl Simulation {
    /// Returns a setting of an experiment with this job.
    pub fn labelled(self, label: impl Into<String>) -> Setting {
        Setting { label: label.into(), job: Job::Simulation(Box::new(self)) }
    }
}

impl Balancing {
    /// Returns a setting of an experiment with this job.
    pub fn labelled(self, label: impl Into<String>) -> Setting {
        Setting { label: label.into(), job: Job::Balancing(self) }
    }
}

impl Pooling {
    /// Returns a setting of an experiment with this job.
    pub fn labelled(self, label: impl Into<String>) -> Setting {
        Setting { label: label.into(), job: Job::Pooling(Box::new(self)) }
    }
}
