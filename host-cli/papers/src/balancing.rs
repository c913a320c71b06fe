//! Runs of balancers of loads.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tresse_core::balance::grapevine::{Config, Iteration, Tally};

use super::error::ExperimentError;
use super::replicate::Replicate;
use tresse_traces::balancing::{Instance, Method, balance};
use tresse_traces::load_statistics::LoadStatistics;
use tresse_traces::load_traces::PhaseObjects;

/// A balancer and its objects.
#[derive(Clone, Debug)]
pub struct Balancing {
    /// Objects to balance.
    pub objects: Objects,
    /// The balancer; its seed is the replicate's.
    pub method: Method,
    /// Whether every iteration is a sample; otherwise only the end is.
    pub is_told_whole: bool,
}

/// Objects of one phase.
#[derive(Clone, Debug)]
pub enum Objects {
    /// Objects that are drawn by the replicate's seed.
    Drawn(fn(u64) -> PhaseObjects),
    /// Recorded objects, which are the same for all replicates.
    Recorded(Arc<PhaseObjects>),
}

/// The result of a balancer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Balanced {
    /// The start and every iteration; for a balancer without iterations the start and the end.
    pub steps: Vec<Step>,
    /// The imbalance of the placement that was taken.
    pub taken: f64,
    /// Statistics of the processors' loads with this placement, in seconds.
    pub loads: Option<LoadStatistics>,
}

/// The state after a number of iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Counts of accepted and rejected proposals.
    pub tally: Tally,
    /// Highest load, in the unit of the loads.
    pub max: u64,
    /// Maximum ÷ mean − 1.
    pub imbalance: f64,
    /// Numbers of messages of gossip, and of loads in them.
    pub told: [u64; 2],
}

impl Balancing {
    /// Balances the objects.
    pub fn run(&self, replicate: Replicate, end: &AtomicBool) -> Result<Balanced, ExperimentError> {
        let objects = match &self.objects {
            Objects::Drawn(draw) => draw(replicate.seed),
            Objects::Recorded(objects) => PhaseObjects::clone(objects),
        };
        let instance = Instance::of_phase(objects, None)?;
        let method = match self.method {
            Method::Grapevine(config) => {
                Method::Grapevine(Config { seed: replicate.seed, ..config })
            }
            method => method,
        };
        let mut watch = |_: &Iteration| {
            let goes_on = !end.load(Ordering::Relaxed);
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let made = balance(&method, &instance, u64::MAX, &mut watch)?;
        let mut steps = vec![Step::new(made.outcome.initial_max, &instance)];
        steps.extend(made.iterations.iter().map(|iteration| Step {
            tally: iteration.tally,
            told: [iteration.told.messages, iteration.told.entries],
            ..Step::new(iteration.max, &instance)
        }));
        if !matches!(method, Method::Grapevine(_)) {
            let transfers = instance.moves(&made.owners).count() as u64;
            let tally = Tally { transfers, ..Tally::default() };
            steps.push(Step { tally, ..Step::new(made.outcome.final_max, &instance) });
        }
        let taken = instance.imbalance(made.outcome.final_max);
        let loads = LoadStatistics::of(&instance.processor_seconds(&made.owners));
        Ok(Balanced { steps, taken, loads })
    }
}

impl Balanced {
    /// Returns the number of iterations.
    pub fn iterations(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// Returns the state after this number of iterations; iterations after the last one change
    /// nothing.
    pub fn step(&self, iteration: usize) -> Step {
        let step = self.steps.get(iteration).copied();
        let last = self.steps.last().copied().unwrap_or_default();
        step.unwrap_or(Step { tally: Tally::default(), told: [0; 2], ..last })
    }

    /// Returns the imbalance at the end.
    pub fn end(&self) -> f64 {
        self.step(self.iterations()).imbalance
    }

    /// Returns the number of iterations that raised the highest load.
    pub fn rises(&self) -> usize {
        self.steps.array_windows().filter(|[before, after]| after.max > before.max).count()
    }
}

impl Step {
    /// Returns the step before any iteration; `max` is the highest load in units.
    fn new(max: u64, instance: &Instance) -> Self {
        Self { max, imbalance: instance.imbalance(max), ..Self::default() }
    }

    /// Returns the number of proposals without success, by the sender's criterion or by the
    /// receiver's answer.
    pub fn rejected(&self) -> u64 {
        self.tally.rejected + self.tally.refused
    }

    /// Returns the share of unsuccessful proposals in all, in percent; NaN where there were no
    /// proposals.
    pub fn rejection_rate(&self) -> Option<f64> {
        let all = self.tally.transfers + self.rejected();
        (all > 0).then(|| 100.0 * self.rejected() as f64 / all as f64)
    }
}
