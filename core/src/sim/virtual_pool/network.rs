//! Messages on their way.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::base::bug::OrBug;
use crate::base::id::WorkerId;
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::sim::hardware::WorkerPlaces;
use crate::sim::machine::{Distance, Hardware, Paths};
use crate::tasks::sharing::Message;

/// Distances over which a rank sends.
pub(super) const DISTANCES: u32 = 4;

/// Length of a cell of a halo, in bytes.
const CELL_BYTES: usize = size_of::<f64>();

/// A message that has left, or will, between two ranks, with its tasks.
#[derive(Debug)]
pub(super) struct Envelope<T> {
    pub from: u32,
    pub to: u32,
    pub message: Message,
    pub tasks: Vec<T>,
    /// Time at which it leaves.
    pub departs: Instant,
    /// Time at which it is there.
    pub arrives: Instant,
}

/// Links of each rank, one over each distance, on which no message overtakes another.
#[derive(Debug)]
pub(super) struct Network<T> {
    places: WorkerPlaces,
    paths: Paths,
    links: Vec<VecDeque<Envelope<T>>>,
}

impl<T> Network<T> {
    /// Returns a network without messages, for ranks that are each on the core of their number.
    pub fn new(hardware: &Hardware, ranks: u32) -> Self {
        Self {
            places: WorkerPlaces::all(hardware),
            paths: hardware.costs.halo,
            links: (0..ranks * DISTANCES).map(|_| VecDeque::new()).collect(),
        }
    }

    /// Returns the distance between the cores of two ranks.
    fn distance(&self, from: u32, to: u32) -> Distance {
        let socket = |rank| self.places.socket(WorkerId(rank));
        if from == to { Distance::Core } else { self.places.between(socket(from), socket(to)) }
    }

    /// Puts a message on the link for its distance, to leave at the time that it says. Returns the
    /// link and the time of arrival where it is the first on that link.
    pub fn send(&mut self, mut envelope: Envelope<T>) -> Option<(u32, Instant)> {
        let distance = self.distance(envelope.from, envelope.to);
        let cells = (envelope.tasks.len() * size_of::<T>()).div_ceil(CELL_BYTES);
        // A message takes some time, or two ranks could answer each other for ever at one time.
        let time = self.paths.over(distance).time(cells as u64).max(Duration(1));
        let number = envelope.from * DISTANCES + distance as u32;
        let link = self.links.at_mut(number);
        let before = link.back().map_or(Instant::ZERO, |last| last.arrives);
        envelope.arrives = envelope.departs.after(time).max(before);
        let first = link.is_empty().then_some((number, envelope.arrives));
        link.push_back(envelope);
        first
    }

    /// Takes the message that has arrived over a link, and returns it with the time of the next
    /// arrival.
    pub fn arrive(&mut self, link: u32) -> (Envelope<T>, Option<Instant>) {
        let link = self.links.at_mut(link);
        let envelope = link.pop_front().or_bug("nothing is on its way over a link");
        (envelope, link.front().map(|next| next.arrives))
    }

    /// Returns all messages that have not arrived.
    pub fn in_flight(&self) -> impl Iterator<Item = &Envelope<T>> {
        self.links.iter().flatten()
    }
}
