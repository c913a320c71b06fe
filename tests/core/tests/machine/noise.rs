//! Noise as a person asks for it: its grammar, where the seed puts it, and what parasites draw.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tresse_core::base::id::{NodeId, SocketId};
use tresse_core::base::time::Duration;
use tresse_core::run::noise::{
    MAX_NOISE, Noise, NoiseChoice, NoisePlace, NoisePlaces, Parasite, ParasiteCycle, PlaceKind,
    Range, ScatterError, Scattered, ScatteredParasite, generator, resolve,
};

/// [`MAX_NOISE`].
const MOST: u32 = 32;

fn lengths() -> impl Strategy<Value = Duration> {
    prop_oneof![1_u64..10, 1_u64..1_000_000_000_000, Just(u64::MAX)].prop_map(Duration)
}

fn parasites() -> impl Strategy<Value = Parasite> {
    prop_oneof![
        (prop_oneof![Just(Duration::ZERO), lengths()], 1..=u64::MAX)
            .prop_map(|(sleep, work)| Parasite::Loop { sleep, work }),
        (lengths(), lengths()).prop_map(|(burst, gap)| Parasite::Bursts { burst, gap }),
        (1_u32..1_000_000).prop_map(|millionths| Parasite::Duty { millionths }),
    ]
}

fn fixed() -> impl Strategy<Value = Noise> {
    let place = prop_oneof![
        any::<u32>().prop_map(NoisePlace::Core),
        any::<u32>().prop_map(|id| NoisePlace::Socket(SocketId(id))),
        any::<u32>().prop_map(|id| NoisePlace::Node(NodeId(id))),
    ];
    (place, parasites()).prop_map(|(place, parasite)| Noise { place, parasite })
}

fn ranges(numbers: impl Strategy<Value = u32> + Clone) -> impl Strategy<Value = Range> {
    (numbers.clone(), numbers).prop_map(|(a, b)| Range { least: a.min(b), most: a.max(b) })
}

fn scattered(numbers: impl Strategy<Value = u32> + Clone) -> impl Strategy<Value = Scattered> {
    let kind = prop_oneof![Just(PlaceKind::Core), Just(PlaceKind::Socket), Just(PlaceKind::Node)];
    let duties = ranges(1_u32..1_000_000).prop_filter("a range", |duty| duty.least < duty.most);
    let parasite = prop_oneof![
        parasites().prop_map(ScatteredParasite::Same),
        duties.prop_map(ScatteredParasite::Duty),
    ];
    (kind, ranges(numbers), parasite).prop_map(|(kind, number, parasite)| Scattered {
        kind,
        number,
        parasite,
    })
}

fn resolved(text: &str, seed: u64, places: &NoisePlaces) -> Result<Vec<Noise>, String> {
    let choice = NoiseChoice::parse(text).map_err(|error| error.to_string())?;
    let resolved = resolve(&[choice], seed, places).map_err(|error| error.to_string())?;
    Ok(resolved.to_vec())
}

proptest! {
    #[test]
    fn noise_reads_back(noise in fixed()) {
        prop_assert_eq!(Noise::parse(&noise.to_string()), Ok(noise));
        prop_assert_eq!(NoiseChoice::parse(&noise.to_string()), Ok(NoiseChoice::Fixed(noise)));
    }

    #[test]
    fn scattered_noise_reads_back(scattered in scattered(any::<u32>())) {
        let choice = NoiseChoice::Scattered(scattered);
        prop_assert_eq!(NoiseChoice::parse(&choice.to_string()), Ok(choice));
    }

    #[test]
    fn no_text_breaks_the_grammar(text in "(any-)?(core|node|)=?[0-9.,]{0,9}(duty=|gap=|burst=)?[0-9.smu,]{0,9}") {
        if let Ok(choice) = NoiseChoice::parse(&text) {
            prop_assert_eq!(NoiseChoice::parse(&choice.to_string()), Ok(choice));
        }
    }

    /// Checks that as many distinct places get the noise as were asked for; the same seed gives the
    /// same places again, wherever else there is noise.
    #[test]
    fn scattered_noise_is_what_was_asked_for(
        scattered in scattered(0..=MOST / 2),
        other in fixed(),
        seed in any::<u64>(),
        there in 0_u32..40,
    ) {
        let cores: Vec<_> = (0..there).map(|core| 3 * core + 1).collect();
        let sockets: Vec<_> = (0..there).map(|socket| SocketId(2 * socket)).collect();
        let places = NoisePlaces { cores: &cores, sockets: &sockets, nodes: there };
        let choice = NoiseChoice::Scattered(scattered);
        let Range { least, most } = scattered.number;
        let found = match resolve(&[choice], seed, &places) {
            Err(error) => {
                prop_assert_eq!(error, ScatterError::TooFewPlaces { asked: scattered, there });
                prop_assert!(most > there);
                return Ok(());
            }
            Ok(found) => found,
        };
        prop_assert!(most <= there && (least as usize..=most as usize).contains(&found.len()));
        let mut chosen = BTreeSet::new();
        for noise in &found {
            let known = match noise.place {
                NoisePlace::Core(core) => scattered.kind == PlaceKind::Core && cores.contains(&core),
                NoisePlace::Socket(id) => scattered.kind == PlaceKind::Socket && sockets.contains(&id),
                NoisePlace::Node(id) => scattered.kind == PlaceKind::Node && id.0 < there,
            };
            prop_assert!(known && chosen.insert(noise.to_string()), "{noise}");
            let right = match (scattered.parasite, noise.parasite) {
                (ScatteredParasite::Same(parasite), found) => parasite == found,
                (ScatteredParasite::Duty(duty), Parasite::Duty { millionths }) => {
                    (duty.least..=duty.most).contains(&millionths)
                }
                _ => false,
            };
            prop_assert!(right, "{noise}");
        }
        let with_other = resolve(&[choice, other.into()], seed, &places);
        prop_assert_eq!(with_other.map(|all| all.to_vec()), Ok([&found[..], &[other]].concat()));
    }
}

#[test]
fn every_set_of_places_is_as_likely_as_any_other() {
    let cores = [4, 5, 6, 7, 9];
    let places = NoisePlaces { cores: &cores, sockets: &[], nodes: 0 };
    let mut sets = std::collections::BTreeMap::<Vec<String>, u32>::new();
    let mut numbers = [0_u32; 4];
    for seed in 0..20_000 {
        let pair = resolved("any-core=2,duty=0.5", seed, &places).unwrap();
        *sets.entry(pair.iter().map(ToString::to_string).collect()).or_default() += 1;
        numbers[resolved("any-core=0..3,duty=0.5", seed, &places).unwrap().len()] += 1;
    }
    assert_eq!(sets.len(), 10, "{sets:?}");
    // 2000 and 5000 are expected, with standard deviations of 42 and 61.
    assert!(sets.values().all(|times| (1_800..2_200).contains(times)), "{sets:?}");
    assert!(numbers.iter().all(|times| (4_700..5_300).contains(times)), "{numbers:?}");
}

#[test]
fn duties_are_drawn_for_each_place_on_its_own() {
    let places = NoisePlaces { cores: &[], sockets: &[], nodes: 15 };
    let noise = resolved("any-node=15,duty=0.15..0.4", 1, &places).unwrap();
    let duties: BTreeSet<_> = noise
        .iter()
        .map(|noise| match noise.parasite {
            Parasite::Duty { millionths } => millionths,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!((noise.len(), duties.len()), (15, 15), "{noise:?}");
    assert!(duties.iter().all(|duty| (150_000..=400_000).contains(duty)), "{duties:?}");
    assert!(duties.last().unwrap() - duties.first().unwrap() > 100_000, "{duties:?}");
}

#[test]
fn more_noise_than_there_can_be_is_refused_whatever_the_seed() {
    let places = NoisePlaces { cores: &[0, 1], sockets: &[SocketId(0)], nodes: 100 };
    for (text, parts) in [
        ("any-core=3,duty=0.5", &["any-core=3,duty=0.5", "at most 2"][..]),
        ("any-socket=0..2,duty=0.1..0.2", &["any-socket=0..2,duty=0.1..0.2", "at most 1"]),
        ("any-node=33,duty=0.1", &["33 sources", "at most 32"]),
        ("any-node=0..4294967295,duty=0.1", &["4294967295 sources", "at most 32"]),
    ] {
        for seed in 0..40 {
            let error = resolved(text, seed, &places).unwrap_err();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
        }
    }
    let fixed = NoiseChoice::parse("core=0,duty=0.5").unwrap();
    assert_eq!(resolve(&[fixed; MAX_NOISE], 1, &places).map(|all| all.len()), Ok(MAX_NOISE));
    let error = resolve(&[fixed; MAX_NOISE + 1], 1, &places);
    assert_eq!(error, Err(ScatterError::TooManySources(u64::from(MOST) + 1)));
    assert_eq!(resolved("any-core=0,duty=0.5", 1, &places), Ok(Vec::new()));
}

#[test]
fn what_is_not_noise_is_refused_with_what_is_wrong() {
    for (text, expected) in [
        ("any-core=2", Parasite::EXPECTED),
        ("any-core,duty=0.1", NoisePlace::EXPECTED),
        ("any-worker=1,duty=0.1", NoisePlace::EXPECTED),
        ("any=1,duty=0.1", NoisePlace::EXPECTED),
        ("any-core=,duty=0.1", Scattered::EXPECTED),
        ("any-core=-1,duty=0.1", Scattered::EXPECTED),
        ("any-core=3..1,duty=0.1", Scattered::EXPECTED),
        ("any-core=1..,duty=0.1", Scattered::EXPECTED),
        ("any-core=..1,duty=0.1", Scattered::EXPECTED),
        ("any-core=1..2..3,duty=0.1", Scattered::EXPECTED),
        ("any-core=1...3,duty=0.1", Scattered::EXPECTED),
        ("any-core=1,duty=0.4..0.1", ScatteredParasite::EXPECTED),
        ("any-core=1,duty=0..0.1", ScatteredParasite::EXPECTED),
        ("any-core=1,duty=0.1..1", ScatteredParasite::EXPECTED),
        ("any-core=1,duty=", ScatteredParasite::EXPECTED),
        ("core=1..2,duty=0.1", NoisePlace::EXPECTED),
        ("core=1,duty=0.1..0.2", Parasite::EXPECTED_DUTY),
        ("core=1,burst=46us", Parasite::EXPECTED),
        ("core=1,burst=46us,sleep=1us", Parasite::EXPECTED),
        ("core=1,burst=1us,burst=1us", Parasite::EXPECTED),
        ("core=1,burst=0s,gap=1us", Parasite::EXPECTED_BURSTS),
        ("core=1,burst=1us,gap=0", Parasite::EXPECTED_BURSTS),
        ("core=1,sleep=200,work=3", Duration::EXPECTED_WITH_UNIT),
        ("core=1,sleep=0.2,work=3", Duration::EXPECTED_WITH_UNIT),
        ("core=1,burst=46us,gap=200", Duration::EXPECTED_WITH_UNIT),
        ("core=1,burst=long,gap=1us", Duration::EXPECTED_WITH_UNIT),
        ("core=1,sleep=1us,work=0", Parasite::EXPECTED),
    ] {
        assert_eq!(NoiseChoice::parse(text), Err(expected), "{text}");
    }
    let same = |a, b| assert_eq!(NoiseChoice::parse(a), NoiseChoice::parse(b));
    same("core=1,gap=200us,burst=46us", "core=1,burst=0.000046s,gap=0.2ms");
    same("core=1,work=5,sleep=1us", "core=1,sleep=1us,work=5");
    same("any-node=2..2,duty=.2..0.20", "any-node=2,duty=0.2");
}

#[test]
fn turns_are_uniform_up_to_twice_their_means() {
    let (burst, gap) = (Duration(46_000), Duration(200_000));
    let mut rng = generator(7, NodeId(0), 3);
    let turns: Vec<_> = (0..40_000).map(|_| ParasiteCycle::draw(burst, gap, &mut rng)).collect();
    let bursts: Vec<_> = turns.iter().map(|turn| turn.burst.0).collect();
    let gaps: Vec<_> = turns.iter().map(|turn| turn.gap.0).collect();
    for (lengths, mean) in [(bursts, burst.0), (gaps, gap.0)] {
        // Each tenth of the range: 4000 are expected, with a standard deviation of 60.
        let mut tenths = [0_u32; 10];
        for &length in &lengths {
            assert!(length <= 2 * mean, "{length}");
            tenths[usize::try_from(length * 10 / (2 * mean + 1)).unwrap()] += 1;
        }
        assert!(tenths.iter().all(|times| (3_700..4_300).contains(times)), "{tenths:?}");
    }
    let first = |seed, node, parasite| {
        ParasiteCycle::draw(burst, gap, &mut generator(seed, NodeId(node), parasite))
    };
    assert_eq!(first(7, 0, 3), turns[0]);
    for (seed, node, parasite) in [(7, 0, 4), (7, 1, 3), (8, 0, 3)] {
        assert_ne!(first(seed, node, parasite), turns[0]);
    }
    let longest = ParasiteCycle::draw(Duration(u64::MAX), Duration(1), &mut rng);
    assert!(longest.gap.0 <= 2, "{longest:?}");
    // Both ends can be drawn.
    let ends: BTreeSet<_> =
        (0..100).map(|_| ParasiteCycle::draw(Duration(1), Duration(1), &mut rng).gap.0).collect();
    assert_eq!(ends, BTreeSet::from([0, 1, 2]));
}
