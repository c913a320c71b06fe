//! The lemma of the slides: criterion 6' holds if and only if the maximum of the pair falls.

use proptest::prelude::*;
use tresse_core::balance::grapevine::Criterion;
use tresse_core::balance::grapevine::transfer::criterion::Pair;
use tresse_core::balance::objects::Average;

/// A decision on a transfer of `given` for `got`.
type Admits = fn(Average, Pair, u64, u64) -> bool;

fn core(average: Average, pair: Pair, given: u64, got: u64) -> bool {
    Criterion::Relaxed.admits(average, pair, given, got)
}

fn falls(pair: Pair, given: u64, got: u64) -> bool {
    let sender = pair.sender - given + got;
    let receiver = pair.receiver - got + given;
    sender.max(receiver) < pair.sender.max(pair.receiver)
}

/// Checks one decision. An exchange by which the receiver gets rid of load is one of the other
/// processor's, and never admitted.
fn agrees(admits: Admits, pair: Pair, given: u64, got: u64) -> Result<(), String> {
    let should = given >= got && falls(pair, given, got);
    let does = admits(Average { total: 1, processors: 1 }, pair, given, got);
    (should == does).then_some(()).ok_or_else(|| format!("{pair:?}, {given} for {got}: {does}"))
}

/// Returns all transfers and exchanges between processors of loads 0 to 12.
fn every_case(admits: Admits) -> Result<u32, String> {
    let mut cases = 0;
    for sender in 0..=12 {
        for receiver in 0..=12 {
            for given in 0..=sender {
                for got in 0..=receiver {
                    agrees(admits, Pair { sender, receiver }, given, got)?;
                    cases += 1;
                }
            }
        }
    }
    Ok(cases)
}

#[test]
fn relaxed_holds_exactly_where_the_maximum_falls() {
    assert_eq!(every_case(core), Ok(91 * 91));
}

#[test]
fn a_criterion_that_is_not_strict_is_caught() {
    let weak: Admits =
        |_, pair, given, got| given > got && pair.receiver + given - got <= pair.sender;
    let found = every_case(weak).err();
    assert!(found.is_some_and(|found| found.ends_with("1 for 0: true")));
    let idle: Admits = |average, pair, given, got| {
        core(average, pair, given, got) || given == got && pair.receiver < pair.sender
    };
    assert!(every_case(idle).is_err());
    let strict: Admits = |average, pair, given, got| core(average, pair, given + 1, got);
    assert!(every_case(strict).is_err());
}

#[test]
fn original_keeps_receivers_below_the_average_and_implies_relaxed() {
    let mut admitted = 0;
    for (total, processors) in (0..=36).flat_map(|total| (1..=3).map(move |number| (total, number)))
    {
        let average = Average { total, processors };
        for (sender, receiver) in (0..=12).flat_map(|one| (0..=12).map(move |other| (one, other))) {
            let pair = Pair { sender, receiver };
            for (given, got) in (0..=sender).flat_map(|one| (0..=receiver).map(move |o| (one, o))) {
                let is_below = (receiver + given - got) * u64::from(processors) < total;
                let admits = Criterion::Original.admits(average, pair, given, got);
                assert_eq!(admits, given > got && is_below, "{average:?} {pair:?} {given} {got}");
                // Those who give have at least the average.
                if admits && sender * u64::from(processors) >= total {
                    assert!(Criterion::Relaxed.admits(average, pair, given, got));
                    admitted += 1;
                }
            }
        }
    }
    assert!(admitted > 1_000, "{admitted}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_lemma_holds_for_any_loads(
        sender in prop_oneof![0_u64..1_000, any::<u64>()],
        receiver in prop_oneof![0_u64..1_000, any::<u64>()],
        given in any::<prop::sample::Index>(),
        got in any::<prop::sample::Index>(),
        near in 0_u64..3,
    ) {
        // The sum of all loads fits.
        let receiver = receiver.min(u64::MAX - sender);
        let pair = Pair { sender, receiver };
        let part = |index: prop::sample::Index, of: u64| {
            index.index(usize::MAX) as u64 % of.saturating_add(1)
        };
        let (given, got) = (part(given, sender), part(got, receiver));
        prop_assert_eq!(agrees(core, pair, given, 0), Ok(()));
        prop_assert_eq!(agrees(core, pair, given, got), Ok(()));
        // Where it just holds, and just not.
        let just = sender.saturating_sub(receiver).saturating_add(near).saturating_sub(1);
        prop_assert_eq!(agrees(core, pair, just.min(sender), 0), Ok(()));
    }
}
