//! One side of the grid, cut into blocks, and these into strips.

use core::num::NonZeroU32;
use core::ops::Range;

use crate::base::bug::OrBug;
use crate::run::Imbalance;

/// One million millionths: the unit of [`Imbalance`].
const WHOLE: u128 = 1_000_000;

/// A length in cells, cut into `blocks` of as many strips each.
///
/// The lengths of the blocks lie on a line, from the imbalance below the mean, for the first, to as
/// much above it, for the last; the strips of a block are nearly equal. Cuts are rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    length: usize,
    blocks: NonZeroU32,
    strips: NonZeroU32,
    /// Number of strips of all blocks.
    parts: NonZeroU32,
    imbalance: Imbalance,
}

impl Axis {
    /// Cuts `length` cells into `blocks` of `strips` each. None where a block would have fewer
    /// cells than strips, or the numbers overflow. A single block takes the whole length, whatever
    /// the imbalance.
    pub fn new(length: usize, blocks: u32, strips: u32, imbalance: Imbalance) -> Option<Self> {
        let axis = Self::of_blocks(length, blocks, imbalance)?;
        let cut = NonZeroU32::new(strips)?;
        let axis = Self { strips: cut, parts: axis.blocks.checked_mul(cut)?, ..axis };
        // The largest number of all that are calculated with.
        axis.weight_before(axis.parts()).checked_mul(length as u128)?;
        (axis.smallest_block() >= strips as usize).then_some(axis)
    }

    /// Returns the number of cells of the smallest block; none as in [`Axis::new`]. It is the first
    /// one: before rounding down, no other is shorter, and it begins exactly at a cell.
    pub fn smallest(length: usize, blocks: u32, imbalance: Imbalance) -> Option<usize> {
        Self::of_blocks(length, blocks, imbalance).map(|axis| axis.smallest_block())
    }

    /// Returns the number of all strips.
    pub const fn parts(&self) -> u32 {
        self.parts.get()
    }

    /// Returns the quotient and the remainder of a number divided by the number of strips.
    pub const fn divide(&self, number: u32) -> (u32, u32) {
        (number / self.parts.get(), number % self.parts.get())
    }

    /// Returns the block of a strip.
    pub const fn block_of(&self, strip: u32) -> u32 {
        strip / self.strips.get()
    }

    /// Returns the number of blocks.
    pub const fn blocks(&self) -> u32 {
        self.blocks.get()
    }

    /// Returns the number of strips of each block.
    pub const fn strips(&self) -> u32 {
        self.strips.get()
    }

    /// Returns the number of cells.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Returns the range of cells of a strip; empty where there is no such strip.
    pub fn part(&self, index: u32) -> Range<usize> {
        self.at(index)..self.at(index.saturating_add(1))
    }

    /// Cuts `length` cells into blocks of one strip each. None where there is no block, the
    /// imbalance is 1 or more, or the numbers overflow.
    fn of_blocks(length: usize, blocks: u32, imbalance: Imbalance) -> Option<Self> {
        let blocks = NonZeroU32::new(blocks)?;
        let even = imbalance.millionths == 0 || blocks == NonZeroU32::MIN;
        let imbalance = if even { Imbalance::default() } else { imbalance };
        let axis = Self { length, blocks, strips: NonZeroU32::MIN, parts: blocks, imbalance };
        let possible = u128::from(imbalance.millionths) < WHOLE;
        (possible && axis.weight_before(axis.parts()).checked_mul(length as u128).is_some())
            .then_some(axis)
    }

    /// Returns the number of cells of the first block, which is the smallest.
    fn smallest_block(&self) -> usize {
        self.at(self.strips.get())
    }

    /// Returns the index of the first cell of a strip; the length where there is no such strip.
    fn at(&self, index: u32) -> usize {
        let before = self.weight_before(index.min(self.parts()));
        let at = before.checked_mul(self.length as u128);
        let at = at.and_then(|at| at.checked_div(self.weight_before(self.parts())));
        at.and_then(|at| usize::try_from(at).ok()).or_bug("a strip begins nowhere")
    }

    /// Returns the exact weight of all strips before strip `index`, in an arbitrary unit.
    ///
    /// With a relative imbalance x, block k of n weighs (1 − x) + 2x k ÷ (n − 1). Multiplied by n −
    /// 1, by [`WHOLE`] and by the number of strips of a block, all terms are whole numbers.
    fn weight_before(&self, index: u32) -> u128 {
        let (block, strip) = (index / self.strips, index % self.strips);
        let (block, strip) = (u128::from(block), u128::from(strip));
        let excess = u128::from(self.imbalance.millionths);
        let strips = u128::from(self.strips.get());
        if excess == 0 {
            return u128::from(index);
        }
        debug_assert!(excess < WHOLE, "a block has fewer than no cells");
        let steps = u128::from(self.blocks.get() - 1);
        let base = WHOLE.saturating_sub(excess) * steps;
        let blocks_before = block * base + excess * block * block.saturating_sub(1);
        blocks_before * strips + strip * (base + 2 * excess * block)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;

    fn sizes(axis: &Axis) -> impl Iterator<Item = usize> {
        (0..axis.parts()).map(|index| axis.part(index).len())
    }

    fn uneven(millionths: u32) -> Imbalance {
        Imbalance { millionths }
    }

    #[test]
    fn even_cuts_are_those_of_all_strips_at_once() {
        for (length, blocks, strips) in [(10, 3, 1), (7, 7, 1), (600, 4, 2), (5, 1, 1), (17, 2, 5)]
        {
            let axis = Axis::new(length, blocks, strips, Imbalance::default()).unwrap();
            let parts = (blocks * strips) as usize;
            for index in 0..parts {
                let (start, end) = (length * index / parts, length * (index + 1) / parts);
                assert_eq!(axis.part(u32::try_from(index).unwrap()), start..end);
            }
        }
    }

    #[test]
    fn blocks_lie_on_a_line_around_the_mean() {
        let blocks = |millionths, number| {
            let axis = Axis::new(1_000, number, 1, uneven(millionths)).unwrap();
            sizes(&axis).collect::<Vec<_>>()
        };
        assert_eq!(blocks(500_000, 2), [250, 750]);
        assert_eq!(blocks(500_000, 5), [100, 150, 200, 250, 300]);
        assert_eq!(blocks(250_000, 4), [187, 229, 271, 313]);
        assert_eq!(blocks(999_999, 1), [1_000]);
        let axis = Axis::new(1_000, 2, 4, uneven(600_000)).unwrap();
        assert_eq!(sizes(&axis).collect::<Vec<_>>(), [50, 50, 50, 50, 200, 200, 200, 200]);
    }

    #[test]
    fn every_small_cut_covers_in_order_and_leaves_nothing_empty() {
        let imbalances = [0, 1, 100_000, 333_333, 500_000, 900_000, 999_999].map(uneven);
        let (mut made, mut refused) = (0, 0);
        for length in 0..60 {
            for (blocks, strips) in (1..8).flat_map(|blocks| (1..6).map(move |s| (blocks, s))) {
                for imbalance in imbalances {
                    let Some(axis) = Axis::new(length, blocks, strips, imbalance) else {
                        refused += 1;
                        let smallest = Axis::smallest(length, blocks, imbalance).unwrap();
                        assert!(smallest < strips as usize);
                        continue;
                    };
                    made += 1;
                    check(&axis, blocks, strips);
                }
            }
        }
        assert!(made > 1_000 && refused > 1_000, "{made}, {refused}");
    }

    fn check(axis: &Axis, blocks: u32, strips: u32) {
        let mut next = 0;
        for index in 0..axis.parts() {
            let cells = axis.part(index);
            assert!(cells.start == next && !cells.is_empty(), "{axis:?} {index}");
            next = cells.end;
        }
        assert_eq!(next, axis.length(), "{axis:?}");
        let sizes: Vec<_> = sizes(axis).collect();
        let blocks_of = sizes.chunks(strips as usize);
        assert_eq!(blocks_of.len(), blocks as usize);
        for block in blocks_of.clone() {
            let (least, most) = (block.iter().min().unwrap(), block.iter().max().unwrap());
            assert!(most - least <= 1, "{axis:?}: {block:?}");
        }
        let heights: Vec<usize> = blocks_of.map(|block| block.iter().sum()).collect();
        let smallest = Axis::smallest(axis.length(), blocks, axis.imbalance);
        assert_eq!(heights.iter().min().copied(), smallest, "{axis:?}");
        // The blocks lie on a line, as far as whole cells can.
        assert!(heights.is_sorted_by(|upper, lower| *upper <= lower + 1), "{axis:?}: {heights:?}");
    }

    #[test]
    fn nothing_overflows() {
        let most = uneven(999_999);
        for (length, blocks, strips) in [
            (usize::MAX, u32::MAX, u32::MAX),
            (usize::MAX, u32::MAX, 1),
            (usize::MAX, 1, u32::MAX),
            (0, u32::MAX, u32::MAX),
            (1, 0, 0),
            (1, 0, 1),
            (1, 1, 0),
        ] {
            for imbalance in [most, uneven(1_000_000), uneven(u32::MAX), Imbalance::default()] {
                if let Some(axis) = Axis::new(length, blocks, strips, imbalance) {
                    assert!(
                        !axis.part(0).is_empty() && axis.part(axis.parts()).is_empty(),
                        "{axis:?}"
                    );
                }
            }
        }
        // The largest side that the grammar can ask for.
        let axis = Axis::new(u32::MAX as usize, 65_537, 1, uneven(999_900)).unwrap();
        assert_eq!(axis.part(65_537), u32::MAX as usize..u32::MAX as usize);
    }
}
