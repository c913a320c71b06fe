//! Pictures of balanced phases.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tresse_console::files::output::{OutputDir, OutputError};
use tresse_console::plots::{Moves, imbalances, processor_loads, write_pair};

use super::phase::PhaseReport;
use super::{Placed, Summary};
use crate::balancing::Moved;
use crate::commands::args::Plots;

/// A function that writes one pair of files.
type Drawing<'a> = Box<dyn Fn() -> Result<(), OutputError> + Send + Sync + 'a>;

/// Draws the imbalance of all phases, and loads and moves of the requested ones.
pub(super) fn store(
    plots: Plots,
    out: &OutputDir,
    summary: &Summary<'_>,
    placements: &[Placed<'_>],
) -> Result<(), OutputError> {
    let all = || summary.phases.iter().zip(placements);
    let worst = || {
        all().max_by(|(one, _), (other, _)| {
            // Of several the first.
            let worse = one.initial_imbalance.total_cmp(&other.initial_imbalance);
            worse.then(other.phase.cmp(&one.phase))
        })
    };
    let drawn: Vec<_> = match plots {
        Plots::None => return Ok(()),
        Plots::All => {
            all().map(|(report, placed)| (format!("-{}", report.phase), report, placed)).collect()
        }
        Plots::Worst => {
            worst().map(|(report, placed)| (String::new(), report, placed)).into_iter().collect()
        }
    };
    let mut drawings: Vec<Drawing<'_>> = Vec::new();
    drawings.push(Box::new(|| imbalance(out, summary)));
    for (suffix, report, placed) in &drawn {
        drawings.push(Box::new(|| loads(out, summary.stem, (suffix, report, placed))));
        drawings.push(Box::new(|| moves(out, summary.stem, (suffix, report, placed))));
    }
    let done = drawings.par_iter().map(|draw| draw());
    done.collect::<Vec<_>>().into_iter().collect()
}

/// Ending of the files' names, figures and placement of a phase.
type Drawn<'a> = (&'a str, &'a PhaseReport, &'a Placed<'a>);

/// Draws the imbalance over the iterations, a curve for each phase.
fn imbalance(out: &OutputDir, summary: &Summary<'_>) -> Result<(), OutputError> {
    let runs: Vec<_> = summary.phases.iter().map(run).collect();
    let title = match summary.phases.as_slice() {
        [one] => format!("{}, phase {}: imbalance", summary.stem, one.phase),
        _ => format!("{}: imbalance", summary.stem),
    };
    write_pair(&imbalances(&runs, &title), out, "imbalance")
}

/// Returns the trial whose placement was taken: its name and its imbalances.
fn run(report: &PhaseReport) -> (String, Vec<f64>) {
    let taken = report.iterations.iter().filter(|made| made.trial == report.taken.trial);
    let mut after = vec![report.initial_imbalance];
    after.extend(taken.map(|made| made.imbalance));
    if report.iterations.is_empty() {
        after.push(report.final_imbalance);
    }
    (format!("phase {}", report.phase), after)
}

/// Draws the loads of all processors before and after.
fn loads(
    out: &OutputDir,
    stem: &str,
    (suffix, report, placed): Drawn<'_>,
) -> Result<(), OutputError> {
    let instance = &placed.phase.instance;
    let before = instance.processor_seconds(instance.owners());
    let after = instance.processor_seconds(placed.owners());
    let title = format!(
        "{stem}, phase {}: imbalance {:.4} before, {:.4} after",
        report.phase, report.initial_imbalance, report.final_imbalance
    );
    write_pair(&processor_loads([&before, &after], &title), out, &format!("loads{suffix}"))
}

/// Draws how many objects move between any two processors.
fn moves(
    out: &OutputDir,
    stem: &str,
    (suffix, report, placed): Drawn<'_>,
) -> Result<(), OutputError> {
    let mut moves = BTreeMap::new();
    for Moved { from, to, .. } in placed.phase.instance.moves(placed.owners()) {
        *moves.entry((from.0, to.0)).or_insert(0) += 1;
    }
    let PhaseReport { phase, processors, objects, migrations, .. } = *report;
    let title = format!("{stem}, phase {phase}: {migrations} of {objects} objects move");
    let plot = Moves { processors, moves: &moves, title: &title };
    write_pair(&plot, out, &format!("moves{suffix}"))
}
