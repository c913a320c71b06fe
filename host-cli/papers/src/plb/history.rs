//! Section 3.4: the two methods that came before Algorithm 1, and their limits.
//!
//! Both move whole domains, one a worker. The workers differ in their work (the imbalance) and in
//! their pace (the range that cores are drawn from, and a parasite on one of them). The paper has
//! no numbers here; what it says is judged at the smallest imbalance where it says *some*, and over
//! all of them where it does not.

mod statements;

use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Imbalance, Mode};
use tresse_core::sim::machine::PaceRanges;

use super::growth::{BOUNDED, growth, spread_at_half};
use super::progress;
use crate::{Experiment, Plan, Row, Runs, Setting, spread};
use tresse_console::plots::{Curve, Picture, Titles, trends};
use tresse_engine::experiments::methods::Method;

pub(crate) const HISTORY: Experiment = Experiment {
    name: "plb-history",
    title: "Swap and gradient, which came before Algorithm 1, with uneven work and uneven cores",
    source: "Zarins & Weiland 2017, section 3.4 (no numbers are printed)",
    replicates: 3,
    plan: || {
        let of_pace = |pace: u32| {
            let ways = if pace == ARCHER { &WAYS[..] } else { &ON_ALL_PACES[..] };
            ways.iter().flat_map(move |way| IMBALANCES.map(|imbalance| way.at(imbalance, pace)))
        };
        Ok(Plan::of(PACES.into_iter().flat_map(of_pace), &[]))
    },
    rows,
    statements: statements::all,
    pictures,
};

/// Number of iterations that tells a bounded spread from one that grows.
const ITERATIONS: u64 = 4 * super::ITERATIONS;
/// Imbalances in percent.
const IMBALANCES: [u32; 8] = [0, 5, 10, 15, 20, 30, 40, 50];
/// Percentages by which a core may be faster or slower than the nominal one; sockets are alike.
const PACES: [u32; 4] = [3, 10, 20, 30];
const ARCHER: u32 = PACES[0];

/// A way to balance, with its thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    name: &'static str,
    split: u32,
    balance: Balance,
    thresholds: (u32, u32),
}

const fn way(name: &'static str, split: u32, balance: Balance, thresholds: (u32, u32)) -> Way {
    Way { name, split, balance, thresholds }
}

const MILLISECOND: Duration = Duration::from_millis(1);
const SELDOM: Duration = Duration::from_millis(20);
/// Thresholds of section 4.2; whole domains have none.
const THRESHOLDS: (u32, u32) = (2, 6);

const NONE: Way = way("none", 1, Balance::None, THRESHOLDS);
const SWAP: Way = way("swap(0.001)", 1, Balance::Swap(MILLISECOND), THRESHOLDS);
const SWAP_SELDOM: Way = way("swap(0.02)", 1, Balance::Swap(SELDOM), THRESHOLDS);
const GRADIENT: Way = way("gradient(0.001)", 1, Balance::Gradient(MILLISECOND), THRESHOLDS);
const SPLIT: Way = way("split(0.001), low 2, high 6", 4, Balance::Split(MILLISECOND), THRESHOLDS);
const JOINT: Way = way("joint(0.001), low 2, high 6", 4, Balance::Joint(MILLISECOND), THRESHOLDS);
const JOINT_WIDE: Way =
    way("joint(0.001), low 1, high 12", 4, Balance::Joint(MILLISECOND), (1, 12));

const WAYS: [Way; 7] = [NONE, SWAP, SWAP_SELDOM, GRADIENT, SPLIT, JOINT, JOINT_WIDE];
/// Methods that run on cores of all paces.
const ON_ALL_PACES: [Way; 3] = [GRADIENT, JOINT, JOINT_WIDE];

/// Returns a percentage as a share.
fn share(percent: u32) -> f64 {
    f64::from(percent) / 100.0
}

impl Way {
    /// Returns the label of the runs with an imbalance and a range of paces, in percent.
    fn label(self, imbalance: u32, pace: u32) -> String {
        format!("{}, imbalance {:.2}, pace ±{pace} %", self.name, share(imbalance))
    }

    /// Returns the setting with an imbalance and a range of paces, both in percent.
    fn at(self, imbalance: u32, pace: u32) -> Setting {
        let Self { name, split, balance, thresholds: (low, high) } = self;
        let mut made = progress(&Method { name, mode: Mode::Async, split, balance }, ITERATIONS);
        made.config.imbalance = Imbalance { millionths: imbalance * 10_000 };
        (made.config.plb.low, made.config.plb.high) = (low, high);
        made.hardware.paces = PaceRanges { core: pace * 10_000, ..PaceRanges::NONE };
        made.keeps_history = true;
        made.labelled(self.label(imbalance, pace))
    }

    /// Returns the imbalances, in percent, at which the spread is not bounded; `pace` is in
    /// percent.
    fn unbounded(self, runs: &Runs, pace: u32) -> Vec<u32> {
        let growth = |imbalance| runs.median(&self.label(imbalance, pace), growth);
        // What was not measured has no growth that is a number, and is not bounded.
        let is_bounded = |imbalance: &u32| growth(*imbalance) < BOUNDED;
        IMBALANCES.into_iter().filter(|imbalance| !is_bounded(imbalance)).collect()
    }

    /// Returns the imbalance from which on the spread is never bounded, or `None` where it is
    /// bounded at the largest.
    fn breakdown(self, runs: &Runs, pace: u32) -> Option<u32> {
        let unbounded = self.unbounded(runs, pace);
        IMBALANCES.into_iter().rev().take_while(|imbalance| unbounded.contains(imbalance)).last()
    }

    /// Returns the spread at the end over the imbalance.
    fn curve(self, runs: &Runs, pace: u32, name: String) -> Curve {
        let spreads = |imbalance| runs.figures(&self.label(imbalance, pace), spread);
        Curve::of_samples(name, IMBALANCES.map(|imbalance| (share(imbalance), spreads(imbalance))))
    }
}

/// Returns the spreads of all ways by imbalance, and the imbalances at which they break down.
fn rows(runs: &Runs) -> Vec<Row> {
    let settings = WAYS.into_iter().flat_map(|way| IMBALANCES.map(|imbalance| (way, imbalance)));
    let spreads = settings.flat_map(|(way, imbalance)| {
        let label = way.label(imbalance, ARCHER);
        let name = format!("{}, imbalance {:.2}", way.name, share(imbalance));
        let [half, end] = [spread_at_half, spread].map(|figure| runs.figures(&label, figure));
        [
            Row::of(format!("{name}, spread at half"), "updates", None, &half),
            Row::of(format!("{name}, spread at the end"), "updates", None, &end),
        ]
    });
    let breakdowns = ON_ALL_PACES.into_iter().flat_map(|way| {
        PACES.map(|pace| {
            let found: Vec<f64> = way.breakdown(runs, pace).map(share).into_iter().collect();
            let name = format!("{}, pace ±{pace} %, breaks down at", way.name);
            Row::of(name, "imbalance", None, &found)
        })
    });
    spreads.chain(breakdowns).collect()
}

/// Draws the spread over the imbalance: all ways, and then each on all ranges of paces.
fn pictures(runs: &Runs) -> Vec<(String, Picture)> {
    let picture = |curves: &[Curve], title: &str| {
        trends(curves, Titles { title, x: "workload imbalance", y: "spread at the end (updates)" })
    };
    let ways = WAYS.map(|way| way.curve(runs, ARCHER, way.name.to_owned()));
    let title = "Section 3.4: spread with uneven work, cores within ±3 %, one noisy";
    let first = ("ways".to_owned(), picture(&ways, title));
    let stems = ["gradient", "joint", "joint-wide"];
    let others = ON_ALL_PACES.into_iter().zip(stems).map(|(way, stem)| {
        let curve = |pace| way.curve(runs, pace, format!("cores within ±{pace} %"));
        let title = format!("Section 3.4, uneven work on uneven cores: {}", way.name);
        (stem.to_owned(), picture(&PACES.map(curve), &title))
    });
    [first].into_iter().chain(others).collect()
}
