//! What section 3.4 says, judged.

use super::{
    ARCHER, GRADIENT, IMBALANCES, JOINT, JOINT_WIDE, NONE, PACES, SWAP, SWAP_SELDOM, Way,
    breakdown, label, share, spread, unbounded,
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
             balancing at most (limit ours)",
            swap.method.name
        ),
        swapped <= none / 10.0,
        format!("spread {swapped:.0} at the end, growth {growth:.2}; without balancing {none:.0}"),
    )
    .or_because(
        "swapped each millisecond, seven iterations, the same two domains are often exchanged again \
         before the exchange has shown; swapped each 20 ms it works",
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
    let found = PACES.map(|pace| (pace, unbounded(runs, way, pace)));
    let why = found.iter().map(|(pace, unbounded)| {
        let growths =
            IMBALANCES.map(|imbalance| median_growth(runs, &label(way, imbalance, *pace)));
        let most = growths.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let places = unbounded.iter().map(|&imbalance| format!("{:.2}", share(imbalance)));
        match places.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => format!("±{pace} %: always, growth up to {most:.2}"),
            places => format!("±{pace} %: not at {places}, growth up to {most:.2}"),
        }
    });
    Statement::new(
        format!(
            "Algorithm 1, {}, bounds the spread with imbalance and variability present, in any \
             balance of both: growth below {BOUNDED} (limit ours)",
            way.method.name
        ),
        found.iter().all(|(_, unbounded)| unbounded.is_empty()),
        why.collect::<Vec<_>>().join("; "),
    )
    .or_because(
        "with thresholds of 2 and 6 around 4 a worker holds half to one and a half of its share, and \
         can make up for no more than that; wider ones make up for more",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::history::History;
    use crate::reproduce::plb::history::{ON_ALL_PACES, WAYS, evaluate};
    use crate::reproduce::plb::trend::tests::{ended, spreads};

    /// Spread at the end and whether it grows, as the paper says; `change` plants a fault.
    fn world(change: impl Fn(Way, u32, u32) -> Option<(u64, bool)>) -> Runs {
        let mut runs = Runs::default();
        for pace in PACES {
            let ways = if pace == ARCHER { &WAYS[..] } else { &ON_ALL_PACES[..] };
            for (&way, imbalance) in
                ways.iter().flat_map(|way| IMBALANCES.map(|imbalance| (way, imbalance)))
            {
                let normal = match way {
                    NONE => (5_000, true),
                    GRADIENT if imbalance > pace / 2 => (3_000, true),
                    GRADIENT => (5, false),
                    SWAP | SWAP_SELDOM if imbalance == 0 => (100, true),
                    SWAP | SWAP_SELDOM => (4_000, true),
                    _ => (50, false),
                };
                let (end, grows) = change(way, imbalance, pace).unwrap_or(normal);
                let label = label(way, imbalance, pace);
                let samples = spreads(|t| if grows { end as f64 * t } else { end as f64 });
                runs.samples.push(ended(&label, 1.0, end));
                runs.histories.push((label, History { samples, ..History::default() }));
            }
        }
        runs
    }

    fn verdicts(runs: &Runs) -> Vec<bool> {
        evaluate(runs).statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let holds = verdicts(&world(|_, _, _| None));
        assert_eq!(holds, [true; 8]);
        let faults: [(Way, u32, u32, (u64, bool)); 8] = [
            (SWAP, 0, ARCHER, (501, false)),
            (SWAP_SELDOM, 0, ARCHER, (501, false)),
            (SWAP, SOME, ARCHER, (4_000, false)),
            (SWAP_SELDOM, SOME, ARCHER, (5_001, true)),
            (GRADIENT, 0, ARCHER, (101, false)),
            (GRADIENT, 10, 20, (301, false)),
            (JOINT, 50, 30, (51, true)),
            (JOINT_WIDE, 20, 10, (51, true)),
        ];
        for (place, (way, imbalance, pace, figures)) in faults.into_iter().enumerate() {
            let found = verdicts(&world(|other, at, of| {
                ((other, at, of) == (way, imbalance, pace)).then_some(figures)
            }));
            assert!(!found[place], "{place}: {found:?}");
        }
        // Nothing was measured: nothing holds.
        assert_eq!(verdicts(&Runs::default()), [false; 8]);
    }

    #[test]
    fn a_breakdown_lasts() {
        let runs = world(|way, imbalance, pace| {
            ((way, imbalance, pace) == (GRADIENT, 5, 30)).then_some((60, true))
        });
        assert_eq!(unbounded(&runs, GRADIENT, 30), [5, 20, 30, 40, 50]);
        assert_eq!(breakdown(&runs, GRADIENT, 30), Some(20));
        assert_eq!(breakdown(&runs, JOINT, 30), None);
    }
}
