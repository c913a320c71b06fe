//! Phases that a file leaves out, because they were skipped or like the one before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::{Fault, place};
use super::load_trace::Part;
use super::task::{Faulty, value_fault};
use super::text::{Fields, Object, written};

/// Greatest number of phases of a rank that are read.
pub(super) const MAX_PHASES: usize = 100_000;

/// The keys of `metadata` that are used here.
#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "type")]
    kind: Option<String>,
    rank: Option<u32>,
    phases: Option<Object<Phases>>,
}

/// `metadata.phases`.
#[derive(Deserialize)]
struct Phases {
    count: Option<u64>,
    skipped: Option<Object<Numbers>>,
    identical_to_previous: Option<Object<Numbers>>,
}

/// Numbers of phases, one by one and in ranges with a first and a last number.
#[derive(Default, Deserialize)]
struct Numbers {
    #[serde(default)]
    list: Vec<u64>,
    #[serde(default)]
    range: Vec<(u64, u64)>,
}

/// The statements in the head of a file.
#[derive(Default)]
pub(super) struct Said {
    /// `metadata.rank`.
    pub rank: Option<u32>,
    counted: bool,
    skipped: BTreeSet<u64>,
    identical: BTreeSet<u64>,
}

/// Reads the head of a file, that is, everything but its phases.
pub(super) fn read(head: &Fields) -> Result<Said, Faulty> {
    let kind = |kind: String, key: &str| match kind.as_str() {
        "LBDatafile" => Ok(()),
        _ => Err((key.to_owned(), Fault::OtherType(kind))),
    };
    if let Some(text) = head.get("type") {
        let value = serde_json::from_str::<Option<String>>(text.get());
        let value = value.map_err(|error| ("type".into(), value_fault(&error.to_string())))?;
        value.map_or(Ok(()), |value| kind(value, "type"))?;
    }
    let Some(text) = head.get("metadata") else { return Ok(Said::default()) };
    let Metadata { kind: value, rank, phases } = parse(text)?;
    value.map_or(Ok(()), |value| kind(value, "metadata.type"))?;
    let Some(Object(phases)) = phases else { return Ok(Said { rank, ..Said::default() }) };
    let numbers = |numbers: Option<Object<Numbers>>, key: &str| {
        let numbers = numbers.map_or_else(Numbers::default, |numbers| numbers.0);
        numbers.all().map_err(|fault| (format!("metadata.phases.{key}"), fault))
    };
    Ok(Said {
        rank,
        counted: phases.count.is_some(),
        skipped: numbers(phases.skipped, "skipped")?,
        identical: numbers(phases.identical_to_previous, "identical_to_previous")?,
    })
}

/// Parses the metadata; a fault comes with the key at which it is.
fn parse(text: &RawValue) -> Result<Metadata, Faulty> {
    let mut reader = serde_json::Deserializer::from_str(text.get());
    let parsed = serde_path_to_error::deserialize::<_, Object<Metadata>>(&mut reader);
    parsed.map(|metadata| metadata.0).map_err(|error| {
        let key = place(error.path());
        let place = if key.is_empty() { "metadata".into() } else { format!("metadata.{key}") };
        (place, value_fault(&error.into_inner().to_string()))
    })
}

impl Numbers {
    /// Returns all numbers of the list and the ranges, unless they are too many to be phases.
    fn all(&self) -> Result<BTreeSet<u64>, Fault> {
        let mut all: BTreeSet<u64> = self.list.iter().copied().collect();
        for &(first, last) in &self.range {
            if last.saturating_sub(first) >= MAX_PHASES as u64 {
                return Err(Fault::TooManyPhases(MAX_PHASES));
            }
            all.extend(first..=last);
            // Before the next range: together they may be too many as well.
            if all.len() > MAX_PHASES {
                return Err(Fault::TooManyPhases(MAX_PHASES));
            }
        }
        Ok(all)
    }
}

impl Said {
    /// Adds the phases that are left out, each as the one before it, and makes the head complete.
    ///
    /// What was skipped before the first phase stays so: nothing is known of it.
    pub(super) fn expand(
        self,
        head: &mut Fields,
        phases: &mut BTreeMap<u64, Arc<Part>>,
    ) -> Result<(), Faulty> {
        let named = |phase| format!("phase {phase}");
        for &phase in self.identical.iter().chain(&self.skipped) {
            if phases.contains_key(&phase) {
                return Err((named(phase), Fault::PhaseTwice));
            }
        }
        let first = phases.first_key_value().map(|(&first, _)| first);
        let early = |phase: &u64| first.is_none_or(|first| *phase < first);
        if let Some(&phase) = self.identical.iter().find(|phase| early(phase)) {
            return Err((named(phase), Fault::NothingBefore));
        }
        let (unknown, skipped): (BTreeSet<u64>, _) = self.skipped.into_iter().partition(early);
        for phase in self.identical.into_iter().chain(skipped).collect::<BTreeSet<_>>() {
            if phases.len() >= MAX_PHASES {
                return Err((String::new(), Fault::TooManyPhases(MAX_PHASES)));
            }
            let before = phases.range(..phase).next_back().map(|(_, part)| Arc::clone(part));
            phases.extend(before.map(|part| (phase, part)));
        }
        complete(head, self.counted, &unknown, phases.len());
        Ok(())
    }
}

/// Makes a head one that vt's validator and LBAF take: with a type, without what is null, and with
/// both lists of phases or none.
fn complete(head: &mut Fields, counted: bool, skipped: &BTreeSet<u64>, phases: usize) {
    let inner = |fields: &Fields, key| {
        fields.get(key).and_then(|text| serde_json::from_str::<Fields>(text.get()).ok())
    };
    head.remove_nulls();
    let mut metadata = inner(head, "metadata");
    if let Some(metadata) = &mut metadata {
        metadata.remove_nulls();
        if let Some(mut said) = inner(metadata, "phases") {
            said.remove_nulls();
            said.set("skipped", numbers(skipped));
            // Expanding has made phases of all of them.
            said.set("identical_to_previous", numbers(&BTreeSet::new()));
            if counted {
                said.set("count", written(&(phases + skipped.len())));
            }
            metadata.set("phases", written(&said));
        }
        head.set("metadata", written(metadata));
    }
    let has_type = |fields: &Fields| fields.get("type").is_some();
    if !has_type(head) && !metadata.as_ref().is_some_and(has_type) {
        head.set("type", written(&"LBDatafile"));
    }
}

/// Returns phases as the file lists them.
fn numbers(phases: &BTreeSet<u64>) -> Box<RawValue> {
    let ranges: [[u64; 2]; 0] = [];
    written(&serde_json::json!({ "list": phases, "range": ranges }))
}
