//! A whole load trace: every rank in every phase.

use std::sync::Arc;

use super::task::{Communication, Task};
use super::text::Fields;

/// The load of every rank in every phase.
///
/// Phases that a file leaves out (skipped, or like the one before) are there. Clones share what
/// they have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadTrace {
    pub(super) stem: String,
    pub(super) heads: Vec<Arc<Fields>>,
    pub(super) phases: Vec<Phase>,
}

/// The load of every rank between two opportunities to balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Number of the phase; the phases of a load trace are in the order of their numbers.
    pub id: u64,
    /// The load of each rank.
    pub parts: Vec<Arc<Part>>,
}

/// The objects and communications of one rank in one phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Objects that were on the rank.
    pub tasks: Vec<Task>,
    /// Communications that the rank noted.
    pub communications: Vec<Communication>,
    /// All other keys of the phase.
    pub(super) extras: Fields,
}

impl LoadTrace {
    /// Returns the stem, with which the names of the trace's files begin.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.heads.len()
    }

    /// Returns the phases; there is at least one.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// Returns the index of the phase with this number.
    pub fn position(&self, id: u64) -> Option<usize> {
        self.phases.binary_search_by_key(&id, |phase| phase.id).ok()
    }

    /// Returns the head of a rank's file that no application has written.
    pub(super) fn head(rank: u32) -> Fields {
        let metadata = serde_json::json!({ "type": "LBDatafile", "rank": rank });
        Fields(vec![("metadata".into(), super::text::written(&metadata))])
    }
}

impl Phase {
    /// Returns all objects, rank by rank.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.parts.iter().flat_map(|part| &part.tasks)
    }

    /// Returns all communications, rank by rank.
    pub fn communications(&self) -> impl Iterator<Item = &Communication> {
        self.parts.iter().flat_map(|part| &part.communications)
    }

    /// Seconds of each object, rank by rank.
    pub fn seconds(&self) -> Vec<f64> {
        self.tasks().map(|task| task.seconds).collect()
    }

    /// Bytes of all communications.
    pub fn communicated_bytes(&self) -> f64 {
        total(self.communications().map(|entry| entry.bytes))
    }

    /// Seconds of all objects of each rank.
    pub fn rank_seconds(&self) -> Vec<f64> {
        let seconds = |part: &Arc<Part>| total(part.tasks.iter().map(|task| task.seconds));
        self.parts.iter().map(seconds).collect()
    }
}

/// Returns the sum of some figures; the sum of no figures is 0, whereas the standard library's is
/// −0.
fn total(figures: impl Iterator<Item = f64>) -> f64 {
    figures.fold(0.0, |sum, figure| sum + figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_without_objects_has_no_seconds_and_no_sign() {
        assert!(total([].into_iter()).is_sign_positive());
        assert!((total([1.0, 2.5].into_iter()) - 3.5).abs() < 1e-12);
    }
}
