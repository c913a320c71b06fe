//! Runs of `tresse simulate`: a line each in `tests/figures/simulate.csv`.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use super::{Failure, committed};
use crate::program::TRESSE;

/// The run in README's first pictures.
pub const BRAID: &str =
    "simulate --noise core=2,duty=0.4 --cells-per-worker 60x60 --timed-as 300x300";

/// What the pages show of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Virtual time.
    pub seconds: f64,
    /// Highest minus lowest update count at the end.
    pub spread_end: u64,
    /// Largest spread that was seen.
    pub spread_max: u64,
    /// Spread that 99 % of the samples do not exceed.
    pub spread_p99: u64,
}

const HEADER: [&str; 5] = ["line", "seconds", "spread_end", "spread_max", "spread_p99"];

/// Returns the run in README's first pictures without a balancer.
pub fn no_braid() -> String {
    format!("{BRAID} --balance none")
}

/// Returns the run in README's first pictures, by another method (`flags`), beside noise on another
/// core or on none.
pub fn of_picture(core: Option<u32>, flags: &str) -> String {
    let noise = core.map_or(String::new(), |core| format!(" --noise core={core},duty=0.4"));
    format!("simulate{noise} --cells-per-worker 60x60 --timed-as 300x300{flags}")
}

/// Returns a run of some hundred iterations.
pub fn short(core: u32, flags: &str) -> String {
    format!("simulate --noise core={core},duty=0.4{flags}")
}

/// The run in which workers are stopped in their sweeps.
pub const STOPPED: &str = "simulate --machine archer --balance pull:8 --iterations 20000 \
                           --noise core=0,burst=5ms,gap=7.5ms";

/// Returns [`STOPPED`] in which nobody helps.
pub fn stopped_alone() -> String {
    format!("{STOPPED} --no-help")
}

/// Seeds of which a median is shown.
pub const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

/// Numbers of nodes that balance between them.
pub const NODES: [u32; 3] = [2, 4, 8];

/// Returns a run on nodes of four workers, the second of which is slow.
pub fn on_nodes(nodes: u32, flags: &str, seed: u64) -> String {
    format!(
        "simulate --machine cirrus --nodes {nodes} --workers {} --cells-per-worker 100x100 --tolerance 1e-2 \
         --noise node=1,duty=0.3{flags} --seed {seed}",
        4 * nodes
    )
}

/// What [`on_nodes`] is given: balancing with either rule, and none.
pub const BETWEEN_NODES: [&str; 3] = [
    " --node-balance dplb:50us,10 --node-rule boundary",
    " --node-balance dplb:50us,10 --node-rule settled",
    "",
];

/// What [`of_picture`] is given for README's table.
pub const METHODS: [&str; 3] = [" --mode sync", " --balance none", ""];

/// Cores that are slow in README's table.
pub const SLOW: [Option<u32>; 5] = [None, Some(0), Some(1), Some(2), Some(3)];

/// Returns all runs that pages show.
pub fn all() -> Vec<String> {
    let of_picture = METHODS.iter().flat_map(|flags| SLOW.map(|core| of_picture(core, flags)));
    let short =
        [0, 2].into_iter().flat_map(|core| ["", " --balance none"].map(|flags| short(core, flags)));
    let on_nodes = NODES.into_iter().flat_map(|nodes| {
        BETWEEN_NODES.iter().flat_map(move |flags| SEEDS.map(|seed| on_nodes(nodes, flags, seed)))
    });
    let stopped = [STOPPED.to_owned(), stopped_alone()];
    of_picture.chain(short).chain(on_nodes).chain(stopped).collect()
}

/// Makes a run.
pub fn run(line: &str) -> Result<Figures, Failure> {
    let output = Command::new(TRESSE.as_path()).args(line.split(' ')).arg("--json").output()?;
    if !output.status.success() {
        return Err(format!("{line}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let value: Value = serde_json::from_slice(&output.stdout)?;
    let spread =
        |key: &str| value["spread"][key].as_u64().ok_or(format!("{line}: no spread {key}"));
    Ok(Figures {
        seconds: value["seconds"].as_f64().ok_or(format!("{line}: no seconds"))?,
        spread_end: spread("end")?,
        spread_max: spread("max")?,
        spread_p99: spread("p99")?,
    })
}

/// Reads what is committed of the runs.
pub fn committed_figures() -> Result<BTreeMap<String, Figures>, Failure> {
    let mut table = csv::Reader::from_path(committed("simulate"))?;
    let lines = table.deserialize().map(|read| {
        let (line, seconds, spread_end, spread_max, spread_p99) = read?;
        Ok((line, Figures { seconds, spread_end, spread_max, spread_p99 }))
    });
    lines.collect()
}

/// Makes all runs, and stores them to be committed.
pub fn make() -> Result<(), Failure> {
    let mut table = csv::Writer::from_path(committed("simulate"))?;
    table.write_record(HEADER)?;
    for line in all() {
        let Figures { seconds, spread_end, spread_max, spread_p99 } = run(&line)?;
        table.serialize((line, seconds, spread_end, spread_max, spread_p99))?;
    }
    Ok(table.flush()?)
}
