//! The costs in a machine file: times as texts with a unit, costs for each cell in nanoseconds.

use toml::Value;
use tresse_core::base::grammar::Decimal;
use tresse_core::base::time::Duration;
use tresse_core::sim::machine::{
    CellCost, CellCosts, Costs, MAX_CELL_COSTS, MAX_COST, Path, Paths,
};

use crate::document::{DocumentError, Section};

pub(super) const KEYS: [&str; 11] = [
    "cell",
    "residual",
    "sweep",
    "halo",
    "hand-over",
    "barrier",
    "round",
    "round-subdomain",
    "parasite-iteration",
    "wake-up",
    "switch",
];

pub(super) const PATHS: [&str; 4] = ["core", "socket", "node", "network"];

/// Reads `[costs]`. All costs are required but `residual`, `wake-up` and `switch`, which few people
/// know of their machine, and, on a single node, those of the network.
pub(super) fn read_costs(root: &Section, has_network: bool) -> Result<Costs, DocumentError> {
    let costs = section(root, "costs", &KEYS)?;
    let (cell, cells) = cell_costs(&costs)?;
    let some_time =
        |key| if costs.get(key).is_some() { time(&costs, key) } else { Ok(Duration::ZERO) };
    let residual = match costs.get("residual") {
        Some(_) => costs.required("residual", picoseconds)?,
        None => 0,
    };
    Ok(Costs {
        cell,
        cells,
        residual,
        sweep: time(&costs, "sweep")?,
        halo: paths(&costs, "halo", has_network)?,
        hand_over: paths(&costs, "hand-over", has_network)?,
        barrier: time(&costs, "barrier")?,
        round: time(&costs, "round")?,
        round_subdomain: costs.required("round-subdomain", picoseconds)?,
        parasite_iteration: costs.required("parasite-iteration", picoseconds)?,
        wake_up: some_time("wake-up")?,
        switch: some_time("switch")?,
    })
}

/// Reads the cost of a cell: one cost for all, or a list of numbers of cells and the cost of a cell
/// at each; the first cost of the list is used where no number of cells matters.
fn cell_costs(costs: &Section) -> Result<(u64, CellCosts), DocumentError> {
    let Some(Value::Array(points)) = costs.get("cell") else {
        return Ok((costs.required("cell", picoseconds)?, CellCosts::default()));
    };
    let read: Option<Vec<_>> = points.iter().map(point).collect();
    read.and_then(|points| Some((points.first()?.cost, CellCosts::new(&points)?))).ok_or_else(|| {
        costs.wrong("cell", format!(
            "expected nanoseconds, or a list of 1 to {MAX_CELL_COSTS} pairs [cells, nanoseconds] with \
             ascending cells, such as [[9000, 0.3], [1000000, 0.6]]"
        ))
    })
}

/// Reads `[cells of a worker, nanoseconds of each]`.
fn point(value: &Value) -> Option<CellCost> {
    let [cells, cost] = value.as_array()?.as_slice() else { return None };
    let cells = cells.as_integer().and_then(|cells| u64::try_from(cells).ok())?;
    Some(CellCost { cells, cost: picoseconds(&cost.to_string()).ok()? })
}

/// Reads the costs of the four ways between workers; that of the network is needed only where
/// `has_network`.
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

/// Reads the costs of one way between workers: a latency, and a time for each cell.
fn path(paths: &Section, key: &str) -> Result<Path, DocumentError> {
    let path = section(paths, key, &["latency", "cell"])?;
    Ok(Path { latency: time(&path, "latency")?, cell: path.required("cell", picoseconds)? })
}

/// Returns the table of a key, which is required.
fn section<'a>(
    parent: &Section<'a>,
    key: &str,
    known: &[&str],
) -> Result<Section<'a>, DocumentError> {
    let found = parent.section(key, known)?;
    found.ok_or_else(|| parent.wrong(key, format!("expected a table with {}", known.join(", "))))
}

/// Reads a time with its unit; a bare number is refused, as it would be taken for seconds.
fn time(section: &Section, key: &str) -> Result<Duration, DocumentError> {
    section.required(key, |text| {
        Duration::parse(text)
            .ok()
            .filter(|time| text.ends_with('s') && time.0 <= MAX_COST)
            .ok_or("expected a time with its unit, such as \"300ns\" or \"1.5us\", at most a day")
    })
}

/// Reads a cost in nanoseconds, and returns picoseconds.
fn picoseconds(text: &str) -> Result<u64, &'static str> {
    decimal(text, 3)
        .filter(|&cost| cost <= MAX_COST)
        .ok_or("expected nanoseconds, 0 or more, with at most 3 decimals, such as 0.4")
}

/// Returns a decimal fraction times `10^places`, where the product is a whole number.
pub(super) fn decimal(text: &str, places: u32) -> Option<u64> {
    Decimal::parse(text).and_then(|decimal| decimal.scaled(places))
}
