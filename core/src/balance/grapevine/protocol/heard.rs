//! The table of a processor, with the loads that were told.

use heapless::Vec;

use crate::balance::grapevine::config::KNOWN_MAX;
use crate::balance::grapevine::gossip::known::{Known, Sampling};
use crate::base::bug::OrBug;
use crate::base::sort::insert_last;
use crate::base::table::{Add, At};

/// A processor's name and its load at the beginning of the iteration.
pub type Load = (u32, u64);

/// A processor's knowledge of others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Heard {
    /// The known processors.
    pub known: Known,
    /// Their loads, by name.
    loads: Vec<Load, KNOWN_MAX>,
}

impl Heard {
    /// Adds a processor with its load. The table is a sample: of two names for one place, one is
    /// forgotten.
    pub fn insert(&mut self, sampling: Sampling, (name, load): Load) {
        let Self { known, loads } = self;
        known.insert(sampling, name);
        loads.retain(|&(other, _)| known.contains(sampling, other));
        if known.contains(sampling, name)
            && loads.binary_search_by_key(&name, |&(other, _)| other).is_err()
        {
            loads.add((name, load));
            insert_last(loads, |&(other, _)| other);
        }
    }

    /// Adds all that another table holds.
    pub fn insert_all(&mut self, sampling: Sampling, other: &Self) {
        other.loads.iter().for_each(|&load| self.insert(sampling, load));
    }

    /// Returns the known processors with their loads, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = Load> {
        self.known.names().map(|name| {
            let place = self.loads.binary_search_by_key(&name, |&(other, _)| other);
            *self.loads.at(place.or_bug("who is known has no load"))
        })
    }

    /// Returns all of them, for a message.
    pub fn entries(&self) -> Vec<Load, KNOWN_MAX> {
        self.loads.clone()
    }
}
