//! Slide 46, its last claim: where data dependences limit the parallelism, as in the depth-first
//! traversal of a graph, speculation helps stealing.

use tresse_core::sim::machine::Paths;
use tresse_core::sim::virtual_pool::PoolCosts;
use tresse_core::tasks::traversal::RandomGraph;

use super::choice::{idle, machine, rows_of, seconds};
use super::published::BEST;
use super::way::Way;
use crate::{
    Figure, Pooling, Row, Runs, Setting, Statement, Workload, above, joined, listed, says,
};
use tresse_console::plots::{Curve, Picture, Titles, trends};
use tresse_draw::statistics::least;

/// The ways, those without speculation first.
const WAYS: [Way; 6] = [
    Way::Stealing,
    Way::PrefetchStealing,
    Way::SpeculativeStealing,
    Way::Original,
    Way::Ours,
    Way::Adaptive,
];
const CHUNKS: [u32; 8] = [1, 2, 4, 8, 12, 20, 48, 96];
/// Best interval and best chunk of the slides.
const INTERVAL: u32 = BEST.0;
const CHUNK: u32 = BEST.1;
const WORKERS: u32 = 47;
/// Factor by which speculation should be quicker.
const QUICKER: f64 = 1.3;
/// Factor by which speculation is at most quicker where nothing is limited, as on trees.
const NO_QUICKER: f64 = 1.05;

/// A graph, and the distance of the ranks from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    name: &'static str,
    stem: &'static str,
    graph: RandomGraph,
    /// Whether two ranks of a node are as far from each other as two nodes.
    is_flat: bool,
}

const THIN_GRAPH: RandomGraph = RandomGraph { vertices: 100_000, degree: 4, span: 64, seed: 1 };
const FAR: Place = Place {
    name: "thin graph, 2 us between any two",
    stem: "thin",
    graph: THIN_GRAPH,
    is_flat: true,
};
const NEAR: Place = Place {
    name: "thin graph, nodes of 12 ranks",
    stem: "thin-nodes",
    graph: THIN_GRAPH,
    is_flat: false,
};
const WIDE: Place = Place {
    name: "wide graph, 2 us between any two",
    stem: "wide",
    graph: RandomGraph { vertices: 100_000, degree: 4, span: 99_999, seed: 1 },
    is_flat: true,
};
const PLACES: [Place; 3] = [FAR, NEAR, WIDE];

/// Remark that describes the graphs, for readers of the figures.
pub(super) const GRAPHS: &str = "graphs: of 100,000 vertices with 4 arcs each. In the thin one these lead up to 64 \
                                 vertices ahead, so that there are 1,769 steps from the first vertex to the \
                                 farthest, and 55 vertices at a time in the mean; in the wide one anywhere, in 13 \
                                 steps. The slide names neither a graph nor a number: that speculation is to be 1.3 \
                                 times as fast with 47 workers, 2 us apart, is a limit of ours";

impl Place {
    /// Returns the label of a way's runs with a chunk.
    fn label(self, way: Way, chunk: u32) -> String {
        format!("{}, {}, chunk {chunk}", self.name, way.name())
    }

    /// Returns the setting of a way. On a flat machine any two ranks are as far apart as two nodes.
    fn setting(self, way: Way, chunk: u32) -> Setting {
        let hardware = machine(WORKERS + 1);
        let network = hardware.costs.halo.network;
        let mut flat = hardware.clone();
        flat.costs.halo = Paths { core: network, socket: network, node: network, network };
        let pooling = Pooling {
            workload: Workload::Traversal(self.graph),
            config: way.config(chunk, INTERVAL),
            managers: way.managers(WORKERS),
            hardware: if self.is_flat { flat } else { hardware },
            costs: PoolCosts::default(),
        };
        pooling.labelled(self.label(way, chunk))
    }

    /// Returns the median of a figure over the runs of a way with a chunk.
    fn median(self, runs: &Runs, way: Way, chunk: u32, figure: Figure) -> f64 {
        runs.median(&self.label(way, chunk), figure)
    }

    /// Returns the median execution time in virtual seconds.
    fn time(self, runs: &Runs, way: Way, chunk: u32) -> f64 {
        self.median(runs, way, chunk, seconds)
    }

    /// Returns the shortest time with any chunk.
    fn best(self, runs: &Runs, way: Way) -> f64 {
        least(CHUNKS.map(|chunk| self.time(runs, way, chunk)))
    }

    /// Returns the time of one way ÷ that of another with a chunk.
    fn gain(self, runs: &Runs, [slow, quick]: [Way; 2], chunk: u32) -> f64 {
        self.time(runs, slow, chunk) / self.time(runs, quick, chunk)
    }

    /// Draws the execution time of all ways over the chunk.
    fn picture(self, runs: &Runs) -> (String, Picture) {
        let curve = |way: Way| {
            let milliseconds = |chunk: u32| -> Vec<f64> {
                let seconds = runs.figures(&self.label(way, chunk), seconds);
                seconds.into_iter().map(|seconds| seconds * 1e3).collect()
            };
            Curve::of_samples(way.name(), CHUNKS.map(|chunk| (chunk.into(), milliseconds(chunk))))
        };
        let title = format!("Slide 46: {}, {WORKERS} workers", self.name);
        let titles = Titles { title: &title, x: "chunk size", y: "execution time (virtual ms)" };
        (format!("time-{}", self.stem), trends(&WAYS.map(curve), titles))
    }
}

/// Returns every way with every chunk, at every place.
pub(super) fn settings() -> impl Iterator<Item = Setting> {
    let of = |place: Place, way| CHUNKS.map(|chunk| place.setting(way, chunk));
    PLACES.into_iter().flat_map(move |place| WAYS.into_iter().flat_map(move |way| of(place, way)))
}

/// Returns the rows of the slides' best chunk.
pub(super) fn rows(runs: &Runs) -> Vec<Row> {
    let of = |place: Place| WAYS.map(|way| rows_of(runs, &place.label(way, CHUNK)));
    PLACES.into_iter().flat_map(of).flatten().collect()
}

/// Returns a picture for each place.
pub(super) fn pictures(runs: &Runs) -> impl Iterator<Item = (String, Picture)> {
    PLACES.into_iter().map(|place| place.picture(runs))
}

const PLAIN_AND_A: [Way; 2] = [Way::Stealing, Way::SpeculativeStealing];

/// Judges where speculation helps the traversal of a graph.
pub(super) fn statements(runs: &Runs) -> Vec<Statement> {
    vec![
        helps(runs, FAR),
        helps(runs, NEAR),
        helps_at_best(runs),
        helps_more_than_prefetching(runs),
        helps_sharing(runs),
        does_not_help_where_nothing_is_limited(runs),
    ]
}

/// Judges whether speculation helps stealing with the slides' chunk.
fn helps(runs: &Runs, place: Place) -> Statement {
    let by_chunk = listed(CHUNKS, |chunk| format!("{:.2}", place.gain(runs, PLAIN_AND_A, chunk)));
    let idles = PLAIN_AND_A.map(|way| place.median(runs, way, CHUNK, idle));
    says(format!(
        "{}: A is at least {QUICKER} times as fast as stealing with the slides' best chunk of {CHUNK} (slide \
         46: helpful where data dependences limit the parallelism; limit ours)",
        place.name
    ))
    .within([place.gain(runs, PLAIN_AND_A, CHUNK)], QUICKER..)
    .shown(format!(
        "{:.2} times; by chunk {by_chunk}; idle with {CHUNK}: stealing {:.0} %, A {:.0} %",
        place.gain(runs, PLAIN_AND_A, CHUNK),
        idles[0],
        idles[1]
    ))
    .or_because(
        "on the same node an answer takes less than two tasks do: there is less for speculation to hide",
    )
}

/// Judges whether speculation helps stealing where each has its own best chunk.
fn helps_at_best(runs: &Runs) -> Statement {
    let [slow, quick] = PLAIN_AND_A.map(|way| FAR.best(runs, way));
    let all = listed_best(runs);
    says(format!(
        "{}: A is at least {QUICKER} times as fast as stealing also where each has the chunk that suits it \
         best",
        FAR.name
    ))
    .within([slow / quick], QUICKER..)
    .shown(format!("{:.2} times; milliseconds with the best chunk: {all}", slow / quick))
    .or_because(
        "a depth-first search leaves long queues behind it, most of whose tasks have nothing after them: who \
         steals hundreds at a time waits as seldom as who speculates",
    )
}

/// Lists the time of each way with its best chunk, in virtual milliseconds.
fn listed_best(runs: &Runs) -> String {
    let best = WAYS.map(|way| format!("{} {:.2}", way.name(), FAR.best(runs, way) * 1e3));
    joined(best, ", ")
}

/// Judges whether speculation helps more than prefetching does.
fn helps_more_than_prefetching(runs: &Runs) -> Statement {
    let ways = [Way::PrefetchStealing, Way::SpeculativeStealing];
    let gains =
        |place: Place| listed(CHUNKS, |chunk| format!("{:.2}", place.gain(runs, ways, chunk)));
    says(format!(
        "thin graph: with chunk {CHUNK}, A is quicker than B: prefetching does not do where data dependences \
         limit the parallelism (slides 12, 46)"
    ))
    .within([FAR, NEAR].map(|place| place.gain(runs, ways, CHUNK)), above(1.0))
    .shown(format!(
        "by chunk, 2 us between any two: {}; nodes of 12 ranks: {}",
        gains(FAR),
        gains(NEAR)
    ))
}

/// Judges whether speculation helps sharing by a manager.
fn helps_sharing(runs: &Runs) -> Statement {
    let ways = [Way::Original, Way::Ours];
    says(format!(
        "ours: {}: speculative sharing is at least {QUICKER} times as fast as the original with chunk {CHUNK} \
         (of sharing the slide says nothing)",
        FAR.name
    ))
    .within([FAR.gain(runs, ways, CHUNK)], QUICKER..)
    .shown(format!(
        "by chunk {}",
        listed(CHUNKS, |chunk| format!("{:.2}", FAR.gain(runs, ways, chunk)))
    ))
}

/// Judges whether speculation gains little where parallelism abounds.
fn does_not_help_where_nothing_is_limited(runs: &Runs) -> Statement {
    says(format!(
        "{}: where nothing limits the parallelism, A gains no more than it does on trees: {:.0} % at most with \
         chunk {CHUNK}",
        WIDE.name,
        (NO_QUICKER - 1.0) * 100.0
    ))
    .within([WIDE.gain(runs, PLAIN_AND_A, CHUNK)], ..=NO_QUICKER)
    .shown(format!("by chunk {}", listed(CHUNKS, |chunk| {
        format!("{:.2}", WIDE.gain(runs, PLAIN_AND_A, chunk))
    })))
}
