//! What section 3.4 says, judged.

use super::{
    ARCHER, GRADIENT, IMBALANCES, JOINT, JOINT_WIDE, NONE, PACES, SWAP, SWAP_SELDOM, Way,
    breakdown, label, share, spread,
};
use crate::reproduce::outcome::Statement;
use crate::reproduce::plb::trend::{BOUNDED, median_growth, median_of};
use crate::reproduce::runs::Runs;

/// The smallest imbalance, for what the paper says of *some*.
const SOME: u32 = IMBALANCES[1];

/// All statements, in the order of the section.
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

/// On ARCHER.
fn end(runs: &Runs, way: Way, imbalance: u32) -> f64 {
    median_of(runs, &label(way, imbalance, ARCHER), spread)
}

fn swap_works_where_even(runs: &Runs, swap: Way) -> Statement {
    let [swapped, none] = [swap, NONE].map(|way| end(runs, way, 0));
    let growth = median_growth(runs, &label(swap, 0, ARCHER));
    Statement::new(
        format!(
            "{} works well where all domains take the same time: a tenth of the spread without \
             balancing at most",
            swap.method.name
        ),
        swapped <= none / 10.0,
        format!("spread {swapped:.0} at the end, growth {growth:.2}; without balancing {none:.0}"),
    )
}

fn swap_helps_but_grows(runs: &Runs, swap: Way) -> Statement {
    let growth = median_growth(runs, &label(swap, SOME, ARCHER));
    let [swapped, none] = [swap, NONE].map(|way| end(runs, way, SOME));
    let uneven = IMBALANCES.into_iter().filter(|&imbalance| imbalance > 0);
    let against = uneven.map(|imbalance| {
        let [swapped, none] = [swap, NONE].map(|way| end(runs, way, imbalance));
        format!("{swapped:.0} against {none:.0} at {:.2}", share(imbalance))
    });
    Statement::new(
        format!(
            "{}, with some imbalance ({:.2}), still has less spread than no balancing, but it grows \
             over time",
            swap.method.name,
            share(SOME)
        ),
        swapped < none && growth >= BOUNDED,
        format!("growth {growth:.2}; spread {}", against.collect::<Vec<_>>().join(", ")),
    )
}

fn gradient_is_better(runs: &Runs) -> Statement {
    let swapped = |imbalance| end(runs, SWAP, imbalance).min(end(runs, SWAP_SELDOM, imbalance));
    let better = |imbalance| end(runs, GRADIENT, imbalance) < swapped(imbalance);
    let against = IMBALANCES.map(|imbalance| {
        let gradient = end(runs, GRADIENT, imbalance);
        format!("{gradient:.0} against {:.0} at {:.2}", swapped(imbalance), share(imbalance))
    });
    Statement::new(
        format!(
            "gradient works better than swap, also with some imbalance ({:.2}): a lower spread than \
             the better of both swaps",
            share(SOME)
        ),
        better(0) && better(SOME),
        against.join(", "),
    )
}

/// The breakdown is sudden where the spread is ten times as large as one step of imbalance before.
const SUDDEN: f64 = 10.0;

fn gradient_breaks_down(runs: &Runs) -> Statement {
    let found: Vec<_> = PACES.iter().map(|&pace| (pace, breakdown(runs, GRADIENT, pace))).collect();
    let jump = |pace: u32, at: u32| {
        let before = IMBALANCES.into_iter().rfind(|&imbalance| imbalance < at)?;
        let [before, at] = [before, at]
            .map(|imbalance| median_of(runs, &label(GRADIENT, imbalance, pace), spread));
        Some(at / before.max(1.0))
    };
    let is_sudden = |&(pace, at): &(u32, Option<u32>)| {
        at.and_then(|at| jump(pace, at)).is_some_and(|jump| jump >= SUDDEN)
    };
    // Where it never breaks down, that is beyond the largest imbalance.
    let places: Vec<u32> = found.iter().map(|(_, at)| at.unwrap_or(u32::MAX)).collect();
    let follows = places.is_sorted() && places.first() < places.last();
    let why = found.iter().map(|&(pace, at)| match at {
        Some(at) => {
            let jump = jump(pace, at).unwrap_or(f64::NAN);
            format!("±{pace} %: at {:.2}, to {jump:.0} times the spread", share(at))
        }
        None => format!("±{pace} %: never"),
    });
    Statement::new(
        format!(
            "raising the imbalance in proportion to the cores' variability makes gradient break \
             down suddenly: to {SUDDEN:.0} times the spread in one step, and the later, the more the \
             cores differ"
        ),
        found.iter().all(is_sudden) && follows,
        why.collect::<Vec<_>>().join("; "),
    )
}

fn is_bounded(runs: &Runs, way: Way) -> Statement {
    let growth = |pace, imbalance| median_growth(runs, &label(way, imbalance, pace));
    let all = || PACES.into_iter().flat_map(|pace| IMBALANCES.map(|imbalance| (pace, imbalance)));
    let holds = all().all(|(pace, imbalance)| growth(pace, imbalance) < BOUNDED);
    let why = PACES.map(|pace| {
        let growths = IMBALANCES.map(|imbalance| growth(pace, imbalance));
        let worst = growths.into_iter().fold(f64::NEG_INFINITY, f64::max);
        match breakdown(runs, way, pace) {
            Some(at) => format!("±{pace} %: not from {:.2} on, growth up to {worst:.2}", share(at)),
            None => format!("±{pace} %: always, growth up to {worst:.2}"),
        }
    });
    Statement::new(
        format!(
            "Algorithm 1 ({}) bounds the spread with imbalance and variability present, in any \
             balance of both: growth below {BOUNDED}",
            way.method.name
        ),
        holds,
        why.join("; "),
    )
}
