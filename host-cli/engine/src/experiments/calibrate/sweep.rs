//! Measures the cost of a sweep: that of every sweep, that of its cells by the number that a worker
//! has, and that of the residual.

use tresse_core::base::id::WorkerId;

use super::figures::{CalibrationFigures, Figure};
use super::run::Watched;
use super::timeline::{FEWEST, SWEEPS, Swept, period, sweep_time, undisturbed};

/// Returns the mean over the workers of a sweep without its residual.
pub(super) fn mean_time(run: &Watched) -> Option<f64> {
    let times: Vec<f64> = run.sweeps.iter().filter_map(sweep_time).collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Measures, in runs with as many cells for each worker but different cuts, the cost of a sweep
/// besides its cells, which is at most half of a whole sweep of the `smallest` parts.
pub(super) fn base(
    runs: &[&Watched],
    smallest: Option<&Watched>,
    figures: &mut CalibrationFigures,
) {
    let times = runs.iter().filter_map(|run| Some((run.cells_of_subdomain(), mean_time(run)?)));
    let most = smallest.and_then(mean_time).map_or(f64::MAX, |time| time / 2.0);
    let base = intercept(&times.collect::<Vec<_>>()).map(|time| time.clamp(0.0, most));
    figures.add(Figure::Sweep, base);
}

/// Measures the cost of a cell where each worker has as many as in this run.
pub(super) fn cell(run: &Watched, figures: &mut CalibrationFigures) {
    let base = figures.median(Figure::Sweep);
    let cost = mean_time(run).map(|time| (time - base).max(0.0) / run.cells_of_subdomain());
    figures.add(Figure::Cell(run.cells_in_hand()), cost);
}

/// Measures the additional cost of a cell where the residual is computed.
pub(super) fn residual(run: &Watched, figures: &mut CalibrationFigures) {
    let all = || run.sweeps.iter().flatten();
    let with: Vec<u64> =
        all().filter(|swept| swept.residual && !swept.is_new).map(Swept::time).collect();
    let with = if with.len() < FEWEST { None } else { undisturbed(&with, SWEEPS) };
    let more = with.zip(sweep_time(all())).map(|(with, without)| (with - without).max(0.0));
    figures.add(Figure::Residual, more.map(|more| more / run.cells_of_subdomain()));
}

/// Measures the differences of the workers' paces over a whole run, with everything between their
/// sweeps: the time that others take at rest may fall on the same core for a second.
pub(super) fn paces(run: &Watched, figures: &mut CalibrationFigures) {
    let periods: Option<Vec<_>> = run.sweeps.iter().map(|sweeps| period(sweeps)).collect();
    let Some(periods) = periods.filter(|periods| !periods.is_empty()) else { return };
    let mean = periods.iter().sum::<f64>() / periods.len() as f64;
    for (worker, period) in (0..).map(WorkerId).zip(periods) {
        figures.add(Figure::Pace(worker.0), Some(period / mean));
    }
}

/// Returns the place where the line through points cuts the axis, by least squares of the errors
/// relative to the points, since the times differ by an order of magnitude; `None` for fewer than
/// two points.
fn intercept(points: &[(f64, f64)]) -> Option<f64> {
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(at, value) in points.iter().filter(|(_, value)| *value > 0.0) {
        let weight = 1.0 / (value * value);
        w += weight;
        x += weight * at;
        y += weight * value;
        xx += weight * at * at;
        xy += weight * at * value;
    }
    let determinant = w * xx - x * x;
    (determinant > 0.0).then(|| (y * xx - x * xy) / determinant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_without_cells_is_the_cost_of_every_sweep() {
        let at = |cells: f64| (cells, 120.0 + 0.25 * cells);
        let found = intercept(&[at(90_000.0), at(22_500.0), at(11_250.0)]).unwrap();
        assert!((found - 120.0).abs() < 1e-6, "{found}");
        assert!(intercept(&[at(1.0)]).is_none() && intercept(&[]).is_none());
    }
}
