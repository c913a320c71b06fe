//! Measures the cost of a hand-over for the subdomain's next worker: taking it, and a sweep of
//! cells that are in another core's cache.

use super::figures::{CalibrationFigures, Figure};
use super::run::Watched;
use super::timeline::{FEWEST, MISSES, Swept, sweep_time, undisturbed};

/// Measures the hand-over in a run with many moves.
pub(super) fn measure(run: &Watched, figures: &mut CalibrationFigures) {
    let all = || run.sweeps.iter().flatten();
    let few = |samples: Vec<u64>| if samples.len() < FEWEST { None } else { Some(samples) };
    let mean = |samples: Vec<u64>| few(samples).and_then(|some| undisturbed(&some, MISSES));

    let first = all().filter(|swept| swept.is_new && !swept.residual).map(Swept::time).collect();
    let more = mean(first).zip(sweep_time(all())).map(|(first, other)| (first - other).max(0.0));
    figures.add(Figure::HandOverCell, more.map(|more| more / run.cells_of_subdomain()));

    let usual = mean(all().filter(|swept| swept.after.is_some()).map(|swept| swept.gap).collect());
    let takes = all().filter_map(|swept| swept.gap.checked_div(swept.taken.into()));
    let taking = mean(takes.collect()).zip(usual).map(|(takes, usual)| (takes - usual).max(0.0));
    figures.add(Figure::HandOver, taking);
}
