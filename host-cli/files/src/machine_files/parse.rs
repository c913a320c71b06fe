//! Parses the keys of a machine file.

use std::path::Path;

use toml::{Table, Value};
use tresse_core::base::time::Duration;
use tresse_core::run::noise::Parasite;
use tresse_core::sim::machine::{Hardware, MAX_BACKGROUND, PaceRanges};

use super::costs::{decimal, read_costs};
use super::{MachineFileError, NAMES, ReadText, VirtualMachine, shipped_text, speed_trace};
use crate::document::{self, DocumentError, Section, positive};

const KEYS: [&str; 11] = [
    "base",
    "name",
    "nodes",
    "sockets",
    "cores",
    "pace-range",
    "socket-pace-range",
    "node-pace-range",
    "background",
    "costs",
    "trace",
];

/// Parses and checks a machine; `read` reads the files that it names, relative to `folder`.
pub(super) fn machine(
    text: &str,
    folder: &Path,
    read: &mut ReadText<'_>,
) -> Result<VirtualMachine, MachineFileError> {
    let table = with_base(document::table(text)?)?;
    let root = Section::root(&table, &KEYS)?;
    let nodes = root.required("nodes", positive)?;
    let hardware = Hardware {
        nodes,
        sockets: root.required("sockets", positive)?,
        cores: root.required("cores", positive)?,
        costs: read_costs(&root, nodes > 1)?,
        paces: paces(&root)?,
        background: background(&root)?,
    };
    hardware.validate()?;
    let name = root.text("name")?.filter(|name| !name.trim().is_empty());
    let name = name.ok_or_else(|| root.wrong("name", "expected what to call the machine"))?;
    let traces = speed_trace::read(&root, (folder, read), &hardware)?;
    let files = speed_trace::files(&root, folder)?;
    Ok(VirtualMachine { name: name.into(), hardware, traces, files })
}

/// Returns the table merged over the machine that its key `base` names, if it has one.
fn with_base(table: Table) -> Result<Table, DocumentError> {
    // Only for `base`; everything else is looked at when all is together.
    let root = Section::root(&table, &KEYS)?;
    let Some(name) = root.text("base")? else { return Ok(table) };
    let expected = || root.wrong("base", format!("expected one of {}", NAMES.join(", ")));
    let base = shipped_text(name).ok_or_else(expected)?;
    let mut base = with_base(document::table(base)?)?;
    put_over(&mut base, table);
    Ok(base)
}

/// Puts every key of `over` into `base`, and merges tables key by key.
fn put_over(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(over)) => put_over(base, over),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Reads the ranges of paces. The range of cores is required; sockets and nodes have the same pace
/// unless the file says otherwise.
fn paces(root: &Section) -> Result<PaceRanges, DocumentError> {
    let optional =
        |key| if root.get(key).is_some() { root.required(key, pace_range) } else { Ok(0) };
    Ok(PaceRanges {
        core: root.required("pace-range", pace_range)?,
        socket: optional("socket-pace-range")?,
        node: optional("node-pace-range")?,
    })
}

/// Reads a share below 1, and returns millionths.
fn pace_range(text: &str) -> Result<u32, &'static str> {
    decimal(text, 6)
        .and_then(|millionths| u32::try_from(millionths).ok())
        .filter(|&millionths| millionths < 1_000_000)
        .ok_or("expected a share from 0 to below 1 with at most 6 decimals, such as 0.01")
}

/// Reads the kinds of noise that every core has at rest.
fn background(root: &Section) -> Result<heapless::Vec<Parasite, MAX_BACKGROUND>, DocumentError> {
    let sources = root.flags("background", |text| match Parasite::parse(text) {
        Ok(Parasite::Loop { sleep: Duration::ZERO, .. }) => {
            Err("it leaves the cores no time at all: give it some sleep")
        }
        Ok(parasite) => Ok(parasite),
        Err(error) => Err(error.expected()),
    })?;
    heapless::Vec::from_slice(&sources).map_err(|_| {
        root.wrong("background", format!("give at most {MAX_BACKGROUND} kinds of noise"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::costs;
    use super::*;

    /// Rows of the guide's tables, by the key in their first column.
    fn shown() -> Vec<&'static str> {
        let guide = include_str!("../../../guide/machine-files.md");
        let keys = guide.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        keys.map(|(key, _)| key).collect()
    }

    #[test]
    fn the_guide_has_every_key_and_no_other() {
        let below = |table: &str, keys: &[&str]| -> Vec<String> {
            keys.iter().map(|key| format!("{table}{key}")).collect()
        };
        let mut expected = below("", &KEYS);
        expected.retain(|key| !["costs", "trace"].contains(&key.as_str()));
        expected.extend(below("costs.", &costs::KEYS));
        expected.extend(below("costs.halo.", &costs::PATHS));
        expected.extend(below("trace.", &speed_trace::KEYS));
        let mut shown = shown();
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shown, expected);
    }
}
