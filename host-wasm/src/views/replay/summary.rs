//! The summary of a track in bins of many lengths: for any part of the time and any width of the
//! screen, only a few bins are read for each column.

use super::kind::KINDS;

/// Greatest number of the shortest bins.
const BINS: u64 = 1 << 15;
/// Least number of the longest bins.
const FEWEST: usize = 512;

/// The shares of a bin's time that were spent with each kind, of [`u16::MAX`].
type Shares = [u16; KINDS];

/// A pyramid of bins: those of each level are twice as long as those of the level before.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// End of the last event.
    end: u64,
    /// Length of the shortest bins, in nanoseconds.
    bin: u64,
    levels: Vec<Vec<Shares>>,
    /// Nanoseconds spent with each kind.
    pub times: [u64; KINDS],
}

impl Summary {
    /// Summarizes events with their kinds, all of which end before a time.
    pub fn of(events: impl Iterator<Item = (u64, u64, usize)>, end: u64) -> Self {
        let bin = end.div_ceil(BINS).max(1);
        let bins = usize::try_from(end.div_ceil(bin)).unwrap_or(0).max(1);
        let mut times = [0; KINDS];
        let mut sums = vec![[0_u64; KINDS]; bins];
        for (start, end, kind) in events {
            if let Some(time) = times.get_mut(kind) {
                *time += end.saturating_sub(start);
            }
            share(start, end, 0, bin, |bin, time| {
                if let Some(sum) = sums.get_mut(bin).and_then(|sums| sums.get_mut(kind)) {
                    *sum += time;
                }
            });
        }
        let of_bin = |time: u64| {
            let share =
                (u128::from(time) * u128::from(u16::MAX) + u128::from(bin / 2)) / u128::from(bin);
            u16::try_from(share).unwrap_or(u16::MAX)
        };
        let mut levels = vec![sums.into_iter().map(|sums| sums.map(of_bin)).collect::<Vec<_>>()];
        while let Some(last) = levels.last().filter(|level| level.len() >= FEWEST * 2) {
            let next = last.chunks(2).map(half).collect();
            levels.push(next);
        }
        Self { end, bin, levels, times }
    }

    /// Reports whether columns of this length, in nanoseconds, are drawn by bins; otherwise they
    /// are drawn by events.
    pub const fn tells(&self, wide: u64) -> bool {
        wide / 2 >= self.bin
    }

    /// Adds the nanoseconds of each kind to columns of a length that begin at a time: by bins of
    /// which at least two and at most four, or those of the longest kind, are in a column.
    pub fn add(&self, from: u64, wide: u64, columns: &mut [[f64; KINDS]]) {
        let most = (wide / 2 / self.bin.max(1)).max(1).ilog2() as usize;
        let level = most.min(self.levels.len().saturating_sub(1));
        let Some(bins) = self.levels.get(level) else { return };
        let bin = self.bin << level;
        let to = from.saturating_add(wide.saturating_mul(columns.len() as u64));
        let first = usize::try_from(from / bin).unwrap_or(usize::MAX);
        let bins = (from / bin..).zip(bins.iter().skip(first));
        for (number, shares) in bins.take_while(|(number, _)| number * bin < to) {
            let start = number * bin;
            // What is after the end is no time in which nothing was done.
            let end = (start + bin).min(self.end);
            let whole =
                bin as f64 / (end.saturating_sub(start)).max(1) as f64 / f64::from(u16::MAX);
            share(start, end, from, wide, |column, time| {
                let Some(column) = columns.get_mut(column) else { return };
                let part = time as f64 * whole;
                column
                    .iter_mut()
                    .zip(shares)
                    .for_each(|(sum, &share)| *sum += part * f64::from(share));
            });
        }
    }
}

/// Returns the sum of two bins, or of the last one alone, as one bin of twice the length.
fn half(bins: &[Shares]) -> Shares {
    let mut sums = [0_u32; KINDS];
    for shares in bins {
        sums.iter_mut().zip(shares).for_each(|(sum, &share)| *sum += u32::from(share));
    }
    sums.map(|sum| u16::try_from(sum.div_ceil(2)).unwrap_or(u16::MAX))
}

/// Shares a span of time out among columns of equal length that begin at `from`; `add` gets a
/// column and its nanoseconds.
pub fn share(start: u64, end: u64, from: u64, wide: u64, mut add: impl FnMut(usize, u64)) {
    let mut at = start.max(from);
    while at < end {
        let part = (at - from) / wide;
        let next = (from + (part + 1) * wide).min(end);
        let Ok(place) = usize::try_from(part) else { return };
        // What is beyond the last part concerns nobody.
        if place > 1 << 20 {
            return;
        }
        add(place, next - at);
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_the_whole_time() {
        // Of ten nanoseconds six with the first kind and three with the second.
        let end = 1_000_000;
        let turns = (0..end / 10).map(|turn| turn * 10);
        let events = turns.flat_map(|at| [(at, at + 6, 0), (at + 6, at + 9, 1)]);
        let summary = Summary::of(events, end);
        assert_eq!((summary.times[0], summary.times[1]), (600_000, 300_000));
        assert!(summary.levels.len() > 5);
        for wide in [70, 200, 1_000, 9_999, 100_000, 1_000_000] {
            assert!(summary.tells(wide));
            let number = usize::try_from(end / wide).unwrap();
            let mut columns = vec![[0.0; KINDS]; number];
            summary.add(0, wide, &mut columns);
            for column in &columns {
                let shares = column.map(|time| time / wide as f64);
                // A bin is cut where a turn is not.
                let off = 10.0 / wide as f64 + 0.001;
                assert!((shares[0] - 0.6).abs() < off, "{wide}: {shares:?}");
                assert!((shares[1] - 0.3).abs() < off, "{wide}: {shares:?}");
            }
        }
    }
}
