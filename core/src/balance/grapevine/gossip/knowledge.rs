//! Knowledge that processors have of each other, of whichever kind.

use super::full_knowledge::FullKnowledge;
use super::tables::{Rounds, Tables, Told};
use crate::balance::grapevine::parallel::Parallel;
use crate::base::id::ProcessorId;
use crate::base::table::At;

/// Knowledge that the processors have of each other.
#[derive(Debug)]
pub enum Knowledge<'a> {
    /// Tables of bounded size.
    Tables(Tables<'a>),
    /// Rows of everything that was heard of.
    Full(FullKnowledge<'a>),
}

impl Knowledge<'_> {
    /// Makes the gossiping phase of an iteration.
    pub fn gossip(&mut self, rounds: &Rounds<'_>, parallel: &impl Parallel) -> Told {
        match self {
            Self::Tables(tables) => rounds.gossip(tables, parallel),
            Self::Full(full) => full.gossip(rounds),
        }
    }

    /// Fills `ids` with the processors that one knows, itself left out; returns their number.
    pub fn gather(&self, of: ProcessorId, ids: &mut [ProcessorId]) -> usize {
        match self {
            Self::Tables(tables) => fill(tables.known.at(of).names(), of, ids),
            Self::Full(full) => fill(full.names(of), of, ids),
        }
    }

    /// Whether two processors certainly know the same others; false with tables, where that is not
    /// compared.
    pub fn know_the_same(&self, pair: [ProcessorId; 2]) -> bool {
        match self {
            Self::Tables(_) => false,
            Self::Full(full) => full.know_the_same(pair),
        }
    }
}

fn fill(known: impl Iterator<Item = u32>, of: ProcessorId, ids: &mut [ProcessorId]) -> usize {
    let others = known.map(ProcessorId).filter(|&other| other != of);
    ids.iter_mut().zip(others).map(|(id, other)| *id = other).count()
}
