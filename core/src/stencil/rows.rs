//! Rows of a buffer, one after another, without a bounds check inside a row.

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

/// [`Rows`] to write to.
pub(super) struct RowsMut<'a, T> {
    rest: &'a mut [T],
    stride: usize,
    columns: usize,
    count: usize,
}

impl<'a, T> RowsMut<'a, T> {
    #[inline(always)]
    pub fn new(cells: &'a mut [T], stride: usize, columns: usize, count: usize) -> Self {
        Self { rest: cells, stride, columns, count }
    }
}

impl<'a, T> Iterator for RowsMut<'a, T> {
    type Item = &'a mut [T];

    #[inline(always)]
    fn next(&mut self) -> Option<&'a mut [T]> {
        self.count = self.count.checked_sub(1)?;
        let stride = self.stride.min(self.rest.len());
        let (row, rest) = mem::take(&mut self.rest).split_at_mut_checked(stride)?;
        self.rest = rest;
        row.get_mut(..self.columns)
    }
}
