//! The machine's memory of moves between nodes.

use crate::base::id::NodeId;
use crate::base::table::{At, PerPart};
use crate::parts::Graph;
use crate::parts::halo::{Bounds, Location};
use crate::ranks::migration::{FreeSlots, Receiver, Sender, homes};
use crate::run::RunConfig;

/// Message that is on its way for the subdomain that a node sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leg {
    /// No message, and no offer in the mail.
    Rest,
    /// An offer, to the mail of the node that is to get it.
    Offer(u64),
    /// No message: an offer lies in the mail.
    Mail(u64),
    /// The head of the packet.
    Head,
    /// The cells.
    Cells,
    /// An answer, back to the sender.
    Answer(u64),
}

/// One node's part of all moves between nodes.
#[derive(Clone, Debug)]
pub(super) struct Migration {
    pub sender: Sender,
    pub receiver: Receiver,
    pub leg: Leg,
}

impl Migration {
    /// Returns the part of node `own`, with nothing on its way.
    pub(super) const fn new(own: NodeId, bounds: Bounds) -> Self {
        Self {
            sender: Sender::new(own, bounds),
            receiver: Receiver::new(own, bounds),
            leg: Leg::Rest,
        }
    }
}

/// Locations of subdomains and state of the mail, for all nodes.
#[derive(Debug)]
pub(super) struct Directories<'a> {
    /// Location of each subdomain.
    pub locations: PerPart<&'a mut [Location]>,
    /// Last offer that was taken or refused, by node and sender.
    pub handled: &'a mut [u32],
    /// Whether each slot is taken, by node.
    pub slots: &'a mut [bool],
    pub bounds: Bounds,
}

impl Directories<'_> {
    /// Enters the first location of each subdomain, and empties the mail. Does nothing where nodes
    /// send each other nothing.
    pub fn fill<G: Graph<N>, const N: usize>(&mut self, config: &RunConfig, graph: &G) {
        let nodes = config.nodes.number as usize;
        let (Some(taken), false) = (self.handled.get_mut(..nodes), self.locations.is_empty())
        else {
            return;
        };
        taken.fill(0);
        let homes = homes(config, graph, taken);
        self.locations.iter_mut().zip(homes).for_each(|(place, home)| *place = home);
        let of_node = self.slots.chunks_exact_mut(self.bounds.slots.max(1) as usize);
        for (slots, taken) in of_node.zip(taken) {
            FreeSlots::new(slots, *taken as usize);
        }
        self.handled.fill(0);
    }
}

/// Returns a node's slots among those of all.
pub(super) fn slots_of(all: &mut [bool], bounds: Bounds, node: NodeId) -> FreeSlots<&mut [bool]> {
    let number = bounds.slots as usize;
    FreeSlots::again(all.stretch_mut(node.index() * number..(node.index() + 1) * number))
}
