//! A neighbour on another rank, and the words of it that are on their way.

use std::sync::atomic::AtomicU64;

use tresse_core::grid::Side;
use tresse_core::halo::Reader;
use tresse_core::halo::SharedReal;

use super::wire::Reading;
use crate::mpi::{WindowError, Word};

/// Words that were asked for.
pub(super) enum Coming<'r, F: SharedReal<Shared: Word>> {
    /// None.
    Nothing,
    /// A head, or an entry of a directory.
    Words(Reading<'r, AtomicU64>),
    /// An edge.
    Edge(Reading<'r, F::Shared>),
}

impl<F: SharedReal<Shared: Word>> Coming<'_, F> {
    /// What is still to come of it.
    pub(super) fn abandon(
        self,
        entry: &mut crate::mpi::Entry,
    ) -> Result<Option<Self>, WindowError> {
        Ok(match self {
            Self::Nothing => None,
            Self::Words(reading) => reading.poll(entry)?.err().map(Self::Words),
            Self::Edge(reading) => reading.poll(entry)?.err().map(Self::Edge),
        })
    }
}

/// A neighbour on another rank.
pub(super) struct Link<'r, F: SharedReal<Shared: Word>> {
    pub(super) reader: Reader,
    /// The side of the one here that it lies on.
    pub(super) side: Side,
    pub(super) coming: Coming<'r, F>,
}
