//! The costs in a machine file: times as texts with a unit, costs for each cell in nanoseconds.

use tresse_core::grammar::Decimal;
use tresse_core::machine::{Costs, MAX_COST, Path, Paths};
use tresse_core::time::Duration;

use crate::document::{DocumentError, Section};

const KEYS: [&str; 8] = [
    "cell",
    "sweep",
    "halo",
    "hand-over",
    "barrier",
    "round",
    "round-subdomain",
    "parasite-iteration",
];

const PATHS: [&str; 4] = ["core", "socket", "node", "network"];

/// Reads `[costs]`; every cost is there, but on a single node those of the network may be missing.
pub(super) fn read_costs(root: &Section, has_network: bool) -> Result<Costs, DocumentError> {
    let costs = section(root, "costs", &KEYS)?;
    Ok(Costs {
        cell: costs.required("cell", picoseconds)?,
        sweep: time(&costs, "sweep")?,
        halo: paths(&costs, "halo", has_network)?,
        hand_over: paths(&costs, "hand-over", has_network)?,
        barrier: time(&costs, "barrier")?,
        round: time(&costs, "round")?,
        round_subdomain: costs.required("round-subdomain", picoseconds)?,
        parasite_iteration: costs.required("parasite-iteration", picoseconds)?,
    })
}

fn paths(costs: &Section, key: &str, has_network: bool) -> Result<Paths, DocumentError> {
    let section = section(costs, key, &PATHS)?;
    let network = if has_network || section.get("network").is_some() {
        path(&section, "network")?
    } else {
        Path::default()
    };
    Ok(Paths {
        core: path(&section, "core")?,
        socket: path(&section, "socket")?,
        node: path(&section, "node")?,
        network,
    })
}

fn path(paths: &Section, key: &str) -> Result<Path, DocumentError> {
    let path = section(paths, key, &["latency", "cell"])?;
    Ok(Path { latency: time(&path, "latency")?, cell: path.required("cell", picoseconds)? })
}

fn section<'a>(
    parent: &Section<'a>,
    key: &str,
    known: &[&str],
) -> Result<Section<'a>, DocumentError> {
    let found = parent.section(key, known)?;
    found.ok_or_else(|| parent.wrong(key, format!("expected a table with {}", known.join(", "))))
}

/// A time with its unit: a bare number would be taken for seconds.
fn time(section: &Section, key: &str) -> Result<Duration, DocumentError> {
    section.required(key, |text| {
        Duration::parse(text)
            .ok()
            .filter(|time| text.ends_with('s') && time.0 <= MAX_COST)
            .ok_or("expected a time with its unit, such as \"300ns\" or \"1.5us\", at most a day")
    })
}

/// A cost in nanoseconds, kept in picoseconds.
fn picoseconds(text: &str) -> Result<u64, &'static str> {
    decimal(text, 3)
        .filter(|&cost| cost <= MAX_COST)
        .ok_or("expected nanoseconds, 0 or more, with at most 3 decimals, such as 0.4")
}

/// A decimal fraction times `10^places`, where that is a whole number.
pub(super) fn decimal(text: &str, places: u32) -> Option<u64> {
    Decimal::parse(text).and_then(|decimal| decimal.scaled(places))
}
