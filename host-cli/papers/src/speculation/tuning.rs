//! Slides 33 to 38: execution time over chunk size and release interval, small trees on 4 nodes.

mod statements;

use super::choice::{Choice, remarks, seconds, slowdown};
use super::published::TUNING_SOURCE;
use super::way::Way;
use crate::{Experiment, Plan, Row, Runs};
use tresse_console::plots::{Curve, Matrix, Picture, Titles, family, matrix};

pub(crate) const TUNING: Experiment = Experiment {
    name: "speculation-tuning",
    title: "Execution time over chunk size and release interval, original beside speculative",
    source: TUNING_SOURCE,
    replicates: 1,
    plan: || {
        let settings = [GEOMETRIC, BINOMIAL].into_iter().flat_map(Plane::all).map(Choice::setting);
        Ok(Plan { remarks: remarks(TREES), ..Plan::of(settings, &[]) })
    },
    rows,
    statements: statements::all,
    pictures: |runs| {
        let ways = WAYS.into_iter().map(|way| GEOMETRIC.times(runs, way));
        let planes = [GEOMETRIC, BINOMIAL].into_iter();
        let slowdowns = planes.flat_map(|plane| TUNED.map(|way| plane.slowdowns(runs, way)));
        ways.chain(slowdowns).collect()
    },
};

const TREES: &str = "the geometric T1 (4,130,071 nodes, depth 10) stands for the slides' small one \
                     (T1L, 102,181,082 nodes, depth 13); a shallower tree leaves workers fewer \
                     nodes to spare, so that large chunks starve the others earlier. The binomial \
                     T3 (4,112,897 nodes) stands for T3L (111,345,631 nodes), of which slides 33 to \
                     38 show nothing";
/// Number of ranks: 4 nodes of 12 cores.
const RANKS: u32 = 48;
/// Interval in the label of the adaptive way, which has none to choose.
const ANY_INTERVAL: u32 = 128;

/// The ways that have a chunk and an interval to choose.
const TUNED: [Way; 3] = [Way::Original, Way::Published, Way::Ours];
const WAYS: [Way; 4] = [Way::Original, Way::Published, Way::Ours, Way::Adaptive];

/// All choices of a tree.
#[derive(Clone, Copy, Debug)]
struct Plane {
    kind: &'static str,
    tree: &'static str,
    chunks: &'static [u32],
    intervals: &'static [u32],
}

/// Choices for geometric trees: chunks on the slides' axis from 1 to 100; intervals are powers of
/// two, as on slide 37.
const GEOMETRIC: Plane = Plane {
    kind: "geometric",
    tree: "T1",
    chunks: &[1, 2, 4, 8, 12, 20, 32, 50, 100],
    intervals: &[4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536],
};

/// Choices for binomial trees, fewer of each, beside those of the slides.
const BINOMIAL: Plane = Plane {
    kind: "binomial",
    tree: "T3",
    chunks: &[1, 4, 12, 20, 50, 100],
    intervals: &[4, 32, 128, 1024, 16_384],
};

/// Choices in the printed table: small chunks and intervals, the slides' best, and larger ones.
const SHOWN: [(u32, u32); 5] = [(4, 16), (8, 32), (12, 128), (20, 128), (50, 1024)];

impl Plane {
    /// Returns a choice of this plane; the adaptive way has no interval of its own.
    const fn choice(self, way: Way, chunk: u32, interval: u32) -> Choice {
        let interval = if matches!(way, Way::Adaptive) { ANY_INTERVAL } else { interval };
        Choice::new(self.tree, RANKS, way, (chunk, interval))
    }

    /// Returns the choices of one way, interval by interval.
    fn of(self, way: Way) -> Vec<Choice> {
        let intervals = if way == Way::Adaptive { &[ANY_INTERVAL][..] } else { self.intervals };
        let row = |&interval: &u32| {
            self.chunks.iter().map(move |&chunk| self.choice(way, chunk, interval))
        };
        intervals.iter().flat_map(row).collect()
    }

    /// Returns the choices of all ways.
    fn all(self) -> impl Iterator<Item = Choice> {
        WAYS.into_iter().flat_map(move |way| self.of(way))
    }

    /// Returns a picture as on the slides: a line for each interval, and the same axes for all
    /// ways.
    fn times(self, runs: &Runs, way: Way) -> (String, Picture) {
        let milliseconds = |choice: Choice| -> Vec<f64> {
            let seconds = runs.figures(&choice.label(), seconds);
            seconds.into_iter().map(|seconds| seconds * 1e3).collect()
        };
        let line = |interval: u32, name: String| {
            let point =
                |&chunk: &u32| (f64::from(chunk), milliseconds(self.choice(way, chunk, interval)));
            Curve::of_samples(name, self.chunks.iter().map(point))
        };
        let (curves, x) = if way == Way::Adaptive {
            (vec![line(ANY_INTERVAL, "no interval".to_owned())], "largest chunk")
        } else {
            let name = |interval: u32| format!("interval {interval}");
            let lines = self.intervals.iter().map(|&interval| line(interval, name(interval)));
            (lines.collect(), "chunk size")
        };
        let all: Vec<f64> = self.all().flat_map(milliseconds).collect();
        let title = format!("Slide 38: {}, {} on {RANKS} ranks", way.name(), self.tree);
        let titles = Titles { title: &title, x, y: "execution time (virtual ms)" };
        (format!("time-{}", way.stem()), family(&curves, &all, titles))
    }

    /// Draws the slowdown of a way over chunk and interval.
    fn slowdowns(self, runs: &Runs, way: Way) -> (String, Picture) {
        let cells: Vec<f64> =
            self.of(way).into_iter().map(|choice| choice.median(runs, slowdown)).collect();
        let names = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>();
        let (chunks, intervals) = (names(self.chunks), names(self.intervals));
        let (columns, rows) = (("chunk size", &*chunks), ("release interval", &*intervals));
        let title = format!("time ÷ ideal: {}, {} on {RANKS} ranks", way.name(), self.tree);
        let picture = matrix(&Matrix { columns, rows, cells: &cells }, &title);
        (format!("slowdown-{}-{}", self.kind, way.stem()), picture)
    }
}

/// Returns the figures of the choices that are shown, and of the adaptive way.
fn rows(runs: &Runs) -> Vec<Row> {
    let tuned = SHOWN
        .into_iter()
        .flat_map(|(chunk, interval)| TUNED.map(|way| GEOMETRIC.choice(way, chunk, interval)));
    let adaptive = [12, 100].map(|chunk| GEOMETRIC.choice(Way::Adaptive, chunk, 0));
    tuned.chain(adaptive).flat_map(|choice| choice.rows(runs)).collect()
}
