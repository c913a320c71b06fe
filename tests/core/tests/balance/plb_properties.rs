//! Rounds in large random worlds, alone and in long random runs of everything that can happen.

use proptest::prelude::*;
use tresse_core::base::id::SocketId;
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Mode, PlbParams};
use tresse_core_tests::explorer::walk;
use tresse_core_tests::node_life::Setting;
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
        parts in 1_u32..30,
        mode in prop_oneof![Just(Mode::Async), Just(Mode::SemiSync(1)), Just(Mode::Sync)],
        halts in 0_usize..4,
        plb in params(),
        choices in proptest::collection::vec(any::<usize>(), 400),
    ) {
        // In step with each other, workers keep their parts.
        let is_in_step = mode == Mode::Sync;
        let balance = if is_in_step { Balance::None } else { Balance::Joint(Duration(0)) };
        let (are_linked, iterations) = (true, 12);
        let run = Setting { mode, balance, plb, workers, parts, ..Setting::ONE };
        walk(Setting { are_linked, iterations, halts, ..run }, choices);
    }
}
