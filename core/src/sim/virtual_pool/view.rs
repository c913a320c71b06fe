//! Views of a pool between two events.

use super::network::Envelope;
use super::rank::{self, Doing};
use super::run::PoolRun;
use crate::base::time::Instant;
use crate::tasks::sharing::{Manager, Message, Peer, Work, Worker};

/// A message that is not read.
#[derive(Clone, Copy, Debug)]
pub struct MessageView<'a> {
    /// The sender.
    pub from: Peer,
    /// The receiver.
    pub to: Peer,
    /// The message itself.
    pub message: &'a Message,
    /// Tasks that it carries, those of copies included.
    pub tasks: usize,
    /// Time at which it leaves, or has left.
    pub departs: Instant,
    /// Time at which it is there.
    pub arrives: Instant,
}

impl<W: Work> PoolRun<'_, W> {
    /// Returns the time of the last event, or up to which the run was advanced.
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// Returns the time at which the last of the workers that have heard of the end heard of it;
    /// time zero before.
    pub const fn end(&self) -> Instant {
        self.end
    }

    /// Whether all workers have heard of the end.
    pub const fn has_ended(&self) -> bool {
        self.ended == self.workers.len()
    }

    /// Returns the number of messages sent.
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns each worker, in the order of their numbers, with its work so far. A task is off its
    /// queue, and its children on it, from when it begins.
    pub fn workers(&self) -> impl Iterator<Item = (&Worker, &W)> {
        self.workers.iter().map(|worker| (worker.worker(), &worker.work))
    }

    /// Returns each manager, in the order of their numbers.
    pub fn managers(&self) -> impl Iterator<Item = &Manager> {
        self.managers.iter().map(crate::tasks::owned::OwnedManager::manager)
    }

    /// Returns the present action of a worker or a manager.
    pub fn doing(&self, peer: Peer) -> Option<Doing> {
        let state = self.ranks.get(rank::number(self.everybody, peer) as usize)?;
        let (doing, from, until) = state.does;
        Some(match doing {
            Doing::Ended => Doing::Ended,
            doing if from <= self.now && self.now < until => doing,
            _ if self.now < state.busy_until => Doing::Messaging,
            _ => Doing::Waiting,
        })
    }

    /// Returns the messages that a worker or a manager has got and not read, in the order in which
    /// they arrived.
    pub fn unread(&self, peer: Peer) -> impl Iterator<Item = MessageView<'_>> {
        let state = self.ranks.get(rank::number(self.everybody, peer) as usize);
        state.into_iter().flat_map(|state| &state.unread).map(|envelope| self.view(envelope))
    }

    /// Returns all messages that have not arrived, in the order of their senders. A rank that is
    /// busy may have sent some already that leave when it is done.
    pub fn in_flight(&self) -> impl Iterator<Item = MessageView<'_>> {
        self.network.in_flight().map(|envelope| self.view(envelope))
    }

    /// Returns a view of a message.
    fn view<'a>(&self, envelope: &'a Envelope<W::Task>) -> MessageView<'a> {
        MessageView {
            from: rank::peer(self.everybody, envelope.from),
            to: rank::peer(self.everybody, envelope.to),
            message: &envelope.message,
            tasks: envelope.tasks.len(),
            departs: envelope.departs,
            arrives: envelope.arrives,
        }
    }
}
