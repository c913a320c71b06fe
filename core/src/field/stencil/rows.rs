//! Rows of a buffer one after another, and the cells of a column.

use core::mem;

/// `count` rows of `columns` cells, `stride` cells apart; fewer where the buffer ends before.
#[derive(Clone)]
pub(super) struct Rows<'a, T> {
    rest: &'a [T],
    stride: usize,
    columns: usize,
    count: usize,
}

impl<'a, T> Rows<'a, T> {
    #[inline(always)]
    pub fn new(cells: &'a [T], stride: usize, columns: usize, count: usize) -> Self {
        Self { rest: cells, stride, columns, count }
    }
}

impl<'a, T> Iterator for Rows<'a, T> {
    type Item = &'a [T];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a [T]> {
        self.count = self.count.checked_sub(1)?;
        let row = self.rest.get(..self.columns)?;
        self.rest = self.rest.get(self.stride..).unwrap_or_default();
        Some(row)
    }
}

/// `count` cells, `stride` apart; fewer where the buffer ends before.
pub(super) struct Column<'a, T> {
    rest: &'a [T],
    stride: usize,
    count: usize,
}

impl<'a, T> Column<'a, T> {
    pub fn new(cells: &'a [T], stride: usize, count: usize) -> Self {
        Self { rest: cells, stride, count }
    }
}

impl<'a, T> Iterator for Column<'a, T> {
    type Item = &'a T;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a T> {
        self.count = self.count.checked_sub(1)?;
        let cell = self.rest.first()?;
        self.rest = self.rest.get(self.stride..).unwrap_or_default();
        Some(cell)
    }
}

/// [`Column`] to write to.
pub(super) struct ColumnMut<'a, T> {
    rest: &'a mut [T],
    stride: usize,
    count: usize,
}

impl<'a, T> ColumnMut<'a, T> {
    pub fn new(cells: &'a mut [T], stride: usize, count: usize) -> Self {
        Self { rest: cells, stride, count }
    }
}

impl<'a, T> Iterator for ColumnMut<'a, T> {
    type Item = &'a mut T;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a mut T> {
        self.count = self.count.checked_sub(1)?;
        let (cell, rest) = mem::take(&mut self.rest).split_first_mut()?;
        self.rest = rest.get_mut(self.stride - 1..).unwrap_or_default();
        Some(cell)
    }
}
