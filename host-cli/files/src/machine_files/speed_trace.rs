//! Speed traces: the speeds of single cores over time.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Value;
use tresse_core::grammar::count32;
use tresse_core::machine::{CoreTrace, Piece};
use tresse_core::owned::SpeedTrace;
use tresse_core::time::Instant;

use super::costs::decimal;
use super::error::SpeedTraceError;
use super::{MachineFileError, ReadText};
use crate::document::{DocumentError, Limit, Section};

/// The longest file of a speed trace that is read.
const LONGEST: Limit = Limit { bytes: 1 << 26, mend: "over 64 MiB; thin it out" };

const KEYS: [&str; 3] = ["core", "file", "points"];
const NUMBERS: &str = "seconds of at least 0 and a speed from 0 to 1";
const ORDER: &str =
    "the first time must be 0, times must ascend, and the last speed must be above 0";

/// Reads every `[[trace]]` of a machine with this number of cores.
pub(super) fn read(
    root: &Section,
    (folder, read): (&Path, &mut ReadText<'_>),
    cores: u32,
) -> Result<Vec<SpeedTrace>, MachineFileError> {
    let sections = root.sections("trace", &KEYS)?;
    sections.iter().map(|section| trace(section, (folder, read), cores)).collect()
}

/// Returns the files of the speed traces.
pub(super) fn files(root: &Section, folder: &Path) -> Result<Vec<PathBuf>, MachineFileError> {
    let sections = root.sections("trace", &KEYS)?;
    let named = sections.iter().map(|section| Ok(section.text("file")?.map(|it| folder.join(it))));
    Ok(named.collect::<Result<Vec<_>, DocumentError>>()?.into_iter().flatten().collect())
}

fn trace(
    section: &Section,
    (folder, read): (&Path, &mut ReadText<'_>),
    cores: u32,
) -> Result<SpeedTrace, MachineFileError> {
    let core = section.required("core", |text| {
        count32(text)
            .ok()
            .filter(|&core| core < cores)
            .ok_or_else(|| format!("expected a core of this machine, 0 to {}", cores - 1))
    })?;
    let pieces = match (section.text("file")?, section.get("points")) {
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
    };
    Ok(SpeedTrace { core, pieces })
}

fn is_possible(core: u32, pieces: &[Piece]) -> bool {
    CoreTrace { core, pieces }.is_possible()
}

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

/// Returns the piece of a speed trace for measured numbers, with the time rounded to the nanosecond and
/// the speed to the millionth.
fn piece(seconds: f64, speed: f64) -> Option<Piece> {
    let nanoseconds = decimal(&format!("{seconds:.9}"), 9)?;
    let millionths = u32::try_from(decimal(&format!("{speed:.6}"), 6)?).ok()?;
    (millionths <= 1_000_000).then(|| Piece::new(Instant(nanoseconds), millionths))
}
