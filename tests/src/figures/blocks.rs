//! The marked figures of each page, in their order.

use tresse::experiments::reproduce::Row;

use super::Committed;
use super::simulations::{
    BETWEEN_NODES, BRAID, METHODS, NODES, SEEDS, SLOW, STOPPED, no_braid, of_picture, on_nodes,
    short, stopped_alone,
};

/// Figures behind a mark.
pub struct Block {
    /// Path of the page in the repository.
    pub page: &'static str,
    /// Name in the mark.
    pub mark: &'static str,
    /// Function that returns what they should be.
    pub figures: fn(&Committed) -> Vec<f64>,
}

const README: &str = "README.md";
const WHEN_BALANCING_PAYS: &str = "host-cli/guide/when-balancing-pays.md";
const SOLVING: &str = "host-cli/guide/solving.md";
const CLUSTERS: &str = "host-mpi/guide/clusters.md";

const fn block(
    page: &'static str,
    mark: &'static str,
    figures: fn(&Committed) -> Vec<f64>,
) -> Block {
    Block { page, mark, figures }
}

/// All marked figures.
pub const BLOCKS: &[Block] = &[
    block(README, "the braid", |committed| {
        let [without, braided] = [&no_braid(), BRAID].map(|line| committed.simulation(line));
        vec![without.spread_end as f64, braided.spread_max as f64]
    }),
    block(README, "reproduce plb-table2", |committed| {
        let figure = |label| committed.row("plb-table2", label);
        vec![figure("Cirrus, sync"), figure("Cirrus, async(4) + split(0.001)")]
    }),
    block(README, "reproduce pull", |committed| {
        let methods = ["exact(4) + pull", "exact(4) + pull without help", "sync"];
        let label = |method| {
            format!("{method}, 40 % of each third core in slices of 5 ms, time to solution")
        };
        methods.map(|method| committed.row("pull", &label(method))).to_vec()
    }),
    block(README, "noise on each core", |committed| {
        let seconds = |flags, core| committed.simulation(&of_picture(core, flags)).seconds;
        METHODS.iter().flat_map(|flags| SLOW.map(|core| seconds(flags, core))).collect()
    }),
    block(WHEN_BALANCING_PAYS, "cost of balancing", |committed| {
        // With sources that are not well above the rest, so that noise beside them is elsewhere.
        let gain = |source| amplitude(committed, source, GAINS[1]);
        vec![-gain(SOURCES[1]), -gain(SOURCES[0])]
    }),
    block(WHEN_BALANCING_PAYS, "short runs", |committed| {
        let seconds = |flags, core| committed.simulation(&short(core, flags)).seconds;
        ["", " --balance none"]
            .iter()
            .flat_map(|flags| [0, 2].map(|core| seconds(flags, core)))
            .collect()
    }),
    block(WHEN_BALANCING_PAYS, "reproduce plb-amplitudes", |committed| {
        let ours = SOURCES.iter().flat_map(|source| {
            INCREASES.iter().chain(&GAINS).map(|figure| amplitude(committed, source, figure))
        });
        // As the paper prints them, the gains as ranges.
        let published = [13.0, 11.0, 8.0, 1.0, 22.0, 25.0, 5.0, 8.0];
        ours.chain(published).collect()
    }),
    block(WHEN_BALANCING_PAYS, "both ends", |committed| {
        let figures = [INCREASES[2], "async(1), increase by noise far from the source"];
        let of = |source| figures.map(|figure| amplitude(committed, source, figure));
        [SOURCES[2], SOURCES[0]].into_iter().flat_map(of).collect()
    }),
    block(WHEN_BALANCING_PAYS, "reproduce auto", |committed| {
        NOISES.iter().flat_map(|noise| of_auto(committed, noise)).collect()
    }),
    block(SOLVING, "help", |committed| {
        let lines = [STOPPED, &stopped_alone()];
        lines.map(|line| committed.simulation(line).spread_p99 as f64).to_vec()
    }),
    block(CLUSTERS, "nodes", |committed| {
        let of = |nodes, flags| {
            let seconds = |seed| committed.simulation(&on_nodes(nodes, flags, seed)).seconds;
            1e3 * median(SEEDS.map(seconds))
        };
        BETWEEN_NODES.iter().flat_map(|flags| NODES.map(|nodes| of(nodes, flags))).collect()
    }),
];

fn median<const N: usize>(samples: [f64; N]) -> f64 {
    Row::of("", "", None, &samples).ours.unwrap_or(f64::NAN)
}

const SOURCES: [&str; 5] = [
    "Gaussian of height 1, start 1",
    "Gaussian of height 3, start 1",
    "Gaussian of height 10, start 1",
    "Gaussian of height 30, start 1",
    "any bell, start 0",
];
const INCREASES: [&str; 4] = [
    "sync, increase by noise",
    "ssync(1), increase by noise",
    "async(1), increase by noise",
    "async(4) + split(0.001), increase by noise",
];
const GAINS: [&str; 2] = ["gain of split over sync, noisy", "gain of split over async(1), noisy"];

fn amplitude(committed: &Committed, source: &str, figure: &str) -> f64 {
    committed.row("plb-amplitudes", &format!("{source}: {figure}"))
}

const MACHINES: [&str; 4] = ["Cirrus", "ARCHER", "ICC", "Laptop"];
const NOISES: [&str; 5] = [
    "quiet",
    "19 % of one core",
    "40 % of one core",
    "15 to 40 % of each third core",
    "40 % of each third core in slices of 5 ms",
];

/// Returns a row of the table about `auto`: the least and the greatest figure of all machines, for
/// each column.
fn of_auto(committed: &Committed, noise: &str) -> Vec<f64> {
    let figure = |machine: &str, method: &str, what: &str| {
        committed.row("auto", &format!("{machine}, {noise}: async(4){method}, {what}"))
    };
    let time = |method| {
        MACHINES.map(|machine| {
            let [with, without] =
                [method, ""].map(|method| figure(machine, method, "time to solution"));
            with / without
        })
    };
    let spread = |method| MACHINES.map(|machine| figure(machine, method, "spread, 99 %"));
    let times = [" + auto", " + pull(8)", " + split(0.001)"].map(time);
    let spreads = ["", " + auto", " + pull(8)"].map(spread);
    let ends = |figures: [f64; 4]| {
        let row = Row::of("", "", None, &[]).to_extremes(&figures);
        [row.low, row.high].map(|end| end.unwrap_or(f64::NAN))
    };
    times.into_iter().chain(spreads).flat_map(ends).collect()
}
