//! The layout of a subdomain's cells in memory.

use super::rows::{Column, ColumnMut, Rows};
use crate::base::bug::OrBug;
use crate::base::table::At;
use crate::field::grid::Side;

/// Interior rows that are not narrow start at a multiple of these cells: 64 bytes, a cache line and
/// the widest vector, for `f32`, and two of them for `f64`.
pub const ALIGNMENT: usize = 16;

/// The memory layout of one subdomain: `rows` × `columns` interior cells, surrounded by a ring of
/// one halo cell on each side, row by row.
///
/// ```text
///   cell 0 ─┐        ┌─ ALIGNMENT: the top ring row's first cell above the interior
///           ▼        ▼
///           ........ttttt...........      t, b  top and bottom of the ring
///           .......lcccccr..........      l, r  its left and right
///           .......lcccccr..........      c     interior
///           ........bbbbb...........      .     padding and corners: never read
///           ◄──────── stride ──────►
/// ```
///
/// There is one row more than that: a sweep writes each row over the one beyond, so that the
/// interior lies one row higher after it, and lower again after the next ([`Layout::swept`]). Of
/// the ring, the row that then lies where interior cells were, and columns whose cells differ, must
/// be set again for the new place.
///
/// Rows so narrow that they fit with their halos into [`ALIGNMENT`] cells are not aligned: they lie
/// close together, each with its halos in one or two cache lines. Runs on virtual machines have
/// thousands of such subdomains, in more memory than a cache holds.
///
/// All slices that are used with a layout are [`Layout::len`] cells long. Shorter slices make no
/// panic, but leave the cells out that they do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    rows: usize,
    columns: usize,
    stride: usize,
    /// Cells of a row before its first interior cell.
    lead: usize,
    len: usize,
    /// Rows above the ring: 1 while the interior lies low, 0 while it lies high.
    above: usize,
}

impl Layout {
    /// Returns the layout of `rows` × `columns` interior cells; none where there are no cells, or
    /// more bytes in double precision than an allocation can have.
    pub const fn new(rows: usize, columns: usize) -> Option<Self> {
        if rows == 0 || columns == 0 {
            return None;
        }
        let Some(stride) = stride(columns) else { return None };
        let lead = if is_narrow(columns) { 1 } else { ALIGNMENT };
        let Some(ring_rows) = rows.checked_add(3) else { return None };
        let Some(cells) = ring_rows.checked_mul(stride) else { return None };
        let Some(len) = cells.checked_add(ALIGNMENT) else { return None };
        if len > isize::MAX.unsigned_abs() / size_of::<f64>() {
            return None;
        }
        Some(Self { rows, columns, stride, lead, len, above: 1 })
    }

    /// Returns the layout after one sweep, which moves the interior by one row.
    pub const fn swept(self) -> Self {
        Self { above: 1 - self.above, ..self }
    }

    /// Returns the layout before the first sweep, with the interior low in the buffer.
    pub const fn at_start(self) -> Self {
        Self { above: 1, ..self }
    }

    /// Whether the interior lies low in the buffer, as it does at the start.
    pub const fn is_low(&self) -> bool {
        self.above == 1
    }

    /// Returns the number of interior rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of interior columns.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of interior cells along a side.
    pub const fn side(&self, side: Side) -> usize {
        match side {
            Side::Top | Side::Bottom => self.columns,
            Side::Left | Side::Right => self.rows,
        }
    }

    /// Returns the number of cells from one row to the next.
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the number of cells of a buffer, padding included.
    #[expect(clippy::len_without_is_empty, reason = "a layout is never empty")]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the part of `buffer` of [`Layout::len`] cells whose interior rows are aligned in
    /// memory (of narrow rows: their halos on the left); the buffer has [`ALIGNMENT`]` - 1` cells
    /// more than that.
    pub fn aligned<'a, T>(&self, buffer: &'a mut [T]) -> &'a mut [T] {
        let start = buffer.as_ptr().align_offset(ALIGNMENT * size_of::<f32>());
        buffer.stretch_mut(start..).stretch_mut(..self.len)
    }

    /// Returns interior row `row`, from the left.
    pub fn row<'a, T>(&self, cells: &'a [T], row: usize) -> &'a [T] {
        self.ring_row(cells, self.interior(row))
    }

    /// Returns interior row `row`, from the left.
    pub fn row_mut<'a, T>(&self, cells: &'a mut [T], row: usize) -> &'a mut [T] {
        self.ring_row_mut(cells, self.interior(row))
    }

    /// Returns the halo row above the interior, left to right, without the corners.
    pub fn top<'a, T>(&self, cells: &'a [T]) -> &'a [T] {
        self.ring_row(cells, 0)
    }

    /// Returns the halo row above the interior, left to right, without the corners.
    pub fn top_mut<'a, T>(&self, cells: &'a mut [T]) -> &'a mut [T] {
        self.ring_row_mut(cells, 0)
    }

    /// Returns the halo row below the interior, left to right, without the corners.
    pub fn bottom<'a, T>(&self, cells: &'a [T]) -> &'a [T] {
        self.ring_row(cells, self.rows + 1)
    }

    /// Returns the halo row below the interior, left to right, without the corners.
    pub fn bottom_mut<'a, T>(&self, cells: &'a mut [T]) -> &'a mut [T] {
        self.ring_row_mut(cells, self.rows + 1)
    }

    /// Returns the halo column left of the interior, top to bottom, without the corners.
    pub fn left<'a, T>(&self, cells: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
        self.ring_column(cells, 0)
    }

    /// Returns the halo column left of the interior, top to bottom, without the corners.
    pub fn left_mut<'a, T>(
        &self,
        cells: &'a mut [T],
    ) -> impl Iterator<Item = &'a mut T> + use<'a, T> {
        self.ring_column_mut(cells, 0)
    }

    /// Returns the halo column right of the interior, top to bottom, without the corners.
    pub fn right<'a, T>(&self, cells: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
        self.ring_column(cells, self.columns + 1)
    }

    /// Returns the halo column right of the interior, top to bottom, without the corners.
    pub fn right_mut<'a, T>(
        &self,
        cells: &'a mut [T],
    ) -> impl Iterator<Item = &'a mut T> + use<'a, T> {
        self.ring_column_mut(cells, self.columns + 1)
    }

    /// Returns interior column `column`, from the top; empty if there is no such column.
    pub fn column<'a, T>(
        &self,
        cells: &'a [T],
        column: usize,
    ) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let rows = if column < self.columns { self.rows } else { 0 };
        self.ring_column(cells, column.min(self.columns) + 1).take(rows)
    }

    /// Returns as many rows as the interior has, each as long, starting at the cell (`row`,
    /// `column`) of the ring; (0, 0) is the ring's upper left corner, and (1, 1) the first interior
    /// cell.
    #[inline(always)]
    pub(super) fn rows_at<'a, T>(&self, cells: &'a [T], row: usize, column: usize) -> Rows<'a, T> {
        let start = self.start_of(row) - 1 + column;
        let cells = cells.stretch(start..);
        Rows::new(cells, self.stride, self.columns, self.rows)
    }

    /// Returns three rows to write: the row above interior row `row`, the row itself with a ghost
    /// cell at each end, and the row below.
    #[inline(always)]
    pub(super) fn around<'a, T>(&self, cells: &'a mut [T], row: usize) -> [&'a mut [T]; 3] {
        let cells = cells.stretch_mut(self.start_of(row)..);
        let (above, rest) = cells.cut_mut(self.stride - 1);
        let (centre, below) = rest.cut_mut(self.stride + 1);
        [
            above.stretch_mut(..self.columns),
            centre.stretch_mut(..self.columns + 2),
            below.stretch_mut(..self.columns),
        ]
    }

    /// Returns the rows of [`Layout::around`] for reading.
    #[inline(always)]
    pub(super) fn rows_around<'a, T>(&self, cells: &'a [T], row: usize) -> [&'a [T]; 3] {
        let centre = cells.stretch(self.start_of(row + 1) - 1..).stretch(..self.columns + 2);
        [self.row_at(cells, row, 1), centre, self.row_at(cells, row + 2, 1)]
    }

    /// Returns the index of the first interior column's cell in a row; rows are counted from the
    /// top of the ring.
    const fn start_of(&self, ring_row: usize) -> usize {
        (self.above + ring_row) * self.stride + self.lead
    }

    /// Returns the number of interior row `row`, counted from the top of the ring.
    #[inline(always)]
    fn interior(&self, row: usize) -> usize {
        (row < self.rows).or_bug("a layout has fewer rows");
        row + 1
    }

    /// Returns the interior columns of a row counted from the top of the ring.
    fn ring_row<'a, T>(&self, cells: &'a [T], row: usize) -> &'a [T] {
        self.row_at(cells, row, 1)
    }

    /// Returns as many cells as the interior has columns, starting at the cell (`row`, `column`) of
    /// the ring, as in [`Layout::rows_at`].
    #[inline(always)]
    pub(super) fn row_at<'a, T>(&self, cells: &'a [T], row: usize, column: usize) -> &'a [T] {
        cells.stretch(self.start_of(row) - 1 + column..).stretch(..self.columns)
    }

    /// Returns the interior columns of a row counted from the top of the ring, to be written.
    fn ring_row_mut<'a, T>(&self, cells: &'a mut [T], row: usize) -> &'a mut [T] {
        cells.stretch_mut(self.start_of(row)..).stretch_mut(..self.columns)
    }

    /// Returns the interior rows of a column counted from the left of the ring.
    fn ring_column<'a, T>(
        &self,
        cells: &'a [T],
        column: usize,
    ) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let cells = cells.stretch(self.start_of(1) - 1 + column..);
        Column::new(cells, self.stride, self.rows)
    }

    /// Returns the interior rows of a column counted from the left of the ring, to be written.
    fn ring_column_mut<'a, T>(
        &self,
        cells: &'a mut [T],
        column: usize,
    ) -> impl Iterator<Item = &'a mut T> + use<'a, T> {
        let cells = cells.stretch_mut(self.start_of(1) - 1 + column..);
        ColumnMut::new(cells, self.stride, self.rows)
    }
}

/// Returns the number of cells from one row to the next; none on overflow. A row's right ghost cell
/// and the next one's left ghost cell share the padding between them.
const fn stride(columns: usize) -> Option<usize> {
    /// Rows that are a multiple of this number of cells apart compete for the same cache sets.
    const CONFLICT: usize = 256;
    let Some(ring_columns) = columns.checked_add(2) else { return None };
    let unit = if is_narrow(columns) { ALIGNMENT / 2 } else { ALIGNMENT };
    let Some(stride) = ring_columns.checked_next_multiple_of(unit) else { return None };
    if stride.is_multiple_of(CONFLICT) { stride.checked_add(ALIGNMENT) } else { Some(stride) }
}

/// Whether rows with their ghost cells fit into [`ALIGNMENT`] cells, so that they are not aligned.
const fn is_narrow(columns: usize) -> bool {
    columns <= ALIGNMENT - 2
}
