//! Grapevine where its results are published: iterations of the slides' simulation, what gossiped
//! loads make of them, what ours reaches; equal loads; the recorded eight processors; and how far
//! gossip gets in a number of rounds.
#![expect(clippy::unwrap_used, reason = "what cannot be balanced is a failure")]

use std::ops::{ControlFlow, RangeInclusive};

use rayon::prelude::*;
use tresse::experiments::balancing::{Balanced, Instance, Method, balance};
use tresse::files::load_traces::generate::{Drawn, Interval, Loads, Setup, phase};
use tresse::files::load_traces::{PhaseObjects, read};
use tresse::report::statistics::Quartiles;
use tresse_core::balance::grapevine::gossip::{Rounds, Told};
use tresse_core::balance::grapevine::parallel::Serial;
use tresse_core::balance::grapevine::{
    Cmf, CmfUpdate, Config, Criterion, KNOWN_MAX, Moment, Pass, SenderLoad, View,
};
use tresse_core::balance::owned::OwnedGrapevineMemory;
use tresse_core::base::id::ProcessorId;
use tresse_tests::load_trace_files::{LIMITS, real};

const SEEDS: u64 = 5;

/// Criterion 6' as on the slides.
const RELAXED: Config = Config { criterion: Criterion::Relaxed, ..Config::SLIDES };

/// Returns a criterion with the loads that a distributed run has: those that were gossiped.
const fn gossiped(criterion: Criterion) -> Config {
    Config {
        criterion,
        view: View::Gossiped,
        cmf: Cmf::NormByMax,
        cmf_update: CmfUpdate::AfterAcceptance,
        pass: Pass::Single,
        sender_load: SenderLoad::Current,
        ..Config::SLIDES
    }
}

fn instance(drawn: Drawn, processors: u32) -> Instance {
    let Drawn { seconds, owners } = drawn;
    let rank_bytes = vec![0.0; processors as usize];
    let phase = PhaseObjects { seconds, owners, rank_bytes, ..PhaseObjects::default() };
    Instance::of_phase(phase, None).unwrap()
}

/// Returns the slides' set-up with a number of objects.
fn slides(objects: u32, seed: u64) -> Instance {
    let loads = Loads::Uniform(Interval { low: 1e-5, high: 1e-1 });
    let setup = Setup { processors: 1 << 12, objects, on: 16, loads };
    instance(phase(&setup, seed), setup.processors)
}

/// A run, and the imbalance at its start and after every iteration.
struct Run {
    made: Balanced,
    imbalances: Vec<f64>,
}

impl Run {
    fn of(config: &Config, seed: u64, instance: &Instance) -> Self {
        let method = Method::Grapevine(Config { seed, ..*config });
        let made =
            balance(&method, instance, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
        let maxima = made.iterations.iter().map(|iteration| iteration.max);
        let maxima = std::iter::once(made.outcome.initial_max).chain(maxima);
        let imbalances = maxima.map(|max| instance.imbalance(max)).collect();
        Self { made, imbalances }
    }

    /// Returns every seed's run on the slides' set-up.
    fn all(config: &Config, objects: u32) -> Vec<Self> {
        let run = |seed| Self::of(config, seed, &slides(objects, seed));
        (0..SEEDS).into_par_iter().map(run).collect()
    }

    fn end(&self) -> f64 {
        *self.imbalances.last().unwrap()
    }

    fn first_transfers(&self) -> f64 {
        self.made.iterations[0].tally.transfers as f64
    }

    /// Returns the rejection rate of the first iteration, in percent.
    fn rejection_rate(&self) -> f64 {
        let tally = self.made.iterations[0].tally;
        100.0 * tally.rejected as f64 / (tally.rejected + tally.transfers) as f64
    }

    fn rises(&self) -> usize {
        self.imbalances.array_windows().filter(|[before, after]| after > before).count()
    }
}

fn within(runs: &[Run], what: &str, figure: fn(&Run) -> f64, band: RangeInclusive<f64>) {
    for (seed, run) in runs.iter().enumerate() {
        let figure = figure(run);
        assert!(band.contains(&figure), "{what} of seed {seed}: {figure} is not in {band:?}");
    }
}

/// Checks that the median of a figure is within the published band, which is of 10 or 20 seeds, and
/// every figure within a wider one.
fn around(
    runs: &[Run],
    what: &str,
    figure: fn(&Run) -> f64,
    band: RangeInclusive<f64>,
    every: RangeInclusive<f64>,
) {
    within(runs, what, figure, every);
    let figures: Vec<f64> = runs.iter().map(figure).collect();
    let middle = Quartiles::of(&figures).unwrap().median;
    assert!(band.contains(&middle), "median {what} {middle} of {figures:?} is not in {band:?}");
}

#[test]
fn criterion_6_with_live_loads_ends_as_on_the_slides() {
    let runs = Run::all(&Config::SLIDES, 10_000);
    within(&runs, "transfers", Run::first_transfers, 9_000.0..=9_200.0);
    within(&runs, "rejection rate", Run::rejection_rate, 94.0..=95.0);
    within(&runs, "imbalance", Run::end, 155.0..=200.0);
    // Slide "Experimental Findings with 6": nearly nothing after the first iteration.
    within(&runs, "imbalance", |run| run.imbalances[1] - run.end(), 0.0..=8.0);
}

#[test]
fn the_relaxed_criterion_with_live_loads_ends_as_on_the_slides() {
    let runs = Run::all(&RELAXED, 10_000);
    let most = 10_700.0..=12_200.0;
    around(&runs, "transfers", Run::first_transfers, 10_900.0..=11_900.0, most);
    within(&runs, "rejection rate", Run::rejection_rate, 0.0..=8.0);
    within(&runs, "imbalance", Run::end, 0.5..=0.65);
    within(&runs, "first imbalance", |run| run.imbalances[1], 2.5..=4.2);
    // The lemma of slide "Modified Criterion".
    assert_eq!(runs.iter().map(Run::rises).sum::<usize>(), 0);
    let more = Run::all(&RELAXED, 1 << 15);
    around(&more, "imbalance with 2^15", Run::end, 0.1..=0.15, 0.09..=0.18);
    assert_eq!(more.iter().map(Run::rises).sum::<usize>(), 0);
}

#[test]
fn gossiped_loads_help_criterion_6_and_harm_the_relaxed_one() {
    let original = Run::all(&gossiped(Criterion::Original), 10_000);
    around(&original, "imbalance of 6", Run::end, 3.0..=5.5, 2.5..=6.0);
    let relaxed = Run::all(&gossiped(Criterion::Relaxed), 10_000);
    around(&relaxed, "imbalance of 6'", Run::end, 0.9..=1.8, 0.8..=2.8);
    // Several fill up the same one at once: no longer monotone.
    assert!(relaxed.iter().all(|run| run.rises() > 0));
}

#[test]
fn ours_ends_below_the_central_reference_and_never_rises() {
    for (objects, most) in [(10_000, 0.05), (1 << 15, 0.005)] {
        let runs = Run::all(&Config::DISTRIBUTED, objects);
        within(&runs, "imbalance", Run::end, 0.0..=most);
        for (seed, run) in (0..).zip(&runs) {
            assert!(run.made.iterations.len() <= 20 && run.rises() == 0, "seed {seed}");
            let instance = slides(objects, seed);
            let mut watch = |_: &_| ControlFlow::Continue(());
            let central = balance(&Method::Lpt, &instance, u64::MAX, &mut watch).unwrap();
            assert!(run.made.outcome.final_max <= central.outcome.final_max, "seed {seed}");
        }
    }
}

/// 10,000 equal loads, each on any of the processors; k = f = i = 4.
fn equal(criterion: Criterion, processors: u32) -> Vec<Run> {
    let config = Config { criterion, fanout: 4, rounds: 4, iterations: 4, ..Config::SLIDES };
    let loads = Loads::Uniform(Interval { low: 1.0, high: 1.0 });
    let setup = Setup { processors, objects: 10_000, on: processors, loads };
    let run = |seed| Run::of(&config, seed, &instance(phase(&setup, seed), processors));
    (0..20).into_par_iter().map(run).collect()
}

#[test]
fn equal_loads_are_evened_out() {
    // 10,000 = 39 × 256 + 16: sixteen have one more, which is 40 ÷ 39.0625 − 1 above the average.
    let optimum = 0.024;
    let relaxed = equal(Criterion::Relaxed, 256);
    within(&relaxed, "6' on 256", Run::end, optimum..=optimum + 1e-9);
    // Criterion 6 leaves most of what is above: nobody comes above the average. Measured with the
    // authors' program: .152 to .229, three seeds.
    let original = equal(Criterion::Original, 256);
    within(&original, "6 on 256", Run::end, optimum..=0.5);
    let middle = Quartiles::of(&original.iter().map(Run::end).collect::<Vec<_>>()).unwrap();
    assert!((0.1..0.25).contains(&middle.median), "{middle:?}");
    // On 100, where 100 each would be the optimum: 0 to .26, and 0 to .01.
    within(&equal(Criterion::Relaxed, 100), "6' on 100", Run::end, 0.0..=0.02);
    within(&equal(Criterion::Original, 100), "6 on 100", Run::end, 0.0..=0.3);
}

/// Returns the slide's application, k = f = 4 and i = 5, over 200 seeds.
fn recorded(instance: &Instance, criterion: Criterion) -> Vec<Run> {
    let config = Config { criterion, fanout: 4, rounds: 4, iterations: 5, ..Config::SLIDES };
    (0..200).into_par_iter().map(|seed| Run::of(&config, seed, instance)).collect()
}

#[test]
fn the_recorded_eight_processors_end_as_published() {
    let Some(traces) = real() else { return };
    let folder = traces.join("vt_example_lb_data");
    let trace = read(&[folder], Some("data"), LIMITS, &|| {}).unwrap();
    let instance = Instance::of_phase(trace.phases()[0].objects(), None).unwrap();
    let initial = Run::of(&RELAXED, 0, &instance).imbalances[0];
    assert!((initial - 3.4128).abs() < 5e-5, "{initial}");
    let original = recorded(&instance, Criterion::Original);
    // The authors' program: 2.280 to 2.349.
    around(&original, "6", Run::end, 2.28..=2.349, 2.24..=2.35);
    let relaxed = recorded(&instance, Criterion::Relaxed);
    let ends: Vec<f64> = relaxed.iter().map(Run::end).collect();
    // Karmarkar and Karp's method comes to .00159 there.
    within(&relaxed, "6'", Run::end, 0.0016..=0.4);
    let middle = Quartiles::of(&ends).unwrap();
    assert!((middle.median - 0.114).abs() < 0.02, "{middle:?}");
}

/// Returns the number of processors that know of the only underloaded one of `processors` after
/// `rounds`, and the counts of the gossip.
fn spread(processors: usize, fanout: u32, rounds: u32) -> (u64, Told) {
    let config = Config { fanout, rounds, ..Config::DISTRIBUTED };
    let mut memory = OwnedGrapevineMemory::new(&config, 0, processors);
    let mut memory = memory.lend();
    let mut underloaded = vec![false; processors];
    underloaded[processors / 3] = true;
    let moment = Moment { seed: 11, trial: 0, iteration: 0 };
    let bound = u32::MAX;
    let all = Rounds { config: &config, moment, underloaded: &underloaded, bound };
    let told = memory.knowledge.gossip(&all, &Serial);
    let mut heard = [ProcessorId(0); 1];
    let others = (0..).map(ProcessorId).take(processors);
    let knowing = others.filter(|&id| memory.knowledge.gather(id, &mut heard) > 0);
    // The source itself as well.
    (knowing.count() as u64 + 1, told)
}

/// Menon & Kalé 2013: 17 rounds with two, 8 with four.
#[test]
fn gossip_from_one_source_reaches_nearly_all() {
    const PROCESSORS: usize = 1 << 14;
    for (fanout, most) in [(2, 17), (4, 8)] {
        let mut before = (1, Told::default());
        let mut rounds = 0;
        while before.0 * 100 < PROCESSORS as u64 * 99 {
            rounds += 1;
            assert!(rounds <= most, "{} of {PROCESSORS} after {most} rounds", before.0);
            let after = spread(PROCESSORS, fanout, rounds);
            // Everybody who knows tells as many others as the fan-out one name each.
            let messages = after.1.messages - before.1.messages;
            assert_eq!(messages, before.0 * u64::from(fanout), "round {rounds}");
            assert_eq!(after.1.entries, after.1.messages);
            // Nobody hears of it but from somebody.
            assert!(after.0 > before.0 && after.0 <= before.0 + messages, "round {rounds}");
            before = after;
        }
        println!("fan-out {fanout}: {rounds} rounds, {} messages", before.1.messages);
    }
}

#[test]
fn gossip_costs_what_fan_out_and_rounds_say() {
    let first = |config: &Config| {
        let run = Run::of(&Config { iterations: 1, ..*config }, 1, &slides(10_000, 1));
        run.made.iterations[0].told
    };
    let (processors, underloaded) = (1 << 12, (1 << 12) - 16);
    // All know all underloaded ones soon, and then tell whoever is left: six of the sixteen.
    let all = first(&RELAXED);
    let most = processors * 6 * 10;
    assert!((underloaded * 6 * 10..=most).contains(&all.messages), "{all:?}");
    assert!(all.entries > all.messages * underloaded / 2, "{all:?}");
    assert!(all.entries <= all.messages * underloaded, "{all:?}");
    // Three each in four rounds, with 64 names and one's own at most.
    let few = first(&Config::DISTRIBUTED);
    assert!((underloaded * 3 * 4..=processors * 3 * 4).contains(&few.messages), "{few:?}");
    assert!(few.entries <= few.messages * (KNOWN_MAX as u64 + 1), "{few:?}");
}
