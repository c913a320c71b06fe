//! Runs of `tresse reproduce NAME`: a line each in `tests/figures/NAME.csv`.

use std::sync::atomic::AtomicBool;

use tresse::experiments::reproduce::{
    EXPERIMENTS, Experiment, Replicate, Run, Runs, Solved, Watch,
};

use super::{Failure, committed};

/// The evaluations whose figures or pictures are shown.
pub const SHOWN: [&str; 4] = ["plb-table2", "plb-amplitudes", "pull", "auto"];

const HEADER: [&str; 6] = ["setting", "replicate", "ended", "seconds", "spread_end", "spread_p99"];

/// What these evaluations show of a run, in the order of [`HEADER`].
type Line = (String, u32, bool, f64, u64, Option<u64>);

fn line(run: &Run) -> Line {
    let Run { setting, replicate, ended, solved, .. } = run;
    let Solved { seconds, spread_end, spread_p99, .. } = *solved;
    (setting.clone(), replicate.number, *ended, seconds, spread_end, spread_p99)
}

fn run((setting, number, ended, seconds, spread_end, spread_p99): Line) -> Run {
    let replicate = Replicate { number, ..Replicate::default() };
    let solved = Solved { seconds, spread_end, spread_p99, ..Solved::default() };
    Run { setting, replicate, ended, solved, ..Run::default() }
}

/// Returns an evaluation.
///
/// # Panics
/// If there is none of this name.
pub fn experiment(name: &str) -> &'static Experiment {
    let mut all = EXPERIMENTS.iter();
    all.find(|one| one.name == name).unwrap_or_else(|| panic!("no evaluation {name}"))
}

/// Returns the committed runs of an evaluation, with what it shows.
pub fn committed_runs(name: &str) -> Result<Runs, Failure> {
    let mut table = csv::Reader::from_path(committed(name))?;
    let all = table.deserialize().map(|read| read.map(run)).collect::<Result<_, _>>()?;
    Ok(Runs { plan: (experiment(name).plan)()?, all })
}

/// Makes all runs of an evaluation, on all cores, and stores them to be committed.
pub fn make(name: &str) -> Result<(), Failure> {
    let Experiment { plan, replicates, .. } = experiment(name);
    let watch = Watch { interrupt: &AtomicBool::new(false), begins: &|_| (), ended: &|| () };
    let runs = Runs::make(plan()?, *replicates, watch)?;
    let mut table = csv::Writer::from_path(committed(name))?;
    table.write_record(HEADER)?;
    runs.all.iter().try_for_each(|run| table.serialize(line(run)))?;
    Ok(table.flush()?)
}

/// Makes the first run of some settings of an evaluation again, as many as this, and returns those
/// whose figures are not the committed ones.
pub fn differing(name: &str, settings: usize) -> Result<Vec<String>, Failure> {
    let committed: Vec<Line> = committed_runs(name)?.all.iter().map(line).collect();
    let mut plan = (experiment(name).plan)()?;
    let every = plan.settings.len().div_ceil(settings);
    // From the end: the later a setting is, the more its method does.
    let chosen = plan.settings.drain(..).rev().step_by(every);
    plan.settings = chosen.collect();
    let watch = Watch { interrupt: &AtomicBool::new(false), begins: &|_| (), ended: &|| () };
    let runs = Runs::make(plan, 1, watch)?.all;
    let differing = runs.iter().map(line).filter(|line| !committed.contains(line));
    Ok(differing.map(|line| format!("{name} now has {line:?}")).collect())
}
