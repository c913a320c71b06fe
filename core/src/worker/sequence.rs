//! Fixed sequences of commands: at the beginning, before and in a halt, when the state is saved, and between
//! two synchronous iterations of several nodes.

use super::Command;

/// Commands that follow each other whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sequence {
    Beginning,
    /// All nodes agree on the count at which they halt, in the exact mode.
    Agreement,
    Halt,
    Saving,
    /// Step between two synchronous iterations, where there are other nodes.
    Step,
}

/// Workers that carry out a command of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    All,
    /// Worker 0, for all.
    First,
    /// All, where there are other nodes.
    AllOfMany,
    /// Worker 0, where there are other nodes.
    FirstOfMany,
}

use Command::{
    Agree, Barrier, Begin, Decide, Fetch, Fill, PublishResiduals, Release, Save, Saved, Settle,
    Step, Take,
};
use Who::{All, AllOfMany, First, FirstOfMany};

/// Brings every subdomain into its owner's hands and all edges up to date, and publishes residuals.
///
/// After the first barrier nobody balances, so no more moves are announced; and before the next one
/// everybody has let go of what belongs to others. Were a move announced in between, a subdomain could
/// be in nobody's hands, and its residual would be an old one.
const CONSISTENT: [(Command, Who); 15] = [
    (Barrier, All),
    (Release, All),
    (Take, All),
    (Barrier, All),
    (Settle, FirstOfMany),
    (Barrier, AllOfMany),
    (Release, All),
    (Take, All),
    (Barrier, AllOfMany),
    (Fetch, FirstOfMany),
    (Barrier, AllOfMany),
    (Release, AllOfMany),
    (Take, AllOfMany),
    (PublishResiduals, All),
    (Barrier, All),
];
const AGREE: [(Command, Who); 3] = [(Barrier, All), (Agree, First), (Barrier, All)];
const BEFORE: [(Command, Who); 3] = [(Release, All), (Take, All), (Fill, All)];
const BEGIN: [(Command, Who); 2] = [(Begin, First), (Barrier, All)];
const DECIDE: [(Command, Who); 2] = [(Decide, First), (Barrier, All)];
const SAVE: [(Command, Who); 4] = [(Save, All), (Barrier, All), (Saved, First), (Barrier, All)];
const STEP: [(Command, Who); 3] = [(Barrier, All), (Step, First), (Barrier, All)];

impl Sequence {
    /// Returns the command at a place; none after the last.
    pub(super) fn at(self, place: u8) -> Option<(Command, Who)> {
        let parts: [&[(Command, Who)]; 3] = match self {
            Self::Beginning => [&BEFORE, &CONSISTENT, &BEGIN],
            Self::Agreement => [&AGREE, &[], &[]],
            Self::Halt => [&CONSISTENT, &DECIDE, &[]],
            Self::Saving => [&SAVE, &[], &[]],
            Self::Step => [&STEP, &[], &[]],
        };
        parts.into_iter().flatten().nth(place.into()).copied()
    }
}
