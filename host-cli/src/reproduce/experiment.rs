//! What an experiment is made of, and the list of all.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tresse_core::machine::{Hardware, SimulationError};
use tresse_core::noise::Noise;
use tresse_core::run::RunConfig;

use super::outcome::ExperimentOutcome;
use super::{dplb, grapevine, plb};
use crate::balancing::{BalancingError, InstanceError};
use crate::load_traces::LoadTraceError;
use crate::problem::Problem;
use crate::report::output::{OutputDir, OutputError};

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
    /// Which runs it needs, and what they show.
    pub evaluation: &'static dyn Evaluation,
}

/// What an experiment does, whatever its runs are.
pub trait Evaluation: Debug + Sync {
    /// Which runs it needs.
    fn plan(&self) -> Result<Box<dyn Planned>, EvaluationError>;
}

/// The runs that are to be made.
pub trait Planned {
    /// How many of each replicate.
    fn settings(&self) -> usize;

    /// What a person should know before they are made.
    fn warnings(&self) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// Makes all of them, or those before an interrupt.
    fn make(&self, replicates: u32, watch: &Watch<'_>) -> Result<Box<dyn Made>, EvaluationError>;
}

/// The runs that were made.
pub trait Made {
    /// What the replicates are, and what is shown of them beside the median.
    fn kind(&self) -> &'static str;

    /// How many did not end as they should, and count for nothing.
    fn failed(&self) -> usize;

    /// What was solved, each problem once; nothing where there are no cells.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// With which split and thresholds it was balanced; nothing where nothing was.
    fn balancing(&self) -> Vec<String> {
        Vec::new()
    }

    /// What they show.
    fn evaluate(&self) -> ExperimentOutcome;

    /// What else there is to know.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Writes all of them as CSV.
    fn write_samples(&self, to: &mut dyn Write) -> io::Result<()>;

    /// Leaves their pictures.
    fn draw(&self, out: &OutputDir) -> Result<(), OutputError>;
}

/// Who looks on while runs are made.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Whether no more runs are to be made.
    pub interrupt: &'a AtomicBool,
    /// Called before each run, with what it is of.
    pub begins: &'a (dyn Fn(&str) + Sync),
    /// Called after each run.
    pub ended: &'a (dyn Fn() + Sync),
}

impl Watch<'_> {
    /// Does all jobs on all cores, or those before an interrupt, and keeps their order.
    pub(super) fn each<J: Sync, R: Send>(
        &self,
        jobs: &[J],
        name: impl Fn(&J) -> String + Sync,
        run: impl Fn(&J) -> Result<R, EvaluationError> + Sync,
    ) -> Result<Vec<R>, EvaluationError> {
        let made = jobs.par_iter().filter(|_| !self.interrupt.load(Ordering::Relaxed)).map(|job| {
            (self.begins)(&name(job));
            let made = run(job)?;
            (self.ended)();
            Ok(made)
        });
        made.collect()
    }
}

/// Why an experiment's runs were not made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum EvaluationError {
    /// The virtual machine did not start.
    Machine(#[from] SimulationError),
    /// A load trace cannot be used.
    Trace(#[from] LoadTraceError),
    /// Objects that cannot be balanced.
    Instance(#[from] InstanceError),
    /// They were not balanced.
    Balancing(#[from] BalancingError),
}

/// The runs of an experiment on the virtual machine.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Each is run once for every replicate.
    pub settings: Vec<Setting>,
}

/// One way to run, on one machine.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What distinguishes it from the others.
    pub label: String,
    /// The method; the seed is the replicate's.
    pub config: RunConfig,
    /// The machine.
    pub hardware: Hardware,
    /// The equations; none where only progress counts.
    pub problem: Option<Problem>,
    /// Noise that is drawn anew for each replicate, in place of the configuration's.
    pub noise: Option<fn(Replicate, &Setting) -> Vec<Noise>>,
    /// Whether the update counts over time are kept.
    pub keeps_history: bool,
}

/// One of the runs of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replicate {
    /// Counted from 0; the same one has the same seed in all settings.
    pub number: u32,
    /// Its seed.
    pub seed: u64,
}

impl Replicate {
    /// The first ones, of this number.
    pub(super) fn all(replicates: u32) -> impl Iterator<Item = Self> + Clone {
        // Far apart, so that no stream of one is a stream of another.
        let seed = |number: u32| 0x5eed + (u64::from(number) << 20);
        (0..replicates).map(move |number| Self { number, seed: seed(number) })
    }
}

/// All experiments, in the order of the papers.
pub const EXPERIMENTS: &[Experiment] = &[
    plb::LANDSCAPE,
    plb::TIME_TO_SOLUTION,
    plb::TABLE_2,
    plb::AMPLITUDES,
    plb::BRAID,
    plb::HISTORY,
    plb::PARAMETERS,
    dplb::SOCKETS,
    dplb::NODES,
    dplb::TABLE_2,
    dplb::HUNDRED,
    grapevine::TABLES,
    grapevine::PARAMETERS,
];
