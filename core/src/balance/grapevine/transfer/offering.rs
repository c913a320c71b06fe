//! What an overloaded processor offers in an attempt, by what it knows of others.

use super::order::arrange;
use super::receiver::{CANDIDATES_MAX, Wanted};
use super::sender::{Peers, Proposal, Rules, Sender};
use crate::balance::grapevine::config::Config;
use crate::balance::objects::Objects;
use crate::bug::OrBug;
use crate::id::ObjectId;
use crate::rng::Rng;

/// An offer to one of the peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerOffer<'a> {
    /// Which of the peers.
    pub peer: usize,
    /// The sender's load, in its own eyes: never more than it really is.
    pub sender_load: u64,
    /// What it wants to be rid of.
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

impl Offering<'_> {
    /// Makes its offers; `offer` says whether one can be made.
    ///
    /// `list` are its objects that may move, by number. Returns how many of them are not offered:
    /// those are at the front, in the order in which they are candidates of an exchange; and how
    /// many transfers the criterion rejected.
    pub fn run(
        &self,
        list: &mut [ObjectId],
        peers: Peers<'_>,
        rng: &mut Rng,
        offer: &mut impl FnMut(PeerOffer<'_>) -> bool,
    ) -> (usize, u64) {
        let &Self { config, rules, objects, load } = self;
        arrange(config.order, list, objects, (load, rules.average), rng);
        let mut sender = Sender::new(rules, objects, load, peers);
        // Who has few objects shows them all to one other, which knows best what evens out.
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
            let candidates =
                list.get(..left).or_bug("more is left than there was").unwrap_or_default();
            let wanted = Wanted::Exchange(candidates);
            offer(PeerOffer { peer, sender_load: sender.load, wanted });
        }
        (left, sender.rejected)
    }
}
