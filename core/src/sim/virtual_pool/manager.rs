//! A manager's event: it does the work that one message asks for.

use super::rank::{self, Doing};
use super::run::{Acted, PoolRun, sender};
use crate::base::table::At;
use crate::base::time::Duration;
use crate::tasks::sharing::Work;

impl<W: Work> PoolRun<'_, W> {
    /// Lets a manager handle one message that has arrived: the service, and each task that it
    /// moves, take time on its core.
    pub(super) fn manage(&mut self, rank: u32) -> Acted {
        let Some(envelope) = self.read(rank) else { return Ok(()) };
        let from = rank::peer(self.everybody, envelope.from);
        let Self { workers, managers, outbox, costs, now, .. } = self;
        let (costs, now) = (*costs, *now);
        let manager = managers.at_mut(rank as usize - workers.len());
        manager.receive(from, &envelope.message, &envelope.tasks, &mut sender(outbox))?;
        let sent: usize = self.outbox.iter().map(|(.., tasks)| tasks.len()).sum();
        let moved = costs.moved.0.saturating_mul((envelope.tasks.len() + sent) as u64);
        let work = Duration(costs.service.0.saturating_add(moved));
        let until = self.cores.finish(rank, now, work);
        self.does(rank, Doing::Managing, now, until);
        self.set_busy(rank, until);
        self.send(rank, until, Duration::ZERO);
        if !self.ranks.at(rank).unread.is_empty() {
            self.wake(rank);
        }
        Ok(())
    }
}
