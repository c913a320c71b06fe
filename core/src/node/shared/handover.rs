//! A thing that one worker at a time may hold, or some may read: the hand-over of a subdomain.

#![expect(unsafe_code, reason = "a room for it: the hand-over lends out what it guards")]

use crate::base::id::WorkerId;
use crate::base::sync::{AtomicU64, Ordering, UnsafeCell};
use crate::node::worker::{Pass, Work};

/// Lower bits of a word, which tell who has the thing; above them is the pass in which it was last taken.
const BITS: u32 = 64 - Pass::BITS;
/// The lower bits of a thing that nobody has.
const FREE: u64 = (1 << BITS) - 1;
/// The lower bits of a thing that is read are this and the number of its readers; below it is the number of the
/// worker that holds the thing.
const READ: u64 = 1 << (BITS - 1);

/// Something that is held by one worker, read by some, or free.
///
/// A worker takes it, keeps it for as many sweeps as it likes at no cost, and lets it go; between
/// two holders nobody has it, and never two. A holder may turn to reading it, and lets others read it as well
/// by that; nobody writes until the last reader has let it go.
///
/// It is marked with the [`Pass`] in which it was last taken, so that in a halt it is taken once for each thing that is
/// to be done with it, by whoever comes first.
#[derive(Debug)]
pub struct Handover<T> {
    word: AtomicU64,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is written only through a `Held`, of which there is at most one at a time and no `Read` beside it
// (see `take` and `read`), and what one holder wrote is seen by the next, and by readers (release where a
// right ends or is turned into the other, acquire where one begins). So sharing a `Handover` sends the value from
// thread to thread; that threads look at it together needs `T: Sync`, which both ways to a `Read` ask for.
unsafe impl<T: Send> Sync for Handover<T> {}

impl<T> Handover<T> {
    /// Returns a thing that nobody holds yet.
    pub fn new(value: T) -> Self {
        Self { word: AtomicU64::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Takes the thing, if nobody has it, whatever the pass, and leaves its mark: for whoever is no worker in a pass, as
    /// one that sends a part to another node, or collects the results. (No worker has a number from 2²³ on.)
    pub fn take(&self, worker: WorkerId) -> Option<Held<'_, T>> {
        self.take_if(worker, Pass::BEFORE, Some)
    }

    /// Takes the thing in a pass, if nobody has it and the pass admits that ([`Pass::admits`]): for workers.
    #[inline]
    pub fn take_in(&self, pass: Pass, worker: WorkerId) -> Option<Held<'_, T>> {
        // While workers run, what is free is marked with that pass, but for the first time.
        let likely = if pass.work() == Work::Run { pass } else { Pass::BEFORE };
        self.take_if(worker, likely, |marked| pass.admits(marked).then_some(pass))
    }

    /// Takes the thing, if nobody has it, and marks it as `mark` makes of its mark, if anything. Its mark is guessed
    /// as `likely`: a guess that is wrong costs an exchange more.
    #[inline]
    fn take_if(
        &self,
        worker: WorkerId,
        likely: Pass,
        mark: impl Fn(Pass) -> Option<Pass>,
    ) -> Option<Held<'_, T>> {
        let holder = u64::from(worker.0);
        let mut seen = likely.word() << BITS | FREE;
        while seen & FREE == FREE && holder < READ {
            let pass = mark(Pass::decode(seen >> BITS))?;
            let taken = pass.word() << BITS | holder;
            match self.word.compare_exchange(seen, taken, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(Held { of: self, pass }),
                Err(now) => seen = now,
            }
        }
        None
    }

    /// Whether nobody has the thing at this moment.
    pub fn is_free(&self) -> bool {
        self.word.load(Ordering::Relaxed) & FREE == FREE
    }

    /// Returns the worker that holds the thing at this moment.
    pub fn holder(&self) -> Option<WorkerId> {
        let holder = self.word.load(Ordering::Relaxed) & FREE;
        u32::try_from(holder).ok().filter(|_| holder < READ).map(WorkerId)
    }

    /// Whether somebody reads the thing at this moment, so that others may as well.
    pub fn is_read(&self) -> bool {
        readers(self.word.load(Ordering::Relaxed)).is_some()
    }
}

impl<T: Sync> Handover<T> {
    /// Reads the thing beside one who reads it; none where nobody does, or another has come before. So there are
    /// never more than two.
    pub fn read_beside(&self) -> Option<Read<'_, T>> {
        let seen = self.word.load(Ordering::Relaxed);
        if readers(seen) != Some(1) {
            return None;
        }
        let both = self.word.compare_exchange(seen, seen + 1, Ordering::Acquire, Ordering::Relaxed);
        both.ok().map(|_| Read { of: self })
    }
}

/// Returns the number of readers that a word tells, of one at least.
fn readers(word: u64) -> Option<u64> {
    let state = word & FREE;
    (state != FREE).then(|| state.checked_sub(READ)).flatten()
}

/// The right to use what a [`Handover`] guards; dropping it lets the next worker take it.
#[derive(Debug)]
pub struct Held<'a, T> {
    of: &'a Handover<T>,
    /// The pass that the thing is marked with once it is let go.
    pass: Pass,
}

impl<'a, T> Held<'a, T> {
    /// Uses what is held.
    #[inline]
    pub fn with<R>(&mut self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: there is one `Held` and no `Read` (the exchange in `take` succeeds only while there is neither,
        // and the word becomes another only where this ends), and this borrows it exclusively, so nobody
        // else reaches the value until `f` returns.
        self.of.value.with_mut(|value| f(unsafe { &mut *value }))
    }

    /// Turns to reading, so that others may read as well.
    pub fn read(self) -> Read<'a, T>
    where
        T: Sync,
    {
        let Self { of, pass } = self;
        // The thing is not to become free.
        core::mem::forget(self);
        of.word.store(pass.word() << BITS | (READ + 1), Ordering::Release);
        Read { of }
    }

    /// Lets the thing go as done in a pass: nobody takes it again in that.
    pub fn leave_in(mut self, pass: Pass) {
        self.pass = pass;
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.of.word.store(self.pass.word() << BITS | FREE, Ordering::Release);
    }
}

/// The right to read what a [`Handover`] guards; once the last is dropped, the next worker may take it.
#[derive(Debug)]
pub struct Read<'a, T> {
    of: &'a Handover<T>,
}

impl<T> Read<'_, T> {
    /// Reads.
    #[inline]
    pub fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        // SAFETY: the word counts this reader, so that `take` fails as long as it is there: nobody writes.
        self.of.value.with(|value| f(unsafe { &*value }))
    }
}

impl<T> Drop for Read<'_, T> {
    fn drop(&mut self) {
        let word = &self.of.word;
        let mut seen = word.load(Ordering::Relaxed);
        loop {
            let left = if readers(seen) == Some(1) { seen | FREE } else { seen.saturating_sub(1) };
            match word.compare_exchange_weak(seen, left, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let shared = Handover::new(1);
        let mut held = shared.take(WorkerId(0)).unwrap();
        assert!(shared.take(WorkerId(1)).is_none());
        assert_eq!(shared.holder(), Some(WorkerId(0)));
        assert!(!shared.is_free() && !shared.is_read() && shared.read_beside().is_none());
        held.with(|value| *value += 1);
        drop(held);
        assert!(shared.is_free() && shared.read_beside().is_none());
        assert_eq!(shared.take(WorkerId(1)).unwrap().with(|value| *value), 2);
        assert!(shared.take(WorkerId(u32::MAX)).is_none());
    }

    #[test]
    fn a_holder_that_reads_lets_one_more_read() {
        let shared = Handover::new(7);
        let first = shared.take(WorkerId(0)).unwrap().read();
        assert!(shared.is_read() && !shared.is_free());
        let second = shared.read_beside().unwrap();
        assert!(shared.read_beside().is_none(), "there are two");
        assert_eq!((first.with(|value| *value), second.with(|value| *value)), (7, 7));
        drop(first);
        assert!(shared.take(WorkerId(1)).is_none(), "one still reads");
        drop(second);
        assert!(shared.is_free() && shared.take(WorkerId(1)).is_some());
    }

    #[test]
    fn in_a_halt_it_is_taken_once_in_a_pass() {
        let run = Pass::first().next(Work::Share).next(Work::Run);
        let shared = Handover::new(0);
        let take = |pass| shared.take_in(pass, WorkerId(3));
        take(run).unwrap();
        let held = take(run).unwrap();
        let freeze = run.next(Work::Freeze);
        assert!(take(freeze).is_none(), "somebody has it");
        held.leave_in(freeze);
        assert!(take(freeze).is_none() && take(run).is_none(), "it is frozen");
        let share = freeze.next(Work::Share);
        assert_eq!(shared.holder(), None);
        take(share).unwrap();
        assert!(take(share).is_none() && shared.take(WorkerId(0)).is_some());
        // As it is read, and let go.
        let run = share.next(Work::Run);
        drop(take(run).unwrap().read());
        assert!(shared.is_free() && take(share).is_none() && take(run).is_some());
    }
}
