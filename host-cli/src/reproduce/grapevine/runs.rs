//! Making the runs.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use tresse_core::balance::grapevine::{Iteration, Tally};

use super::case::{Case, Recorded};
use super::setting::{Setting, Way};
use super::{pictures, rows, statements};
use crate::balancing::{Instance, balance};
use crate::report::load_statistics::LoadStatistics;
use crate::report::output::{OutputDir, OutputError};
use crate::report::table::write_records;
use crate::reproduce::experiment::{EvaluationError, Made, Planned, Replicate, Watch};
use crate::reproduce::outcome::ExperimentOutcome;

/// The runs that are to be made.
#[derive(Debug)]
pub(super) struct Plan {
    recorded: Option<Recorded>,
    settings: Vec<Setting>,
}

/// The runs that were made.
#[derive(Debug, Default)]
pub(super) struct Runs {
    pub settings: Vec<Setting>,
    pub all: Vec<Run>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub setting: Setting,
    pub replicate: Replicate,
    /// The start and every iteration.
    pub steps: Vec<Step>,
    /// Seconds of the processors at the end.
    pub loads: Option<LoadStatistics>,
}

/// What the processors had come to after a number of iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Step {
    pub tally: Tally,
    /// The highest load, in the unit of the loads.
    pub max: u64,
    pub imbalance: f64,
    /// Messages of gossip, and the loads that were in them.
    pub told: [u64; 2],
}

/// A line of `samples.csv`, whose header are the names of the fields.
#[derive(Serialize)]
struct BalanceSample {
    setting: String,
    replicate: u32,
    seed: u64,
    iteration: usize,
    transfers: u64,
    exchanges: u64,
    rejected: u64,
    refused: u64,
    rejection_rate: Option<f64>,
    imbalance: f64,
    gossip_messages: u64,
    gossip_loads: u64,
}

impl Plan {
    pub fn new(recorded: Option<Recorded>) -> Self {
        let drawn = [Case::TenThousand, Case::MoreObjects, Case::Twin];
        let cases = drawn.into_iter().chain(recorded.as_ref().map(|_| Case::Recorded));
        Self { settings: cases.flat_map(Setting::all).collect(), recorded }
    }
}

impl Planned for Plan {
    fn settings(&self) -> usize {
        self.settings.len()
    }

    fn make(&self, replicates: u32, watch: &Watch<'_>) -> Result<Box<dyn Made>, EvaluationError> {
        let jobs: Vec<(Replicate, Setting)> = Replicate::all(replicates)
            .flat_map(|replicate| self.settings.iter().map(move |&setting| (replicate, setting)))
            .collect();
        let all = watch.each(
            &jobs,
            |(_, setting)| setting.label(),
            |&(replicate, setting)| {
                let instance = setting.case.instance(replicate, self.recorded.as_ref())?;
                Run::make(setting, replicate, &instance, watch.interrupt)
            },
        );
        Ok(Box::new(Runs { settings: self.settings.clone(), all: all? }))
    }
}

impl Made for Runs {
    fn kind(&self) -> &'static str {
        "seeds, low and high the least and the greatest"
    }

    fn failed(&self) -> usize {
        0
    }

    fn evaluate(&self) -> ExperimentOutcome {
        ExperimentOutcome { rows: rows::all(self), statements: statements::all(self) }
    }

    fn remarks(&self) -> Vec<String> {
        let has_recorded = self.settings.iter().any(|setting| setting.case == Case::Recorded);
        if has_recorded { Vec::new() } else { vec![Recorded::remark()] }
    }

    fn write_samples(&self, to: &mut dyn Write) -> io::Result<()> {
        write_records(self.all.iter().flat_map(Run::samples), to)
    }

    fn draw(&self, out: &OutputDir) -> Result<(), OutputError> {
        pictures::draw(self, out)
    }
}

impl Runs {
    /// Those of a setting, by replicate.
    pub fn of(&self, case: Case, way: Way) -> impl Iterator<Item = &Run> + Clone {
        self.all.iter().filter(move |run| run.setting == Setting { case, way })
    }

    /// How many iterations the longest of a setting's runs has.
    pub fn iterations(&self, Setting { case, way }: Setting) -> usize {
        self.of(case, way).map(Run::iterations).max().unwrap_or(0)
    }
}

impl Run {
    fn make(
        setting: Setting,
        replicate: Replicate,
        instance: &Instance,
        interrupt: &AtomicBool,
    ) -> Result<Self, EvaluationError> {
        let method = setting.method(replicate.seed);
        let mut watch = |_: &Iteration| {
            let goes_on = !interrupt.load(Ordering::Relaxed);
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let made = balance(&method, instance, u64::MAX, &mut watch)?;
        let start = Step::new(made.outcome.initial_max, instance);
        let iterations = made.iterations.iter().map(|iteration| Step {
            tally: iteration.tally,
            told: [iteration.told.messages, iteration.told.entries],
            ..Step::new(iteration.max, instance)
        });
        let end = (!setting.way.is_distributed()).then(|| Step {
            tally: Tally {
                transfers: instance.moves(&made.owners).count() as u64,
                ..Tally::default()
            },
            ..Step::new(made.outcome.final_max, instance)
        });
        let steps = std::iter::once(start).chain(iterations).chain(end).collect();
        let loads = LoadStatistics::of(&instance.processor_seconds(&made.owners));
        Ok(Self { setting, replicate, steps, loads })
    }

    /// How many iterations it has.
    pub fn iterations(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// After this number of iterations; after its last one nothing happens.
    pub fn step(&self, iteration: usize) -> Step {
        let step = self.steps.get(iteration).copied();
        let last = self.steps.last().copied().unwrap_or_default();
        step.unwrap_or(Step { tally: Tally::default(), told: [0; 2], ..last })
    }

    /// The imbalance at the end.
    pub fn end(&self) -> f64 {
        self.step(self.iterations()).imbalance
    }

    /// How many iterations raised the highest load.
    pub fn rises(&self) -> usize {
        self.steps.array_windows().filter(|[before, after]| after.max > before.max).count()
    }

    fn samples(&self) -> impl Iterator<Item = BalanceSample> {
        self.steps.iter().enumerate().map(|(iteration, step)| BalanceSample {
            setting: self.setting.label(),
            replicate: self.replicate.number,
            seed: self.replicate.seed,
            iteration,
            transfers: step.tally.transfers,
            exchanges: step.tally.exchanges,
            rejected: step.tally.rejected,
            refused: step.tally.refused,
            rejection_rate: step.rejection_rate(),
            imbalance: step.imbalance,
            gossip_messages: step.told[0],
            gossip_loads: step.told[1],
        })
    }
}

impl Step {
    fn new(max: u64, instance: &Instance) -> Self {
        Self { max, imbalance: instance.imbalance(max), ..Self::default() }
    }

    /// Proposals that came to nothing, by the sender's criterion or by the receiver's answer.
    pub fn rejected(&self) -> u64 {
        self.tally.rejected + self.tally.refused
    }

    /// Their part of all proposals, in percent; none where there were none.
    pub fn rejection_rate(&self) -> Option<f64> {
        let all = self.tally.transfers + self.rejected();
        (all > 0).then(|| 100.0 * self.rejected() as f64 / all as f64)
    }
}
