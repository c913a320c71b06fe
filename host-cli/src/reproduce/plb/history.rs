//! Section 3.4: the two methods that came before Algorithm 1, and why they were not enough.
//!
//! Both move whole domains, one a worker. The workers differ in their work (the imbalance) and in
//! their pace (the range that cores are drawn from, and a parasite on one of them). The paper has no
//! numbers here; what it says is judged at the smallest imbalance where it says *some*, and over all
//! of them where it does not.

mod statements;

use tresse_core::machine::{Hardware, PaceRanges};
use tresse_core::run::{Balance, Imbalance, Mode, PlbParams, RunConfig};
use tresse_core::time::Duration;

use super::progress;
use super::trend::{BOUNDED, median_growth, of_histories, spread, spread_at_half};
use crate::methods::Method;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::lines::{Curve, trends};
use crate::report::plots::{Titles, write_pair};
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row};
use crate::reproduce::runs::{Runs, Simulated};

pub(in crate::reproduce) const HISTORY: Experiment = Experiment {
    name: "plb-history",
    title: "Swap and gradient, which came before Algorithm 1, with uneven work and uneven cores",
    source: "Zarins & Weiland 2017, section 3.4 (no numbers are printed)",
    replicates: 3,
    evaluation: &Simulated { plan, evaluate, draw, remarks: &[] },
};

/// Long enough to tell a bounded spread from one that grows.
const ITERATIONS: u64 = 4 * progress::ITERATIONS;
/// In percent.
const IMBALANCES: [u32; 8] = [0, 5, 10, 15, 20, 30, 40, 50];
/// By how many percent a core may be faster or slower than the nominal one; sockets are alike.
const PACES: [u32; 4] = [3, 10, 20, 30];
const ARCHER: u32 = PACES[0];

/// A way to balance, and by which thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    method: Method,
    thresholds: (u32, u32),
}

const fn way(name: &'static str, split: u32, balance: Balance, thresholds: (u32, u32)) -> Way {
    Way { method: Method { name, mode: Mode::Async, split, balance }, thresholds }
}

const MILLISECOND: Duration = Duration::from_millis(1);
/// Those of section 4.2; whole domains know none.
const THRESHOLDS: (u32, u32) = (2, 6);

const NONE: Way = way("none", 1, Balance::None, THRESHOLDS);
const SWAP: Way = way("swap(0.001)", 1, Balance::Swap(MILLISECOND), THRESHOLDS);
const SELDOM: Duration = Duration::from_millis(20);
const SWAP_SELDOM: Way = way("swap(0.02)", 1, Balance::Swap(SELDOM), THRESHOLDS);
const GRADIENT: Way = way("gradient(0.001)", 1, Balance::Gradient(MILLISECOND), THRESHOLDS);
const SPLIT: Way = way("split(0.001), low 2, high 6", 4, Balance::Split(MILLISECOND), THRESHOLDS);
const JOINT: Way = way("joint(0.001), low 2, high 6", 4, Balance::Joint(MILLISECOND), THRESHOLDS);
const JOINT_WIDE: Way =
    way("joint(0.001), low 1, high 12", 4, Balance::Joint(MILLISECOND), (1, 12));

const WAYS: [Way; 7] = [NONE, SWAP, SWAP_SELDOM, GRADIENT, SPLIT, JOINT, JOINT_WIDE];
/// Those that meet cores of all paces.
const ON_ALL_PACES: [Way; 3] = [GRADIENT, JOINT, JOINT_WIDE];

fn share(percent: u32) -> f64 {
    f64::from(percent) / 100.0
}

fn label(way: Way, imbalance: u32, pace: u32) -> String {
    format!("{}, imbalance {:.2}, pace ±{pace} %", way.method.name, share(imbalance))
}

fn setting(way: Way, imbalance: u32, pace: u32) -> Setting {
    let setting = progress::setting(label(way, imbalance, pace), &way.method, ITERATIONS);
    let (low, high) = way.thresholds;
    let config = RunConfig {
        imbalance: Imbalance { millionths: imbalance * 10_000 },
        plb: PlbParams { low, high, ..setting.config.plb },
        ..setting.config
    };
    let paces = PaceRanges { core: pace * 10_000, ..PaceRanges::NONE };
    let hardware = Hardware { paces, ..setting.hardware };
    Setting { config, hardware, keeps_history: true, ..setting }
}

fn plan() -> Plan {
    let of_pace = |pace: u32| {
        let ways = if pace == ARCHER { &WAYS[..] } else { &ON_ALL_PACES[..] };
        ways.iter().flat_map(move |&way| IMBALANCES.map(|imbalance| setting(way, imbalance, pace)))
    };
    Plan { settings: PACES.into_iter().flat_map(of_pace).collect() }
}

fn evaluate(runs: &Runs) -> Outcome {
    let mut rows = Vec::new();
    for way in WAYS {
        for imbalance in IMBALANCES {
            let label = label(way, imbalance, ARCHER);
            let name = format!("{}, imbalance {:.2}", way.method.name, share(imbalance));
            let half = of_histories(runs, &label, spread_at_half);
            rows.push(Row::of(format!("{name}, spread at half"), "updates", None, &half));
            let end = runs.figures(&label, spread);
            rows.push(Row::of(format!("{name}, spread at the end"), "updates", None, &end));
        }
    }
    for way in ON_ALL_PACES {
        for pace in PACES {
            let found: Vec<f64> = breakdown(runs, way, pace).map(share).into_iter().collect();
            let name = format!("{}, pace ±{pace} %, breaks down at", way.method.name);
            rows.push(Row::of(name, "imbalance", None, &found));
        }
    }
    Outcome { rows, statements: statements::all(runs) }
}

/// The imbalances where a way's spread is not bounded.
fn unbounded(runs: &Runs, way: Way, pace: u32) -> Vec<u32> {
    let growth = |imbalance| median_growth(runs, &label(way, imbalance, pace));
    // What was not measured has no growth that is a number, and is not bounded.
    let is_bounded = |imbalance: &u32| growth(*imbalance) < BOUNDED;
    IMBALANCES.into_iter().filter(|imbalance| !is_bounded(imbalance)).collect()
}

/// From which imbalance on a way's spread is never bounded; none where it is at the largest.
fn breakdown(runs: &Runs, way: Way, pace: u32) -> Option<u32> {
    let unbounded = unbounded(runs, way, pace);
    IMBALANCES.into_iter().rev().take_while(|imbalance| unbounded.contains(imbalance)).last()
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    let trend = |way: Way, pace: u32, name: String| {
        let spreads = |imbalance| runs.figures(&label(way, imbalance, pace), spread);
        Curve::of_samples(name, IMBALANCES.map(|imbalance| (share(imbalance), spreads(imbalance))))
    };
    let (x, y) = ("workload imbalance", "spread at the end (updates)");
    let ways = WAYS.map(|way| trend(way, ARCHER, way.method.name.to_owned()));
    let title = "Section 3.4: spread with uneven work, cores within ±3 %, one noisy";
    write_pair(&trends(&ways, Titles { title, x, y }), out, "ways")?;
    for (way, stem) in [(GRADIENT, "gradient"), (JOINT, "joint"), (JOINT_WIDE, "joint-wide")] {
        let paces = PACES.map(|pace| trend(way, pace, format!("cores within ±{pace} %")));
        let title = format!("Section 3.4, uneven work on uneven cores: {}", way.method.name);
        write_pair(&trends(&paces, Titles { title: &title, x, y }), out, stem)?;
    }
    Ok(())
}
