//! The copies of parts whose sweeps another worker may help with.
//!
//! Each part has two copies. A sweep reads the current one and writes the other, so that what it
//! reads stays whole until it is done: if the worker that sweeps is stopped meanwhile, another
//! makes the same sweep from the same cells into a spare copy. Whoever is done first makes its copy
//! the current one by an exchange that only one of them wins, and publishes; the other one's work
//! is for nothing. As both have read the same cells and halos, the result is the same to the bit
//! whoever wins.
//!
//! Copies lie in pairs. Who helps takes a spare pair along, and the part has that from then on; the
//! pair that it had is a spare one as soon as the worker that was stopped is back and lets it go. A
//! worker has one part in its hands at a time, so as many spare pairs as workers are enough.

use super::claim::{Claim, Grip, Read};
use crate::base::bug::OrBug;
use crate::base::id::WorkerId;
use crate::base::sync::{AtomicU32, Ordering};
use crate::base::table::At;
use crate::node::worker::Pass;

/// Number in place of a pair's where there is none.
const NONE: u32 = u32::MAX;

/// All copies of all parts.
#[derive(Debug)]
pub struct Copies<'m, T> {
    all: &'m [Claim<T>],
    pairs: Option<Pairs<'m>>,
}

/// The words that record which part each pair of copies belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'m> {
    /// By part, the index of its current copy.
    pub current: &'m [AtomicU32],
    /// The numbers of the spare pairs, one place for each worker.
    pub spare: &'m [AtomicU32],
}

// Derived, they would ask the same of the parts.
impl<T> Clone for Copies<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Copies<'_, T> {}

impl<'m, T> Copies<'m, T> {
    /// Returns parts with one copy each, so that nobody can help.
    pub const fn single(all: &'m [Claim<T>]) -> Self {
        Self { all, pairs: None }
    }

    /// Returns parts with two adjacent copies each, followed by as many spare pairs as `pairs` has
    /// places for.
    pub fn paired(all: &'m [Claim<T>], pairs: Pairs<'m>) -> Self {
        let parts = pairs.current.len();
        (all.len() == 2 * (parts + pairs.spare.len())).or_bug("copies and pairs differ");
        for (first, current) in (0..).step_by(2).zip(pairs.current) {
            current.store(first, Ordering::Relaxed);
        }
        for (pair, spare) in (0..).skip(parts).zip(pairs.spare) {
            spare.store(pair, Ordering::Relaxed);
        }
        Self { all, pairs: Some(pairs) }
    }

    /// Returns the number of parts.
    pub const fn parts(&self) -> usize {
        match self.pairs {
            Some(pairs) => pairs.current.len(),
            None => self.all.len(),
        }
    }

    /// Whether nobody has a part at this moment.
    #[inline]
    pub fn is_free(&self, part: usize) -> bool {
        self.current(part).is_some_and(|copy| self.claim(copy).is_free())
    }

    /// Returns the worker that holds a part exclusively at this moment.
    pub fn holder(&self, part: usize) -> Option<WorkerId> {
        self.claim(self.current(part)?).holder()
    }

    /// Whether another worker may help with a sweep of a part at this moment.
    #[inline]
    pub fn is_open(&self, part: usize) -> bool {
        self.current(part).is_some_and(|copy| self.claim(copy).is_read())
    }

    /// Claims a part that nobody has, in whatever pass; returns the index of its claim.
    pub fn take(&self, grip: &mut Grip<'_, T>, part: usize) -> Option<usize> {
        self.take_current(grip, part, Grip::take)
    }

    /// Claims a part in a pass, as [`Grip::take_in`] does; returns the index of its claim.
    #[inline]
    pub fn take_in(&self, pass: Pass, grip: &mut Grip<'_, T>, part: usize) -> Option<usize> {
        self.take_current(grip, part, |grip, copy| grip.take_in(pass, copy))
    }

    /// Claims the current copy of a part by `take`, and checks that it still is the current one.
    /// Returns the index of its claim.
    #[inline]
    fn take_current<'g>(
        &self,
        grip: &mut Grip<'g, T>,
        part: usize,
        take: impl FnOnce(&mut Grip<'g, T>, usize) -> bool,
    ) -> Option<usize> {
        let copy = self.current(part)?;
        if !take(grip, copy) {
            return None;
        }
        // It may have become a spare one meanwhile. As long as it is held, the current copy stays.
        if self.current(part) != Some(copy) {
            grip.leave(copy);
            return None;
        }
        Some(copy)
    }

    /// Returns the index of a part's current copy; none where there is no such part.
    #[inline]
    fn current(&self, part: usize) -> Option<usize> {
        match self.pairs {
            Some(pairs) => Some(pairs.current.get(part)?.load(Ordering::Acquire) as usize),
            None => (part < self.all.len()).then_some(part),
        }
    }

    /// Returns the claim of a copy.
    #[inline]
    fn claim(&self, copy: usize) -> &'m Claim<T> {
        self.all.at(copy)
    }
}

/// What has become of a sweep from one copy of a part into another.
#[derive(Debug)]
pub enum Swept<R> {
    /// Its result is the part now, which the worker has by this claim.
    Won(usize, R),
    /// Another worker was done first, and has the part.
    Lost,
    /// There was none: the part's other copy is still read by somebody who helped, or it has none,
    /// or nobody needs help. The worker has what it had.
    Closed,
}

/// The two copies between which a sweep goes, by their numbers.
#[derive(Clone, Copy)]
struct Between<'m> {
    /// The number of the part's current copy.
    current: &'m AtomicU32,
    from: u32,
    to: u32,
}

impl<'m, T: Sync> Copies<'m, T> {
    /// Sweeps a part that the worker holds from its current copy into its other one, so that
    /// another worker may help. `sweep(target, source)` makes the sweep; `target` may have been a
    /// copy of another part.
    pub fn sweep<R>(
        &self,
        grip: &mut Grip<'m, T>,
        part: usize,
        sweep: impl FnOnce(&mut T, &T) -> R,
    ) -> Swept<R> {
        let begun = self.pairs.and_then(|pairs| {
            let current = pairs.current.get(part)?;
            let from = current.load(Ordering::Acquire);
            // None where somebody who helped still reads it.
            grip.take((from ^ 1) as usize).then_some(Between { current, from, to: from ^ 1 })
        });
        let Some(between) = begun else { return Swept::Closed };
        let source = grip.read(between.from as usize);
        self.finish(grip, between, source, sweep)
    }

    /// Makes the sweep that another worker is stuck in, from the same source, into a spare copy.
    /// `sweep` is as in [`Copies::sweep`].
    pub fn help<R>(
        &self,
        grip: &mut Grip<'m, T>,
        part: usize,
        sweep: impl FnOnce(&mut T, &T) -> R,
    ) -> Swept<R> {
        match self.begin_to_help(grip, part) {
            Some((between, source)) => self.finish(grip, between, source, sweep),
            None => Swept::Closed,
        }
    }

    /// Joins the reader of a part's current copy, and claims a spare copy as the target. None where
    /// the part is not open, or no spare pair is free.
    fn begin_to_help(
        &self,
        grip: &mut Grip<'m, T>,
        part: usize,
    ) -> Option<(Between<'m>, Read<'m, T>)> {
        let pairs = self.pairs?;
        let current = pairs.current.get(part)?;
        let from = current.load(Ordering::Acquire);
        let source = grip.read_beside(from as usize)?;
        if current.load(Ordering::Acquire) != from {
            return None;
        }
        let mut spare = pairs.spare.iter().map(|pair| pair.swap(NONE, Ordering::Acquire));
        let pair = spare.find(|&pair| pair != NONE)?;
        let to = 2 * pair;
        if !grip.take(to as usize) {
            self.give_back(pair);
            return None;
        }
        Some((Between { current, from, to }, source))
    }

    /// Makes a sweep and tries to make its target the part's current copy by compare-and-swap.
    /// Where another worker has won, the target's pair becomes a spare one.
    fn finish<R>(
        &self,
        grip: &mut Grip<'m, T>,
        Between { current, from, to }: Between<'m>,
        source: Read<'m, T>,
        sweep: impl FnOnce(&mut T, &T) -> R,
    ) -> Swept<R> {
        let claim = to as usize;
        let made = source.with(|source| grip.with(claim, |target| sweep(target, source)));
        let turned = current.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
        // Before the pair is a spare one.
        drop(source);
        if turned.is_ok() {
            return Swept::Won(claim, made);
        }
        grip.leave(claim);
        self.give_back(to / 2);
        Swept::Lost
    }

    /// Puts a pair into a free place among the spare ones.
    fn give_back(&self, pair: u32) {
        let mut places = self.pairs.iter().flat_map(|pairs| pairs.spare);
        let given = places.any(|place| {
            place.compare_exchange(NONE, pair, Ordering::Release, Ordering::Relaxed).is_ok()
        });
        given.or_bug("there are more spare pairs than workers");
    }
}
