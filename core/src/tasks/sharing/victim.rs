//! Stealing: the choice of a victim, the tasks that it gives, and its arbitration of the chunks
//! that it has lent.

use heapless::Vec;

use super::message::{Copies, CopyId, MAX_CHUNK, MAX_COPIES, Message, Outbox, Peer, list};
use super::method::Method;
use super::pool::Pool;
use super::stack::{Full, Stack};
use super::work::Work;
use super::worker::{Worker, WorkerMemory};
use crate::base::id::WorkerId;
use crate::base::rng::Rng;

impl Worker {
    /// Draws another worker to steal from, each with equal chances; none where there is no other.
    pub(super) fn victim(&mut self) -> Option<WorkerId> {
        if self.workers < 2 {
            return None;
        }
        // A single other worker needs no draw.
        self.drawn += u64::from(self.workers > 2);
        let of = [u64::from(self.id.0), self.drawn, 0];
        let other = Rng::derived(self.config.seed, of).below(self.workers - 1);
        Some(WorkerId(if other >= self.id.0 { other + 1 } else { other }))
    }

    /// Answers a thief with a chunk, where there are tasks to spare, and with copies of chunks that
    /// are kept.
    pub(super) fn answer_thief<W: Work>(
        &mut self,
        thief: Peer,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) -> Result<(), Full> {
        let own = if self.stack.len() > self.surplus() { self.chunk() } else { 0 };
        let mut stack = Stack::new(memory.tasks, &mut self.stack);
        let mut copies = Copies::new();
        let mut pool = Pool {
            state: &mut self.lent,
            slots: &mut *memory.lent,
            tasks: &mut *memory.lent_tasks,
            chunk: self.config.chunk as usize,
        };
        let given: Vec<W::Task, MAX_CHUNK> = list(stack.take_bottom(own).iter().copied());
        if self.config.method == Method::SpeculativeStealing {
            // One task at least is kept in hand, which is executed next.
            let lent = (stack.len() / 2).min(self.config.chunk as usize);
            if lent > 0 && pool.has_room() {
                pool.add(stack.take_bottom(lent))?;
                // Another thief has a copy of the older chunks, and most likely claims it.
                pool.copy_newest_next();
            }
            copies = pool.copies(self.config.copies);
        }
        let kept = copies.iter().map(|copy| pool.copied(copy.id));
        let parts: Vec<&[W::Task], { MAX_COPIES + 1 }> =
            list(core::iter::once(&*given).chain(kept));
        if own > 0 {
            self.counts.sent += 1;
            self.statistics.released += 1;
            out.send(thief, Message::Work { own: own as u16, copies }, &parts);
        } else {
            out.send(thief, Message::Nothing { copies }, &parts);
        }
        Ok(())
    }

    /// Answers a claim on a chunk that it has lent: grants it if the tasks are still there.
    pub(super) fn arbitrate<W: Work>(
        &mut self,
        thief: Peer,
        copy: CopyId,
        task: Option<u8>,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) {
        let mut pool = Pool {
            state: &mut self.lent,
            slots: &mut *memory.lent,
            tasks: &mut *memory.lent_tasks,
            chunk: self.config.chunk as usize,
        };
        if pool.claim(copy, task) {
            self.counts.sent += 1;
            out.send(thief, Message::Granted { copy, task }, &[]);
        } else {
            out.send(thief, Message::Refused { copy, task }, &[]);
        }
    }

    /// Takes a chunk back that it has lent: whoever claims it from now on is refused.
    pub(super) fn take_back<W: Work>(
        &mut self,
        memory: &mut WorkerMemory<'_, W>,
    ) -> Result<(), Full> {
        if self.lent.chunks() == 0 {
            return Ok(());
        }
        let mut stack = Stack::new(memory.tasks, &mut self.stack);
        stack.reserve(self.config.chunk as usize)?;
        let mut pool = Pool {
            state: &mut self.lent,
            slots: &mut *memory.lent,
            tasks: &mut *memory.lent_tasks,
            chunk: self.config.chunk as usize,
        };
        stack.extend(pool.take(MAX_CHUNK))
    }
}
