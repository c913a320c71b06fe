//! Judges the statements of section 3.4.

use super::{
    ARCHER, BOUNDED, GRADIENT, IMBALANCES, JOINT, JOINT_WIDE, NONE, PACES, SWAP, SWAP_SELDOM, Way,
    growth, share, spread,
};
use crate::{Runs, Statement, above, joined, says};
use tresse_draw::statistics::greatest;

/// Smallest imbalance, for the paper's statements about *some*.
const SOME: u32 = IMBALANCES[1];

/// Returns all statements, in the order of the section.
pub(super) fn all(runs: &Runs) -> Vec<Statement> {
    vec![
        swap_works_where_even(runs, SWAP),
        swap_works_where_even(runs, SWAP_SELDOM),
        swap_helps_but_grows(runs, SWAP),
        swap_helps_but_grows(runs, SWAP_SELDOM),
        gradient_is_better(runs),
        gradient_breaks_down(runs),
        is_bounded(runs, JOINT),
        is_bounded(runs, JOINT_WIDE),
    ]
}

/// Returns the spread at the end on ARCHER.
fn end(runs: &Runs, way: Way, imbalance: u32) -> f64 {
    runs.median(&way.label(imbalance, ARCHER), spread)
}

/// Judges whether swapping works well without an imbalance.
fn swap_works_where_even(runs: &Runs, swap: Way) -> Statement {
    let [swapped, none] = [swap, NONE].map(|way| end(runs, way, 0));
    let growth = runs.median(&swap.label(0, ARCHER), growth);
    says(format!(
        "{} works well where all domains take the same time: a tenth of the spread without \
         balancing at most (limit ours)",
        swap.name
    ))
    .within([swapped], ..=none / 10.0)
    .shown(format!(
        "spread {swapped:.0} at the end, growth {growth:.2}; without balancing {none:.0}"
    ))
    .or_because(
        "swapped each millisecond, seven iterations, the same two domains are often exchanged \
         again before the exchange has shown; swapped each 20 ms it works",
    )
}

/// Judges whether swapping helps with some imbalance, though the spread grows.
fn swap_helps_but_grows(runs: &Runs, swap: Way) -> Statement {
    let growth = runs.median(&swap.label(SOME, ARCHER), growth);
    let against = IMBALANCES.into_iter().filter(|&imbalance| imbalance > 0).map(|imbalance| {
        let [swapped, none] = [swap, NONE].map(|way| end(runs, way, imbalance));
        format!("{swapped:.0} against {none:.0} at {:.2}", share(imbalance))
    });
    says(format!(
        "{}, with some imbalance ({:.2}), still has less spread than no balancing, but it grows \
         over time",
        swap.name,
        share(SOME)
    ))
    .within([end(runs, swap, SOME)], ..end(runs, NONE, SOME))
    .within([growth], BOUNDED..)
    .shown(format!("growth {growth:.2}; spread {}", joined(against, ", ")))
}

/// Judges whether the gradient has a lower spread than either swap.
fn gradient_is_better(runs: &Runs) -> Statement {
    let gradient = |imbalance| end(runs, GRADIENT, imbalance);
    let swapped = |imbalance| end(runs, SWAP, imbalance).min(end(runs, SWAP_SELDOM, imbalance));
    let against = IMBALANCES
        .map(|at| format!("{:.0} against {:.0} at {:.2}", gradient(at), swapped(at), share(at)));
    says(format!(
        "gradient works better than swap, also with some imbalance ({:.2}): a lower spread than \
         the better of both swaps",
        share(SOME)
    ))
    .within([gradient(0)], ..swapped(0))
    .within([gradient(SOME)], ..swapped(SOME))
    .shown(joined(against, ", "))
}

/// Factor of the spread from one step of imbalance to the next from which on a breakdown is sudden.
const SUDDEN: f64 = 10.0;

/// Judges whether the gradient breaks down in one step of the imbalance, and the later the more the
/// cores differ.
fn gradient_breaks_down(runs: &Runs) -> Statement {
    let found = PACES.map(|pace| (pace, GRADIENT.breakdown(runs, pace)));
    // How many times as large the spread is as one step before; not a number where that is not
    // known.
    let jump = |(pace, at): (u32, Option<u32>)| {
        let before = IMBALANCES.into_iter().rfind(|&imbalance| Some(imbalance) < at);
        let [before, at] = [before, at]
            .map(|at| at.map_or(f64::NAN, |at| runs.median(&GRADIENT.label(at, pace), spread)));
        if before.is_nan() { before } else { at / before.max(1.0) }
    };
    // Where it never breaks down, that is beyond the largest imbalance.
    let places = found.map(|(_, at)| f64::from(at.unwrap_or(u32::MAX)));
    let [first, .., last] = places;
    let why = found.map(|(pace, at)| match at {
        Some(place) => {
            let jump = jump((pace, at));
            format!("±{pace} %: at {:.2}, to {jump:.0} times the spread", share(place))
        }
        None => format!("±{pace} %: never"),
    });
    says(format!(
        "raising the imbalance in proportion to the cores' variability makes gradient break down \
         suddenly: to {SUDDEN:.0} times the spread in one step, and the later, the more the cores \
         differ"
    ))
    .within(found.map(jump), SUDDEN..)
    .within(places.array_windows().map(|[one, next]| next - one), 0.0..)
    .within([last], above(first))
    .shown(joined(why, "; "))
}

/// Judges whether Algorithm 1 bounds the spread at all imbalances and paces.
fn is_bounded(runs: &Runs, way: Way) -> Statement {
    let growths =
        |pace| IMBALANCES.map(|imbalance| runs.median(&way.label(imbalance, pace), growth));
    let why = PACES.map(|pace| {
        let most = greatest(growths(pace));
        let unbounded = way.unbounded(runs, pace);
        let places = unbounded.iter().map(|&imbalance| format!("{:.2}", share(imbalance)));
        match joined(places, ", ") {
            none if none.is_empty() => format!("±{pace} %: always, growth up to {most:.2}"),
            places => format!("±{pace} %: not at {places}, growth up to {most:.2}"),
        }
    });
    says(format!(
        "Algorithm 1, {}, bounds the spread with imbalance and variability present, in any balance \
         of both: growth below {BOUNDED} (limit ours)",
        way.name
    ))
    .within(PACES.into_iter().flat_map(growths), ..BOUNDED)
    .shown(joined(why, "; "))
    .or_because(
        "with thresholds of 2 and 6 around 4 a worker holds half to one and a half of its share, \
         and can make up for no more than that; wider ones make up for more",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::plb::growth::tests::spreads;
    use crate::plb::history::HISTORY;
    use crate::tests::{Fault, check, world};
    use tresse_draw::history::History;

    fn set(run: &mut Run, end: u64, grows: bool) {
        let samples = spreads(|t| if grows { end as f64 * t } else { end as f64 });
        run.history = History { samples, ..History::default() };
        run.solved.spread_end = end;
    }

    /// Sets the spread at the end, and its growth, as the paper describes them.
    fn normal(run: &mut Run) {
        let is = |imbalance: u32, pace: u32| {
            let of = |way: &Way| run.setting == way.label(imbalance, pace);
            match [NONE, GRADIENT, SWAP, SWAP_SELDOM].into_iter().find(of)? {
                NONE => Some((5_000, true)),
                GRADIENT if imbalance > pace / 2 => Some((3_000, true)),
                GRADIENT => Some((5, false)),
                _ => Some((if imbalance == 0 { 100 } else { 4_000 }, true)),
            }
        };
        let found =
            PACES.into_iter().find_map(|pace| IMBALANCES.into_iter().find_map(|at| is(at, pace)));
        let (end, grows) = found.unwrap_or((50, false));
        set(run, end, grows);
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 8] = [
            ("swap(0.001), imbalance 0.00, pace ±3 %", |run| set(run, 501, false), &[0]),
            ("swap(0.02), imbalance 0.00, pace ±3 %", |run| set(run, 501, false), &[1]),
            ("swap(0.001), imbalance 0.05, pace ±3 %", |run| set(run, 4_000, false), &[2]),
            ("swap(0.02), imbalance 0.05, pace ±3 %", |run| set(run, 5_001, true), &[3]),
            ("gradient(0.001), imbalance 0.00, pace ±3 %", |run| set(run, 101, false), &[4]),
            ("gradient(0.001), imbalance 0.10, pace ±20 %", |run| set(run, 301, false), &[5]),
            ("high 6, imbalance 0.50, pace ±30 %", |run| set(run, 51, true), &[6]),
            ("high 12, imbalance 0.20, pace ±10 %", |run| set(run, 51, true), &[7]),
        ];
        check(&HISTORY, 1, normal, &faults);
    }

    #[test]
    fn a_breakdown_lasts() {
        let runs = world(&HISTORY, 1, &|run| {
            normal(run);
            if run.setting == GRADIENT.label(5, 30) {
                set(run, 60, true);
            }
        });
        assert_eq!(GRADIENT.unbounded(&runs, 30), [5, 20, 30, 40, 50]);
        assert_eq!(GRADIENT.breakdown(&runs, 30), Some(20));
        assert_eq!(JOINT.breakdown(&runs, 30), None);
    }
}
