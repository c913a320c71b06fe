//! Planted faults: the checks of the other suites must find each of them.

use tresse_core::run::PlbParams;
use tresse_core_tests::small::every_world;
use tresse_core_tests::world::{Fault, Policy, Sent, World, check, compare, core_round};

const PARAMS: PlbParams = PlbParams { pairs: 3, low: 2, high: 3, dead_band: 1 };

/// Returns the core's round with other parameters than it should have.
fn with(params: PlbParams) -> impl Fn(&World) -> Result<Vec<Sent>, Fault> {
    move |world| core_round(&World { params, ..world.clone() })
}

fn finds(verify: impl Fn(&World) -> Result<(), Fault> + Sync) -> Option<String> {
    let found = every_world(Policy::Joint, [0, 0, 0], PARAMS, verify);
    found.err().map(|fault| fault.what)
}

fn comparison_finds(round: impl Fn(&World) -> Result<Vec<Sent>, Fault> + Sync) -> bool {
    let found = finds(|world| compare(world, round(world)?));
    found.is_some_and(|what| what.starts_with("the oracle moves"))
}

#[test]
fn comparison_finds_each_parameter_that_is_off_by_one() {
    assert!(comparison_finds(with(PlbParams { low: 1, ..PARAMS })));
    assert!(comparison_finds(with(PlbParams { low: 3, ..PARAMS })));
    assert!(comparison_finds(with(PlbParams { high: 2, ..PARAMS })));
    assert!(comparison_finds(with(PlbParams { high: 4, ..PARAMS })));
    assert!(comparison_finds(with(PlbParams { pairs: 2, ..PARAMS })));
    assert!(comparison_finds(with(PlbParams { dead_band: 0, ..PARAMS })));
    assert!(comparison_finds(with(PlbParams { dead_band: 2, ..PARAMS })));
}

#[test]
fn comparison_finds_nothing_in_the_round_as_it_is() {
    assert!(!comparison_finds(core_round));
}

#[test]
fn invariants_find_a_threshold_that_is_too_generous() {
    let lower = with(PlbParams { low: 1, ..PARAMS });
    let found = finds(|world| check(world, lower(world)?));
    assert_eq!(found.as_deref(), Some("the giver is left below the lower threshold"));
    let higher = with(PlbParams { high: 4, ..PARAMS });
    let found = finds(|world| check(world, higher(world)?));
    assert_eq!(found.as_deref(), Some("the taker is filled above the upper threshold"));
}

#[test]
fn invariants_find_a_subdomain_that_moves_twice_and_one_that_crosses_sockets() {
    let twice = |world: &World| {
        let mut moves = core_round(world)?;
        moves.extend(moves.first().map(|sent| Sent { from: sent.to, to: sent.from, ..*sent }));
        Ok(moves)
    };
    let found = finds(|world| check(world, twice(world)?));
    assert_eq!(found.as_deref(), Some("a subdomain moves twice"));
    let joint = |world: &World| core_round(&World { policy: Policy::Joint, ..world.clone() });
    let found = every_world(Policy::Split, [0, 0, 1], PARAMS, |world| check(world, joint(world)?));
    assert_eq!(
        found.err().map(|fault| fault.what).as_deref(),
        Some("a subdomain leaves its socket")
    );
}
