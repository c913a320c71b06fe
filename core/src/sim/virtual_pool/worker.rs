//! A worker's event: it reads the messages that have arrived, then executes.

use super::rank::{self, Doing};
use super::run::{Acted, PoolRun, sender};
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::tasks::sharing::{Activity, Full, Step, Work};

impl<W: Work> PoolRun<'_, W> {
    /// Lets a worker read all messages that have arrived, and then execute own tasks, speculate on
    /// a copy, wait, or end.
    pub(super) fn work(&mut self, rank: u32) -> Acted {
        let costs = self.costs;
        let now = self.read_all(rank)?;
        let Self { workers, outbox, .. } = self;
        let worker = workers.at_mut(rank);
        let step = worker.step(costs.most_at_a_time.max(1), &mut sender(outbox))?;
        let until = match step {
            Step::Executed(tasks) => {
                let work = Duration(costs.task.0.saturating_mul(tasks.into()));
                let until = self.cores.finish(rank, now, work);
                self.does(rank, Doing::Executing, now, until);
                self.send(rank, until, costs.message)
            }
            Step::Speculated => {
                // A worker that claims a task does so when it begins with it.
                let now = self.send(rank, now, costs.message);
                let until = self.cores.finish(rank, now, costs.task);
                self.does(rank, Doing::Speculating, now, until);
                until
            }
            Step::Waits => {
                let until = self.send(rank, now, costs.message);
                self.does(rank, Doing::Waiting, until, until);
                self.set_busy(rank, until);
                return Ok(());
            }
            Step::Ended => {
                self.does(rank, Doing::Ended, now, now);
                self.ended += 1;
                self.end = self.end.max(now);
                return Ok(());
            }
        };
        self.set_busy(rank, until);
        self.wake(rank);
        Ok(())
    }

    /// Lets a worker read all messages that have arrived, each of which takes time; returns the
    /// time at which it has read them.
    fn read_all(&mut self, rank: u32) -> Result<Instant, Full> {
        let mut now = self.now;
        while let Some(envelope) = self.read(rank) {
            self.turn_to(rank, Activity::Messages, now);
            now = self.cores.finish(rank, now, self.costs.message);
            let from = rank::peer(self.everybody, envelope.from);
            let Self { workers, outbox, .. } = self;
            let worker = workers.at_mut(rank);
            worker.receive(from, &envelope.message, &envelope.tasks, &mut sender(outbox))?;
            now = self.send(rank, now, self.costs.message);
        }
        Ok(now)
    }
}
