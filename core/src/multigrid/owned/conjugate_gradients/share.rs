//! The rows of a level that a process works on, and who works on them.

use core::ops::Range;

use super::super::{Effort, Processes, Scheme, Workers, scaled};
use crate::base::table::At;
use crate::multigrid::weighted::Size;
use crate::multigrid::{Band, bands_within};

/// Ghost rows on each side in which a process has the operator of a level, so that it can calculate
/// what it needs of the next coarser one. No process has fewer rows of a level of which each has a
/// part, unless it has none.
pub(super) const GHOST_ROWS: usize = 4;

/// Effort of an evaluation by a nine-point operator, in sweeps by the 5-point stencil: chosen, as
/// it goes through eight numbers a cell, where a sweep goes through two.
pub(super) const NINE_POINTS: u32 = 4;

/// The rows of a level that this process works on, counted without the ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub size: Size,
    pub rows: Range<usize>,
    /// Whether other processes have the other rows; otherwise each process has all of them.
    pub is_part: bool,
}

/// What works on rows: threads, and the other processes.
pub(super) struct Team<'t, T, P> {
    pub threads: &'t T,
    pub processes: &'t mut P,
    pub scheme: &'t Scheme,
}

/// Cuts rows into bands, lower and lower ones for each worker, for it to begin with and for others
/// to take over.
fn cut(rows: Range<usize>, scheme: &Scheme) -> impl ExactSizeIterator<Item = Band> + Clone + use<> {
    bands_within(rows, scheme.bands, scheme.group, 1)
}

impl Share {
    /// Returns the rows of the finest level that this process has with the number of their bands,
    /// and the share of it that it works on: all of it, where it is too small to be shared.
    pub fn finest(
        size: Size,
        scheme: &Scheme,
        processes: &impl Processes<f64>,
    ) -> ((Range<usize>, usize), Self) {
        let bands = cut(0..size.rows, scheme);
        let own = processes.own(bands.len());
        let first = |band| bands.clone().nth(band).map_or(size.rows, |band| band.first);
        let own_rows = first(own.start)..first(own.end);
        let is_part = size.cells() >= scheme.shared_from && !size.is_coarsest(scheme.coarsest);
        let rows = if is_part { own_rows.clone() } else { 0..size.rows };
        ((own_rows, own.len()), Self { size, rows, is_part })
    }

    /// Returns the rows of the next coarser level that follow from this process's rows: every
    /// second one, or all.
    pub fn coarse_rows(&self, coarser: Size) -> Range<usize> {
        let [step, _] = self.size.steps(coarser);
        if self.is_part { self.rows.start / step..self.rows.end / step } else { 0..coarser.rows }
    }

    /// Returns this process's share of the next coarser level: all of it, where it is not worth
    /// sharing. Collective.
    pub fn coarser(
        &self,
        coarser: Size,
        scheme: &Scheme,
        processes: &mut impl Processes<f64>,
    ) -> Self {
        let rows = self.coarse_rows(coarser);
        let is_worth_it =
            coarser.cells() >= scheme.shared_from && !coarser.is_coarsest(scheme.coarsest);
        let is_part = self.is_part && is_worth_it && {
            let has_few = !self.rows.is_empty() && rows.len() < GHOST_ROWS;
            !processes.any(has_few)
        };
        Self { size: coarser, rows: if is_part { rows } else { 0..coarser.rows }, is_part }
    }

    /// Returns the rows, to be worked on so that each cell is evaluated `sweeps` times.
    pub const fn rows(&self, sweeps: u32) -> Rows<'_> {
        Rows { size: self.size, range: &self.rows, sweeps }
    }

    /// Returns this process's rows of an array.
    pub fn part<'a, T>(&self, array: &'a mut [T]) -> &'a mut [T] {
        rows_mut(self.size, &self.rows, array)
    }

    /// Fetches this many ghost rows on each side from the processes that have them. Collective.
    pub fn trade(&self, processes: &mut impl Processes<f64>, array: &mut [f64], ghost_rows: usize) {
        if self.is_part {
            let stride = self.size.stride();
            let all = rows_mut(self.size, &(0..self.size.rows), array);
            processes.trade(all, scaled(&self.rows, stride), ghost_rows * stride);
        }
    }

    /// Fetches all rows of the next coarser level, where that is not shared; each process has those
    /// that follow from its own. Collective.
    pub fn gather_coarser(
        &self,
        coarser: &Self,
        processes: &mut impl Processes<f64>,
        array: &mut [f64],
    ) {
        if self.is_part && !coarser.is_part {
            let size = coarser.size;
            let own = scaled(&self.coarse_rows(size), size.stride());
            processes.gather(rows_mut(size, &(0..size.rows), array), own);
        }
    }
}

/// Returns a range widened by `by` on each side, cut at 0 and at `count`. A process without a row
/// of a level may still need the ghost rows there.
pub(super) fn wider(range: &Range<usize>, by: usize, count: usize) -> Range<usize> {
    range.start.saturating_sub(by)..range.end.saturating_add(by).min(count)
}

/// Returns these rows of an array, counted without the ring.
pub(super) fn rows_mut<'a, T>(size: Size, rows: &Range<usize>, array: &'a mut [T]) -> &'a mut [T] {
    let rows = scaled(&(rows.start + 1..rows.end + 1), size.stride());
    array.stretch_mut(rows)
}

/// Rows of a level that are worked on, and how often each of their cells is evaluated.
#[derive(Clone, Copy)]
pub(super) struct Rows<'r> {
    pub size: Size,
    pub range: &'r Range<usize>,
    pub sweeps: u32,
}

impl<T: Workers, P> Team<'_, T, P> {
    /// Does `work` on each of these rows: `values` are those that an array has in them, `stride`
    /// for each. The tasks are the bands, or a single one where the level is small. Rows are
    /// counted with the ring.
    pub fn each_row<V: Send>(
        &self,
        Rows { size, range, sweeps }: Rows<'_>,
        mut values: &mut [V],
        stride: usize,
        work: impl Fn(usize, &mut [V]) + Sync,
    ) {
        let whole = Band { first: range.start, end: range.end };
        let is_shared = size.cells() >= self.scheme.shared_from;
        let bands = cut(range.clone(), self.scheme).filter(|_| is_shared);
        let bands = bands.chain((!is_shared).then_some(whole));
        let of_band = |band: Band| Some((band, values.split_off_mut(..band.rows() * stride)?));
        let tasks = bands.filter_map(of_band).collect();
        let effort = |(band, _): &(Band, &mut [V])| Effort::of(band.rows(), size.columns, sweeps);
        self.threads.each(tasks, effort, |(band, values)| {
            for (row, values) in (band.first + 1..).zip(values.chunks_mut(stride.max(1))) {
                work(row, values);
            }
        });
    }
}
