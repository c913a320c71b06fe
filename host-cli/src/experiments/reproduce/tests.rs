//! Helpers of the tests of all experiments, with runs that were not made.

use std::collections::BTreeSet;

use super::EXPERIMENTS;
use super::experiment::Experiment;
use super::plan::Job;
use super::replicate::Replicate;
use super::run::Run;
use super::runs::Runs;

/// A fault: the label of a setting, or a part of several labels; a function that sets the results of
/// their runs; and the places of the statements that then do not hold.
pub type Fault = (&'static str, fn(&mut Run), &'static [usize]);

/// Sets the time of a run to one of three times.
pub fn take(run: &mut Run, seconds: [f64; 3]) {
    run.solved.seconds = seconds[run.replicate.number as usize];
}

/// Returns runs of every setting, with the results that `set` gives them.
pub fn world(experiment: &Experiment, replicates: u32, set: &dyn Fn(&mut Run)) -> Runs {
    let plan = (experiment.plan)().unwrap();
    let of_all = Replicate::all(replicates)
        .flat_map(|replicate| plan.settings.iter().map(move |setting| (replicate, setting)));
    let run = |(replicate, setting): (Replicate, &super::plan::Setting)| {
        let setting = setting.label.clone();
        let mut run = Run { setting, replicate, ended: true, ..Run::default() };
        set(&mut run);
        run
    };
    let all = of_all.map(run).collect();
    Runs { plan, all }
}

/// Returns the places of the statements that do not hold.
pub fn failing(experiment: &Experiment, runs: &Runs) -> Vec<usize> {
    let judged = (experiment.statements)(runs).into_iter().enumerate();
    judged.filter(|(_, statement)| !statement.holds).map(|(place, _)| place).collect()
}

/// Checks that all statements hold for normal runs, and that each fault makes its statements fail, and no
/// others.
pub fn check(experiment: &Experiment, replicates: u32, normal: fn(&mut Run), faults: &[Fault]) {
    let runs = world(experiment, replicates, &normal);
    assert!(failing(experiment, &runs).is_empty(), "{}", experiment.name);
    let labels: BTreeSet<&str> = runs.all.iter().map(|run| run.setting.as_str()).collect();
    for &(label, fault, places) in faults {
        let is_one = labels.contains(label);
        let runs = world(experiment, replicates, &|run| {
            normal(run);
            if run.setting == label || !is_one && run.setting.contains(label) {
                fault(run);
            }
        });
        assert_eq!(failing(experiment, &runs), places, "{}: {label}", experiment.name);
    }
}

#[test]
fn nothing_holds_where_nothing_was_measured() {
    for experiment in EXPERIMENTS {
        let statements = (experiment.statements)(&Runs::default());
        assert!(statements.iter().all(|statement| !statement.holds), "{}", experiment.name);
    }
}

#[test]
fn settings_are_valid_and_told_apart() {
    for experiment in EXPERIMENTS {
        let settings = (experiment.plan)().unwrap().settings;
        let labels: BTreeSet<_> = settings.iter().map(|setting| &setting.label).collect();
        assert_eq!(labels.len(), settings.len(), "{}", experiment.name);
        for setting in &settings {
            if let Job::Simulation(simulation) = &setting.job {
                assert_eq!(simulation.config.validate(), Ok(()), "{}", setting.label);
            }
        }
    }
}
