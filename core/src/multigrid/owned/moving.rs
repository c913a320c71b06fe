//! Rows that move from process to process.

use alloc::vec::Vec;
use core::ops::Range;

use super::plan::Layout;
use super::{FairShares, Multigrid, Processes, rows_of, scaled};
use crate::base::real::Real;
use crate::multigrid::{Band, Level};

/// The shares of all processes, and what this one has to do with the others.
#[derive(Debug)]
pub(super) struct Sharing {
    /// Rows of the level below the finest one.
    pub shares: FairShares,
    /// Number of this process.
    process: usize,
    /// Number of bands that it cuts its rows into.
    bands: usize,
    /// Whether there are other processes.
    is_several: bool,
    /// Whether processes share the second level.
    shares_second: bool,
}

impl Sharing {
    /// Returns the sharing of the process whose bands of the finest level are numbered `own`. Each
    /// process has as many of `all` bands as `counts` says, and the rows `shares` of the second
    /// level, which move in pieces of `least` rows at least. The second level is shared where it
    /// `is_large`, and a process has only a part of it.
    pub fn new(
        shares: &[Range<usize>],
        own: &Range<usize>,
        counts: &[u64],
        all: usize,
        least: usize,
        is_large: bool,
    ) -> Self {
        let before =
            |process: &usize| counts.iter().take(*process).sum::<u64>() == own.start as u64;
        let is_part = |&&count: &&u64| count < all as u64;
        Self {
            shares: FairShares::new(shares.iter().cloned(), least),
            process: (0..counts.len()).find(before).unwrap_or(0),
            bands: own.len(),
            is_several: counts.iter().any(|count| is_part(&count)),
            shares_second: is_large && counts.iter().filter(is_part).any(|&count| count > 0),
        }
    }
}

/// Returns the rows of the second level that each process has, one process after the other, where
/// each has as many bands of `cut` as `counts` says.
pub(super) fn shares_of(
    cut: &(impl Iterator<Item = Band> + Clone),
    counts: &[u64],
    coarser: Level,
) -> Vec<Range<usize>> {
    let mut end = 0_usize;
    let ranges = counts.iter().map(|&count| {
        let start = end;
        end = end.saturating_add(count.try_into().unwrap_or(usize::MAX));
        start..end
    });
    let share = |own| {
        let [_, rows] = rows_of(cut.clone(), own, coarser);
        rows
    };
    ranges.map(share).collect()
}

/// Returns the rows `own` of the finest level with `reach` ghost rows on each side, cut at the ends
/// of its `rows`.
pub(super) fn read_around(own: &Range<usize>, reach: usize, rows: usize) -> Range<usize> {
    own.start.saturating_sub(reach)..own.end.saturating_add(reach).min(rows)
}

impl<F: Real + Send + Sync, P: Processes<F>> Multigrid<F, P> {
    /// Moves rows from slow processes to fast ones where [`FairShares`] finds that it pays.
    /// `worked` is the time in nanoseconds that this process's workers have worked in the last
    /// cycle, without waiting for other processes. Returns the number of rows of the finest level
    /// that this process has given to others. Collective.
    pub fn balance(&mut self, worked: u64) -> usize {
        if !self.sharing.is_several {
            return 0;
        }
        let times = self.processes.gather_each(worked);
        let ends = self.sharing.shares.observe(&times);
        ends.map_or(0, |ends| self.move_rows(&ends))
    }

    /// Returns what all processes share.
    pub const fn shares(&self) -> &FairShares {
        &self.sharing.shares
    }

    /// Moves rows between two cycles, so that each process's [share](Self::shares) ends where
    /// `ends` says. No cell changes its value. Returns the number of rows of the finest level that
    /// this process has given to others. Collective.
    pub fn move_rows(&mut self, ends: &[usize]) -> usize {
        let Self { scheme, hierarchy, sharing, .. } = self;
        let Some(&levels) = hierarchy.levels().first_chunk() else { return 0 };
        if !sharing.shares.set(ends) {
            return 0;
        }
        let second_rows = sharing.shares.rows(sharing.process);
        let bands: Vec<_> = scheme.cut_within(levels, second_rows.clone(), sharing.bands).collect();
        let rows = match bands.as_slice() {
            [first, .., last] => first.first..last.end,
            [band] => band.range(),
            [] => 0..0,
        };
        let had = self.rows.clone();
        self.plan(bands, [rows.clone(), second_rows]);
        self.bring(levels, &had);
        let [had, _] = had;
        let kept = had.start.max(rows.start)..had.end.min(rows.end);
        had.len() - kept.len()
    }

    /// Fetches from other processes the rows that this one has got, before the next cycle. It had
    /// the rows `had` of both levels until now.
    fn bring(&mut self, [finest, second]: [Level; 2], [had, had_of_second]: &[Range<usize>; 2]) {
        let reach = self.scheme.reach();
        let Self { processes, cells, fixed, coarse, rows: [rows, of_second], .. } = self;
        let columns = finest.columns.cells();
        processes.bring(&mut cells.values, scaled(had, columns), scaled(rows, columns));
        // All processes know a source that is the same everywhere.
        if let Some(source) = fixed.source.as_mut().filter(|source| source.len() > columns) {
            let read = read_around(rows, reach, finest.rows.cells());
            processes.bring(source, scaled(had, columns), scaled(&read, columns));
        }
        if let Some(level) = coarse.first_mut() {
            let [own, needed] =
                [had_of_second, &*of_second].map(|rows| scaled(rows, second.columns.cells()));
            processes.bring(&mut level.rhs.values, own, needed);
        }
    }

    /// Makes the plans of cycles of these bands; `rows` are theirs on the finest and on the second
    /// level.
    pub(super) fn plan(&mut self, bands: Vec<Band>, rows: [Range<usize>; 2]) {
        self.ghost_rows.extend_to(bands.len(), F::ZERO);
        let layout = self.layout(&bands);
        (self.beginning, self.cycle) = (layout.beginning(), layout.cycle());
        (self.bands, self.rows) = (bands, rows);
    }

    /// Tells the shares how much each process does for itself.
    pub(super) fn count_unshared(&mut self) {
        if self.sharing.is_several {
            self.sharing.shares.unshared = self.layout(&[]).unshared();
        }
    }

    /// Returns what plans for these bands of the finest level are made of.
    fn layout<'a>(&'a self, finest: &'a [Band]) -> Layout<'a> {
        Layout {
            scheme: &self.scheme,
            levels: self.hierarchy.levels(),
            finest,
            is_several: self.sharing.is_several,
            shares_second: self.sharing.shares_second,
            factors: self.direct.values.len(),
        }
    }
}
