//! The core's rounds against the oracle in every small world.

use tresse_core::run::PlbParams;
use tresse_core_tests::small::{WORLDS, every_world};
use tresse_core_tests::world::{Policy, verify};

/// The paper's parameters, the tightest and the loosest thresholds, few and many pairs, dead bands.
const PARAMS: [PlbParams; 5] = [
    PlbParams { pairs: 6, low: 2, high: 6, dead_band: 0 },
    PlbParams { pairs: 3, low: 1, high: 2, dead_band: 0 },
    PlbParams { pairs: 64, low: 1, high: 4, dead_band: 1 },
    PlbParams { pairs: 1, low: 1, high: 6, dead_band: 0 },
    PlbParams { pairs: 2, low: 2, high: 3, dead_band: 2 },
];

#[test]
fn joint_is_the_oracle_in_every_small_world() {
    for params in PARAMS {
        match every_world(Policy::Joint, [0, 0, 0], params, verify) {
            Ok(checked) => assert_eq!(checked, WORLDS),
            Err(fault) => panic!("{fault}"),
        }
    }
}

#[test]
fn split_is_the_oracle_in_every_small_world() {
    for (sockets, params) in [[0, 0, 1], [7, 2, 7]].into_iter().zip(PARAMS) {
        match every_world(Policy::Split, sockets, params, verify) {
            Ok(checked) => assert_eq!(checked, WORLDS),
            Err(fault) => panic!("{fault}"),
        }
    }
}
