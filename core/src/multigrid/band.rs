//! Bands of rows that workers share a level by.

use super::hierarchy::Level;

/// Rows of a level that one worker passes over; the first is even, so that pairs of rows stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// First row.
    pub first: usize,
    /// Row behind the last one.
    pub end: usize,
}

impl Band {
    /// Returns all rows of a level.
    pub const fn whole(level: Level) -> Self {
        Self { first: 0, end: level.rows.cells() }
    }

    /// Returns the number of rows.
    pub const fn rows(self) -> usize {
        self.end.saturating_sub(self.first)
    }

    /// Returns the number of rows that the band has of the correction of its level: with the first and the
    /// last band go the rows beyond the boundary.
    pub const fn correction_rows(self, level: Level) -> usize {
        let above = if self.first == 0 { 1 } else { 0 };
        let below = if self.end == level.rows.cells() { 1 } else { 0 };
        self.rows() + above + below
    }

    /// Returns the number of rows of the next coarser level whose first row of a pair is in this band.
    pub const fn coarse_rows(self, coarser: Level) -> usize {
        let (rows, first, end) = (coarser.rows.cells(), self.first / 2, self.end.div_ceil(2));
        if end < rows { end - first } else { rows.saturating_sub(first) }
    }

    /// Returns the rows that a pass begins and ends with so that all rows of the band are right, `overlap`
    /// rows before and after them.
    pub(super) fn window(self, level: Level, overlap: usize) -> Self {
        Self {
            first: self.first.saturating_sub(overlap),
            end: self.end.saturating_add(overlap).min(level.rows.cells()),
        }
    }
}

/// Cuts the rows of a level into at most `count` bands of nearly equal heights, none of fewer than `least` rows
/// (for the last of an odd number, one less) unless the level has no more.
pub fn bands(
    level: Level,
    count: usize,
    least: usize,
) -> impl ExactSizeIterator<Item = Band> + Clone {
    let rows = level.rows.cells();
    let pairs = rows.div_ceil(2);
    let least = least.div_ceil(2).max(1);
    let count = count.min(pairs.checked_div(least).unwrap_or(1)).max(1);
    // Multiplied in 128 bits, so that nothing overflows; a share of `pairs` is a size again.
    let cut = move |index: usize| {
        let share = (pairs as u128 * index as u128).checked_div(count as u128);
        share.and_then(|share| usize::try_from(share).ok()).unwrap_or(pairs)
    };
    (0..count).map(move |index| Band { first: 2 * cut(index), end: (2 * cut(index + 1)).min(rows) })
}

/// Returns the rows beyond a band that a visit of it evaluates again for itself, and so needs as they were before
/// the visit: one for each smoothing step, and one for the residual.
pub const fn overlap(steps: usize) -> usize {
    steps + 1
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "there are two levels at least")]
mod tests {
    use super::*;
    use crate::multigrid::Hierarchy;

    #[test]
    fn bands_are_the_rows_once_each_and_keep_pairs_together() {
        for rows in 1..70 {
            let hierarchy = Hierarchy::new(rows, 3, 1).unwrap();
            let (finest, coarser) = (hierarchy.levels()[0], hierarchy.levels()[1]);
            for (count, least) in [(1, 1), (2, 8), (3, 1), (7, 4), (100, 1)] {
                let (mut end, mut coarse, mut correction) = (0, 0, 0);
                for band in bands(finest, count, least) {
                    assert!(band.first == end && band.first % 2 == 0, "{rows}: {band:?}");
                    assert!(band.rows() + 1 >= least || band.rows() == rows, "{rows}: {band:?}");
                    coarse += band.coarse_rows(coarser);
                    correction += band.correction_rows(finest);
                    end = band.end;
                }
                assert_eq!((end, coarse, correction), (rows, coarser.rows.cells(), rows + 2));
            }
        }
    }
}
