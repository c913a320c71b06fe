//! A neighbour on another rank, and how far the look at it has come.

use std::ops::RangeInclusive;
use std::sync::atomic::AtomicU64;

use tresse_core::grid::Side;
use tresse_core::id::SubdomainId;
use tresse_core::migration::{Location, Search};
use tresse_core::shared::SharedReal;

use super::wire::Reading;
use crate::window::{WindowError, Word};

/// How far the look at a neighbour has come.
pub(super) enum State<'r, F: SharedReal<Shared: Word>> {
    /// Nothing is asked.
    Rest,
    /// The head, where it was known to be.
    Head(Reading<'r, AtomicU64>),
    /// The edge of one of these versions.
    Edge(RangeInclusive<u64>, Reading<'r, F::Shared>),
    /// It is not there any more: the directory of another rank.
    Search(Search, Reading<'r, AtomicU64>),
}

impl<F: SharedReal<Shared: Word>> State<'_, F> {
    /// What is still to come of it.
    pub(super) fn abandon(self, entry: &mut crate::Entry) -> Result<Option<Self>, WindowError> {
        Ok(match self {
            Self::Rest => None,
            Self::Head(reading) | Self::Search(_, reading) => {
                reading.poll(entry)?.err().map(Self::Head)
            }
            Self::Edge(wanted, reading) => {
                reading.poll(entry)?.err().map(|reading| Self::Edge(wanted, reading))
            }
        })
    }
}

/// A neighbour on another rank.
pub(super) struct Link<'r, F: SharedReal<Shared: Word>> {
    pub(super) neighbour: SubdomainId,
    /// The side of the one here that it lies on.
    pub(super) side: Side,
    pub(super) known: Location,
    pub(super) state: State<'r, F>,
    /// The version that was fetched last.
    pub(super) fetched: Option<u64>,
    /// Looks that are to be completed before it is up to date.
    pub(super) owed: u8,
}
