//! The windows through which a rank lends words and cells to the others.

use std::array;
use std::sync::atomic::AtomicU64;

use tresse_core::base::id::{RankId, SlotId};
use tresse_core::base::table::At;
use tresse_core::base::unit::Unit;
use tresse_core::parts::halo::{BufferFormat, HEAD_WORDS, Publication};

use crate::mpi::Entry;
use crate::mpi::{Window, WindowError, Word};
use crate::rank::layout::Layout;

/// The two windows of a run.
#[derive(Debug)]
pub struct Windows<F: Unit<Shared: Word>> {
    /// Counters and messages.
    pub words: Window<AtomicU64>,
    /// Edges, and the units of moving subdomains.
    pub cells: Window<F::Shared>,
}

impl<F: Unit<Shared: Word>> Windows<F> {
    /// Allocates windows of the layout's size. Collective.
    pub fn allocate<const N: usize>(
        entry: &mut Entry,
        layout: &Layout<N>,
    ) -> Result<Self, WindowError> {
        Ok(Self {
            words: Window::allocate(entry, layout.words())?,
            cells: Window::allocate(entry, layout.cells())?,
        })
    }

    /// Returns the publications of the slots of a rank on this node, with labels where any rank
    /// `fetches` edges; there are none for a rank on another node.
    pub fn publications<const N: usize>(
        &self,
        rank: RankId,
        layout: &Layout<N>,
        fetches: bool,
    ) -> impl Iterator<Item = Publication<'_, F, N>> {
        let memory = self.words.of(rank).zip(self.cells.of(rank));
        let layout = *layout;
        let format = if fetches { BufferFormat::Labelled } else { BufferFormat::Spaced };
        memory.into_iter().flat_map(move |(words, cells)| {
            (0..layout.bounds().slots).map(SlotId).filter_map(move |slot| {
                let head = words.get(layout.head(slot)..)?.first_chunk::<HEAD_WORDS>()?;
                let edge = |link| cells.stretch(layout.edge(slot, link));
                Some(Publication::with_format(format, head, array::from_fn(edge)))
            })
        })
    }

    /// Synchronizes both windows as [`Window::sync`] does.
    pub fn sync(&self, entry: &mut Entry) -> Result<(), WindowError> {
        self.words.sync(entry)?;
        self.cells.sync(entry)
    }

    /// Gives the memory back. Collective.
    pub fn free(self, entry: &mut Entry) -> Result<(), WindowError> {
        self.words.free(entry)?;
        self.cells.free(entry)
    }
}
