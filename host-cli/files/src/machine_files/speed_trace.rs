//! Speed traces: the speeds of single cores over time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use toml::Value;
use tresse_core::base::grammar::count32;
use tresse_core::base::time::Instant;
use tresse_core::sim::machine::{CoreTrace, Hardware, Piece};
use tresse_core::sim::owned::SpeedTrace;

use super::costs::decimal;
use super::error::SpeedTraceError;
use super::{MachineFileError, ReadText};
use crate::document::{DocumentError, Limit, Section};

/// The longest file of a speed trace that is read.
const LONGEST: Limit = Limit { bytes: 1 << 26, mend: "over 64 MiB; thin it out" };

pub(super) const KEYS: [&str; 4] = ["core", "socket", "file", "points"];
const NUMBERS: &str = "seconds of at least 0 and a speed from 0 to 1";
const ORDER: &str =
    "the first time must be 0, times must ascend, and the last speed must be above 0";

/// Reads every `[[trace]]` of a machine, for each of the cores that it is of.
pub(super) fn read(
    root: &Section,
    (folder, read): (&Path, &mut ReadText<'_>),
    hardware: &Hardware,
) -> Result<Vec<SpeedTrace>, MachineFileError> {
    let mut traces = Vec::new();
    for section in root.sections("trace", &KEYS)? {
        let cores = cores(&section, hardware)?;
        let first = cores.first().copied().unwrap_or_default();
        let pieces: Arc<[Piece]> = pieces(&section, (folder, read), first)?.into();
        let of = |core| SpeedTrace { core, pieces: Arc::clone(&pieces) };
        traces.extend(cores.into_iter().map(of));
    }
    Ok(traces)
}

/// Returns the files of the speed traces.
pub(super) fn files(root: &Section, folder: &Path) -> Result<Vec<PathBuf>, MachineFileError> {
    let sections = root.sections("trace", &KEYS)?;
    let named = sections.iter().map(|section| Ok(section.text("file")?.map(|it| folder.join(it))));
    Ok(named.collect::<Result<Vec<_>, DocumentError>>()?.into_iter().flatten().collect())
}

/// Returns the cores that a trace is of, in ascending order; there is at least one.
fn cores(section: &Section, hardware: &Hardware) -> Result<Vec<u32>, DocumentError> {
    let Hardware { nodes, sockets, cores, .. } = *hardware;
    if section.get("socket").is_none() {
        let last = hardware.all_cores() - 1;
        return section.required("core", |text| {
            listed(text, last).ok_or_else(|| {
                format!("expected cores of this machine, 0 to {last}, such as 5 or \"0-3,8\"")
            })
        });
    }
    if section.get("core").is_some() {
        return Err(section.wrong("socket", "give either `core` or `socket`"));
    }
    let last = nodes * sockets - 1;
    let socket = section.required("socket", |text| {
        let socket = count32(text).ok().filter(|&socket| socket <= last);
        socket.ok_or_else(|| format!("expected a socket of this machine, 0 to {last}"))
    })?;
    Ok((socket * cores..(socket + 1) * cores).collect())
}

/// Reads a list of cores and ranges of cores.
fn listed(text: &str, last: u32) -> Option<Vec<u32>> {
    let mut cores = BTreeSet::new();
    for part in text.split(',') {
        let (first, end) = part.split_once('-').unwrap_or((part, part));
        let [first, end] = [first, end].map(|core| count32(core.trim()).ok());
        let range = first?..=end.filter(|&core| core <= last)?;
        if range.is_empty() {
            return None;
        }
        cores.extend(range);
    }
    Some(cores.into_iter().collect())
}

/// Reads the pieces of a trace, which is of `core` and perhaps of others.
fn pieces(
    section: &Section,
    (folder, read): (&Path, &mut ReadText<'_>),
    core: u32,
) -> Result<Vec<Piece>, MachineFileError> {
    Ok(match (section.text("file")?, section.get("points")) {
        (Some(file), None) => {
            let file = folder.join(file);
            read_csv(core, &file, read).map_err(|error| {
                let key = section.path("file");
                MachineFileError::Trace { key, file, error: Box::new(error) }
            })?
        }
        (None, Some(points)) => {
            let pieces = inline(points).ok_or_else(|| {
                section.wrong("points", format!("expected a list of [seconds, speed]: {NUMBERS}"))
            })?;
            if !is_possible(core, &pieces) {
                return Err(section.wrong("points", ORDER).into());
            }
            pieces
        }
        _ => return Err(section.wrong("points", "give either `file` or `points`").into()),
    })
}

/// Reports whether the pieces of a core's trace follow each other.
fn is_possible(core: u32, pieces: &[Piece]) -> bool {
    CoreTrace { core, pieces }.is_possible()
}

/// Reads a list of `[seconds, speed]`; `None` where it is anything else.
fn inline(points: &Value) -> Option<Vec<Piece>> {
    let number = |value: &Value| match value {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    };
    let point = |value: &Value| match value.as_array()?.as_slice() {
        [seconds, speed] => piece(number(seconds)?, number(speed)?),
        _ => None,
    };
    points.as_array()?.iter().map(point).collect()
}

#[derive(Deserialize)]
struct Row {
    seconds: f64,
    speed: f64,
}

/// Reads a speed trace of a core from a CSV file with the columns `seconds` and `speed`.
fn read_csv(
    core: u32,
    file: &Path,
    read: &mut ReadText<'_>,
) -> Result<Vec<Piece>, SpeedTraceError> {
    let text = read(file, LONGEST)?;
    let mut table = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut pieces = Vec::new();
    for row in table.deserialize() {
        let Row { seconds, speed } = row?;
        let row = pieces.len() + 1;
        pieces
            .push(piece(seconds, speed).ok_or(SpeedTraceError::Number { row, expected: NUMBERS })?);
    }
    if !is_possible(core, &pieces) {
        return Err(SpeedTraceError::Order(ORDER));
    }
    Ok(pieces)
}

/// Returns the piece of a speed trace for measured numbers, with the time rounded to the nanosecond
/// and the speed to the millionth.
fn piece(seconds: f64, speed: f64) -> Option<Piece> {
    let nanoseconds = decimal(&format!("{seconds:.9}"), 9)?;
    let millionths = u32::try_from(decimal(&format!("{speed:.6}"), 6)?).ok()?;
    (millionths <= 1_000_000).then(|| Piece::new(Instant(nanoseconds), millionths))
}
