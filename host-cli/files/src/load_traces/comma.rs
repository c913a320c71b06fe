//! The older form of a load trace: lines of numbers, a file a rank.
//!
//! `phase,object,seconds` is an object, `phase,from,to,bytes` a communication between two. It has
//! neither homes nor fixed objects nor memory: every object may move, and its home is the rank that
//! it is on.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::Arc;

use super::document::RankFile;
use super::entity::EntityId;
use super::error::{Fault, one_line};
use super::load_trace::{LoadTrace, Part};
use super::metadata::MAX_PHASES;
use super::task::{Communication, Faulty, Task};
use super::text::Fields;

/// Contents of a load trace that the comma-separated form cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inexpressible {
    /// A rank has no object.
    #[error("rank {rank} has no object in phase {phase}, which comma-separated lines cannot say")]
    NoObject {
        /// The rank.
        rank: usize,
        /// The number of the phase.
        phase: u64,
    },
    /// Two objects have the same number.
    #[error(
        "two objects of phase {phase} have the number {number}, made on different ranks, which \
         comma-separated lines cannot say"
    )]
    SameNumber {
        /// The number of the phase.
        phase: u64,
        /// The number of both objects.
        number: u64,
    },
}

/// The lines of one file before they are interpreted.
#[derive(Default)]
pub(super) struct Lines {
    phases: BTreeMap<u64, Rows>,
}

#[derive(Default)]
struct Rows {
    objects: Vec<(u64, f64)>,
    messages: Vec<(u64, u64, f64)>,
}

/// Reads as many of the lines as can be read, and adds the faults found to `faults`.
pub(super) fn read(text: &[u8], faults: &mut Vec<Faulty>) -> Lines {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text);
    let (mut lines, mut record) = (Lines::default(), csv::StringRecord::new());
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => return lines,
            Ok(true) => {
                if let Err(fault) = lines.add(&record) {
                    let line = record.position().map_or(0, csv::Position::line);
                    faults.push((format!("line {line}"), fault));
                }
            }
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                faults.push((format!("line {line}"), Fault::Line("is not text".into())));
            }
        }
    }
}

impl Lines {
    /// Adds a line to its phase: three fields are an object, four a message.
    fn add(&mut self, record: &csv::StringRecord) -> Result<(), Fault> {
        let fields: Vec<&str> = record.iter().collect();
        let (phase, row) = match *fields.as_slice() {
            [phase, object, seconds] => {
                let row = Row::Object(whole(object)?, amount(seconds)?);
                (whole(phase)?, row)
            }
            [phase, from, to, bytes] => {
                let row = Row::Message(whole(from)?, whole(to)?, amount(bytes)?);
                (whole(phase)?, row)
            }
            _ => return Err(Fault::Line(format!("has {} fields", fields.len()))),
        };
        if !self.phases.contains_key(&phase) && self.phases.len() >= MAX_PHASES {
            return Err(Fault::TooManyPhases(MAX_PHASES));
        }
        let rows = self.phases.entry(phase).or_default();
        match row {
            Row::Object(id, seconds) => rows.objects.push((id, seconds)),
            Row::Message(from, to, bytes) => rows.messages.push((from, to, bytes)),
        }
        Ok(())
    }
}

enum Row {
    Object(u64, f64),
    Message(u64, u64, f64),
}

/// Parses a whole number; the fault names the field.
fn whole(field: &str) -> Result<u64, Fault> {
    field.parse().map_err(|_| Fault::Line(format!("has \"{}\" as a whole number", one_line(field))))
}

/// Parses a number of seconds or bytes, which is finite and not negative.
fn amount(field: &str) -> Result<f64, Fault> {
    match field.parse::<f64>() {
        Ok(amount) if !amount.is_finite() => Err(Fault::NotFinite),
        Ok(amount) if amount < 0.0 => Err(Fault::Negative(amount)),
        Ok(amount) => Ok(amount),
        Err(_) => Err(Fault::Line(format!("has \"{}\" as a number", one_line(field)))),
    }
}

/// Converts the files of all ranks to the form of JSON files; only together do they tell which rank
/// an object is on.
pub(super) fn ranks(files: Vec<(u32, Lines)>) -> Vec<RankFile> {
    let mut homes: HashMap<(u64, u64), u32> = HashMap::new();
    for (rank, lines) in &files {
        for (&phase, rows) in &lines.phases {
            homes.extend(rows.objects.iter().map(|&(id, _)| ((phase, id), *rank)));
        }
    }
    let part = |rank: u32, phase: u64, rows: &Rows| {
        let place = |id| (id, homes.get(&(phase, id)).copied().unwrap_or(rank));
        let message = |&(from, to, bytes)| Communication::new(place(from), place(to), bytes);
        Part {
            tasks: rows.objects.iter().map(|&(id, time)| Task::new(id, rank, time)).collect(),
            communications: rows.messages.iter().map(message).collect(),
            extras: Fields::default(),
        }
    };
    let file = |(rank, lines): (u32, Lines)| RankFile {
        rank: Some(rank),
        head: LoadTrace::head(rank),
        phases: lines
            .phases
            .iter()
            .map(|(&phase, rows)| (phase, Arc::new(part(rank, phase, rows))))
            .collect(),
    };
    files.into_iter().map(file).collect()
}

/// Checks that the form can hold the objects of a load trace, with numbers, times, and bytes
/// between objects.
pub(super) fn check(trace: &LoadTrace) -> Result<(), Inexpressible> {
    for phase in trace.phases() {
        if let Some(rank) = phase.parts.iter().position(|part| part.tasks.is_empty()) {
            return Err(Inexpressible::NoObject { rank, phase: phase.id });
        }
        let mut numbers: Vec<u64> = phase.tasks().map(|task| task.id.number()).collect();
        numbers.sort_unstable();
        if let Some(pair) = numbers.windows(2).find(|pair| pair.first() == pair.last()) {
            let number = pair.first().copied().unwrap_or(0);
            return Err(Inexpressible::SameNumber { phase: phase.id, number });
        }
    }
    Ok(())
}

/// Writes the lines of one rank.
pub(super) fn write(trace: &LoadTrace, rank: usize, to: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().has_headers(false).flexible(true).from_writer(to);
    for phase in trace.phases() {
        let Some(part) = phase.parts.get(rank) else { continue };
        for task in &part.tasks {
            table.serialize((phase.id, task.id.number(), task.seconds))?;
        }
        for communication in &part.communications {
            if let (Some(from), Some(to)) = (communication.from, communication.to) {
                let (from, to) = (EntityId::number(from), EntityId::number(to));
                table.serialize((phase.id, from, to, communication.bytes))?;
            }
        }
    }
    table.flush()
}
