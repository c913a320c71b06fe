//! The names of objects in a load trace.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;

/// The name of an object, unique within a phase.
///
/// A load trace names an object by a packed `id`, or by a `seq_id` that is counted on its home rank
/// and for each kind of object on its own. The order is that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityId {
    /// `id`, whose bits hold home, kind and number.
    Packed(u64),
    /// `seq_id`, with the values that its count depends on.
    Sequence {
        /// `seq_id`.
        number: u64,
        /// Rank that the object was made on.
        home: u32,
        /// Whether the object counts among those that may move.
        migratable: bool,
        /// `objgroup_id`.
        group: Option<u64>,
    },
}

impl EntityId {
    /// Returns the number that the trace has for the object.
    pub const fn number(self) -> u64 {
        match self {
            Self::Packed(number) | Self::Sequence { number, .. } => number,
        }
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed(id) => write!(f, "{id}"),
            Self::Sequence { number, home, .. } => write!(f, "{number} (of rank {home})"),
        }
    }
}

/// `entity` of a task, or an end of a communication.
#[derive(Deserialize)]
pub(super) struct Entity<'a> {
    pub id: Option<u64>,
    pub seq_id: Option<u64>,
    pub home: Option<u32>,
    pub migratable: Option<bool>,
    pub objgroup_id: Option<u64>,
    #[serde(borrow, rename = "type")]
    pub kind: Option<Cow<'a, str>>,
}

impl Entity<'_> {
    /// Reports whether this is an object, and not a node or a shared block of memory.
    pub fn is_object(&self) -> bool {
        self.kind.as_deref().is_none_or(|kind| kind == "object")
    }

    /// Returns the object's name, if it has one.
    pub fn name(&self) -> Option<EntityId> {
        if !self.is_object() {
            return None;
        }
        let sequence = || {
            Some(EntityId::Sequence {
                number: self.seq_id?,
                home: self.home?,
                migratable: self.migratable?,
                group: self.objgroup_id,
            })
        };
        self.id.map(EntityId::Packed).or_else(sequence)
    }
}
