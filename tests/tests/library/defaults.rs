//! Defaults, tried in combination: each ends, whatever the machine, its noise and the seed.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tresse_core::base::rng::Rng;
use tresse_core::run::End;
use tresse_core_tests::simulated::cases;
use tresse_tests::defaults::{MOST_SWEEPS, Outcome, pool, share, simulate, simulation};

/// Returns what came of the lines that stand for so many lists of random bytes, and how often.
fn outcomes(
    usually: u32,
    line: fn(&[u8]) -> String,
    make: fn(&str) -> Outcome,
) -> (usize, BTreeMap<String, usize>) {
    let cases = cases(usually);
    let outcomes: Vec<_> = (0..u64::from(cases))
        .into_par_iter()
        .map(|case| {
            let mut rng = Rng::new(54, case);
            let bytes: Vec<_> =
                (0..32).map(|_| u8::try_from(rng.below(256)).unwrap_or(0)).collect();
            make(&line(&bytes))
        })
        .collect();
    let mut tally = BTreeMap::new();
    for outcome in outcomes {
        *tally.entry(format!("{outcome:?}")).or_insert(0) += 1;
    }
    (cases as usize, tally)
}

#[test]
fn a_run_in_virtual_time_ends() {
    let (cases, tally) = outcomes(150, simulation, |line| simulate(line, MOST_SWEEPS));
    let made = |outcome| tally.get(&format!("{outcome:?}")).copied().unwrap_or(0);
    // What the lines are worth: most can be made, and many come to the end that they ask for.
    assert!(2 * made(Outcome::Refused) < cases, "{tally:?}");
    assert!(5 * made(Outcome::Ended(End::Converged)) > cases, "{tally:?}");
    let bad = [End::Livelock, End::Stalled, End::NotFinite].map(Outcome::Ended);
    assert_eq!(bad.map(made), [0; 3], "{tally:?}");
}

#[test]
fn a_pool_in_virtual_time_ends() {
    let (cases, tally) = outcomes(60, pool, share);
    let counted = tally.get(&format!("{:?}", Outcome::Counted)).copied().unwrap_or(0);
    assert!(2 * counted > cases, "{tally:?}");
}

/// Once `auto` had turned to pulling, a worker with a mark of an earlier move and nothing to sweep
/// went round at one moment for ever.
#[test]
fn a_mark_of_before_a_turn_is_cleared() {
    let small = "--cells-per-worker 4x4 --timed-as 300x300";
    let archer = format!("tresse simulate --machine archer {small}");
    let cirrus = format!("tresse simulate --machine cirrus --topology 2x64 {small}");
    let lines = (1..=3).flat_map(|seed| {
        [
            format!("{archer} --noise socket=0,burst=5ms,gap=7.5ms --seed {seed}"),
            format!("{archer} --noise any-core=8,burst=5ms,gap=7.5ms --seed {seed}"),
            format!("{cirrus} --noise socket=1,duty=0.3 --seed {seed}"),
        ]
    });
    for line in lines.collect::<Vec<_>>() {
        assert_eq!(simulate(&line, u64::MAX), Outcome::Ended(End::Converged), "{line}");
    }
}

/// Where there is nothing to do, workers once waited for ever.
#[test]
fn a_start_that_has_converged_is_the_end() {
    for machine in ["laptop --workers 1", "laptop --workers 3", "icc --nodes 2 --workers 4"] {
        for mode in ["sync", "ssync:2", "async", "exact"] {
            let line = format!(
                "tresse simulate --machine {machine} --mode {mode} --grid 40x40 --tolerance 2"
            );
            assert_eq!(simulate(&line, 1), Outcome::Ended(End::Converged), "{line}");
        }
    }
}
