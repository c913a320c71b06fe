//! The copies of parts whose sweeps another worker may help with.
//!
//! Each part has two copies. A sweep reads the current one and writes the other, so that what it reads stays whole
//! until it is done: if the worker that sweeps is stopped meanwhile, another makes the same sweep from the same
//! cells into a spare copy. Whoever is done first makes its copy the current one by an exchange that only one of them
//! wins, and publishes; the other one's work is for nothing. As both have read the same cells and halos, the
//! result is the same to the bit whoever wins.
//!
//! Copies lie in pairs. Who helps takes a spare pair along, and the part has that from then on; the pair that it had
//! is a spare one as soon as the worker that was stopped is back and lets it go. A worker has one part in its hands
//! at a time, so as many spare pairs as workers are enough.

use super::handover::{Handover, Held, Read};
use crate::base::bug::OrBug;
use crate::base::id::WorkerId;
use crate::base::sync::{AtomicU32, Ordering};
use crate::node::worker::Pass;

/// Number in place of a pair's where there is none.
const NONE: u32 = u32::MAX;

/// All copies of all parts.
#[derive(Debug)]
pub struct Copies<'m, T> {
    all: &'m [Handover<T>],
    pairs: Option<Pairs<'m>>,
}

/// Memory that tells who has which pair.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'m> {
    /// The current copy of each part.
    pub current: &'m [AtomicU32],
    /// The part that each copy last was one of.
    pub part: &'m [AtomicU32],
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
    pub const fn single(all: &'m [Handover<T>]) -> Self {
        Self { all, pairs: None }
    }

    /// Returns parts with two copies each, one after the other, and after them as many spare pairs as `pairs` has
    /// room for.
    pub fn paired(all: &'m [Handover<T>], pairs: Pairs<'m>) -> Self {
        let parts = pairs.current.len();
        debug_assert_eq!(all.len(), 2 * (parts + pairs.spare.len()), "copies and pairs differ");
        debug_assert_eq!(all.len(), pairs.part.len(), "a copy has no memory for its part");
        pairs.part.iter().for_each(|part| part.store(NONE, Ordering::Relaxed));
        for ((part, first), current) in (0..).zip((0..).step_by(2)).zip(pairs.current) {
            current.store(first, Ordering::Relaxed);
            if let Some(of) = pairs.part.get(first as usize) {
                of.store(part, Ordering::Relaxed);
            }
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
        self.current(part).is_some_and(|(_, copy)| copy.is_free())
    }

    /// Returns the worker that holds a part at this moment, and does not share it.
    pub fn holder(&self, part: usize) -> Option<WorkerId> {
        self.current(part)?.1.holder()
    }

    /// Whether another worker may help with a sweep of a part at this moment.
    #[inline]
    pub fn is_open(&self, part: usize) -> bool {
        self.current(part).is_some_and(|(_, copy)| copy.is_read())
    }

    /// Takes a part, if nobody has it, whatever the pass.
    pub fn take(&self, part: usize, worker: WorkerId) -> Option<Held<'m, T>> {
        self.take_current(part, |copy| copy.take(worker))
    }

    /// Takes a part in a pass; see [`Handover::take_in`].
    #[inline]
    pub fn take_in(&self, pass: Pass, part: usize, worker: WorkerId) -> Option<Held<'m, T>> {
        self.take_current(part, |copy| copy.take_in(pass, worker))
    }

    #[inline]
    fn take_current(
        &self,
        part: usize,
        take: impl FnOnce(&'m Handover<T>) -> Option<Held<'m, T>>,
    ) -> Option<Held<'m, T>> {
        let (number, copy) = self.current(part)?;
        let held = take(copy)?;
        // It may have become a spare one meanwhile. As long as it is held, the current copy stays.
        self.is_current(part, number).then_some(held)
    }

    /// Returns the current copy of a part, with its number.
    #[inline]
    fn current(&self, part: usize) -> Option<(u32, &'m Handover<T>)> {
        let number = match self.pairs {
            Some(pairs) => pairs.current.get(part)?.load(Ordering::Acquire),
            None => u32::try_from(part).ok()?,
        };
        Some((number, self.all.get(number as usize)?))
    }

    #[inline]
    fn is_current(&self, part: usize, number: u32) -> bool {
        self.current(part).is_some_and(|(current, _)| current == number)
    }
}

impl<'m, T: Sync> Copies<'m, T> {
    /// Opens a part for the time of a sweep; what is held comes back where its other copy is still read by
    /// somebody who helped, or where it has none.
    pub fn open(
        &self,
        part: usize,
        held: Held<'m, T>,
        worker: WorkerId,
    ) -> Result<Sweep<'m, T>, Held<'m, T>> {
        let other = self.current(part).and_then(|(from, _)| {
            let to = from ^ 1;
            Some((from, to, self.target(part, to, worker)?))
        });
        match other {
            Some((from, to, (target, is_new))) => {
                Ok(Sweep { part, from, to, source: held.read(), target, is_new })
            }
            None => Err(held),
        }
    }

    /// Begins the sweep that another worker makes of a part, into a spare copy; none where nobody makes one, or
    /// where somebody helps already.
    pub fn help(&self, part: usize, worker: WorkerId) -> Option<Sweep<'m, T>> {
        let (from, copy) = self.current(part)?;
        let source = copy.read_beside()?;
        if !self.is_current(part, from) {
            return None;
        }
        let mut spare = self.pairs?.spare.iter().map(|pair| pair.swap(NONE, Ordering::Acquire));
        let pair = spare.find(|&pair| pair != NONE)?;
        let to = pair.saturating_mul(2);
        let Some((target, is_new)) = self.target(part, to, worker) else {
            self.give_back(pair);
            return None;
        };
        Some(Sweep { part, from, to, source, target, is_new })
    }

    /// Takes a copy that is not a current one, for a part; tells whether it last was one of another part.
    fn target(&self, part: usize, copy: u32, worker: WorkerId) -> Option<(Held<'m, T>, bool)> {
        let of = self.pairs?.part.get(copy as usize)?;
        let held = self.all.get(copy as usize)?.take(worker)?;
        let number = u32::try_from(part).ok()?;
        Some((held, of.swap(number, Ordering::Relaxed) != number))
    }

    /// Ends a sweep: makes its result the current copy of the part, which is held by that, unless somebody else
    /// was done first.
    pub fn publish(&self, sweep: Sweep<'m, T>) -> Option<Held<'m, T>> {
        let Sweep { part, from, to, source, target, .. } = sweep;
        let current = self.pairs?.current.get(part)?;
        let won = current.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        // Before the pair is a spare one.
        drop(source);
        if won {
            return Some(target);
        }
        drop(target);
        self.give_back(to / 2);
        None
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

/// A sweep from one copy of a part into another.
#[derive(Debug)]
pub struct Sweep<'m, T> {
    part: usize,
    /// Numbers of both copies.
    from: u32,
    to: u32,
    source: Read<'m, T>,
    target: Held<'m, T>,
    is_new: bool,
}

impl<T> Sweep<'_, T> {
    /// Makes the sweep: a function of the copy to write, of the one to read, and of whether the former last was
    /// one of another part.
    #[inline]
    pub fn make<R>(&mut self, sweep: impl FnOnce(&mut T, &T, bool) -> R) -> R {
        let Self { source, target, is_new, .. } = self;
        source.with(|source| target.with(|target| sweep(target, source, *is_new)))
    }
}
