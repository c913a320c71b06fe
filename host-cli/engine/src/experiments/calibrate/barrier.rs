//! Measures the cost of a barrier: the time of a synchronous iteration besides the longest sweep
//! and its halos.

use super::figures::{CalibrationFigures, Figure};
use super::run::Watched;
use super::stopwatch::{Mark, What};
use super::timeline::{FEWEST, MISSES, undisturbed};
use crate::threads::Activity;

/// The time at which a worker came to a barrier, and the time that it has swept since the barrier
/// before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arrival {
    at: u64,
    swept: u64,
}

/// Number of an iteration's marks that are neither of its halos nor of its sweep.
const MARKS: u64 = 3;

/// Measures the barrier in a synchronous run; `halos` is the time of the halos and edges of an
/// iteration, and `mark` that of a mark.
pub(super) fn measure(run: &Watched, halos: f64, mark: u64, figures: &mut CalibrationFigures) {
    let doublings = (run.marks.len().max(1) as f64).log2().ceil().max(1.0);
    let arrivals: Vec<_> = run.marks.iter().map(|marks| arrivals(marks)).collect();
    let others = halos + (MARKS * mark) as f64;
    let cost = rest_of_iterations(&arrivals);
    figures.add(Figure::Barrier, cost.map(|cost| (cost - others).max(0.0) / doublings));
}

/// Returns the undisturbed time of iterations besides their longest sweep.
fn rest_of_iterations(arrivals: &[Vec<Arrival>]) -> Option<f64> {
    let number = arrivals.iter().map(Vec::len).min()?;
    let last = |index: usize| arrivals.iter().filter_map(|all| Some(all.get(index)?.at)).max();
    let longest =
        |index: usize| arrivals.iter().filter_map(|all| Some(all.get(index)?.swept)).max();
    let rest = (1..number).filter_map(|index| {
        let swept = longest(index).filter(|&swept| swept > 0)?;
        Some((last(index)? - last(index - 1)?).saturating_sub(swept))
    });
    let rest: Vec<u64> = rest.collect();
    if rest.len() < FEWEST { None } else { undisturbed(&rest, MISSES) }
}

/// Returns all barriers that a worker came to.
fn arrivals(marks: &[Mark]) -> Vec<Arrival> {
    let (mut all, mut turned, mut started, mut swept) = (Vec::new(), 0, 0, 0);
    for mark in marks {
        match mark.what {
            What::Starts(_) => started = mark.at,
            What::Ends(..) => swept += mark.at.saturating_sub(started),
            What::Turns => turned = mark.at,
            What::Returns(Activity::Barrier) => {
                all.push(Arrival { at: turned, swept: std::mem::take(&mut swept) });
            }
            What::Returns(_) | What::Idles | What::Takes(_) => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use tresse_core::base::id::SubdomainId;

    use super::*;

    #[test]
    fn a_barrier_is_what_is_left_of_an_iteration() {
        // Halos for 10, a sweep of 50 or 60 by turns, and 5 after the last has come.
        let marks = |late: u64| {
            let id = SubdomainId(0);
            let iteration = |index: u64| {
                let (from, sweep) = (index * 75, 50 + 10 * ((index + late) % 2));
                [
                    Mark { at: from + 10, what: What::Starts(id) },
                    Mark { at: from + 10 + sweep, what: What::Ends(id, false) },
                    Mark { at: from + 10 + sweep, what: What::Turns },
                    Mark { at: from + 75, what: What::Returns(Activity::Barrier) },
                ]
            };
            (0..40).flat_map(iteration).collect::<Vec<_>>()
        };
        let all = [arrivals(&marks(0)), arrivals(&marks(1))];
        assert_eq!(all[0][0], Arrival { at: 60, swept: 50 });
        assert!((rest_of_iterations(&all).unwrap() - 15.0).abs() < 1e-9);
        assert!(rest_of_iterations(&[]).is_none());
    }
}
