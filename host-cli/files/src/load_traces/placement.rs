//! One phase in the plain form that balancers take, and a phase with other owners.

use std::sync::Arc;

use serde::Serialize;
use tresse_core::base::id::{ObjectId, ProcessorId};

use super::entity::EntityId;
use super::load_trace::{LoadTrace, Part, Phase};
use super::task::{Communication, ObjectMemory, Task};

/// The objects of one phase, numbered in the order of their names; one element for each.
///
/// The numbers do not depend on who owns what, so that they stay when objects move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseObjects {
    /// Names in the trace.
    pub names: Vec<EntityId>,
    /// Time that each object took, in seconds.
    pub seconds: Vec<f64>,
    /// Rank that each object is on.
    pub owners: Vec<ProcessorId>,
    /// Whether each object must stay on its rank.
    pub fixed: Vec<bool>,
    /// Memory that each object needs on its rank; empty where the trace does not say.
    pub memory: Vec<ObjectMemory>,
    /// Bytes of each rank's memory that belong to no object, as the rank's objects name them; the
    /// largest such number of all ranks where a rank has no object.
    pub rank_bytes: Vec<f64>,
    /// Bytes that objects of this phase sent each other, in the order of ranks and files.
    pub links: Vec<Link>,
}

/// Bytes that one object sent to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The sender.
    pub from: ObjectId,
    /// The receiver.
    pub to: ObjectId,
    /// Number of bytes.
    pub bytes: f64,
}

/// Owners that the objects of a phase cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// The trace has no such phase.
    #[error("the trace has {phases} phases, and no phase of index {index}")]
    NoPhase {
        /// Index that was asked for.
        index: usize,
        /// Number of phases.
        phases: usize,
    },
    /// There is not one owner for each object.
    #[error("there are {owners} owners for {objects} objects")]
    Lengths {
        /// Number of objects.
        objects: usize,
        /// Number of owners that were given.
        owners: usize,
    },
    /// The owner of the object is not a rank of the trace.
    #[error("object {0} would be on processor {1}, which is not there")]
    UnknownOwner(ObjectId, ProcessorId),
    /// The owner differs from the rank of an object that must stay.
    #[error("object {0} would move to processor {1}, but it must stay")]
    Fixed(ObjectId, ProcessorId),
}

/// Position of an object: name, rank and index in its rank's list.
type TaskPosition = (EntityId, usize, usize);

impl Phase {
    /// Returns the positions of all objects, in the order of their names.
    fn places(&self) -> Vec<TaskPosition> {
        let parts = self.parts.iter().enumerate();
        let mut places: Vec<TaskPosition> = parts
            .flat_map(|(rank, part)| {
                part.tasks.iter().enumerate().map(move |(index, task)| (task.id, rank, index))
            })
            .collect();
        places.sort_unstable();
        places
    }

    /// Returns the object at a position.
    fn task(&self, &(_, rank, index): &TaskPosition) -> Option<&Task> {
        self.parts.get(rank)?.tasks.get(index)
    }

    /// Returns the names of the phase's objects, in the order of [`PhaseObjects`].
    pub fn names(&self) -> Vec<EntityId> {
        self.places().into_iter().map(|place| place.0).collect()
    }

    /// Returns the phase's objects in the plain form that balancers take.
    pub fn objects(&self) -> PhaseObjects {
        let places = self.places();
        let all = || places.iter().filter_map(|place| self.task(place));
        let has_memory = all().any(|task| task.memory.is_some());
        let memory = |task: &Task| task.memory.as_deref().copied().unwrap_or_default();
        let numbered = |name: Option<EntityId>| {
            let index = places.binary_search_by_key(&name?, |place| place.0).ok()?;
            Some(ObjectId(u32::try_from(index).ok()?))
        };
        let link = |entry: &Communication| {
            let (from, to) = (numbered(entry.from)?, numbered(entry.to)?);
            Some(Link { from, to, bytes: entry.bytes })
        };
        PhaseObjects {
            names: places.iter().map(|place| place.0).collect(),
            seconds: all().map(|task| task.seconds).collect(),
            owners: places.iter().map(|place| processor(place.1)).collect(),
            fixed: all().map(|task| !task.migratable).collect(),
            memory: if has_memory { all().map(memory).collect() } else { Vec::new() },
            rank_bytes: self.rank_bytes(),
            links: self.communications().filter_map(link).collect(),
        }
    }

    /// Returns the working memory of each rank in bytes, the largest that its objects name. A rank
    /// whose objects name none has that of the largest rank.
    fn rank_bytes(&self) -> Vec<f64> {
        let bytes = |task: &Task| task.memory.as_ref().map(|memory| memory.rank_working_bytes);
        let of = |part: &Arc<Part>| part.tasks.iter().filter_map(bytes).reduce(f64::max);
        let largest = self.parts.iter().filter_map(of).fold(0.0, f64::max);
        self.parts.iter().map(|part| of(part).unwrap_or(largest)).collect()
    }
}

/// Returns the processor that a rank is for balancers.
fn processor(rank: usize) -> ProcessorId {
    ProcessorId(u32::try_from(rank).unwrap_or(u32::MAX))
}

impl LoadTrace {
    /// Returns the trace with other owners of the objects of the phase at `index`, which are in the
    /// order of [`PhaseObjects`].
    ///
    /// Objects keep their homes and everything else that the trace says of them. A communication
    /// stays with the object for which it was noted; all else stays with its rank.
    pub fn with_owners(
        mut self,
        index: usize,
        owners: &[ProcessorId],
    ) -> Result<Self, PlacementError> {
        let phases = self.phases.len();
        let phase = self.phases.get(index).ok_or(PlacementError::NoPhase { index, phases })?;
        let places = phase.places();
        if owners.len() != places.len() {
            let (objects, owners) = (places.len(), owners.len());
            return Err(PlacementError::Lengths { objects, owners });
        }
        let ranks = self.ranks();
        for (object, (place, &owner)) in places.iter().zip(owners).enumerate() {
            let object = ObjectId(u32::try_from(object).unwrap_or(u32::MAX));
            if owner.index() >= ranks {
                return Err(PlacementError::UnknownOwner(object, owner));
            }
            let fixed = phase.task(place).is_some_and(|task| !task.migratable);
            if fixed && owner.index() != place.1 {
                return Err(PlacementError::Fixed(object, owner));
            }
        }
        let parts = phase.moved(&places, owners);
        if let Some(phase) = self.phases.get_mut(index) {
            phase.parts = parts;
        }
        Ok(self)
    }
}

impl Phase {
    /// Returns the parts of all ranks with every object on its owner; `places` and `owners` are in
    /// the order of names. A communication goes along with the object that it was noted for.
    fn moved(&self, places: &[TaskPosition], owners: &[ProcessorId]) -> Vec<Arc<Part>> {
        let mut parts: Vec<Part> = self
            .parts
            .iter()
            .map(|part| Part { extras: part.extras.clone(), ..Part::default() })
            .collect();
        // Who stays keeps its place among those who stay; who comes follows in the order of names.
        let owner_of = |name: EntityId| {
            let index = places.binary_search_by_key(&name, |place| place.0).ok()?;
            Some((places.get(index)?.1, owners.get(index)?.index()))
        };
        for (rank, (old, new)) in self.parts.iter().zip(&mut parts).enumerate() {
            let stays = |task: &&Task| owner_of(task.id).is_none_or(|(_, to)| to == rank);
            new.tasks.extend(old.tasks.iter().filter(stays).cloned());
        }
        for (place, owner) in places.iter().zip(owners) {
            let target = parts.get_mut(owner.index()).filter(|_| owner.index() != place.1);
            if let (Some(target), Some(task)) = (target, self.task(place)) {
                target.tasks.push(task.on(owner.0));
            }
        }
        for (rank, old) in self.parts.iter().enumerate() {
            for entry in &old.communications {
                // Noted here for the object that was here.
                let here = |name: Option<EntityId>| {
                    owner_of(name?).filter(|(from, _)| *from == rank).map(|(_, to)| to)
                };
                let (first, second) = if entry.is_noted_by_receiver {
                    (entry.to, entry.from)
                } else {
                    (entry.from, entry.to)
                };
                let to = here(first).or_else(|| here(second)).unwrap_or(rank);
                if let Some(part) = parts.get_mut(to) {
                    part.communications.push(entry.clone());
                }
            }
        }
        parts.into_iter().map(Arc::new).collect()
    }
}
