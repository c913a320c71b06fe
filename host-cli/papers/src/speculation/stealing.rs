//! Slide 46: speculative stealing beside prefetching, on trees, and on graphs ([`traversal`]).

use super::choice::{Choice, idle, remarks, seconds, slowdown};
use super::published::{BEST, STEALING_BENEFIT, STEALING_SOURCE};
use super::traversal;
use super::way::Way;
use crate::{Experiment, Plan, Runs, Statement, above, joined, listed, says};
use tresse_console::plots::{Curve, Picture, Titles, trends};
use tresse_draw::statistics::least;

pub(crate) const STEALING: Experiment = Experiment {
    name: "speculation-stealing",
    title: "Speculative stealing beside stealing with prefetching",
    source: STEALING_SOURCE,
    replicates: 5,
    plan: || {
        let settings = all().map(Choice::setting).chain(traversal::settings());
        let remarks = remarks(TREES).into_iter().chain([traversal::GRAPHS.to_owned()]).collect();
        Ok(Plan { remarks, ..Plan::of(settings, &[]) })
    },
    rows: |runs| {
        let shown = all().filter(|choice| choice.chunk == CHUNK);
        shown.flat_map(|choice| choice.rows(runs)).chain(traversal::rows(runs)).collect()
    },
    statements: |runs| {
        let overall = [prefetching_is_slower(runs), prefetching_is_slower_at_best(runs)];
        let on_trees = overall.into_iter().chain([base_line_has_little_idle_time(runs)]);
        on_trees.chain(traversal::statements(runs)).collect()
    },
    pictures: |runs| {
        let of_trees = TREES_RUN.map(|tree| picture(runs, tree)).into_iter();
        of_trees.chain(traversal::pictures(runs)).collect()
    },
};

const TREES: &str = "the geometric T1 (4,130,071 nodes) and the binomial T3 (4,112,897 nodes); the slide \
                     does not say which trees, how many ranks and which chunk it is of";
const TREES_RUN: [&str; 2] = ["T1", "T3"];
/// Number of ranks: 4 nodes of 12 cores.
const RANKS: u32 = 48;
const WAYS: [Way; 3] = [BASE_LINE, A, B];
const BASE_LINE: Way = Way::Stealing;
const A: Way = Way::SpeculativeStealing;
const B: Way = Way::PrefetchStealing;
const CHUNKS: [u32; 6] = [1, 2, 4, 8, 12, 20];
/// Best chunk of the slides.
const CHUNK: u32 = BEST.1;

/// Returns the choice of a way with a chunk, on the experiment's ranks.
fn choice(tree: &'static str, way: Way, chunk: u32) -> Choice {
    Choice::new(tree, RANKS, way, (chunk, BEST.0))
}

/// Returns every way with every chunk on both trees.
fn all() -> impl Iterator<Item = Choice> {
    let of =
        |tree| WAYS.into_iter().flat_map(move |way| CHUNKS.map(|chunk| choice(tree, way, chunk)));
    TREES_RUN.into_iter().flat_map(of)
}

/// Returns the shortest time of any chunk.
fn best(runs: &Runs, tree: &'static str, way: Way) -> f64 {
    least(CHUNKS.map(|chunk| choice(tree, way, chunk).median(runs, seconds)))
}

/// Returns the percentage by which B is slower than A.
fn slower(time: impl Fn(Way) -> f64) -> f64 {
    (time(B) / time(A) - 1.0) * 100.0
}

/// Returns the mean over all trees.
fn mean(all: [f64; 2]) -> f64 {
    all.into_iter().sum::<f64>() / all.len() as f64
}

/// Judges whether A, speculative stealing, is a little quicker than B, prefetching, with the
/// slides' chunk.
fn prefetching_is_slower(runs: &Runs) -> Statement {
    let of = |tree, chunk| slower(|way| choice(tree, way, chunk).median(runs, seconds));
    let overall = mean(TREES_RUN.map(|tree| of(tree, CHUNK)));
    let shown = TREES_RUN.map(|tree| {
        format!("{tree}: {}", listed(CHUNKS, |chunk| format!("{:+.1} %", of(tree, chunk))))
    });
    says(format!(
        "A has a slight benefit over B, of less than {STEALING_BENEFIT} % overall (slide 46): the mean of both \
         trees with the slides' best chunk of {CHUNK}"
    ))
    .within([overall], (above(0.0).0, std::ops::Bound::Excluded(STEALING_BENEFIT)))
    .shown(format!("{overall:+.1} %; by chunk {}", joined(shown, "; ")))
}

/// Judges whether A, speculative stealing, is quicker than B, prefetching, each with its own best
/// chunk.
fn prefetching_is_slower_at_best(runs: &Runs) -> Statement {
    let of = |tree| slower(|way| best(runs, tree, way));
    says(
        "A has a slight benefit over B also where each has the chunk that suits it best, on both trees",
    )
    .within(TREES_RUN.map(of), above(0.0))
    .shown(listed(TREES_RUN, |tree| format!("{:+.1} %", of(tree))))
    .or_because("with its best chunk either is so near the ideal that nothing is to be gained")
}

/// Judges whether even plain stealing idles little on trees.
fn base_line_has_little_idle_time(runs: &Runs) -> Statement {
    let of = |tree| CHUNKS.map(|chunk| choice(tree, BASE_LINE, chunk).median(runs, idle));
    let shown = TREES_RUN.map(|tree| {
        let all = CHUNKS.into_iter().zip(of(tree));
        let all = all.map(|(chunk, share)| format!("{chunk} {share:.1} %"));
        format!("{tree}: {}", joined(all, ", "))
    });
    says(
        "even the base line does not have too much idle time in UTS (slide 46): a tenth at most, with the \
         chunk that suits it best (limit ours)",
    )
    .within(TREES_RUN.map(|tree| least(of(tree))), ..=10.0)
    .shown(format!("by chunk, {}", joined(shown, "; ")))
}

/// Draws the slowdown of all ways over the chunk, on one tree.
fn picture(runs: &Runs, tree: &'static str) -> (String, Picture) {
    let curve = |way: Way| {
        let point = |chunk: u32| {
            (f64::from(chunk), runs.figures(&choice(tree, way, chunk).label(), slowdown))
        };
        Curve::of_samples(way.name(), CHUNKS.map(point))
    };
    let title = format!("Slide 46: {tree} on {RANKS} ranks");
    let titles = Titles { title: &title, x: "chunk size", y: "time ÷ ideal" };
    (format!("slowdown-{}", tree.to_lowercase()), trends(&WAYS.map(curve), titles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Fault, check};
    use crate::{PoolFigures, Run};

    /// Sets the times of a run as on the slide.
    fn normal(run: &mut Run) {
        let is = |part: &str| run.setting.contains(part);
        let seconds = match () {
            () if is("thin graph") && !is("speculative") => 1.4,
            () if is("B, prefetch") => 1.02,
            () => 1.0,
        };
        run.pool = PoolFigures { seconds, ideal_seconds: 1.0, idle: 0.05, ..run.pool };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 11] = [
            ("A, speculative stealing, chunk 12", |run| run.pool.seconds = 1.03, &[0]),
            ("B, prefetch stealing, chunk 12", |run| run.pool.seconds = 1.06, &[0]),
            ("T1 on 48 ranks, B, prefetch stealing, chunk 4", |run| run.pool.seconds = 0.99, &[1]),
            ("T1 on 48 ranks, stealing", |run| run.pool.idle = 0.11, &[2]),
            ("T3 on 48 ranks, stealing", |run| run.pool.idle = 0.11, &[2]),
            (
                "thin graph, 2 us between any two, A, speculative stealing, chunk 12",
                |run| run.pool.seconds = 1.1,
                &[3],
            ),
            (
                "thin graph, nodes of 12 ranks, A, speculative stealing, chunk 12",
                |run| run.pool.seconds = 1.1,
                &[4],
            ),
            (
                "thin graph, 2 us between any two, stealing, chunk 96",
                |run| run.pool.seconds = 1.2,
                &[5],
            ),
            (
                "thin graph, nodes of 12 ranks, B, prefetch stealing, chunk 12",
                |run| run.pool.seconds = 0.9,
                &[6],
            ),
            (
                "thin graph, 2 us between any two, original, chunk 12",
                |run| run.pool.seconds = 1.2,
                &[7],
            ),
            (
                "wide graph, 2 us between any two, stealing, chunk 12",
                |run| run.pool.seconds = 1.06,
                &[8],
            ),
        ];
        check(&STEALING, 1, normal, &faults);
    }
}
