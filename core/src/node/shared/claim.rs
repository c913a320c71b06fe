//! Who has which part: a word for each, and the right of whoever it names to what it guards.
//!
//! A [`Grip`] is one worker's hands. All grips are issued from an exclusive borrow of the claims,
//! each with a number of its own, and reach what their own claims guard and nothing else. So what a
//! worker has is numbers alone: nothing refers to the memory, or has to be dropped.

#![expect(unsafe_code, reason = "a room for it: a grip reaches what its claims guard")]

use crate::base::bug::OrBug;
use crate::base::id::WorkerId;
use crate::base::sync::{AtomicU64, Ordering, UnsafeCell};
use crate::base::table::At;
use crate::node::worker::{Pass, Work};

/// Lower bits of a word, which tell who has the thing; above them is the pass in which it was last
/// taken.
const BITS: u32 = 64 - Pass::BITS;
/// The lower bits of a thing that nobody has.
const FREE: u64 = (1 << BITS) - 1;
/// The lower bits of a thing that is read are this and the number of its readers; below it is the
/// number of the grip that has the thing.
const READ: u64 = 1 << (BITS - 1);

/// Something that one worker has, some read, or nobody has.
///
/// A worker takes it, keeps it for as many sweeps as it likes at no cost, and lets it go; between
/// two holders nobody has it, and never two.
///
/// It is marked with the [`Pass`] in which it was last taken, so that in a halt it is taken once
/// for each thing that is to be done with it, by whoever comes first.
#[derive(Debug)]
pub struct Claim<T> {
    word: AtomicU64,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is written only by the one grip whose number is in the word, and read by that or
// by a `Read` that the word counts, never both (see `Grip`). What one holder wrote is seen by the
// next, and by readers (release where a right ends or is turned into the other, acquire where one
// begins). So sharing a `Claim` sends the value from thread to thread; that threads look at it
// together needs `T: Sync`, which both ways to a `Read` ask for.
unsafe impl<T: Send> Sync for Claim<T> {}

impl<T> Claim<T> {
    /// Returns a thing that nobody has yet.
    pub fn new(value: T) -> Self {
        Self { word: AtomicU64::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Returns the thing, which nobody can have any more.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    /// Whether nobody has the thing at this moment.
    pub fn is_free(&self) -> bool {
        self.state() == FREE
    }

    /// Returns the worker that has the thing at this moment.
    pub fn holder(&self) -> Option<WorkerId> {
        let holder = self.state();
        u32::try_from(holder).ok().filter(|_| holder < READ).map(WorkerId)
    }

    /// Whether somebody reads the thing at this moment, so that one more may as well.
    pub fn is_read(&self) -> bool {
        readers(self.state()).is_some()
    }

    /// Returns the lower bits of the word: [`FREE`], the holder's number, or [`READ`] plus the
    /// number of readers.
    #[inline]
    fn state(&self) -> u64 {
        self.word.load(Ordering::Relaxed) & FREE
    }
}

/// Returns the number of readers in a word; none where nobody reads.
fn readers(word: u64) -> Option<u64> {
    let state = word & FREE;
    (state != FREE).then(|| state.checked_sub(READ)).flatten()
}

/// All claims of a node, from which the workers get their grips.
#[derive(Debug)]
pub struct Claims<'m, T> {
    all: &'m [Claim<T>],
    issued: u32,
}

impl<'m, T> Claims<'m, T> {
    /// Takes the memory of all claims. Nobody else reaches what they guard from now on.
    pub fn new(all: &'m mut [Claim<T>]) -> Self {
        Self { all, issued: 0 }
    }

    /// Returns the claims, to look at.
    pub const fn all(&self) -> &'m [Claim<T>] {
        self.all
    }

    /// Issues the grip of the next worker, from worker 0 on; there are at most 2²³.
    pub fn grip(&mut self) -> Grip<'m, T> {
        let number = self.issued;
        (u64::from(number) < READ).or_bug("more grips are asked for than there are numbers");
        self.issued += 1;
        Grip { all: self.all, number }
    }
}

/// The right of one worker to what it has claimed. There is one grip of each number.
///
/// A claim that a grip still has when it is dropped stays taken.
#[derive(Debug)]
pub struct Grip<'m, T> {
    all: &'m [Claim<T>],
    number: u32,
}

impl<'m, T> Grip<'m, T> {
    /// Returns the number in the words of what this grip has.
    #[inline]
    pub const fn worker(&self) -> WorkerId {
        WorkerId(self.number)
    }

    /// Claims a thing that nobody has, in whatever pass, and keeps its pass mark. For those who are
    /// no worker in a pass, such as one that sends a part to another node. Returns whether it was
    /// free.
    pub fn take(&mut self, place: usize) -> bool {
        self.take_if(place, Pass::BEFORE, Some)
    }

    /// Claims a thing for a worker in a pass, and marks it with the pass. Returns false where
    /// somebody has it, or the pass does not admit it ([`Pass::admits`]).
    #[inline]
    pub fn take_in(&mut self, pass: Pass, place: usize) -> bool {
        // While workers run, what is free is marked with that pass, but for the first time.
        let likely = if pass.work() == Work::Run { pass } else { Pass::BEFORE };
        self.take_if(place, likely, |marked| pass.admits(marked).then_some(pass))
    }

    /// Claims a free thing by compare-and-swap. `mark` returns the new pass mark for the old one,
    /// or none to refuse. `likely` is a guess of the old mark; a wrong guess costs one more
    /// exchange.
    #[inline]
    fn take_if(&mut self, place: usize, likely: Pass, mark: impl Fn(Pass) -> Option<Pass>) -> bool {
        let word = &self.all.at(place).word;
        let mut seen = likely.word() << BITS | FREE;
        while seen & FREE == FREE
            && let Some(pass) = mark(Pass::decode(seen >> BITS))
        {
            let taken = pass.word() << BITS | u64::from(self.number);
            match word.compare_exchange(seen, taken, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => seen = now,
            }
        }
        false
    }

    /// Returns the claim at a place, which this grip must hold.
    #[inline]
    fn claim(&self, place: usize) -> &'m Claim<T> {
        let claim = self.all.at(place);
        (claim.state() == u64::from(self.number)).or_bug("a worker has not what it works with");
        claim
    }

    /// Calls `f` with exclusive access to what this grip holds.
    #[inline]
    pub fn with<R>(&mut self, place: usize, f: impl FnOnce(&mut T) -> R) -> R {
        let claim = self.claim(place);
        // SAFETY: the word names this grip, which alone has its number and is borrowed exclusively
        // until `f` returns, so that the word stays; a `Read` is there only while the word names
        // nobody.
        claim.value.with_mut(|value| f(unsafe { &mut *value }))
    }

    /// Calls `f` with exclusive access to one thing and shared access to another; this grip must
    /// hold both.
    #[inline]
    pub fn with_both<R>(
        &mut self,
        place: usize,
        other: usize,
        f: impl FnOnce(&mut T, &T) -> R,
    ) -> R {
        (place != other).or_bug("a thing is beside itself");
        let (claim, other) = (self.claim(place), self.claim(other));
        claim.value.with_mut(|value| {
            // SAFETY: as in `with`, for each of the two, which are not the same.
            other.value.with(|other| f(unsafe { &mut *value }, unsafe { &*other }))
        })
    }

    /// Releases a thing, and keeps its pass mark.
    #[inline]
    pub fn leave(&mut self, place: usize) {
        let pass = self.claim(place).word.load(Ordering::Relaxed) >> BITS;
        self.leave_in(Pass::decode(pass), place);
    }

    /// Releases a thing as done in a pass: nobody takes it again in that pass.
    pub fn leave_in(&mut self, pass: Pass, place: usize) {
        self.claim(place).word.store(pass.word() << BITS | FREE, Ordering::Release);
    }
}

impl<'m, T: Sync> Grip<'m, T> {
    /// Downgrades this grip's claim to a shared read, so that one helper may read as well.
    pub(super) fn read(&mut self, place: usize) -> Read<'m, T> {
        let of = self.claim(place);
        let pass = of.word.load(Ordering::Relaxed) >> BITS;
        of.word.store(pass << BITS | (READ + 1), Ordering::Release);
        Read { of }
    }

    /// Joins the single reader of a thing; none where nobody reads it, or two do already.
    pub(super) fn read_beside(&mut self, place: usize) -> Option<Read<'m, T>> {
        let of = self.all.at(place);
        let seen = of.word.load(Ordering::Relaxed);
        if readers(seen) != Some(1) {
            return None;
        }
        let both = of.word.compare_exchange(seen, seen + 1, Ordering::Acquire, Ordering::Relaxed);
        both.ok().map(|_| Read { of })
    }
}

/// The right to read what a [`Claim`] guards; once the last is dropped, the next worker may take
/// it.
#[derive(Debug)]
pub(super) struct Read<'m, T> {
    of: &'m Claim<T>,
}

impl<T> Read<'_, T> {
    /// Calls `f` with shared access to the value.
    #[inline]
    pub(super) fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        // SAFETY: the word counts this reader and names no grip, so that nobody writes as long as
        // it is there.
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
        let mut memory = [Claim::new(1), Claim::new(5)];
        let mut claims = Claims::new(&mut memory);
        let (mut first, mut second) = (claims.grip(), claims.grip());
        let [shared, _] = claims.all() else { unreachable!("there are two") };
        assert!(first.take(0) && !second.take(0));
        assert_eq!(shared.holder(), Some(first.worker()));
        assert!(!shared.is_free() && !shared.is_read() && second.read_beside(0).is_none());
        assert!(first.take(1));
        first.with_both(0, 1, |value, other| *value += *other);
        first.leave(0);
        assert!(shared.is_free() && second.read_beside(0).is_none());
        assert!(second.take(0));
        assert_eq!(second.with(0, |value| *value), 6);
    }

    #[test]
    #[should_panic(expected = "has not what it works with")]
    fn what_another_has_is_out_of_reach() {
        let mut memory = [Claim::new(1)];
        let mut claims = Claims::new(&mut memory);
        let (mut first, mut second) = (claims.grip(), claims.grip());
        assert!(first.take(0));
        second.with(0, |value| *value += 1);
    }

    #[test]
    #[should_panic(expected = "beside itself")]
    fn nothing_is_worked_with_beside_itself() {
        let mut memory = [Claim::new(1)];
        let mut grip = Claims::new(&mut memory).grip();
        assert!(grip.take(0));
        grip.with_both(0, 0, |value, other| *value += *other);
    }

    #[test]
    fn a_holder_that_reads_lets_one_more_read() {
        let mut memory = [Claim::new(7)];
        let mut claims = Claims::new(&mut memory);
        let (mut first, mut second, mut third) = (claims.grip(), claims.grip(), claims.grip());
        let [shared] = claims.all() else { unreachable!("there is one") };
        assert!(first.take(0));
        let own = first.read(0);
        assert!(shared.is_read() && !shared.is_free() && shared.holder().is_none());
        let beside = second.read_beside(0).unwrap();
        assert!(third.read_beside(0).is_none(), "there are two");
        assert_eq!((own.with(|value| *value), beside.with(|value| *value)), (7, 7));
        drop(own);
        assert!(!third.take(0), "one still reads");
        drop(beside);
        assert!(shared.is_free() && third.take(0));
    }

    #[test]
    fn in_a_halt_it_is_taken_once_in_a_pass() {
        let run = Pass::first().next(Work::Share).next(Work::Run);
        let mut memory = [Claim::new(0)];
        let mut claims = Claims::new(&mut memory);
        let mut grip = claims.grip();
        let mut take = |pass| grip.take_in(pass, 0).then(|| grip.leave(0)).is_some();
        assert!(take(run));
        let freeze = run.next(Work::Freeze);
        let mut held = claims.grip();
        assert!(held.take_in(run, 0) && !take(freeze), "somebody has it");
        held.leave_in(freeze, 0);
        assert!(!take(freeze) && !take(run), "it is frozen");
        let share = freeze.next(Work::Share);
        assert!(take(share) && !take(share));
        assert!(held.take(0), "whatever the pass");
        held.leave(0);
        // As it is read, and let go.
        let run = share.next(Work::Run);
        assert!(held.take_in(run, 0));
        drop(held.read(0));
        assert!(claims.all().iter().all(Claim::is_free) && !take(share) && take(run));
    }
}
