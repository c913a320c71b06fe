//! The offers of an overloaded processor in an attempt, by its knowledge of others.

use super::order::arrange;
use super::receiver::{CANDIDATES_MAX, Wanted};
use super::sender::{Peers, Proposal, Rules, Sender};
use crate::balance::grapevine::config::Config;
use crate::balance::objects::Objects;
use crate::base::id::ObjectId;
use crate::base::rng::Rng;
use crate::base::table::At;

/// An offer to one of the peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerOffer<'a> {
    /// The peer, by its place.
    pub peer: usize,
    /// The sender's load, in its own eyes: never more than it really is.
    pub sender_load: u64,
    /// The object or objects that the sender wants to be rid of.
    pub wanted: Wanted<'a>,
}

/// A processor that may give away objects.
#[derive(Clone, Copy, Debug)]
pub struct Offering<'a> {
    /// The parameters.
    pub config: &'a Config,
    /// The rules.
    pub rules: &'a Rules,
    /// All objects.
    pub objects: &'a Objects<'a>,
    /// Its load, at which it gives.
    pub load: u64,
}

/// What the offers of a processor leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Objects that are not offered.
    pub left: usize,
    /// Transfers that the criterion rejected.
    pub rejected: u64,
}

impl Offering<'_> {
    /// Makes the processor's offers; `offer` says whether one can be made.
    ///
    /// `list` are the objects of the processor that may move, by number. Those that are not offered
    /// come to the front, in the order in which they are candidates of an exchange.
    pub fn run(
        &self,
        list: &mut [ObjectId],
        peers: Peers<'_>,
        rng: &mut Rng,
        offer: &mut impl FnMut(PeerOffer<'_>) -> bool,
    ) -> Offered {
        let &Self { config, rules, objects, load } = self;
        arrange(config.order, list, objects, load, rules.average, rng);
        let mut sender = Sender::new(rules, objects, load, peers);
        // A processor with few objects shows them all to one other, which knows best which exchange
        // evens out.
        let shows_all = config.exchange && list.len() <= CANDIDATES_MAX;
        let left = if shows_all {
            list.len()
        } else {
            sender.run(list, rng, &mut |proposal| {
                let Proposal { peer, object, sender_load } = proposal;
                offer(PeerOffer { peer, sender_load, wanted: Wanted::Transfer(object) })
            })
        };
        if config.exchange
            && left > 0
            && rules.is_overloaded(sender.load)
            && let Some(peer) = sender.peers.sample(rng)
        {
            let candidates = list.stretch(..left);
            let wanted = Wanted::Exchange(candidates);
            offer(PeerOffer { peer, sender_load: sender.load, wanted });
        }
        Offered { left, rejected: sender.rejected }
    }
}
