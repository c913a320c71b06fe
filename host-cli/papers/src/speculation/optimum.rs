//! Slide 39: the best parameters, and the times of two of them on 8 nodes.

use tresse_core::base::time::Duration;

use super::choice::{Choice, manager_busy, remarks, seconds, service_time, slowdown};
use super::published::{BEST, OPTIMUM_SOURCE, ORIGINAL_SECONDS, SPECULATIVE_SECONDS};
use super::way::Way;
use crate::{Experiment, Plan, Row, Runs, Statement, says, unique};
use tresse_console::plots::{Matrix, Picture, matrix};

pub(crate) const OPTIMUM: Experiment = Experiment {
    name: "speculation-optimum",
    title: "The best chunk and interval, and what the original loses beside them",
    source: OPTIMUM_SOURCE,
    replicates: 1,
    plan: || {
        let settings = slides().into_iter().chain(grid()).map(Choice::setting);
        let remarks = remarks(TREES).into_iter().chain([SLOW.to_owned()]).collect();
        Ok(Plan { remarks, ..Plan::of(settings, &[]) })
    },
    rows,
    statements,
    pictures,
};

const TREE: &str = "T1L";
const TREES: &str = "the geometric T1L (102,181,082 nodes, depth 13) stands for the slides' large one \
                     (T1XXL, 4,230,646,601 nodes, depth 15, on 8 nodes) and for their medium one \
                     (T1XL, 1,635,119,272 nodes, depth 15, on 4 nodes)";

/// Number of ranks: 8 nodes of 12 cores.
const RANKS: u32 = 96;
/// Chunks on the slide.
const CHUNKS: [u32; 2] = [8, 12];
const INTERVAL: u32 = BEST.0;

/// Time of a manager for a message with which the original is as much slower than speculation at
/// the slide's best choice as on the slide.
const SLOW_SERVICE: Duration = Duration(1_000);
/// Times of a manager for a message: that of all evaluations, and the slow one.
const SERVICES: [Option<Duration>; 2] = [None, Some(SLOW_SERVICE)];
const SLOW: &str = "the slide's figures for the original are those of a manager that has more to do than \
                    it can: one that takes 0.2 us for a message (the costs of all evaluations) has \
                    time to spare on 8 nodes, one that takes 1 us (chosen for the slide's ratio at \
                    chunk 12; the one at chunk 8 follows) is the bottleneck. Both are run";

/// Number of ranks on 4 nodes, where the slide looks for the best choice.
const GRID_RANKS: u32 = 48;
const GRID_CHUNKS: [u32; 4] = [4, 8, 12, 20];
const GRID_INTERVALS: [u32; 3] = [32, 128, 512];

const SPECULATIVE: [Way; 2] = [Way::Published, Way::Ours];

/// Returns one of the slide's choices, or that of the adaptive way, which has nothing to choose.
fn choice(way: Way, chunk: u32, service: Option<Duration>) -> Choice {
    let choice = match way {
        Way::Adaptive => Choice::adaptive(TREE, RANKS),
        _ => Choice::new(TREE, RANKS, way, (chunk, INTERVAL)),
    };
    Choice { service, ..choice }
}

/// Returns the choices of the slides: each way with both chunks and both service times.
fn slides() -> Vec<Choice> {
    let ways = [Way::Original, Way::Published, Way::Ours, Way::Adaptive];
    let of_way = |service, way| CHUNKS.map(|chunk| choice(way, chunk, service));
    let of = |service| ways.into_iter().flat_map(move |way| of_way(service, way));
    unique(SERVICES.into_iter().flat_map(of))
}

/// Returns the choice of the original on the grid's ranks.
fn grid_choice(chunk: u32, interval: u32) -> Choice {
    Choice::new(TREE, GRID_RANKS, Way::Original, (chunk, interval))
}

/// Returns the choices of the grid: every chunk for every interval.
fn grid() -> impl Iterator<Item = Choice> {
    let row = |interval| GRID_CHUNKS.map(|chunk| grid_choice(chunk, interval));
    GRID_INTERVALS.into_iter().flat_map(row)
}

/// Returns the time of one choice ÷ that of another.
fn ratio(runs: &Runs, [slow, quick]: [Choice; 2]) -> f64 {
    slow.median(runs, seconds) / quick.median(runs, seconds)
}

/// Returns the time of the original ÷ that of a way, for one place of [`CHUNKS`].
fn gain(runs: &Runs, way: Way, place: usize, service: Option<Duration>) -> f64 {
    ratio(runs, [Way::Original, way].map(|way| choice(way, CHUNKS[place], service)))
}

/// Returns the time of a way with the smaller chunk ÷ that with the larger one.
fn change(runs: &Runs, way: Way, service: Option<Duration>) -> f64 {
    ratio(runs, CHUNKS.map(|chunk| choice(way, chunk, service)))
}

/// Returns the slide's ratios beside ours, and the figures of its choices.
fn rows(runs: &Runs) -> Vec<Row> {
    let compared = SERVICES.into_iter().flat_map(|service| compared(runs, service));
    compared.chain(slides().into_iter().flat_map(|choice| choice.rows(runs))).collect()
}

/// Returns ratios of the slide's figures, beside ours.
fn compared(runs: &Runs, service: Option<Duration>) -> Vec<Row> {
    let table =
        format!("slide 39, a manager that takes {} ns for a message", service_time(service).0);
    let row = |label: String, published: f64, ours: f64| {
        Row::of(label, "times as long", published, &[ours]).in_table(&table)
    };
    let [small, large] = CHUNKS;
    let changed = |way: Way, [published_small, published_large]: [f64; 2]| {
        let label = format!("{}, chunk {small} and not {large}", way.name());
        row(label, published_small / published_large, change(runs, way, service))
    };
    let gains = SPECULATIVE.into_iter().flat_map(|way| {
        [0, 1].map(|place| {
            let label = format!("original and not {}, chunk {}", way.name(), CHUNKS[place]);
            let published = ORIGINAL_SECONDS[place] / SPECULATIVE_SECONDS[place];
            row(label, published, gain(runs, way, place, service))
        })
    });
    let original = changed(Way::Original, ORIGINAL_SECONDS);
    let others = SPECULATIVE.map(|way| changed(way, SPECULATIVE_SECONDS));
    [original].into_iter().chain(others).chain(gains).collect()
}

/// Judges the statements of slide 39.
fn statements(runs: &Runs) -> Vec<Statement> {
    let of = |service| {
        let speculative = SPECULATIVE.map(|way| speculative_needs_no_choice(runs, way, service));
        [original_depends_on_the_chunk(runs, service)].into_iter().chain(speculative)
    };
    [best_choice(runs)].into_iter().chain(SERVICES.into_iter().flat_map(of)).collect()
}

/// Judges whether the slide's best choice is the best of the grid, within 10 %.
fn best_choice(runs: &Runs) -> Statement {
    let (interval, chunk) = BEST;
    let time = |choice: Choice| choice.median(runs, slowdown);
    let published = time(grid_choice(chunk, interval));
    let best = grid().map(|choice| (choice, time(choice)));
    let best = best.min_by(|one, other| one.1.total_cmp(&other.1));
    let shown = best.map_or(String::new(), |(Choice { chunk, interval, .. }, time)| {
        format!("best with interval {interval}, chunk {chunk}: {time:.3} times the ideal; ")
    });
    let best = best.map_or(f64::NAN, |(_, time)| time);
    says(format!(
        "the original is best with interval {interval} and chunk {chunk}: within 10 % of the best of \
         {} choices, {TREE} on {GRID_RANKS} ranks (slide 39; limit ours)",
        GRID_CHUNKS.len() * GRID_INTERVALS.len()
    ))
    .within([published / best], ..=1.1)
    .shown(format!("{shown}with those of the slide {published:.3}"))
}

/// Returns the words for the setting that statements are about.
fn with(service: Option<Duration>) -> String {
    let time = service_time(service).seconds() * 1e6;
    format!("with a manager that takes {time:.1} us for a message")
}

/// Judges whether the original is much slower with the small chunk.
fn original_depends_on_the_chunk(runs: &Runs, service: Option<Duration>) -> Statement {
    let [small, large] = CHUNKS;
    let times = CHUNKS.map(|chunk| choice(Way::Original, chunk, service).median(runs, slowdown));
    let busy = choice(Way::Original, small, service).median(runs, manager_busy);
    says(format!(
        "{}, the original takes half as long again with chunk {small} as with chunk {large}, or more \
         (slide 39: 1.89 times; limit ours)",
        with(service)
    ))
    .within([change(runs, Way::Original, service)], 1.5..)
    .shown(format!(
        "{:.2} times: {:.2} and {:.2} times the ideal, the manager busy for {busy:.0} %",
        change(runs, Way::Original, service),
        times[0],
        times[1]
    ))
    .or_because(
        "such a manager is not busy all of the time, so that small chunks cost nothing and supply \
         more workers",
    )
}

/// Judges whether a speculative way is as quick with either chunk, and quicker than the original.
fn speculative_needs_no_choice(runs: &Runs, way: Way, service: Option<Duration>) -> Statement {
    let [small, large] = CHUNKS;
    let gains = [0, 1].map(|place| gain(runs, way, place, service));
    let change = change(runs, way, service);
    says(format!(
        "{}, {} takes the same with both chunks, within 5 %, and the original 1.2 times as long with \
         chunk {large} and twice as long with chunk {small}, or longer (slide 39: 0.1 %, 1.41 and 2.67 \
         times; limits ours)",
        with(service),
        way.name()
    ))
    .within([change], 0.95..=1.05)
    .within([gains[1]], 1.2..)
    .within([gains[0]], 2.0..)
    .shown(format!(
        "chunk {small} takes {change:.3} times as long as chunk {large}; the original {:.2} times with \
         chunk {large}, {:.2} times with chunk {small}; the manager busy for {:.0} %",
        gains[1],
        gains[0],
        choice(way, large, service).median(runs, manager_busy)
    ))
    .or_because(match way {
        Way::Published => {
            "a claim for each task is another message for the manager, which has too many already: \
             the slides' speculation must have made fewer"
        }
        _ => "such a manager loses little with the original, so that there is little to gain",
    })
}

/// Draws the slowdown of the original over chunk and interval.
fn pictures(runs: &Runs) -> Vec<(String, Picture)> {
    let cells: Vec<f64> = grid().map(|choice| choice.median(runs, slowdown)).collect();
    let names = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>();
    let (chunks, intervals) = (names(&GRID_CHUNKS), names(&GRID_INTERVALS));
    let (columns, rows) = (("chunk size", &*chunks), ("release interval", &*intervals));
    let title = format!("Slide 39: time ÷ ideal, original, {TREE} on {GRID_RANKS} ranks");
    vec![("slowdown-original".to_owned(), matrix(&Matrix { columns, rows, cells: &cells }, &title))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Fault, check, world};
    use crate::{PoolFigures, Run};

    /// Sets the times of a run as on the slide, with an ideal of one second.
    fn normal(run: &mut Run) {
        let is = |part: &str| run.setting.contains(part);
        let seconds = match () {
            () if is("48 ranks") && is("chunk 12, interval 128") => 1.0,
            () if is("48 ranks") => 1.2,
            () if is("original, chunk 8") => 2.67,
            () if is("original, chunk 12") => 1.41,
            () => 1.0,
        };
        run.pool = PoolFigures { seconds, ideal_seconds: 1.0, ..run.pool };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 9] = [
            (
                "T1L on 48 ranks, original, chunk 4, interval 512",
                |run| run.pool.seconds = 0.9,
                &[0],
            ),
            (
                "T1L on 96 ranks, original, chunk 8, interval 128",
                |run| run.pool.seconds = 2.1,
                &[1],
            ),
            (
                "T1L on 96 ranks, original, chunk 8, interval 128",
                |run| run.pool.seconds = 1.9,
                &[1, 2, 3],
            ),
            (
                "T1L on 96 ranks, speculative as published, chunk 8, interval 128",
                |run| run.pool.seconds = 1.06,
                &[2],
            ),
            (
                "T1L on 96 ranks, speculative, ours, chunk 8, interval 128",
                |run| run.pool.seconds = 1.06,
                &[3],
            ),
            ("original, chunk 8, interval 128, manager", |run| run.pool.seconds = 2.1, &[4]),
            ("published, chunk 12, interval 128, manager", |run| run.pool.seconds = 1.06, &[5]),
            ("ours, chunk 12, interval 128, manager", |run| run.pool.seconds = 1.06, &[6]),
            ("original, chunk 12, interval 128, manager", |run| run.pool.seconds = 1.19, &[5, 6]),
        ];
        check(&OPTIMUM, 1, normal, &faults);
    }

    #[test]
    fn ratios_are_those_of_the_slide() {
        let rows = (OPTIMUM.rows)(&world(&OPTIMUM, 1, &normal));
        let row = |label: &str| rows.iter().find(|row| row.figure() == label).unwrap();
        let differs = |label: &str| row(label).difference().unwrap().abs();
        assert!(differs("original, chunk 8 and not 12") < 0.01);
        assert!(differs("original and not speculative, ours, chunk 8") < 0.01);
        assert!(differs("speculative as published, chunk 8 and not 12") < 0.001);
    }
}
