//! What is run: the settings of an experiment.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use super::balancing::Balancing;
use super::error::ExperimentError;
use super::pooling::{Pooled, Pooling};
use super::replicate::Replicate;
use super::run::Run;
use super::simulation::{Simulated, Simulation};

/// What is run, and what there is to know of it.
#[derive(Default)]
pub struct Plan {
    /// Each is run once for every replicate.
    pub settings: Vec<Setting>,
    /// What is solved, balanced or searched, each problem once; nothing where the rows say it.
    pub problems: Vec<String>,
    /// With which split and thresholds it is balanced; nothing where nothing is.
    pub balancing: Vec<String>,
    /// Choices of ours that decide the results.
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

    /// What a person should know before the runs are made, each warning once.
    pub fn warnings(&self) -> BTreeSet<String> {
        let of = |Setting { label, job }: &Setting| {
            let warnings = job.simulation().map(Simulation::warnings).unwrap_or_default();
            warnings.into_iter().map(|warning| format!("{label}: {warning}")).collect::<Vec<_>>()
        };
        self.settings.iter().flat_map(of).collect()
    }
}

/// Returns each once, in their order.
pub fn unique<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// One way to run.
pub struct Setting {
    /// What distinguishes it from the others.
    pub label: String,
    /// What is done.
    pub job: Job,
}

/// What is done in a run.
pub enum Job {
    /// The solver runs on the virtual machine.
    Simulation(Box<Simulation>),
    /// Objects are balanced.
    Balancing(Balancing),
    /// Workers share tasks on the virtual machine.
    Pooling(Box<Pooling>),
}

impl Job {
    /// That of the solver.
    pub fn simulation(&self) -> Option<&Simulation> {
        match self {
            Self::Simulation(simulation) => Some(simulation),
            Self::Balancing(_) | Self::Pooling(_) => None,
        }
    }

    /// That of a pool of tasks.
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
    /// As a setting of an experiment.
    pub fn labelled(self, label: impl Into<String>) -> Setting {
        Setting { label: label.into(), job: Job::Simulation(Box::new(self)) }
    }
}

impl Balancing {
    /// As a setting of an experiment.
    pub fn labelled(self, label: impl Into<String>) -> Setting {
        Setting { label: label.into(), job: Job::Balancing(self) }
    }
}

impl Pooling {
    /// As a setting of an experiment.
    pub fn labelled(self, label: impl Into<String>) -> Setting {
        Setting { label: label.into(), job: Job::Pooling(Box::new(self)) }
    }
}
