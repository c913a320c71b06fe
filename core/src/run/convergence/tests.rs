use super::*;
use crate::base::rng::Rng;

fn to(tolerance: f64) -> Stop {
    Stop { tolerance: Some(tolerance), ..Stop::NEVER }
}

#[test]
fn the_tolerance_that_is_met_first_ends_a_run() {
    let stop = Stop { absolute_tolerance: Some(3.0), ..to(0.1) };
    let ends = |stop: &Stop, sum| {
        Convergence::new(100.0, stop, Progress::default()).verify(sum) == Verified::Converged
    };
    assert_eq!([0.99, 1.01].map(|sum| ends(&to(0.1), sum)), [true, false]);
    assert_eq!([8.99, 9.01].map(|sum| ends(&stop, sum)), [true, false], "the absolute one");
    let large = Stop { reference: Some(50.0), ..stop };
    assert_eq!([24.9, 25.1].map(|sum| ends(&large, sum)), [true, false], "of the reference");
    let alone = Stop { tolerance: None, ..stop };
    assert_eq!([8.99, 9.01].map(|sum| ends(&alone, sum)), [true, false]);
}

/// Returns the progress of four subdomains at the same count.
const fn level(count: u64) -> Progress {
    Progress::level(count, 4)
}

#[test]
fn residuals_are_taken_sparsely_but_never_too_late() {
    let taken = |from: u64, to: u64| (from..to).filter(|&count| takes_residual(count)).count();
    assert_eq!(taken(0, 128), 128);
    // Miri is some hundred times slower.
    let (long, each) = if cfg!(miri) { (6_400, 101) } else { (100_000, 1) };
    assert!(taken(8_192, 8_192 + long) as u64 <= long / 64 + 1);
    for count in (0..10_000).step_by(each) {
        let soonest = (count..=count + SPARSEST).find(|&later| takes_residual(later)).unwrap();
        assert!(soonest - count <= (count / 64).clamp(1, 64));
    }
}

#[test]
fn only_a_verified_residual_ends_a_run() {
    let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
    assert_eq!(convergence.detect(2.0, &level(10)), Detected::GoOn);
    assert_eq!(convergence.detect(0.9, &level(20)), Detected::Verify);
    assert_eq!(convergence.verify(1.8), Verified::GoOn);
    assert_eq!(convergence.detect(0.8, &level(21)), Detected::GoOn, "expects the same error again");
    assert_eq!(convergence.detect(0.49, &level(30)), Detected::Verify);
    assert_eq!(convergence.verify(0.99), Verified::Converged);
}

#[test]
fn sums_that_were_far_too_good_do_not_put_off_the_next_look_for_ever() {
    let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
    assert_eq!(convergence.detect(0.5, &level(10)), Detected::Verify);
    // A billion times as much as was published.
    assert_eq!(convergence.verify(5e8), Verified::GoOn);
    assert_eq!(convergence.detect(1.1e-3, &level(20)), Detected::GoOn);
    assert_eq!(
        convergence.detect(0.9e-3, &level(30)),
        Detected::Verify,
        "a thousandth of the target"
    );
}

#[test]
fn looks_that_nobody_asked_for_change_nothing() {
    let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
    assert_eq!(convergence.detect(50.0, &level(1)), Detected::GoOn);
    let before = convergence;
    assert_eq!(convergence.verify(52.0), Verified::GoOn);
    assert_eq!(convergence, before, "as for a checkpoint on the way");
    assert_eq!(convergence.detect(1.0, &level(2)), Detected::Verify, "at the tolerance, as ever");
    assert_eq!(convergence.verify(1.1), Verified::GoOn);
    let before = convergence;
    assert_eq!(convergence.verify(1.05), Verified::GoOn);
    assert_eq!(convergence, before);
    assert_eq!(convergence.verify(0.9), Verified::Converged, "though nobody asked");
}

#[test]
fn looks_for_stagnation_do_not_make_suspicious() {
    let mut convergence = Convergence::new(100.0, &to(0.1), Progress::default());
    assert_eq!(convergence.detect(50.0, &level(20_000)), Detected::GoOn);
    assert_eq!(convergence.detect(50.0, &level(20_300)), Detected::GoOn, "has hardly waited");
    assert_eq!(
        convergence.detect(50.0, &level(40_001)),
        Detected::Verify,
        "has made as many again"
    );
    assert_eq!(convergence.verify(50.0), Verified::GoOn);
    assert_eq!(
        convergence.detect(1.0, &level(40_002)),
        Detected::Verify,
        "at the tolerance, as ever"
    );
}

#[test]
fn a_residual_that_no_longer_falls_ends_the_run_unconverged() {
    let mut convergence = Convergence::new(1.0, &to(1e-12), Progress::default());
    assert_eq!(convergence.detect(0.5, &level(5_000)), Detected::GoOn);
    assert_eq!(convergence.detect(0.5, &level(10_000)), Detected::GoOn);
    for look in 1..LOOKS {
        assert_eq!(
            convergence.detect(0.5, &level(10_000 + 250 * u64::from(look))),
            Detected::Verify
        );
        assert_eq!(convergence.verify(0.5), Verified::GoOn);
        assert_eq!(convergence.detect(0.5, &level(10_001 + 250 * u64::from(look))), Detected::GoOn);
    }
    assert_eq!(convergence.detect(0.5, &level(12_000)), Detected::Verify);
    assert_eq!(convergence.verify(0.5), Verified::Stagnated);
    assert_eq!(convergence.detect(f64::NAN, &level(10_002)), Detected::Verify);
    assert_eq!(convergence.verify(f64::NAN), Verified::NotFinite);
}

#[test]
fn sums_that_were_too_good_once_do_not_end_a_run_that_gains() {
    let mut convergence = Convergence::new(1.0, &to(1e-3), Progress::default());
    assert_eq!(convergence.detect(0.0, &level(1_000)), Detected::Verify, "all settled, but apart");
    assert_eq!(convergence.verify(0.5), Verified::GoOn);
    assert_eq!(convergence.detect(0.4, &level(3_001)), Detected::GoOn);
    assert_eq!(convergence.detect(0.0, &level(5_002)), Detected::Verify);
    assert_eq!(convergence.verify(0.2), Verified::GoOn);
    assert_eq!(convergence.detect(0.3, &level(10_005)), Detected::Verify);
    assert_eq!(convergence.verify(0.1), Verified::GoOn);
    assert_eq!(convergence.detect(0.0, &level(20_011)), Detected::Verify);
    assert_eq!(convergence.verify(0.1), Verified::GoOn, "as if it had just gained");
    for look in 1..=LOOKS {
        assert_eq!(
            convergence.detect(0.0, &level(40_023 + 250 * u64::from(look))),
            Detected::Verify
        );
        let end = if look < LOOKS { Verified::GoOn } else { Verified::Stagnated };
        assert_eq!(convergence.verify(0.1), end, "look {look}");
    }
}

#[test]
fn a_solved_problem_is_converged_at_once() {
    let mut convergence = Convergence::new(0.0, &to(1e-4), Progress::default());
    assert_eq!(convergence.detect(0.0, &level(0)), Detected::Verify);
    assert_eq!(convergence.verify(0.0), Verified::Converged);
}

/// Asynchronously a residual may rise by hundreds before it falls, also where it is known to
/// converge, and stay above the first one for many thousand sweeps.
#[test]
fn a_residual_that_has_risen_may_still_fall() {
    let mut convergence = Convergence::new(1.0, &to(1e-4), Progress::default());
    let sum = |sweep: u64| {
        let sweep = sweep as f64;
        1.0 + sweep * libm::exp(-sweep / 3_000.0) - sweep.min(60_000.0) / 60_000.0
    };
    let ends = |sweep: &u64| {
        convergence.detect(sum(*sweep), &level(*sweep)) == Detected::Verify
            && convergence.verify(sum(*sweep)) != Verified::GoOn
    };
    let end = (0..100_000).find(ends);
    assert!(end.is_some_and(|end| end > 59_000), "{end:?}");
    assert_eq!(convergence.verify(sum(90_000)), Verified::Converged);
}

#[test]
fn what_stays_above_the_first_residual_ends() {
    let mut convergence = Convergence::new(1.0, &to(1e-4), Progress::default());
    let sum = |sweep: u64| if sweep < 100 { 1.0 } else { 100.0 + (sweep % 7) as f64 };
    let ends = |sweep: &u64| {
        convergence.detect(sum(*sweep), &level(*sweep)) == Detected::Verify
            && convergence.verify(sum(*sweep)) == Verified::Stagnated
    };
    let end = (0..1_000_000).find(ends);
    assert!(end.is_some_and(|end| end < 200_000), "{end:?}");
}

/// A singular system without a solution: blocks that have settled publish nothing, and whenever
/// one looks the residual is another one of the same size.
#[test]
fn a_residual_that_wavers_above_its_lowest_ends() {
    let mut ends: [u64; 100] = core::array::from_fn(|seed| {
        let mut rng = Rng::new(seed as u64, 1);
        let mut convergence = Convergence::new(36.0, &to(1e-8), Progress::default());
        let ends = |sweep: &u64| {
            let sum = if *sweep < 1_000 { 7.0 } else { 16.0 + f64::from(rng.below(13)) };
            convergence.detect(if sweep.is_multiple_of(2) { 0.0 } else { sum }, &level(*sweep))
                == Detected::Verify
                && convergence.verify(sum) == Verified::Stagnated
        };
        (0..10_000_000).find(ends).unwrap_or(u64::MAX)
    });
    ends.sort_unstable();
    assert!(ends[50] < 20_000 && ends[99] < 80_000, "{ends:?}");
}

#[test]
fn a_negative_sum_is_none_of_squares() {
    let mut convergence = Convergence::new(1.0, &to(1e-4), Progress::default());
    assert_eq!(convergence.detect(-1.0, &level(5)), Detected::Verify);
    assert_eq!(convergence.verify(-1.0), Verified::NotFinite);
}

/// At the bottom of what rounding allows, sums scatter, and the lowest one so far falls on and
/// on, ever more slowly.
#[test]
fn a_residual_that_rounding_scatters_has_stopped_falling() {
    let mut ends: [u64; 100] = core::array::from_fn(|seed| sweeps_to_the_end(seed as u64));
    ends.sort_unstable();
    assert!(ends[50] < 10_000 && ends[99] < 80_000, "{ends:?}");
}

/// Returns the sweeps after which a run ends whose sums scatter by a tenth, as this seed says.
fn sweeps_to_the_end(seed: u64) -> u64 {
    let mut random = Rng::new(seed, 0);
    let mut scattered = || 1e-28 * (0.9 + 2e-7 * f64::from(random.below(1_000_001)));
    let mut convergence = Convergence::new(1.0, &to(1e-17), Progress::default());
    let ends = |sweep: &u64| {
        let fallen = libm::pow(0.8, *sweep as f64);
        convergence.detect(fallen + scattered(), &level(*sweep)) == Detected::Verify
            && convergence.verify(fallen + scattered()) == Verified::Stagnated
    };
    (0..1_000_000).find(ends).unwrap_or(u64::MAX)
}

/// The sums of a run that goes on with counts of 48,000 beside 18,000, of which nobody may be
/// more than two ahead of a neighbour: until the others have come near, those ahead wait, and
/// what they lack is all that is left of the residual.
#[test]
fn those_who_are_ahead_and_wait_do_not_make_a_run_stagnate() {
    let counts = |behind: u64| {
        let ahead = behind.saturating_add(2).max(48_000);
        Progress::of([ahead, ahead, behind, behind].into_iter())
    };
    let mut convergence = Convergence::new(1e6, &to(1e-4), counts(18_000));
    assert_eq!(convergence.detect(1.0, &counts(18_000)), Detected::GoOn);
    // Long after the sweeps of those behind have doubled, those ahead have made none.
    for behind in (18_000..=50_000).step_by(250) {
        let detected = convergence.detect(0.9999, &counts(behind));
        assert_eq!(detected, Detected::GoOn, "at {behind}");
    }
    // A look is worth it as soon as all have made as many again as the least had.
    assert_eq!(convergence.detect(0.9999, &counts(66_001)), Detected::Verify);
    assert_eq!(convergence.verify(0.9999), Verified::GoOn, "the first of several looks");
}

#[test]
fn a_run_that_goes_on_has_not_waited_since_the_start_of_the_earlier_one() {
    let mut convergence = Convergence::new(1.0, &to(1e-4), level(30_000));
    assert_eq!(convergence.detect(1.0, &level(30_000)), Detected::GoOn, "has made nothing yet");
    assert_eq!(convergence.detect(1.0, &level(59_000)), Detected::GoOn);
    assert_eq!(convergence.detect(1.0, &level(60_001)), Detected::Verify);
}
