//! The passes of a node: its workers run, and in a halt they go through all its parts, once for
//! each thing that is to be done with all of them.

/// What the workers of a node do, until all are done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Sweep.
    Run,
    /// Freeze every part: it is let go of with all its edges published, and nobody takes it until
    /// they run again.
    Freeze,
    /// Publish the residual of every part as its cells and its neighbours' edges are now.
    Share,
    /// Save every part.
    Save,
    /// The run is over.
    End,
}

/// A pass: one work, numbered so that a later pass is greater.
///
/// In a halt a part is done once in a pass, by whoever comes first. It is marked with the pass
/// ([`Claim`](crate::node::shared::Claim)), and the pass is over once all parts are done. So
/// nobody waits for a worker that the system has stopped, unless that has a part in its hands; and
/// whoever comes back late finds parts that are marked with a later pass than its own, and leaves
/// them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pass(u64);

/// Works of a pass, by their numbers.
const WORKS: [Work; 5] = [Work::Run, Work::Freeze, Work::Share, Work::Save, Work::End];
/// Bits of a work's number.
const BITS: u32 = 3;

impl Pass {
    /// The mark of what was never taken, before any pass.
    pub const BEFORE: Self = Self(0);
    /// Bits of a pass.
    pub(crate) const BITS: u32 = 40;

    /// Returns the pass with which a run begins: everything is frozen, for the initial residual.
    pub(crate) const fn first() -> Self {
        Self(1 << BITS | Work::Freeze as u64)
    }

    /// Returns the pass of a word; bits above its 40 are ignored.
    pub(crate) const fn decode(word: u64) -> Self {
        Self(word & ((1 << Self::BITS) - 1))
    }

    /// Returns the pass as a number below 2⁴⁰.
    pub(crate) const fn word(self) -> u64 {
        self.0
    }

    /// Returns the next pass. There are 2³⁷, more than any run makes.
    pub(crate) const fn next(self, work: Work) -> Self {
        Self::decode(((self.0 >> BITS) + 1) << BITS | work as u64)
    }

    /// Returns what is done in the pass.
    #[inline]
    pub fn work(self) -> Work {
        let number = self.0 & ((1 << BITS) - 1);
        WORKS.get(usize::try_from(number).unwrap_or(0)).copied().unwrap_or(Work::Run)
    }

    /// Whether a part may be taken in this pass that was last taken in the pass `marked`: again and
    /// again while workers run, once in a pass of a halt.
    #[inline]
    pub fn admits(self, marked: Self) -> bool {
        marked < self || marked == self && self.work() == Work::Run
    }

    /// Whether this is the pass that takes the residual with which a run begins.
    pub(super) fn is_initial(self) -> bool {
        self == Self::first().next(Work::Share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_done_once_in_a_halt_and_again_and_again_while_all_run() {
        let freeze = Pass::first();
        let share = freeze.next(Work::Share);
        let run = share.next(Work::Run);
        assert_eq!([freeze, share, run].map(Pass::work), [Work::Freeze, Work::Share, Work::Run]);
        assert!(share.is_initial() && !run.is_initial());
        assert!(freeze.admits(Pass::BEFORE) && !freeze.admits(freeze));
        assert!(share.admits(freeze) && !share.admits(share));
        assert!(run.admits(share) && run.admits(run));
    }

    #[test]
    fn who_comes_late_takes_nothing() {
        let run = Pass::first().next(Work::Share).next(Work::Run);
        let freeze = run.next(Work::Freeze);
        assert!(!run.admits(freeze), "frozen");
        let later = freeze.next(Work::Share).next(Work::Run);
        assert!(!freeze.admits(later) && !run.admits(later) && later.admits(freeze));
    }
}
