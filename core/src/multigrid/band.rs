//! Bands of rows that workers share a level by.

use core::ops::Range;

use super::hierarchy::Level;

/// Rows of a level that one worker passes over; the first is even, so that pairs of rows stay
/// together.
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

    /// Returns the number of rows that the band has of the correction of its level: with the first
    /// and the last band go the rows beyond the boundary.
    pub const fn correction_rows(self, level: Level) -> usize {
        let above = if self.first == 0 { 1 } else { 0 };
        let below = if self.end == level.rows.cells() { 1 } else { 0 };
        self.rows() + above + below
    }

    /// Returns the number of rows of the next coarser level whose first row of a pair is in this
    /// band.
    pub const fn coarse_rows(self, coarser: Level) -> usize {
        let (rows, first, end) = (coarser.rows.cells(), self.first / 2, self.end.div_ceil(2));
        if end < rows { end - first } else { rows.saturating_sub(first) }
    }

    /// Returns the band with `overlap` ghost rows on each side, cut at the ends of the level: a
    /// pass over these leaves all rows of the band right.
    pub fn window(self, level: Level, overlap: usize) -> Self {
        Self {
            first: self.first.saturating_sub(overlap),
            end: self.end.saturating_add(overlap).min(level.rows.cells()),
        }
    }

    /// Returns the rows.
    pub const fn range(self) -> Range<usize> {
        self.first..self.end
    }

    /// Returns the rows that the band has of an array with the rows beyond the boundary, such as
    /// the correction of its level.
    pub const fn of_correction(self, level: Level) -> Range<usize> {
        let first = if self.first == 0 { 0 } else { self.first + 1 };
        first..first + self.correction_rows(level)
    }

    /// Returns the rows of the next coarser level whose first row of a pair is in this band.
    pub const fn of_coarser(self, coarser: Level) -> Range<usize> {
        let first = self.first / 2;
        first..first + self.coarse_rows(coarser)
    }

    /// Returns the rows of the next coarser level's correction that the rows of this band are
    /// interpolated from, counted from its ghost row at the top.
    pub fn between(self, coarser: Level) -> Range<usize> {
        self.first.div_ceil(2)..(self.end / 2 + 2).min(coarser.rows.cells() + 2)
    }
}

/// Cuts the rows of a level into at most `count` bands, none of fewer than `least` rows (for the
/// last of an odd number, one less) unless the level has no more.
///
/// Of each `group` of bands, one for each worker, the first is the highest and the last the lowest,
/// as n to 1: a worker begins with the former, and what another has to take over at the end is low.
/// Where there are too few rows for that, or `count` is not a multiple of `group`, all have nearly
/// the same height.
pub fn bands(
    level: Level,
    count: usize,
    group: usize,
    least: usize,
) -> impl ExactSizeIterator<Item = Band> + Clone {
    bands_within(0..level.rows.cells(), count, group, least)
}

/// Cuts the given rows of a level, the first of which is even, in the same way as [`bands`].
pub fn bands_within(
    Range { start, end }: Range<usize>,
    count: usize,
    group: usize,
    least: usize,
) -> impl ExactSizeIterator<Item = Band> + Clone {
    let pairs = end.saturating_sub(start).div_ceil(2);
    let least = least.div_ceil(2).max(1);
    let in_groups = heights(group).checked_mul(least);
    let in_groups = in_groups.and_then(|least| least.checked_mul(count.checked_div(group)?));
    let is_grouped = count.is_multiple_of(group) && in_groups.is_some_and(|least| least <= pairs);
    let count = count.min(pairs.checked_div(least).unwrap_or(1)).max(1);
    let group = if is_grouped { group } else { 1 };
    let all = heights(group).saturating_mul(count.checked_div(group).unwrap_or(1));
    let cut = move |index: usize| {
        let [groups, bands] = [index.checked_div(group), index.checked_rem(group)];
        let [groups, bands] = [groups, bands].map(Option::unwrap_or_default);
        // Of a group those that are left are heights of fewer bands.
        let within = heights(group).saturating_sub(heights(group.saturating_sub(bands)));
        let before = heights(group).saturating_mul(groups).saturating_add(within);
        // Multiplied in 128 bits, so that nothing overflows; a share of `pairs` is a size again.
        let share = (pairs as u128 * before as u128).checked_div(all as u128);
        share.and_then(|share| usize::try_from(share).ok()).unwrap_or(pairs)
    };
    (0..count).map(move |index| Band {
        first: start + 2 * cut(index),
        end: (start + 2 * cut(index + 1)).min(end),
    })
}

/// Returns the sum of the heights of bands that are `bands`, … 2 and 1 high.
const fn heights(bands: usize) -> usize {
    bands.saturating_mul(bands.saturating_add(1)) / 2
}

/// Returns the rows beyond a band that a cycle of it evaluates again for itself, and so needs as
/// they were before the cycle: one for each smoothing step, and one for the residual.
pub const fn overlap(steps: usize) -> usize {
    steps + 1
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "there are two levels at least")]
mod tests {
    extern crate std;

    use super::*;
    use crate::multigrid::Hierarchy;

    #[test]
    fn bands_are_the_rows_once_each_and_keep_pairs_together() {
        for rows in 1..70 {
            let hierarchy = Hierarchy::new(rows, 3, 1).unwrap();
            let (finest, coarser) = (hierarchy.levels()[0], hierarchy.levels()[1]);
            for (count, group, least) in
                [(1, 1, 1), (2, 1, 8), (3, 3, 1), (7, 2, 4), (6, 3, 2), (8, 4, 1), (100, 5, 1)]
            {
                let (mut end, mut coarse, mut correction) = (0, 0, 0);
                for band in bands(finest, count, group, least) {
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

    #[test]
    fn some_rows_of_a_level_are_cut_as_a_level_of_as_many() {
        let hierarchy = Hierarchy::new(93, 3, 1).unwrap();
        for (count, group, least) in [(1, 1, 1), (6, 3, 2), (100, 1, 5)] {
            let whole = bands(hierarchy.levels()[0], count, group, least);
            let part = bands_within(40..133, count, group, least);
            assert_eq!(part.len(), whole.len());
            let moved = whole.map(|band| Band { first: band.first + 40, end: band.end + 40 });
            assert!(moved.eq(part));
        }
    }

    #[test]
    fn of_each_group_the_first_band_is_the_highest() {
        let of = |rows, count, group| {
            let hierarchy = Hierarchy::new(rows, 3, 1).unwrap();
            let found: std::vec::Vec<_> =
                bands(hierarchy.levels()[0], count, group, 4).map(Band::rows).collect();
            found
        };
        assert_eq!(of(200, 8, 4), [40, 30, 20, 10, 40, 30, 20, 10]);
        assert_eq!(of(200, 4, 1), [50; 4]);
        // The lowest would be too low, and groups would not be whole.
        assert_eq!(of(60, 8, 4), [6, 8, 8, 8, 6, 8, 8, 8]);
        assert_eq!(of(200, 5, 4), [40; 5]);
    }
}
