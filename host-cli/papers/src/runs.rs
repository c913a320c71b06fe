//! Makes all runs of an experiment, and looks them up.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::error::ExperimentError;
use super::plan::{Job, Plan, Setting, unique};
use super::replicate::Replicate;
use super::row::Row;
use super::run::{Figure, Run};
use tresse_draw::statistics::median;

/// The runs, by replicate, and within each in the order of the settings.
#[derive(Default)]
pub struct Runs {
    /// Plan of the runs.
    pub plan: Plan,
    /// All runs.
    pub all: Vec<Run>,
}

/// The calls of an observer while runs are made.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Whether no more runs are to be made.
    pub interrupt: &'a AtomicBool,
    /// Function that is called before each run, with its label.
    pub begins: &'a (dyn Fn(&str) + Sync),
    /// Function that is called after each run.
    pub ended: &'a (dyn Fn() + Sync),
}

impl Runs {
    /// Makes all runs on all cores, or those before an interrupt.
    pub fn make(plan: Plan, replicates: u32, watch: Watch<'_>) -> Result<Self, ExperimentError> {
        let jobs: Vec<(Replicate, &Setting)> = Replicate::all(replicates)
            .flat_map(|replicate| plan.settings.iter().map(move |setting| (replicate, setting)))
            .collect();
        let going_on = |_: &&(Replicate, &Setting)| !watch.interrupt.load(Ordering::Relaxed);
        let made = jobs.par_iter().filter(going_on).map(|&(replicate, setting)| {
            (watch.begins)(&setting.label);
            let run = setting.run(replicate, watch.interrupt)?;
            (watch.ended)();
            Ok(run)
        });
        let all = made.collect::<Result<_, ExperimentError>>()?;
        Ok(Self { plan, all })
    }

    /// Returns the number of runs that did not end as they should.
    pub fn failed(&self) -> usize {
        self.all.iter().filter(|run| !run.ended).count()
    }

    /// Returns a description of the replicates, and of the figures that rows show beside the
    /// median.
    pub fn kind(&self) -> &'static str {
        let is_balanced = |setting: &Setting| matches!(setting.job, Job::Balancing(_));
        if self.plan.settings.iter().any(is_balanced) {
            "seeds, low and high the least and the greatest"
        } else {
            "virtual runs"
        }
    }

    /// Returns a picture's title with the problem.
    pub fn titled(&self, title: &str) -> String {
        let simulations = self.plan.settings.iter().filter_map(|setting| setting.job.simulation());
        let problems = simulations.filter_map(|simulation| simulation.problem.as_ref());
        let solved = unique(problems.map(ToString::to_string));
        if solved.is_empty() { title.to_owned() } else { format!("{title}: {}", solved.join("; ")) }
    }

    /// Returns the runs of a setting that ended as they should, by replicate.
    pub fn of<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a Run> + Clone + 'a {
        self.all.iter().filter(move |run| run.ended && run.setting == label)
    }

    /// Returns one figure of a setting's runs.
    pub fn figures(&self, label: &str, figure: impl Fn(&Run) -> f64) -> Vec<f64> {
        self.of(label).map(figure).collect()
    }

    /// Returns the median of one figure of a setting's runs; NaN where there is none.
    pub fn median(&self, label: &str, figure: impl Fn(&Run) -> f64) -> f64 {
        median(&self.figures(label, figure))
    }

    /// Returns a row for each of some figures of a setting's runs, given with the words behind the
    /// label, and with units.
    pub fn rows<const N: usize>(
        &self,
        label: &str,
        figures: [(&str, &'static str, Figure); N],
    ) -> [Row; N] {
        figures.map(|(what, unit, figure)| {
            Row::of(format!("{label}{what}"), unit, None, &self.figures(label, figure))
        })
    }

    /// Returns one figure of two settings' runs, replicate by replicate.
    pub fn pairs(&self, one: &str, other: &str, figure: impl Fn(&Run) -> f64) -> Vec<(f64, f64)> {
        let partner = |run: &Run| self.of(other).find(|other| other.replicate == run.replicate);
        self.of(one).filter_map(|run| Some((figure(run), figure(partner(run)?)))).collect()
    }

    /// Returns the percentages by which a figure of one setting is above that of another, replicate
    /// by replicate.
    pub fn increases(&self, from: &str, to: &str, figure: impl Fn(&Run) -> f64) -> Vec<f64> {
        self.pairs(from, to, figure).iter().map(|(from, to)| (to / from - 1.0) * 100.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::seconds;
    use crate::simulation::Solved;

    #[test]
    fn replicates_are_compared_with_their_like() {
        let run = |setting: &str, number: u32, seconds: f64| Run {
            setting: setting.to_owned(),
            replicate: Replicate { number, seed: 1 },
            ended: true,
            solved: Solved { seconds, ..Solved::default() },
            ..Run::default()
        };
        let all = [("a", 0, 1.0), ("b", 0, 2.0), ("b", 1, 8.0), ("a", 1, 10.0), ("a", 2, 1.0)];
        let all = all.map(|(setting, number, seconds)| run(setting, number, seconds)).to_vec();
        let mut runs = Runs { all, ..Runs::default() };
        let increases = runs.increases("a", "b", seconds);
        assert_eq!(increases.len(), 2);
        assert!((increases[0] - 100.0).abs() < 1e-9 && (increases[1] + 20.0).abs() < 1e-9);
        runs.all[1].ended = false;
        assert_eq!(runs.increases("a", "b", seconds).len(), 1);
        assert_eq!(runs.failed(), 1);
    }
}
