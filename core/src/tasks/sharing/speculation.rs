//! Copies of chunks that a worker executes before it is certain that it may: arbitration, commit
//! and roll back.

use super::message::{Copied, CopyId, Message, Outbox, Peer};
use super::method::Arbitration;
use super::stack::{Extent, Full, Stack};
use super::work::Work;
use crate::base::bug::Minus;
use crate::base::table::At;

/// Places for children, for each task of a copy.
const CHILDREN: usize = 4;

/// Returns the number of places that a copy needs for its tasks and their children.
pub(super) const fn places(chunk: usize) -> usize {
    chunk * (1 + CHILDREN) + 2 * CHILDREN
}

/// State of a task of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum State {
    /// The task is not executed yet.
    #[default]
    New,
    /// The task is executed, and nobody knows yet for whom.
    Executed,
    /// The task is claimed, but its children have no place: it is executed only if the claim is
    /// granted.
    Claimed,
    /// The task is committed, rolled back, or handed to the worker's own tasks.
    Done,
}

/// A task of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record<O> {
    state: State,
    outcome: O,
    /// Its children, which lie behind those of the tasks before it.
    children: usize,
}

/// The state of one copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Copy {
    /// Number of the chunk, and its owner; none where there is no copy here.
    source: Option<(CopyId, Peer)>,
    len: usize,
    /// The first task that is not executed.
    next: usize,
    /// Claims that are not answered.
    claims: usize,
    /// Whether a claim was refused, so that all later ones will be.
    is_lost: bool,
    /// Whether there is no place for the children of another task.
    is_full: bool,
    /// Places of the children.
    children: Extent,
}

/// Memory of a copy.
pub(super) struct CopyMemory<'m, W: Work> {
    /// [`places`]: its tasks, then children.
    pub tasks: &'m mut [W::Task],
    /// Record of each task.
    pub records: &'m mut [Record<W::Outcome>],
}

/// Tasks that an answer has decided.
pub(super) struct Answered {
    /// Tasks that were executed and are the worker's now.
    pub committed: u32,
    /// Tasks that were executed in vain.
    pub rolled_back: u32,
}

impl Copy {
    pub const NONE: Self = Self {
        source: None,
        len: 0,
        next: 0,
        claims: 0,
        is_lost: false,
        is_full: false,
        children: Extent::NONE,
    };

    /// Whether there is no copy, or nothing was done with it.
    pub const fn may_be_replaced(&self) -> bool {
        self.source.is_none() || self.next == 0 && self.claims == 0
    }

    /// Whether there is a copy of which nothing was claimed.
    pub const fn is_new(&self) -> bool {
        self.source.is_some() && self.next == 0 && self.claims == 0
    }

    /// Whether claims are not answered yet.
    pub const fn has_claims(&self) -> bool {
        self.claims > 0
    }

    /// Whether another task of it may be executed.
    pub const fn goes_on(&self) -> bool {
        self.source.is_some() && self.next < self.len && !self.is_lost && !self.is_full
    }

    /// Returns the number of tasks that are executed, or claimed, without an answer yet.
    pub const fn open(&self, arbitration: Arbitration) -> usize {
        match arbitration {
            Arbitration::Task => self.claims,
            Arbitration::Chunk if self.claims > 0 => self.next,
            Arbitration::Chunk => 0,
        }
    }

    /// Whether it is the copy of this chunk from this owner.
    pub fn is_of(&self, copy: CopyId, from: Peer) -> bool {
        self.source == Some((copy, from))
    }

    /// Replaces this copy by another one: of the chunk `copied`, whose owner is `from`.
    pub fn begin<W: Work>(
        &mut self,
        copied: Copied,
        from: Peer,
        tasks: &[W::Task],
        memory: &mut CopyMemory<'_, W>,
    ) {
        let len = usize::from(copied.len);
        if let (Some(to), Some(tasks)) = (memory.tasks.get_mut(..len), tasks.get(..len)) {
            to.copy_from_slice(tasks);
            *self = Self { source: Some((copied.id, from)), len, ..Self::NONE };
        }
        memory.records.iter_mut().take(len).for_each(|record| *record = Record::default());
    }

    /// Claims the next task and executes it, before the answer comes. Returns whether that took a
    /// claim.
    pub fn execute<W: Work>(
        &mut self,
        work: &mut W,
        arbitration: Arbitration,
        memory: &mut CopyMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) -> bool {
        let Some((copy, owner)) = self.source else { return false };
        let next = self.next;
        let claim = match arbitration {
            Arbitration::Task => Some(Some(next as u8)),
            Arbitration::Chunk => (next == 0).then_some(None),
        };
        if let Some(task) = claim {
            self.claims += 1;
            out.send(owner, Message::Claim { copy, task }, &[]);
        }
        let (tasks, children) = memory.tasks.cut_mut(self.len);
        let (Some(task), Some(record)) = (tasks.get(next), memory.records.get_mut(next)) else {
            return claim.is_some();
        };
        let mut children = Stack::new(children, &mut self.children);
        let before = children.len();
        if let Ok(outcome) = work.execute(task, &mut children) {
            let children = children.len() - before;
            *record = Record { state: State::Executed, outcome, children };
            self.next += 1;
        } else {
            children.truncate(before);
            self.is_full = true;
            if claim.is_some_and(|task| task.is_some()) {
                record.state = State::Claimed;
                self.next += 1;
            }
        }
        claim.is_some()
    }

    /// Takes over the claimed tasks: commits those that are executed, and puts their children and
    /// the tasks that are not executed on the worker's stack. Where they do not fit, nothing has
    /// changed.
    pub fn granted<W: Work>(
        &mut self,
        task: Option<u8>,
        work: &mut W,
        stack: &mut Stack<'_, W::Task>,
        memory: &mut CopyMemory<'_, W>,
    ) -> Result<Answered, Full> {
        let which = self.claimed(task);
        let (tasks, children) = memory.tasks.cut(self.len);
        stack.reserve(which.len() * (1 + CHILDREN) + self.children.len())?;
        let mut from = 0;
        let mut committed = 0;
        for (place, (record, task)) in memory.records.iter_mut().zip(tasks).enumerate() {
            let own = children.stretch(from..from + record.children);
            from += record.children;
            if !which.contains(&place) {
                continue;
            }
            match record.state {
                State::Executed => {
                    work.commit(task, record.outcome);
                    stack.extend(own)?;
                    committed += 1;
                }
                State::New | State::Claimed => stack.push(*task)?,
                State::Done => {}
            }
            record.state = State::Done;
        }
        self.end_claim(task, memory.records);
        Ok(Answered { committed, rolled_back: 0 })
    }

    /// Rolls back the claimed tasks, which are another's, the last one first. No later task of the
    /// copy is executed.
    pub fn refused<W: Work>(
        &mut self,
        task: Option<u8>,
        work: &mut W,
        memory: &mut CopyMemory<'_, W>,
    ) -> Answered {
        self.is_lost = true;
        let rolled_back = roll_back(self.claimed(task), work, memory);
        self.end_claim(task, memory.records);
        Answered { committed: 0, rolled_back }
    }

    /// Ends the copy, as all tasks of everybody are executed: what is claimed is another worker's.
    /// Returns the number of unanswered claims, and of tasks that were executed in vain.
    pub fn end<W: Work>(&mut self, work: &mut W, memory: &mut CopyMemory<'_, W>) -> (u64, u32) {
        let claims = self.claims as u64;
        let rolled_back = roll_back(0..self.len, work, memory);
        *self = Self::NONE;
        (claims, rolled_back)
    }

    /// Returns the places of the claimed tasks: one, or all.
    fn claimed(&self, task: Option<u8>) -> core::ops::Range<usize> {
        match task {
            Some(task) => usize::from(task)..usize::from(task) + 1,
            None => 0..self.len,
        }
    }

    /// Counts a claim as answered, and drops the copy once nothing of it is left to do.
    fn end_claim<O>(&mut self, task: Option<u8>, records: &[Record<O>]) {
        self.claims = self.claims.minus(1);
        let all = |record: &Record<O>| record.state == State::Done;
        let is_over = task.is_none() || self.is_lost || records.iter().take(self.len).all(all);
        if self.claims == 0 && (is_over || self.is_full) {
            *self = Self::NONE;
        }
    }
}

/// Rolls back those of these tasks that were executed, the last one first; returns their number.
fn roll_back<W: Work>(
    places: core::ops::Range<usize>,
    work: &mut W,
    memory: &mut CopyMemory<'_, W>,
) -> u32 {
    let mut rolled_back = 0;
    for place in places.rev() {
        let Some(record) = memory.records.get_mut(place) else { continue };
        if let (State::Executed, Some(task)) = (record.state, memory.tasks.get(place)) {
            work.undo(task, record.outcome);
            rolled_back += 1;
        }
        record.state = State::Done;
    }
    rolled_back
}
