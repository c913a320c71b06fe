//! What processors know of each other, of whichever kind it is.

use super::full_knowledge::FullKnowledge;
use super::known::Known;
use super::tables::{Rounds, Tables, Told};
use crate::balance::grapevine::parallel::Parallel;
use crate::bug::OrBug;
use crate::id::ProcessorId;

/// What the processors know of each other.
#[derive(Debug)]
pub enum Knowledge<'a> {
    /// Tables of bounded size.
    Tables(Tables<'a>),
    /// Everything that was heard of.
    Full(FullKnowledge<'a>),
}

impl Knowledge<'_> {
    /// The gossiping phase of an iteration.
    pub fn gossip(&mut self, rounds: &Rounds<'_>, parallel: &impl Parallel) -> Told {
        match self {
            Self::Tables(tables) => rounds.gossip(tables, parallel),
            Self::Full(full) => full.gossip(rounds),
        }
    }

    /// Fills `ids` with those that a processor knows, itself left out; returns how many.
    pub fn gather(&self, of: ProcessorId, ids: &mut [ProcessorId]) -> usize {
        match self {
            Self::Tables(tables) => {
                let known = tables.known.get(of.index()).or_bug("a processor has no table");
                fill(known.into_iter().flat_map(Known::names), of, ids)
            }
            Self::Full(full) => fill(full.names(of), of, ids),
        }
    }

    /// Whether two processors are known to know the same others.
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
