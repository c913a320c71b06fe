//! Helpers of the tests of all experiments, with runs that were not made.

use std::collections::BTreeSet;

use tresse_draw::history::{History, HistorySample};

use super::EXPERIMENTS;
use super::balancing::{Balanced, Step};
use super::experiment::Experiment;
use super::plan::Job;
use super::pooling::PoolFigures;
use super::replicate::Replicate;
use super::run::Run;
use super::runs::Runs;
use super::simulation::Solved;
use tresse_traces::load_statistics::LoadStatistics;

/// A fault: the label of a setting, or a part of several labels; a function that sets the results
/// of their runs; and the places of the statements that then do not hold.
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

/// Checks that all statements hold for normal runs, and that each fault makes its statements fail,
/// and no others.
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

/// A run with a figure of every kind, all of which grow with `by`.
fn come_to(run: &mut Run, by: u32) {
    let (whole, figure) =
        (u64::from(by + run.replicate.number), f64::from(by + run.replicate.number));
    run.solved = Solved {
        problem: "a problem".to_owned(),
        seconds: figure,
        iterations: 100.0 * figure,
        iteration_rate: 10.0 * figure,
        spread_end: whole,
        spread_max: 2 * whole,
        spread_p99: Some(2 * whole),
        staleness_mean: figure / 2.0,
        staleness_max: 3 * whole,
        moves: 10 * whole,
        transfers: 5 * whole,
        residual_relative: 1e-6 * figure,
        noise_share: Some(0.01 * figure),
    };
    let sample = |at: u64| HistorySample {
        seconds: at as f64 * figure,
        iteration_rate: figure,
        spread: at * whole,
        most: at * whole,
        mean: (at * whole) as f64 / 2.0,
        ..HistorySample::default()
    };
    run.history = History {
        samples: (0..4).map(sample).collect(),
        counts: (0..4).map(|at| vec![0, at * whole]).collect(),
        subdomains: vec![0, 1],
        first_workers: vec![0, 0],
    };
    let step = |at: u32| Step { imbalance: figure / f64::from(at), ..Step::default() };
    run.balanced = Balanced {
        steps: (1..30).map(step).collect(),
        taken: figure,
        loads: LoadStatistics::of(&[1.0, figure, 3.0 * figure]),
    };
    run.pool = PoolFigures {
        workers: 4,
        managers: 1,
        tasks: 100 * whole,
        seconds: figure,
        ideal_seconds: 0.5,
        idle: 0.01 * figure,
        speculating: 0.02 * figure,
        asked: 20 * whole,
        failed: whole,
        rolled_back: 2 * whole,
        steals: 30 * whole,
        failed_steals: 3 * whole,
        messages: 50 * whole,
        manager_busy: 0.005 * figure,
    };
}

#[test]
fn every_setting_changes_what_is_told() {
    for experiment in EXPERIMENTS {
        let numbers = |runs: &Runs| ((experiment.rows)(runs), (experiment.statements)(runs));
        let pictures = |runs: &Runs| format!("{:?}", (experiment.pictures)(runs));
        let normal = world(experiment, 3, &|run| come_to(run, 5));
        let (told, drawn) = (numbers(&normal), pictures(&normal));
        assert!(!told.0.is_empty(), "{}", experiment.name);
        for setting in &normal.plan.settings {
            let changes = [2, 25].into_iter().any(|other| {
                let by = |run: &Run| if run.setting == setting.label { other } else { 5 };
                let runs = world(experiment, 3, &|run| come_to(run, by(run)));
                numbers(&runs) != told || pictures(&runs) != drawn
            });
            assert!(changes, "{}: nothing tells of {}", experiment.name, setting.label);
        }
    }
}
