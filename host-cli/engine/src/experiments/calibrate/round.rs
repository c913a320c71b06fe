//! Measures the cost of a balancing round for the worker that makes it, by the number of
//! subdomains.

use super::figures::{CalibrationFigures, Figure};
use super::halo::line;
use super::run::Watched;
use super::stopwatch::{Mark, What};
use super::timeline::{FEWEST, MISSES, undisturbed};
use crate::threads::Activity;

/// Measures rounds in runs with few and with many subdomains; `mark` is the time of a mark.
pub(super) fn measure(few: &Watched, many: &Watched, mark: u64, figures: &mut CalibrationFigures) {
    let cost = |run: &Watched| {
        let times: Vec<u64> = run.marks.iter().flat_map(|marks| rounds(marks)).collect();
        let time = if times.len() < FEWEST { None } else { undisturbed(&times, MISSES) };
        Some((f64::from(run.decomposition.subdomains()), (time? - mark as f64).max(0.0)))
    };
    let Some((few, many)) = cost(few).zip(cost(many)) else { return };
    let (first, each) = line(few, many);
    figures.add(Figure::Round, Some(first));
    figures.add(Figure::RoundSubdomain, Some(each));
}

/// Returns the time of each round of a worker.
fn rounds(marks: &[Mark]) -> impl Iterator<Item = u64> + '_ {
    marks.windows(2).filter_map(|pair| match pair {
        [Mark { at, what: What::Turns }, back] => {
            let is_round = matches!(back.what, What::Returns(Activity::Round { .. }));
            is_round.then(|| back.at.saturating_sub(*at))
        }
        _ => None,
    })
}
