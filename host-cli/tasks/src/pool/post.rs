//! Mailboxes of threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};

use tresse_core::base::id::ManagerId;
use tresse_core::tasks::Combiner;
use tresse_core::tasks::sharing::{Message, Peer};

/// A message on its way, with its tasks.
pub(super) struct Envelope<T> {
    pub from: Peer,
    pub message: Message,
    pub tasks: Vec<T>,
}

/// A mailbox, from which a thread reads its messages.
pub(super) type Mailbox<T> = Receiver<Envelope<T>>;

/// The sending ends of all mailboxes.
pub(super) struct Post<T> {
    workers: Vec<Sender<Envelope<T>>>,
    managers: Vec<Sender<Envelope<T>>>,
    /// The turn to read each manager's messages.
    turns: Vec<Combiner>,
    sent: AtomicU64,
}

fn boxes<T>(number: u32) -> (Vec<Sender<T>>, Vec<Receiver<T>>) {
    (0..number).map(|_| mpsc::channel()).unzip()
}

impl<T> Post<T> {
    /// Returns the post, the mailboxes of the workers, and those of the managers.
    pub fn new(workers: u32, managers: u32) -> (Self, Vec<Mailbox<T>>, Vec<Mailbox<T>>) {
        let (to_workers, of_workers) = boxes(workers);
        let (to_managers, of_managers) = boxes(managers);
        let turns = (0..managers).map(|_| Combiner::new()).collect();
        let sent = AtomicU64::new(0);
        (Self { workers: to_workers, managers: to_managers, turns, sent }, of_workers, of_managers)
    }

    /// Sends a message; a thread that has ended reads none, and needs none. Returns the manager
    /// whose work it is the sender's turn to do, if there is one.
    pub fn send(&self, from: Peer, to: Peer, message: Message, parts: &[&[T]]) -> Option<ManagerId>
    where
        T: Clone,
    {
        let envelope = Envelope { from, message, tasks: parts.concat() };
        self.sent.fetch_add(1, Ordering::Relaxed);
        match to {
            Peer::Worker(worker) => {
                let _ = self.workers.get(worker.index())?.send(envelope);
                None
            }
            Peer::Manager(manager) => {
                let _ = self.managers.get(manager.index())?.send(envelope);
                self.turns.get(manager.index())?.ask().then_some(manager)
            }
        }
    }

    /// Notes that the thread with a manager's turn has read this number of messages; returns the
    /// number that have come since.
    pub fn read(&self, manager: ManagerId, number: u32) -> u32 {
        self.turns.get(manager.index()).map_or(0, |turn| turn.done(number))
    }

    /// Returns the number of messages sent so far.
    pub fn messages(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}
