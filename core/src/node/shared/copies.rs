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

/// Memory that tells who has which pair.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'m> {
    /// The current copy of each part.
    pub current: &'m [AtomicU32],
    /// The spare pairs, as many as workers.
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
    /// Returns parts of which there is one copy each, so that nobody helps.
    pub const fn single(all: &'m [Claim<T>]) -> Self {
        Self { all, pairs: None }
    }

    /// Returns parts with two copies each, one after the other, and after them as many spare pairs
    /// as `pairs` has room for.
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

    /// Returns the worker that holds a part at this moment, and does not share it.
    pub fn holder(&self, part: usize) -> Option<WorkerId> {
        self.claim(self.current(part)?).holder()
    }

    /// Whether another worker may help with a sweep of a part at this moment.
    #[inline]
    pub fn is_open(&self, part: usize) -> bool {
        self.current(part).is_some_and(|copy| self.claim(copy).is_read())
    }

    /// Takes a part, if nobody has it, whatever the pass; returns the place of its claim.
    pub fn take(&self, grip: &mut Grip<'_, T>, part: usize) -> Option<usize> {
        self.take_current(grip, part, Grip::take)
    }

    /// Takes a part in a pass; see [`Grip::take_in`].
    #[inline]
    pub fn take_in(&self, pass: Pass, grip: &mut Grip<'_, T>, part: usize) -> Option<usize> {
        self.take_current(grip, part, |grip, copy| grip.take_in(pass, copy))
    }

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

    /// Returns the current copy of a part.
    #[inline]
    fn current(&self, part: usize) -> Option<usize> {
        match self.pairs {
            Some(pairs) => Some(pairs.current.get(part)?.load(Ordering::Acquire) as usize),
            None => (part < self.all.len()).then_some(part),
        }
    }

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

/// Both copies of a sweep.
#[derive(Clone, Copy)]
struct Between {
    part: usize,
    from: usize,
    to: usize,
}

impl<'m, T: Sync> Copies<'m, T> {
    /// Sweeps a part that the worker has, so that another may help: `sweep` is a function of the
    /// copy to write, which may be one of another part, and of the one to read.
    pub fn sweep<R>(
        &self,
        grip: &mut Grip<'m, T>,
        part: usize,
        sweep: impl FnOnce(&mut T, &T) -> R,
    ) -> Swept<R> {
        let begun = self.current(part).and_then(|from| {
            let to = from ^ 1;
            self.take_spare(grip, to).then_some(Between { part, from, to })
        });
        let Some(between) = begun else { return Swept::Closed };
        let source = grip.read(between.from);
        self.finish(grip, between, source, sweep)
    }

    /// Makes the sweep that another worker makes of a part, into a spare copy.
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

    fn begin_to_help(&self, grip: &mut Grip<'m, T>, part: usize) -> Option<(Between, Read<'m, T>)> {
        let from = self.current(part)?;
        let source = grip.read_beside(from)?;
        if self.current(part) != Some(from) {
            return None;
        }
        let mut spare = self.pairs?.spare.iter().map(|pair| pair.swap(NONE, Ordering::Acquire));
        let pair = spare.find(|&pair| pair != NONE)?;
        let to = 2 * pair as usize;
        if !self.take_spare(grip, to) {
            self.give_back(pair);
            return None;
        }
        Some((Between { part, from, to }, source))
    }

    /// Takes a copy that is not a current one; false where somebody still reads it, or where there
    /// is one copy of each part.
    fn take_spare(&self, grip: &mut Grip<'m, T>, copy: usize) -> bool {
        self.pairs.is_some() && grip.take(copy)
    }

    /// Makes a sweep, and its result the current copy of the part, unless somebody else was done
    /// first.
    fn finish<R>(
        &self,
        grip: &mut Grip<'m, T>,
        Between { part, from, to }: Between,
        source: Read<'m, T>,
        sweep: impl FnOnce(&mut T, &T) -> R,
    ) -> Swept<R> {
        let made = source.with(|source| grip.with(to, |target| sweep(target, source)));
        let current = self.pairs.map(|pairs| pairs.current.at(part));
        let numbers = u32::try_from(from).ok().zip(u32::try_from(to).ok());
        let (current, (from, to_number)) = current.zip(numbers).or_bug("a sweep without copies");
        let turned = current.compare_exchange(from, to_number, Ordering::AcqRel, Ordering::Relaxed);
        // Before the pair is a spare one.
        drop(source);
        if turned.is_ok() {
            return Swept::Won(to, made);
        }
        grip.leave(to);
        self.give_back(to_number / 2);
        Swept::Lost
    }

    /// Makes a pair a spare one.
    fn give_back(&self, pair: u32) {
        let mut places = self.pairs.iter().flat_map(|pairs| pairs.spare);
        let given = places.any(|place| {
            place.compare_exchange(NONE, pair, Ordering::Release, Ordering::Relaxed).is_ok()
        });
        given.or_bug("there are more spare pairs than workers");
    }
}
