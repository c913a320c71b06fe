//! The transfer phase of one processor against the slides' pseudo-code, draw by draw.

use proptest::prelude::*;
use tresse_core::balance::grapevine::transfer::sender::{Peers, Rules, Sender};
use tresse_core::balance::grapevine::{
    Cmf, CmfUpdate, Config, Criterion, Pass, SenderLoad, Threshold,
};
use tresse_core::balance::objects::{Average, Millionths, Objects};
use tresse_core::base::id::ObjectId;
use tresse_core::base::rng::Rng;
use tresse_core_tests::grapevine::oracle::{Done, Phase};

/// Returns the core's result of a phase.
fn core(phase: &Phase, seed: u64) -> Done {
    let &Phase { criterion, cmf, update, pass, threshold, average: (total, processors), .. } =
        phase;
    let config = Config {
        criterion,
        cmf,
        cmf_update: update,
        pass,
        threshold: Threshold::Times(Millionths(threshold)),
        sender_load: SenderLoad::Current,
        ..Config::DISTRIBUTED
    };
    let rules = Rules::new(&config, Average { total, processors }, phase.load());
    let objects = Objects::new(&phase.objects, &[]).unwrap_or_else(|error| panic!("{error}"));
    let (mut loads, mut cumulative) = (phase.peers.clone(), vec![0; phase.peers.len()]);
    let peers = Peers::new(&rules, &mut loads, &mut cumulative);
    let mut sender = Sender::new(&rules, &objects, phase.load(), peers);
    let mut list: Vec<ObjectId> = objects.ids().collect();
    let mut transfers = Vec::new();
    let left = sender.run(&mut list, &mut Rng::new(seed, 1), &mut |proposal| {
        transfers.push((proposal.object.index(), proposal.peer));
        true
    });
    assert_eq!(left + transfers.len(), list.len(), "some object is gone or there twice");
    list.sort_unstable();
    assert!(list.into_iter().eq(objects.ids()), "some object is gone or there twice");
    Done { transfers, rejected: sender.rejected, load: sender.load }
}

prop_compose! {
    fn phases()(
        criterion in prop_oneof![Just(Criterion::Original), Just(Criterion::Relaxed)],
        cmf in prop_oneof![Just(Cmf::Original), Just(Cmf::NormByMax)],
        update in prop_oneof![Just(CmfUpdate::Once), Just(CmfUpdate::AfterAcceptance)],
        pass in prop_oneof![Just(Pass::Single), Just(Pass::Restart)],
        threshold in prop_oneof![Just(1_000_000), 1_000_000_u64..3_000_000],
        objects in proptest::collection::vec(0_u64..20, 0..30),
        rest in 0_u64..30,
        peers in proptest::collection::vec(0_u64..60, 0..12),
        others in 0_u64..200,
        unknown in 1_u32..6,
    ) -> Phase {
        let total = rest + others + objects.iter().chain(&peers).sum::<u64>();
        let known = u32::try_from(peers.len()).unwrap_or(u32::MAX - 6);
        let average = (total, known + unknown);
        Phase { criterion, cmf, update, pass, threshold, average, objects, rest, peers }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn a_turn_is_the_slides(phase in phases(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed, 1);
        prop_assert_eq!(phase.run(&mut || rng.bits()), core(&phase, seed));
    }
}

#[test]
fn a_turn_that_differs_is_found() {
    let phase = Phase {
        criterion: Criterion::Relaxed,
        cmf: Cmf::NormByMax,
        update: CmfUpdate::AfterAcceptance,
        pass: Pass::Restart,
        threshold: 1_000_000,
        average: (40, 4),
        objects: vec![9, 1, 8, 2, 5, 1, 3],
        rest: 0,
        peers: vec![1, 10, 3],
    };
    let compare = |changed: &Phase| {
        let differs = |seed| {
            let mut rng = Rng::new(seed, 1);
            phase.run(&mut || rng.bits()) != core(changed, seed)
        };
        (0..50).any(differs)
    };
    assert!(!compare(&phase));
    assert!(compare(&Phase { criterion: Criterion::Original, ..phase.clone() }));
    assert!(compare(&Phase { cmf: Cmf::Original, ..phase.clone() }));
    assert!(compare(&Phase { update: CmfUpdate::Once, ..phase.clone() }));
    assert!(compare(&Phase { pass: Pass::Single, ..phase.clone() }));
    assert!(compare(&Phase { threshold: 1_500_000, ..phase.clone() }));
}
