//! The central references against naive ones, against the optimum, and against published figures.

use proptest::prelude::*;
use rayon::prelude::*;
use tresse_core::balance::objects::Average;
use tresse_core_tests::placement::{Case, Method, Placed, Wrong};
use tresse_core_tests::small::digits;
use tresse_tests::load_trace_files::real;

const METHODS: [Method; 2] = [Method::Lpt, Method::KarmarkarKarp];

/// Returns every case of a number of objects with loads 0 to 4 that may all move.
fn movable(number: u32, processors: usize) -> impl ParallelIterator<Item = Case> {
    let case = move |loads| Case::movable(digits(loads, 5, number).collect(), processors);
    (0..5_u64.pow(number)).into_par_iter().map(case)
}

/// Returns every case of a number of objects with loads 0 to 4 of which each may move or is fixed
/// somewhere.
fn with_fixed(number: u32, processors: usize) -> impl ParallelIterator<Item = Case> {
    let places = processors + 1;
    movable(number, processors).flat_map_iter(move |case| {
        (0..places.pow(number)).map(move |places_of_all| {
            // One place more than there are processors: may move, from the first.
            let at: Vec<usize> = digits(places_of_all, places, number).collect();
            let fixed = at.iter().map(|&place| place < processors).collect();
            let owners = at.iter().map(|&place| place % processors).collect();
            Case { fixed, owners, ..case.clone() }
        })
    })
}

#[test]
fn every_small_case_is_placed_as_the_definitions_say() {
    let every = |number| (1..=3).map(move |processors| (number, processors));
    for (number, processors) in (0..=6).flat_map(every) {
        let result = movable(number, processors).try_for_each(|case| case.verify());
        result.unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    for (number, processors) in (1..=4).flat_map(every) {
        let result = with_fixed(number, processors).try_for_each(|case| case.verify());
        result.unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

/// Returns the check's message about the first small case that a planted fault shows in.
fn found(method: Method, faulty: impl Fn(&Case) -> Placed + Sync) -> String {
    let fault = |case: Case| case.check(method, &faulty(&case)).err();
    let wrong = with_fixed(4, 2).find_map_first(fault);
    wrong.map_or_else(|| "nothing".to_owned(), |Wrong(what, _)| what)
}

#[test]
fn planted_faults_are_found() {
    // Ties the other way: objects in reverse order.
    let reversed = |method| {
        move |case: &Case| {
            let turn = |owners: &[usize]| owners.iter().rev().copied().collect();
            let case = Case {
                loads: case.loads.iter().rev().copied().collect(),
                fixed: case.fixed.iter().rev().copied().collect(),
                owners: turn(&case.owners),
                ..*case
            };
            let placed = case.core(method);
            Placed { owners: turn(&placed.owners), ..placed }
        }
    };
    for method in METHODS {
        assert!(found(method, reversed(method)).contains(" instead of "));
    }
    // The other method; what is fixed moves; the loads of the start.
    let other = |case: &Case| case.core(Method::Lpt);
    assert!(found(Method::KarmarkarKarp, other).contains(" instead of "));
    let all = |case: &Case| Case::movable(case.loads.clone(), 2).core(Method::Lpt);
    assert!(found(Method::Lpt, all).contains("moved fixed object"));
    let stale = |case: &Case| Placed { loads: vec![0; 2], ..case.core(Method::Lpt) };
    assert!(found(Method::Lpt, stale).contains(" instead of "));
}

/// Few different loads make many ties; the sum of the largest just fits.
fn loads(number: usize) -> impl Strategy<Value = Vec<u64>> {
    let largest = u64::MAX / (number as u64).max(1);
    let load = prop_oneof![0_u64..4, 0_u64..1_000, largest - 2..=largest];
    let similar = proptest::collection::vec(1_000_u64..1_100, number);
    prop_oneof![2 => proptest::collection::vec(load, number), 1 => similar]
}

prop_compose! {
    fn cases()(processors in 1_usize..40, number in 0_usize..250)(
        loads in loads(number),
        fixed in prop_oneof![
            Just(vec![false; number]),
            proptest::collection::vec(prop::bool::weighted(0.2), number),
        ],
        owners in proptest::collection::vec(0..processors, number),
        processors in Just(processors),
    ) -> Case {
        Case { loads, fixed, owners, processors }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn large_cases_are_placed_as_the_definitions_say(case in cases()) {
        let bound = case.lower_bound();
        for method in METHODS {
            let placed = case.core(method);
            prop_assert!(placed.max() >= bound, "{} is below {bound}", placed.max());
            if let Err(wrong) = case.check(method, &placed) {
                return Err(TestCaseError::fail(wrong.to_string()));
            }
        }
    }

    /// Doubling all loads changes no decision.
    #[test]
    fn only_the_ratios_of_loads_count(mut case in cases()) {
        case.loads.iter_mut().for_each(|load| *load /= 2);
        let doubled = Case { loads: case.loads.iter().map(|load| 2 * load).collect(), ..case.clone() };
        for method in METHODS {
            prop_assert_eq!(case.core(method).owners, doubled.core(method).owners);
        }
    }
}

/// A row of a load trace in the old comma-separated form: phase, object, seconds.
type Row = (usize, u64, f64);

/// A phase of the trace with eight processors that the slides use, loads in picoseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds of a load trace"
)]
fn phase(rows: &[(usize, Row)], phase: usize) -> Case {
    let of_phase = rows.iter().filter(|(_, row)| row.0 == phase);
    let (owners, loads): (Vec<_>, _) = of_phase
        .map(|&(processor, (_, _, seconds))| (processor, (seconds * 1e12).round() as u64))
        .unzip();
    Case { fixed: vec![false; owners.len()], loads, owners, processors: 8 }
}

/// Returns the imbalance of the highest load.
fn imbalance(case: &Case, placed: &Placed) -> f64 {
    Average { total: case.loads.iter().sum(), processors: 8 }.imbalance(placed.max())
}

/// The published figures of the trace: longest processing time first .0185 and differencing .00159
/// in phase 0, .013 to .024 and .007 to .018 in the phases 1 to 14.
#[test]
fn a_recorded_trace_is_balanced_as_published() {
    let Some(traces) = real() else { return };
    let mut rows = Vec::new();
    for processor in 0..8 {
        let file = traces.join(format!("vt_example_lb_data/data.{processor}.vom"));
        let reader = csv::ReaderBuilder::new().has_headers(false).from_path(&file);
        let mut reader = reader.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for row in reader.deserialize() {
            rows.push((processor, row.unwrap_or_else(|e| panic!("{}: {e}", file.display()))));
        }
    }
    let imbalances = |number| {
        let case = phase(&rows, number);
        assert_eq!(case.loads.len(), 100, "phase {number}");
        METHODS.map(|method| {
            let placed = case.core(method);
            case.check(method, &placed).unwrap_or_else(|wrong| panic!("{wrong}"));
            let bound = case.lower_bound();
            assert!(placed.max() >= bound, "{} is below {bound}", placed.max());
            imbalance(&case, &placed)
        })
    };
    let [longest_first, differencing] = imbalances(0);
    assert!((longest_first - 0.0185).abs() < 0.000_05, "{longest_first}");
    assert!((differencing - 0.001_59).abs() < 0.000_005, "{differencing}");
    for number in 1..15 {
        let [longest_first, differencing] = imbalances(number);
        assert!((0.012_5..0.024_5).contains(&longest_first), "{number}: {longest_first}");
        assert!((0.006_5..0.018_5).contains(&differencing), "{number}: {differencing}");
    }
}
