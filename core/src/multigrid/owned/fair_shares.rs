//! How many rows each of several processes has, so that all of them take about as long.

use alloc::vec::Vec;
use core::ops::Range;

use crate::multigrid::{Band, bands_within};

/// A move must shorten the longest share by more than one in so many.
const LEAST_GAIN: u64 = 20;
/// Cycles in a row after each of which a move must pay, so that chance moves nothing.
const CYCLES: u32 = 2;

/// The rows of all processes, each of which has consecutive ones, in the order of the processes: in
/// pieces that move as a whole.
///
/// A process is taken to need as long for each row that it gets as for each that it has; what it
/// does for itself, which nobody shares, counts as some rows. Rows move where the longest share
/// becomes shorter by more than 5 % that way, by the times of each of two cycles in a row: machines
/// that are even, but for chance, keep theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FairShares {
    /// Rows before each piece, and all rows at the end.
    before: Vec<usize>,
    /// For each process, the piece behind its last one.
    ends: Vec<usize>,
    /// Rows that take as long as what each process does for itself.
    pub(super) unshared: usize,
    /// Times of the last cycles, added up, after each of which a move would have paid.
    times: Vec<u64>,
    /// Number of these cycles.
    cycles: u32,
}

impl FairShares {
    /// Returns the shares of processes that have these rows, one process after the other, in pieces
    /// of `least` rows, or a few more.
    pub fn new(shares: impl IntoIterator<Item = Range<usize>>, least: usize) -> Self {
        let (mut before, mut ends) = (Vec::from([0]), Vec::new());
        for share in shares {
            // As many pieces as `least` allows.
            let pieces = bands_within(share, usize::MAX, 1, least);
            before.extend(pieces.filter(|piece| piece.rows() > 0).map(|Band { end, .. }| end));
            ends.push(before.len() - 1);
        }
        Self { before, ends, unshared: 0, times: Vec::new(), cycles: 0 }
    }

    /// Returns the number of pieces.
    pub const fn pieces(&self) -> usize {
        self.before.len().saturating_sub(1)
    }

    /// Returns the number of processes.
    pub const fn processes(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of rows that take as long as what each process does for itself.
    pub const fn unshared(&self) -> usize {
        self.unshared
    }

    /// Returns the range of pieces that a process has.
    fn own(&self, process: usize) -> Range<usize> {
        let end = |process: usize| self.ends.get(process).copied();
        let start = process.checked_sub(1).and_then(end).unwrap_or(0);
        start..end(process).unwrap_or(start)
    }

    /// Returns the rows of a process.
    pub fn rows(&self, process: usize) -> Range<usize> {
        let Range { start, end } = self.own(process);
        self.rows_before(start)..self.rows_before(end)
    }

    /// Returns the number of rows before a piece.
    fn rows_before(&self, piece: usize) -> usize {
        self.before.get(piece).copied().unwrap_or(0)
    }

    /// Whether a process has nothing: then all keep what they have.
    fn has_idle(&self) -> bool {
        (0..self.processes()).any(|process| self.own(process).is_empty())
    }

    /// Gives each process the pieces up to its end. False, and nothing changes, unless each process
    /// has one at least, before and after, and all together have all pieces.
    pub fn set(&mut self, ends: &[usize]) -> bool {
        let is_whole = ends.len() == self.processes() && ends.last() == Some(&self.pieces());
        let starts = core::iter::once(&0).chain(ends);
        let mut shares = ends.iter().zip(starts);
        if self.has_idle() || !is_whole || shares.any(|(end, start)| end <= start) {
            return false;
        }
        self.ends = ends.to_vec();
        self.forget();
        true
    }

    /// Takes the nanoseconds that each process has worked in the last cycle. Returns the ends of
    /// better shares, for [`set`](Self::set), where moving rows has paid for several cycles in a
    /// row; none otherwise.
    pub fn observe(&mut self, times: &[u64]) -> Option<Vec<usize>> {
        if self.better(times).is_none() {
            self.forget();
            return None;
        }
        if self.cycles == 0 {
            self.times = times.to_vec();
        } else {
            let sums = self.times.iter_mut().zip(times);
            sums.for_each(|(sum, time)| *sum = sum.saturating_add(*time));
        }
        self.cycles += 1;
        if self.cycles < CYCLES { None } else { self.better(&self.times) }
    }

    /// Forgets the times of the last cycles.
    fn forget(&mut self) {
        self.times.clear();
        self.cycles = 0;
    }

    /// Returns the ends of shares whose longest is so much shorter than now that a move pays; none
    /// otherwise. `times` are those of each process, in nanoseconds.
    fn better(&self, times: &[u64]) -> Option<Vec<usize>> {
        let is_measured = times.len() == self.processes() && !times.contains(&0);
        if !is_measured || self.has_idle() {
            return None;
        }
        let now = times.iter().copied().max()?;
        let (longest, starts) = self.shortest(times, now)?;
        let gained = now.saturating_sub(longest);
        if gained > now / LEAST_GAIN { Some(self.nearest((times, longest), &starts)) } else { None }
    }

    /// Finds by bisection the least time in which shares can be done, which is `most` at most. Also
    /// returns the lowest starts of shares that take no longer.
    fn shortest(&self, times: &[u64], most: u64) -> Option<(u64, Vec<usize>)> {
        let (mut too_short, mut enough) = (0, most);
        let mut starts = self.lowest_starts((times, most))?;
        while enough - too_short > 1 {
            let time = too_short + (enough - too_short) / 2;
            match self.lowest_starts((times, time)) {
                Some(found) => (enough, starts) = (time, found),
                None => too_short = time,
            }
        }
        Some((enough, starts))
    }

    /// Returns the number of rows that a process does within `time`, where its own ones take as
    /// long as `times` says.
    fn rows_in(&self, process: usize, (times, time): (&[u64], u64)) -> usize {
        let took = times.get(process).copied().unwrap_or(0);
        let all = self.rows(process).len().saturating_add(self.unshared);
        let rows = (u128::from(time) * all as u128).checked_div(took.into()).unwrap_or(0);
        usize::try_from(rows).unwrap_or(usize::MAX).saturating_sub(self.unshared)
    }

    /// Returns the lowest start of each process with which it and those behind it take no longer
    /// than the limit. None where that is too short for all pieces, or for any piece on any
    /// process.
    fn lowest_starts(&self, times_and_limit: (&[u64], u64)) -> Option<Vec<usize>> {
        let ends = self.before.iter().skip(1);
        let heights = self.before.iter().zip(ends).map(|(start, end)| end.saturating_sub(*start));
        let highest = heights.max()?;
        let mut end = self.pieces();
        let mut starts = Vec::new();
        for process in (0..self.processes()).rev() {
            let rows = self.rows_in(process, times_and_limit);
            if rows < highest {
                return None;
            }
            let least = self.rows_before(end).saturating_sub(rows);
            // Those before it have a piece each.
            end = self.before.partition_point(|before| *before < least).max(process);
            starts.push(end);
        }
        starts.reverse();
        if end == 0 { Some(starts) } else { None }
    }

    /// Returns the ends nearest to those of now, of shares that take no longer than the limit.
    /// `lowest` are the lowest starts of such shares; each is the lowest end of the share before.
    fn nearest(&self, times_and_limit: (&[u64], u64), lowest: &[usize]) -> Vec<usize> {
        let mut start = 0;
        let mut ends = Vec::new();
        let of_next = lowest.iter().skip(1).copied().chain([self.pieces()]);
        for (process, (now, lowest_end)) in self.ends.iter().zip(of_next).enumerate() {
            let rows =
                self.rows_before(start).saturating_add(self.rows_in(process, times_and_limit));
            let highest_end =
                self.before.partition_point(|before| *before <= rows).saturating_sub(1);
            // The lowest end is never beyond the highest.
            let end = (*now).min(highest_end).max(lowest_end);
            ends.push(end);
            start = end;
        }
        ends
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "processes and pieces are counted from 0 on")]
mod tests {
    use alloc::vec;

    use super::*;

    /// Returns the shares of processes that have so many pieces of two rows each.
    fn shares(pieces: &[usize]) -> FairShares {
        let mut end = 0;
        let of_process = |pieces: &usize| {
            let start = end;
            end += 2 * pieces;
            start..end
        };
        FairShares::new(pieces.iter().map(of_process), 2)
    }

    /// Returns all ends of shares of so many pieces, each of one at least.
    fn all_ends(pieces: usize, processes: usize) -> Vec<Vec<usize>> {
        if processes == 1 {
            return vec![vec![pieces]];
        }
        let with_last = |start: usize| {
            all_ends(start, processes - 1).into_iter().map(move |mut ends| {
                ends.push(pieces);
                ends
            })
        };
        (processes - 1..pieces).flat_map(with_last).collect()
    }

    /// Returns the time of the longest share, rounded up.
    fn longest(shares: &FairShares, times: &[u64], ends: &[usize]) -> u64 {
        let starts = core::iter::once(&0).chain(ends);
        let of_process = |(process, (start, end)): (usize, (&usize, &usize))| {
            let rows = |rows: usize| (rows + shares.unshared) as u64;
            let (new, now) =
                (shares.before[*end] - shares.before[*start], shares.rows(process).len());
            (rows(new) * times[process]).div_ceil(rows(now))
        };
        starts.zip(ends).enumerate().map(of_process).max().unwrap()
    }

    fn twice(shares: &mut FairShares, times: &[u64]) -> Option<Vec<usize>> {
        assert_eq!(shares.observe(times), None, "one cycle moves nothing");
        shares.observe(times)
    }

    /// Every way to share the pieces is tried, with pieces of several heights, and what nobody
    /// shares beside them.
    #[test]
    fn the_longest_share_is_as_short_as_it_can_be() {
        let mut rng = crate::base::rng::Rng::new(5, 0);
        let mut moved = 0;
        let all = [&[0..16, 16..32, 32..50][..], &[0..28, 28..50], &[0..30, 30..34, 34..50]];
        for (rows, unshared) in all.into_iter().flat_map(|rows| [(rows, 0), (rows, 7)]) {
            let shares = FairShares { unshared, ..FairShares::new(rows.iter().cloned(), 4) };
            let all = all_ends(shares.pieces(), rows.len());
            let highest = shares.before.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap();
            assert!(shares.pieces() >= 10 && highest <= 6, "{shares:?}");
            for _ in 0..200 {
                let time = |_| 1_000_000 + u64::from(rng.below(1_000_000));
                let times: Vec<_> = rows.iter().map(time).collect();
                let now = *times.iter().max().unwrap();
                let best = all.iter().map(|ends| longest(&shares, &times, ends)).min().unwrap();
                // Nor shorter than the highest piece takes, wherever it is.
                let of_highest = |(process, time): (usize, &u64)| {
                    let rows = |rows: usize| (rows + unshared) as u64;
                    (rows(highest) * time).div_ceil(rows(shares.rows(process).len()))
                };
                let best = times.iter().enumerate().map(of_highest).max().unwrap().max(best);
                let Some(ends) = twice(&mut shares.clone(), &times) else {
                    // Within what rounding a share up is worth.
                    assert!(now.saturating_sub(best) <= now / 20 + 1, "{rows:?}, {times:?}");
                    continue;
                };
                moved += 1;
                let found = longest(&shares, &times, &ends);
                assert!(found <= best + 1 && shares.clone().set(&ends), "{rows:?}, {times:?}");
            }
        }
        assert!(moved > 300, "{moved}");
    }

    #[test]
    fn even_machines_keep_their_shares() {
        let mut shares = shares(&[4, 4, 4]);
        for _ in 0..5 {
            // By chance another one each time; the last by less than what is worth a move.
            for times in [[100, 100, 140], [100, 100, 100], [140, 100, 100], [104, 100, 103]] {
                assert_eq!(shares.observe(&times), None);
            }
        }
        assert_eq!(twice(&mut shares, &[100, 100, 140]), Some(vec![4, 9, 12]));
    }

    #[test]
    fn pieces_stay_that_need_not_move() {
        let even = shares(&[4, 4, 4, 4]);
        // The last two are even with each other.
        assert_eq!(twice(&mut even.clone(), &[200, 100, 150, 150]), Some(vec![3, 8, 12, 16]));
        assert_eq!(twice(&mut even.clone(), &[100, 100, 100, 400]), Some(vec![5, 10, 15, 16]));
    }

    #[test]
    fn shares_that_are_none_change_nothing() {
        let mut two = shares(&[3, 3]);
        for wrong in [&[6][..], &[0, 6], &[6, 6], &[3, 5], &[4, 3], &[2, 4, 6], &[]] {
            assert!(!two.set(wrong), "{wrong:?}");
            assert_eq!([0, 1].map(|process| two.rows(process)), [0..6, 6..12]);
        }
        assert!(two.set(&[5, 6]) && two.rows(0) == (0..10) && two.rows(1) == (10..12));
        // Who has nothing, or was not measured, gets nothing; times of any length are no trouble.
        assert!(
            twice(&mut shares(&[2, 2, 0]), &[9, 1, 1]).is_none() && !shares(&[2, 0]).set(&[1, 2])
        );
        for times in [&[0, 9][..], &[9], &[1, 2, 3], &[]] {
            assert_eq!(twice(&mut shares(&[2, 2]), times), None);
        }
        let (most, mut long) = (u64::MAX / 2, shares(&[2, 2]));
        assert_eq!(twice(&mut long, &[most, most / 3]), Some(vec![1, 4]));
    }
}
