//! The runs of an experiment on the virtual machine.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use tresse_core::machine::SimulationError;
use tresse_core::run::{Balance, End, PlbParams, RunConfig};

use super::experiment::{
    Evaluation, EvaluationError, Made, Plan, Planned, Replicate, Setting, Watch,
};
use super::outcome::ExperimentOutcome;
use crate::problem::Problem;
use crate::report::history::History;
use crate::report::output::{OutputDir, OutputError};
use crate::report::table::write_records;
use crate::simulation::{VirtualJob, simulate, simulate_progress};
use crate::solution::RunRecord;
use crate::wording;

/// What one run came to. The field names are the header of `samples.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSample {
    /// The setting's label.
    pub setting: String,
    /// What is solved, in a few words.
    pub problem: String,
    /// Counted from 0; the same one has the same seed in all settings.
    pub replicate: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Whether it ended as its stop asked for; only then do the figures count.
    pub ended: bool,
    /// Virtual time.
    pub seconds: f64,
    /// Mean iterations.
    pub iterations: f64,
    /// Iterations per virtual second.
    pub iteration_rate: f64,
    /// Highest minus lowest update count at the end.
    pub spread_end: u64,
    /// The largest that was seen.
    pub spread_max: u64,
    /// Mean version gap of the halos.
    pub staleness_mean: f64,
    /// The largest version gap.
    pub staleness_max: u64,
    /// Subdomains that changed hands on a node.
    pub moves: u64,
    /// Subdomains that went to another node.
    pub transfers: u64,
    /// The verified residual, relative to the initial one.
    pub residual_relative: f64,
    /// What the noise took of each core that it was on, on average.
    pub noise_share: Option<f64>,
}

/// All runs of an experiment, in the order of settings and replicates.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The samples.
    pub samples: Vec<RunSample>,
    /// The histories that were to be kept, with the labels of their settings.
    pub histories: Vec<(String, History)>,
    /// The settings' labels.
    pub labels: Vec<String>,
    /// What they solve, each problem once, on each grid.
    pub problems: Vec<String>,
    /// The same without the grids, for titles; empty where no cells are computed.
    pub solved: String,
    /// How they are balanced, each split with its thresholds once.
    pub balancing: Vec<String>,
}

/// An experiment on the virtual machine.
#[derive(Clone, Copy, Debug)]
pub struct Simulated {
    /// Which runs it needs.
    pub plan: fn() -> Plan,
    /// What they show.
    pub evaluate: fn(&Runs) -> ExperimentOutcome,
    /// Leaves its pictures.
    pub draw: fn(&Runs, &OutputDir) -> Result<(), OutputError>,
    /// Choices of ours that decide the results.
    pub remarks: &'static [&'static str],
}

/// With the runs that it needs, or with those that were made.
struct With<T>(Simulated, T);

impl Evaluation for Simulated {
    fn plan(&self) -> Result<Box<dyn Planned>, EvaluationError> {
        Ok(Box::new(With(*self, (self.plan)())))
    }
}

impl Planned for With<Plan> {
    fn settings(&self) -> usize {
        self.1.settings.len()
    }

    fn warnings(&self) -> BTreeSet<String> {
        let of = |setting: &Setting| {
            let Setting { label, config, hardware, .. } = setting;
            let sockets: Vec<_> = hardware.sockets_of(config.workers_per_node()).collect();
            let warnings = config.warnings_on(sockets.into_iter());
            warnings
                .map(|warning| format!("{label}: {}", wording::warning(&warning)))
                .collect::<Vec<_>>()
        };
        self.1.settings.iter().flat_map(of).collect()
    }

    fn make(&self, replicates: u32, watch: &Watch<'_>) -> Result<Box<dyn Made>, EvaluationError> {
        Ok(Box::new(With(self.0, Runs::make(&self.1, replicates, watch)?)))
    }
}

impl Made for With<Runs> {
    fn kind(&self) -> &'static str {
        "virtual runs"
    }

    fn failed(&self) -> usize {
        self.1.failed().count()
    }

    fn problems(&self) -> Vec<String> {
        self.1.problems.clone()
    }

    fn balancing(&self) -> Vec<String> {
        self.1.balancing.clone()
    }

    fn evaluate(&self) -> ExperimentOutcome {
        (self.0.evaluate)(&self.1)
    }

    fn remarks(&self) -> Vec<String> {
        self.0.remarks.iter().map(|&remark| remark.to_owned()).collect()
    }

    fn write_samples(&self, to: &mut dyn Write) -> io::Result<()> {
        write_records(&self.1.samples, to)
    }

    fn draw(&self, out: &OutputDir) -> Result<(), OutputError> {
        (self.0.draw)(&self.1, out)
    }
}

impl Runs {
    fn make(plan: &Plan, replicates: u32, watch: &Watch<'_>) -> Result<Self, EvaluationError> {
        let jobs: Vec<(Replicate, &Setting)> = Replicate::all(replicates)
            .flat_map(|replicate| plan.settings.iter().map(move |setting| (replicate, setting)))
            .collect();
        let run = |&(replicate, setting): &(Replicate, &Setting)| {
            Ok(setting.run(replicate, watch.interrupt)?)
        };
        let mut runs = Self {
            labels: plan.settings.iter().map(|setting| setting.label.clone()).collect(),
            problems: unique(plan.settings.iter().map(Setting::on_grid)),
            solved: unique(plan.settings.iter().filter_map(Setting::problem)).join("; "),
            balancing: unique(plan.settings.iter().filter_map(Setting::balancing)),
            ..Self::default()
        };
        for (sample, history) in watch.each(&jobs, |(_, setting)| setting.label.clone(), run)? {
            runs.histories.extend(history.map(|history| (sample.setting.clone(), history)));
            runs.samples.push(sample);
        }
        Ok(runs)
    }

    /// The runs of a setting that ended as they should, by replicate.
    pub fn of<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a RunSample> + Clone + 'a {
        self.samples.iter().filter(move |sample| sample.ended && sample.setting == label)
    }

    /// A picture's title with what is solved.
    pub fn titled(&self, title: &str) -> String {
        if self.solved.is_empty() { title.to_owned() } else { format!("{title}: {}", self.solved) }
    }

    /// One figure of a setting's runs.
    pub fn figures(&self, label: &str, figure: impl Fn(&RunSample) -> f64) -> Vec<f64> {
        self.of(label).map(figure).collect()
    }

    /// One figure of two settings' runs, replicate by replicate.
    pub fn pairs(
        &self,
        one: &str,
        other: &str,
        figure: impl Fn(&RunSample) -> f64,
    ) -> Vec<(f64, f64)> {
        let partner =
            |sample: &RunSample| self.of(other).find(|other| other.replicate == sample.replicate);
        self.of(one).filter_map(|sample| Some((figure(sample), figure(partner(sample)?)))).collect()
    }

    /// By how many percent a figure of one setting is above that of another, replicate by replicate.
    pub fn increases(&self, from: &str, to: &str, figure: impl Fn(&RunSample) -> f64) -> Vec<f64> {
        self.pairs(from, to, figure).iter().map(|(from, to)| (to / from - 1.0) * 100.0).collect()
    }

    /// Runs that did not end as they should.
    pub fn failed(&self) -> impl Iterator<Item = &RunSample> {
        self.samples.iter().filter(|sample| !sample.ended)
    }
}

/// Each once, in their order.
fn unique(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

impl Setting {
    /// What it solves, in a few words; none where no cells are computed.
    fn problem(&self) -> Option<String> {
        self.problem.as_ref().map(Problem::to_string)
    }

    /// The same with its grid.
    fn on_grid(&self) -> String {
        let RunConfig { grid, workers, .. } = self.config;
        let problem = self.problem().unwrap_or("none, only updates are counted".into());
        format!("{problem}, {grid} cells on {workers} cores")
    }

    /// Of balanced runs.
    fn balancing(&self) -> Option<String> {
        let RunConfig { balance, split, plb, .. } = self.config;
        let PlbParams { pairs, low, high, .. } = plb;
        (balance != Balance::None).then(|| {
            format!("{split} subdomains a worker, {pairs} pairs a round, low {low}, high {high}")
        })
    }

    fn run(
        &self,
        replicate: Replicate,
        interrupt: &AtomicBool,
    ) -> Result<(RunSample, Option<History>), SimulationError> {
        let seed = replicate.seed;
        let mut config = RunConfig { seed, ..self.config.clone() };
        if let Some(draw) = self.noise {
            config.noise = draw(replicate, self).into_iter().collect();
        }
        let unused = Problem::paper(config.grid);
        let problem = self.problem.as_ref().unwrap_or(&unused);
        let job = VirtualJob {
            config: &config,
            problem,
            hardware: &self.hardware,
            traces: &[],
            interrupt,
        };
        let record = match self.problem {
            // The papers' precision is not told; double is what ours defaults to.
            Some(_) => simulate::<f64>(job, &mut |_| {}, &mut ())?.record,
            None => simulate_progress(job)?,
        };
        let sample = self.sample(replicate, &record);
        Ok((sample, self.keeps_history.then_some(record.history)))
    }

    fn sample(&self, replicate: Replicate, record: &RunRecord) -> RunSample {
        let asked =
            if self.config.stop.tolerance.is_some() { End::Converged } else { End::Iterations };
        let shares: Vec<f64> = record.noise.iter().map(|noise| noise.share).collect();
        let noise_share =
            (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
        RunSample {
            setting: self.label.clone(),
            problem: self.on_grid(),
            replicate: replicate.number,
            seed: replicate.seed,
            ended: record.end == asked,
            seconds: record.elapsed.seconds(),
            iterations: record.progress.mean(),
            iteration_rate: record.progress.iteration_rate(record.elapsed),
            spread_end: record.progress.spread(),
            spread_max: record.spread_max,
            staleness_mean: record.staleness.mean(),
            staleness_max: record.staleness.max,
            moves: record.moves,
            transfers: record.transfers,
            residual_relative: record.residual.relative,
            noise_share,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One sample for each (setting, (seconds, spread at the end)), all of the same replicate.
    pub fn runs(samples: &[(String, (f64, u64))]) -> Runs {
        let sample = |(setting, (seconds, spread)): &(String, (f64, u64))| RunSample {
            setting: setting.clone(),
            problem: String::new(),
            replicate: 0,
            seed: 1,
            ended: true,
            seconds: *seconds,
            iterations: 1_000.0,
            iteration_rate: 1_000.0 / seconds,
            spread_end: *spread,
            spread_max: *spread,
            staleness_mean: 0.5,
            staleness_max: 3,
            moves: 0,
            transfers: 0,
            residual_relative: 1e-4,
            noise_share: None,
        };
        let labels = samples.iter().map(|(label, _)| label.clone()).collect();
        Runs { samples: samples.iter().map(sample).collect(), labels, ..Runs::default() }
    }

    #[test]
    fn replicates_are_compared_with_their_like() {
        let mut both = runs(&[("a".into(), (1.0, 0)), ("b".into(), (2.0, 0))]);
        let more = runs(&[("b".into(), (8.0, 0)), ("a".into(), (10.0, 0))]);
        both.samples
            .extend(more.samples.into_iter().map(|sample| RunSample { replicate: 1, ..sample }));
        both.samples.push(RunSample { replicate: 2, ..both.samples[0].clone() });
        let increases = both.increases("a", "b", |sample| sample.seconds);
        assert_eq!(increases.len(), 2);
        assert!((increases[0] - 100.0).abs() < 1e-9 && (increases[1] + 20.0).abs() < 1e-9);
        both.samples[1].ended = false;
        assert_eq!(both.increases("a", "b", |sample| sample.seconds).len(), 1);
        assert_eq!(both.failed().count(), 1);
    }
}
