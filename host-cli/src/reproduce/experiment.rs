//! What an experiment is made of.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use tresse_core::machine::SimulationError;

use super::balancing::Balancing;
use super::row::Row;
use super::run::{Replicate, Run};
use super::runs::Runs;
use super::simulation::Simulation;
use super::statement::Statement;
use crate::balancing::{BalancingError, InstanceError};
use crate::load_traces::LoadTraceError;
use crate::report::plots::Picture;
use crate::wording;

/// One evaluation of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// As it is called on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub title: &'static str,
    /// Paper, section, figure or table.
    pub source: &'static str,
    /// Runs of each setting where nothing else is asked for.
    pub replicates: u32,
    /// What is run.
    pub plan: fn() -> Result<Plan, ExperimentError>,
    /// Our figures beside the published ones.
    pub rows: fn(&Runs) -> Vec<Row>,
    /// What the paper says, judged.
    pub statements: fn(&Runs) -> Vec<Statement>,
    /// Pictures, and what their files are called.
    pub pictures: fn(&Runs) -> Vec<(String, Picture)>,
}

/// What is run, and what there is to know of it.
#[derive(Default)]
pub struct Plan {
    /// Each is run once for every replicate.
    pub settings: Vec<Setting>,
    /// What is solved or balanced, each problem once; nothing where the rows say it.
    pub problems: Vec<String>,
    /// With which split and thresholds it is balanced; nothing where nothing is.
    pub balancing: Vec<String>,
    /// Choices of ours that decide the results.
    pub remarks: Vec<String>,
}

impl Plan {
    /// Of some settings.
    pub fn of(settings: impl IntoIterator<Item = Setting>, remarks: &[&str]) -> Self {
        let settings: Vec<Setting> = settings.into_iter().collect();
        let simulations = || settings.iter().filter_map(|setting| setting.job.simulation());
        Self {
            problems: unique(simulations().map(Simulation::on_grid)),
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

/// Each once, in their order.
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
}

impl Job {
    /// That of the solver.
    pub fn simulation(&self) -> Option<&Simulation> {
        match self {
            Self::Simulation(simulation) => Some(simulation),
            Self::Balancing(_) => None,
        }
    }
}

impl Setting {
    /// Makes one run.
    pub fn run(&self, replicate: Replicate, end: &AtomicBool) -> Result<Run, ExperimentError> {
        let run = match &self.job {
            Job::Simulation(simulation) => simulation.run(replicate, end)?,
            Job::Balancing(balancing) => balancing.run(replicate, end)?,
        };
        Ok(Run { setting: self.label.clone(), replicate, ..run })
    }
}

/// Why an experiment's runs were not made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum ExperimentError {
    /// The virtual machine did not start.
    Machine(#[from] SimulationError),
    /// A load trace cannot be used.
    #[error("{}", wording::load_trace(.0))]
    Trace(#[from] LoadTraceError),
    /// Objects that cannot be balanced.
    Instance(#[from] InstanceError),
    /// They were not balanced.
    Balancing(#[from] BalancingError),
}
