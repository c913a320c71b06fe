//! Rounds in large random worlds, alone and in long random runs of everything that can happen.

use proptest::prelude::*;
use tresse_core::base::id::SocketId;
use tresse_core::run::{Mode, PlbParams, RunConfig, Stop};
use tresse_core_tests::step::{Driver, System};
use tresse_core_tests::world::{Policy, World, verify};

fn params() -> impl Strategy<Value = PlbParams> {
    (1_usize..=64, 1_u32..8, 1_u32..8, 0_u64..20).prop_map(|(pairs, low, room, dead_band)| {
        PlbParams { pairs, low, high: low + room, dead_band }
    })
}

/// Few different counts make many ties; the largest ones must not overflow.
fn counts(subdomains: usize) -> impl Strategy<Value = Vec<u64>> {
    let count = prop_oneof![0_u64..4, 0_u64..1_000, u64::MAX - 2..=u64::MAX];
    proptest::collection::vec(count, subdomains)
}

prop_compose! {
    fn worlds()(workers in 1_usize..40, subdomains in 0_usize..250)(
        counts in counts(subdomains),
        owners in proptest::collection::vec(0..workers, subdomains),
        sockets in proptest::collection::vec((0_u32..4).prop_map(SocketId), workers),
        policy in prop_oneof![Just(Policy::Joint), Just(Policy::Split)],
        params in params(),
    ) -> World {
        World { counts, owners, sockets, policy, params }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_round_is_the_oracles_and_keeps_every_rule(world in worlds()) {
        if let Err(fault) = verify(&world) {
            return Err(TestCaseError::fail(fault.to_string()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn workers_keep_one_writer_in_any_order_of_steps(
        workers in 2_u32..7,
        each in 1_usize..6,
        mode in prop_oneof![Just(Mode::Async), Just(Mode::SemiSync(1)), Just(Mode::Sync)],
        looks in 0_u32..4,
        params in params(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 400),
    ) {
        let stop = Stop { iterations: Some(12), ..Stop::NEVER };
        let config = RunConfig { workers, mode, stop, ..RunConfig::default() };
        let assigned: Vec<usize> = (0..workers as usize * each).map(|id| id / each).collect();
        let mut system = System::new(&config, &assigned, looks);
        for choice in choices {
            let possible = system.possible();
            if possible.is_empty() {
                break;
            }
            let step = *choice.get(&possible);
            system
                .apply(step, params, Driver::Sound)
                .map_err(|fault| TestCaseError::fail(fault.to_string()))?;
            prop_assert!(system.has_one_writer(), "two writers after {step:?}: {system:?}");
            prop_assert!(system.clean_means_current(), "a mark was lost at {step:?}: {system:?}");
            prop_assert_eq!(system.broken, None, "after {:?}: {:?}", step, system);
        }
        prop_assert!(system.settles(params, Driver::Sound), "stuck: {system:?}");
    }
}
