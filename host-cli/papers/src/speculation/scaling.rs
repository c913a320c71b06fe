//! Slides 40 and 41: execution time from ten to a thousand ranks, both kinds of trees.

use super::choice::{Choice, manager_busy, remarks, seconds, slowdown};
use super::published::{BEST, SCALING_SOURCE};
use super::way::{COLLAPSE, Way};
use crate::{Experiment, Plan, Runs, Statement, above, joined, says};
use tresse_console::plots::{Curve, Picture, Titles, trends};

pub(crate) const SCALING: Experiment = Experiment {
    name: "speculation-scaling",
    title: "Execution time from 12 to 1,000 ranks, original beside speculative",
    source: SCALING_SOURCE,
    replicates: 1,
    plan: || {
        let settings = all().map(Choice::setting);
        Ok(Plan { remarks: remarks(&trees()), ..Plan::of(settings, &[]) })
    },
    rows: |runs| all().flat_map(|choice| choice.rows(runs)).collect(),
    statements,
    pictures: |runs| KINDS.map(|kind| kind.picture(runs)).into(),
};

/// A kind of tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    name: &'static str,
    slide: u32,
    tree: &'static str,
    in_place_of: &'static str,
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "geometric",
        slide: 40,
        tree: "T1L",
        in_place_of: "T1L (102,181,082 nodes, depth 13) stands for the slides' geometric tree, \
                      which by the times on slide 40 is the large one (T1XXL, 4,230,646,601 nodes)",
    },
    Kind {
        name: "binomial",
        slide: 41,
        tree: "T3L",
        in_place_of: "T3L (111,345,631 nodes, depth 17,844) for the binomial one, which may be the \
                      medium one (T3XXL, 2,793,220,501 nodes)",
    },
];

/// Numbers of ranks: those of a node, then of 4, 16, 40 and 84.
const RANKS: [u32; 5] = [12, 48, 192, 480, 1000];
const WAYS: [Way; 4] = [Way::Original, Way::Published, Way::Ours, Way::Adaptive];
const SPECULATIVE: [Way; 3] = [Way::Published, Way::Ours, Way::Adaptive];

fn trees() -> String {
    joined(KINDS.map(|kind| kind.in_place_of.to_owned()), "; ")
}

/// Returns every way with every number of ranks, on both kinds of trees.
fn all() -> impl Iterator<Item = Choice> {
    let of = |kind: Kind| {
        WAYS.into_iter().flat_map(move |way| RANKS.map(|ranks| kind.choice(way, ranks)))
    };
    KINDS.into_iter().flat_map(of)
}

impl Kind {
    /// Returns the choice of a way and a number of ranks, with the best chunk and interval.
    fn choice(self, way: Way, ranks: u32) -> Choice {
        let (interval, chunk) = BEST;
        match way {
            Way::Adaptive => Choice::adaptive(self.tree, ranks),
            _ => Choice::new(self.tree, ranks, way, (chunk, interval)),
        }
    }

    /// Draws the execution time of all ways over the number of ranks.
    fn picture(self, runs: &Runs) -> (String, Picture) {
        let milliseconds = |choice: Choice| {
            let samples = runs.figures(&choice.label(), seconds).into_iter();
            samples.map(|seconds| seconds * 1e3).collect()
        };
        let curve = |way: Way| {
            let times = RANKS.map(|ranks| (ranks.into(), milliseconds(self.choice(way, ranks))));
            Curve::of_samples(way.name(), times)
        };
        let curves = WAYS.map(curve);
        let title = format!("Slide {}: {} tree, {}", self.slide, self.name, self.tree);
        let titles = Titles { title: &title, x: "ranks", y: "execution time (virtual ms)" };
        (format!("time-{}", self.name), trends(&curves, titles))
    }
}

/// Judges the statements of slides 40 to 42.
fn statements(runs: &Runs) -> Vec<Statement> {
    let scales = |kind: Kind| SPECULATIVE.map(|way| kind.scales_further(runs, way));
    let efficient = KINDS.map(|kind| kind.is_efficient(runs));
    KINDS.into_iter().flat_map(scales).chain(efficient).collect()
}

/// Factor by which a way should be faster than the original with the most ranks.
const FASTER: f64 = 1.1;
/// Share of the workers' time that should be left for tasks with the most ranks.
const EFFICIENT: f64 = 0.8;
/// Remark about sharing, which does not scale on a binomial tree.
const THIN: &str = "most subtrees of a binomial tree have a handful of nodes: who is given some asks again at \
                    once, and with so many workers the busiest manager has more to do than it can";

impl Kind {
    /// Judges whether a speculative way gains on the original, and the more, the more ranks.
    fn scales_further(self, runs: &Runs, way: Way) -> Statement {
        let time = |way, ranks| self.choice(way, ranks).median(runs, seconds);
        let gains = RANKS.map(|ranks| time(Way::Original, ranks) / time(way, ranks));
        let [fewest, .., most] = gains;
        let whose = if way == Way::Published { "" } else { "ours: " };
        let [first, .., last] = RANKS;
        says(format!(
            "{whose}{}, {} tree: exhibits a higher scalability (slides {}, 42): with {last} ranks it is \
             faster than the original by a tenth or more, and by more than with {first} (limit ours)",
            way.name(),
            self.name,
            self.slide
        ))
        .within([most], FASTER..)
        .within([most - fewest], above(0.0))
        .shown(format!(
            "as fast as the original: {}; times the ideal with {last} ranks: {:.2}, original {:.2}; the \
             busiest manager busy for {:.0} %, original {:.0} %",
            listed(RANKS.into_iter().zip(gains)),
            self.choice(way, last).median(runs, slowdown),
            self.choice(Way::Original, last).median(runs, slowdown),
            self.choice(way, last).median(runs, manager_busy),
            self.choice(Way::Original, last).median(runs, manager_busy),
        ))
        .or_because(match way {
            Way::Published => COLLAPSE,
            _ => THIN,
        })
    }

    /// Judges whether the adaptive way stays efficient with the most ranks.
    fn is_efficient(self, runs: &Runs) -> Statement {
        let efficiency = |ranks| 1.0 / self.choice(Way::Adaptive, ranks).median(runs, slowdown);
        let [.., last] = RANKS;
        let all = RANKS.map(|ranks| (ranks, efficiency(ranks)));
        let busy = self.choice(Way::Adaptive, last).median(runs, manager_busy);
        says(format!(
            "ours: adaptive, {} tree: keeps {:.0} % of the workers' time for tasks with {last} ranks",
            self.name,
            EFFICIENT * 100.0
        ))
        .within([efficiency(last)], EFFICIENT..)
        .shown(format!(
            "of the ideal: {}; the busiest manager busy for {busy:.0} % with {last} ranks",
            listed(all)
        ))
        .or_because(THIN)
    }
}

/// Returns text such as `12: 1.00, 48: 1.02`.
fn listed(all: impl IntoIterator<Item = (u32, f64)>) -> String {
    joined(all.into_iter().map(|(ranks, figure)| format!("{ranks}: {figure:.2}")), ", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Fault, check};
    use crate::{PoolFigures, Run};

    /// Sets the times of a run so that the original loses with many ranks.
    fn normal(run: &mut Run) {
        let loses = run.setting.contains("1000 ranks, original");
        let seconds = if loses { 2.0 } else { 1.0 };
        run.pool = PoolFigures { seconds, ideal_seconds: 0.9, ..run.pool };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 9] = [
            ("T1L on 1000 ranks, speculative as published", |run| run.pool.seconds = 1.9, &[0]),
            ("T1L on 12 ranks, speculative as published", |run| run.pool.seconds = 0.4, &[0]),
            ("T1L on 1000 ranks, speculative, ours", |run| run.pool.seconds = 1.9, &[1]),
            ("T1L on 1000 ranks, adaptive", |run| run.pool.seconds = 1.9, &[2, 6]),
            ("T3L on 1000 ranks, speculative as published", |run| run.pool.seconds = 1.9, &[3]),
            ("T3L on 1000 ranks, speculative, ours", |run| run.pool.seconds = 1.9, &[4]),
            ("T3L on 1000 ranks, adaptive", |run| run.pool.seconds = 1.9, &[5, 7]),
            ("T1L on 1000 ranks, adaptive", |run| run.pool.ideal_seconds = 0.79, &[6]),
            ("T3L on 1000 ranks, adaptive", |run| run.pool.ideal_seconds = 0.79, &[7]),
        ];
        check(&SCALING, 1, normal, &faults);
    }
}
