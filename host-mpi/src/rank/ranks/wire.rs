//! One rank's way to the words of the others: straight through memory that both share, else by MPI.

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::halo::SharedReal;
use tresse_core::id::RankId;

use crate::mpi::{Entry, Get, Progress, Window, WindowError, Word};
use crate::rank::Windows;
use crate::rank::layout::Layout;

/// Words of another rank that were asked for.
pub(super) enum Reading<'r, W: Word> {
    /// They can be looked at where they are.
    Memory(&'r [W]),
    /// They are on their way.
    Get(Get<W>),
}

/// Words of another rank that are here.
pub(super) enum Words<'r, W: Word> {
    Memory(&'r [W]),
    Fetched(Box<[W]>),
}

impl<W: Word> Words<'_, W> {
    pub(super) fn get(&self) -> &[W] {
        match self {
            Self::Memory(words) => words,
            Self::Fetched(words) => words,
        }
    }
}

impl<'r, W: Word> Reading<'r, W> {
    /// The words, or this again if they have not come yet.
    pub(super) fn poll(self, entry: &mut Entry) -> Result<Result<Words<'r, W>, Self>, WindowError> {
        Ok(match self {
            Self::Memory(words) => Ok(Words::Memory(words)),
            Self::Get(get) => match get.test(entry)? {
                Progress::Done(words) => Ok(Words::Fetched(words)),
                Progress::Pending(get) => Err(Self::Get(get)),
            },
        })
    }
}

/// The words of all ranks, as one of them gets at them.
pub(super) struct Wire<'m, 'r, F: SharedReal<Shared: Word>> {
    pub(super) entry: &'m mut Entry,
    pub(super) layout: Layout,
    windows: &'r Windows<F>,
    /// Whether shared memory is not used even where there is some.
    only_gets: bool,
}

impl<'m, 'r, F: SharedReal<Shared: Word>> Wire<'m, 'r, F> {
    pub(super) const fn new(
        entry: &'m mut Entry,
        layout: Layout,
        windows: &'r Windows<F>,
        only_gets: bool,
    ) -> Self {
        Self { entry, layout, windows, only_gets }
    }

    /// The words of a rank that are in reach.
    pub(super) fn memory(&self, rank: RankId) -> Option<&'r [AtomicU64]> {
        let own = rank == self.entry.rank();
        self.windows.words.of(rank).filter(|_| own || !self.only_gets)
    }

    /// A word of this rank.
    pub(super) fn own(&self, offset: usize) -> u64 {
        self.windows.words.local().get(offset).map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// Sets a word that only this rank writes. Whoever sees it sees everything that this rank has stored
    /// to its own words before.
    pub(super) fn store(
        &mut self,
        rank: RankId,
        offset: usize,
        value: u64,
    ) -> Result<(), WindowError> {
        if let Some(words) = self.memory(rank) {
            if let Some(word) = words.get(offset) {
                word.store(value, Ordering::Release);
            }
            return Ok(());
        }
        self.windows.sync(self.entry)?;
        self.windows.words.store(self.entry, rank, offset, value)
    }

    /// Asks for words of a rank.
    pub(super) fn ask(
        &mut self,
        rank: RankId,
        range: std::ops::Range<usize>,
    ) -> Result<Reading<'r, AtomicU64>, WindowError> {
        let memory = self.memory(rank);
        ask(&self.windows.words, memory, self.entry, rank, range)
    }

    /// Asks for cells of a rank.
    pub(super) fn ask_cells(
        &mut self,
        rank: RankId,
        range: std::ops::Range<usize>,
    ) -> Result<Reading<'r, F::Shared>, WindowError> {
        let memory = self.memory(rank).and_then(|_| self.windows.cells.of(rank));
        ask(&self.windows.cells, memory, self.entry, rank, range)
    }

    /// This rank's own words, and cells.
    pub(super) fn local(&self) -> (&'r [AtomicU64], &'r [F::Shared]) {
        (self.windows.words.local(), self.windows.cells.local())
    }
}

fn ask<'r, W: Word>(
    window: &'r Window<W>,
    memory: Option<&'r [W]>,
    entry: &mut Entry,
    rank: RankId,
    range: std::ops::Range<usize>,
) -> Result<Reading<'r, W>, WindowError> {
    if let Some(words) = memory {
        return Ok(Reading::Memory(words.get(range).unwrap_or_default()));
    }
    let buffer = range.clone().map(|_| W::zero()).collect();
    window.start_get(entry, rank, range.start, buffer).map(Reading::Get)
}
