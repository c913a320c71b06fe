//! One rank's file of vt's load data: JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::{Fault, one_line, place};
use super::load_trace::Part;
use super::metadata::{self, MAX_PHASES};
use super::task::{Communication, Faulty, Task, value_fault};
use super::text::{Fields, Key};

/// The content of one file.
#[derive(Default)]
pub(super) struct RankFile {
    /// The rank that the file's metadata name.
    pub rank: Option<u32>,
    pub head: Fields,
    pub phases: BTreeMap<u64, Arc<Part>>,
}

/// The file as it stands: one pass that leaves objects and communications as text.
#[derive(Default)]
struct Document<'a> {
    head: Fields,
    phases: Option<Vec<PhaseText<'a>>>,
}

#[derive(Default)]
struct PhaseText<'a> {
    id: Option<u64>,
    tasks: Option<Vec<&'a RawValue>>,
    communications: Option<Vec<&'a RawValue>>,
    extras: Fields,
}

impl<'de: 'a, 'a> Deserialize<'de> for Document<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Document<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with \"phases\"")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut read = Document::default();
                while let Some(Key(key)) = map.next_key()? {
                    match &*key {
                        "phases" => once(&mut read.phases, map.next_value()?, "phases")?,
                        "metadata" | "type" if read.head.get(&key).is_some() => {
                            return Err(twice(&key));
                        }
                        _ => read.head.push(key, map.next_value()?),
                    }
                }
                Ok(read)
            }
        }
        from.deserialize_map(Read)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for PhaseText<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = PhaseText<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with \"id\" and \"tasks\"")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut read = PhaseText::default();
                while let Some(Key(key)) = map.next_key()? {
                    match &*key {
                        "id" => once(&mut read.id, map.next_value()?, "id")?,
                        "tasks" => once(&mut read.tasks, map.next_value()?, "tasks")?,
                        "communications" => {
                            once(&mut read.communications, map.next_value()?, "communications")?;
                        }
                        _ => read.extras.push(key, map.next_value()?),
                    }
                }
                Ok(read)
            }
        }
        from.deserialize_map(Read)
    }
}

/// Sets the value of a key, which must not be set already.
fn once<T, E: serde::de::Error>(place: &mut Option<T>, value: T, key: &str) -> Result<(), E> {
    if place.replace(value).is_some() { Err(twice(key)) } else { Ok(()) }
}

/// Returns the error about a key that is there twice.
fn twice<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!("the key `{key}` is there twice"))
}

/// Reads as much of a file as can be read, and adds the faults found to `faults`.
///
/// Nothing where it is no such file at all.
pub(super) fn read(
    text: &[u8],
    name_rank: Option<u32>,
    faults: &mut Vec<Faulty>,
) -> Option<RankFile> {
    let document = match serde_json::from_slice::<Document<'_>>(text) {
        Ok(document) => document,
        Err(error) => {
            faults.push(diagnosis(text, &error));
            return None;
        }
    };
    let Document { mut head, phases } = document;
    let said = match metadata::read(&head) {
        Ok(said) => said,
        Err(fault) => {
            faults.push(fault);
            return None;
        }
    };
    if let (Some(metadata), Some(name)) = (said.rank, name_rank)
        && metadata != name
    {
        faults.push(("metadata.rank".into(), Fault::RankDiffers { metadata, name }));
        return None;
    }
    let rank = said.rank.or(name_rank);
    let Some(phases) = phases else {
        faults.push(("phases".into(), Fault::Missing("the list of what was done in each phase")));
        return None;
    };
    if phases.len() > MAX_PHASES {
        faults.push(("phases".into(), Fault::TooManyPhases(MAX_PHASES)));
        return None;
    }
    let mut read = BTreeMap::new();
    for (index, phase) in phases.into_iter().enumerate() {
        let Some(id) = phase.id else {
            let what = "the number of the phase";
            faults.push((format!("phases[{index}].id"), Fault::Missing(what)));
            continue;
        };
        let part = phase.read(id, rank.unwrap_or(0), faults);
        if read.insert(id, Arc::new(part)).is_some() {
            faults.push((format!("phase {id}"), Fault::PhaseTwice));
        }
    }
    if let Err(fault) = said.expand(&mut head, &mut read) {
        faults.push(fault);
    }
    Some(RankFile { rank, head, phases: read })
}

impl PhaseText<'_> {
    /// Reads the objects and communications of one phase. Those with a fault are left out, and all
    /// faults are noted.
    fn read(self, id: u64, rank: u32, faults: &mut Vec<Faulty>) -> Part {
        let mut collect = |list: &str, index: usize, (key, fault): Faulty| {
            let dot = if key.is_empty() { "" } else { "." };
            faults.push((format!("phase {id}, {list}[{index}]{dot}{key}"), fault));
        };
        let mut part = Part { extras: self.extras, ..Part::default() };
        for (index, text) in self.tasks.iter().flatten().enumerate() {
            match Task::parse(text, rank) {
                Ok(task) => part.tasks.push(task),
                Err(fault) => collect("tasks", index, fault),
            }
        }
        for (index, text) in self.communications.iter().flatten().enumerate() {
            match Communication::parse(text) {
                Ok(communication) => part.communications.push(communication),
                Err(fault) => collect("communications", index, fault),
            }
        }
        if self.tasks.is_none() {
            let what = "the list of the objects on this rank, which may be []";
            faults.push((format!("phase {id}, tasks"), Fault::Missing(what)));
        }
        part
    }
}

/// Finds the place and the reason for which a text is no document; this is slower than reading a
/// document.
fn diagnosis(text: &[u8], first: &serde_json::Error) -> Faulty {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let tracked = serde_path_to_error::deserialize::<_, Value>(&mut reader);
    let Err(tracked) = tracked else { return other_form(text, first) };
    let place = place(tracked.path());
    let error = tracked.into_inner();
    let (line, column) = (error.line(), error.column());
    if error.to_string().starts_with("number out of range") || is_no_number(text, line, column) {
        return (place, Fault::NotFinite);
    }
    syntax(&error)
}

/// Returns the fault of a text that is JSON of another form, or that is followed by something else.
fn other_form(text: &[u8], first: &serde_json::Error) -> Faulty {
    let mut reader = serde_json::Deserializer::from_slice(text);
    match serde_path_to_error::deserialize::<_, Document<'_>>(&mut reader) {
        Err(tracked) => {
            let place = place(tracked.path());
            (place, value_fault(&tracked.into_inner().to_string()))
        }
        Ok(_) => syntax(first),
    }
}

/// Turns an error of the JSON parser into a fault with its line and column.
fn syntax(error: &serde_json::Error) -> Faulty {
    let (line, column, message) = (error.line(), error.column(), error.to_string());
    let message = one_line(message.rsplit_once(" at line ").map_or(&*message, |(said, _)| said));
    (String::new(), Fault::Syntax { line, column, message })
}

/// Reports whether the parser stopped at a word that other writers put for a value that is not a
/// number.
fn is_no_number(text: &[u8], line: usize, column: usize) -> bool {
    let line = text.split(|&byte| byte == b'\n').nth(line.saturating_sub(1)).unwrap_or_default();
    // It stops at a letter of the word: at the first, or after a sign.
    let near = line.get(column.saturating_sub(2)..).unwrap_or_default();
    let near = near.get(..near.len().min(4)).unwrap_or_default();
    [&b"NaN"[..], b"Inf", b"nan", b"inf"]
        .iter()
        .any(|word| near.windows(word.len()).any(|window| window == *word))
}
