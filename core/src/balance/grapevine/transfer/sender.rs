//! The transfer phase of one processor: lines 3 to 11 of the algorithm.

use super::cmf;
use super::criterion::Pair;
use crate::balance::grapevine::config::{
    Cmf, CmfUpdate, Config, Criterion, Pass, SenderLoad, Threshold,
};
use crate::balance::objects::{Average, Millionths, Objects};
use crate::base::bug::Minus;
use crate::base::id::ObjectId;
use crate::base::rng::Rng;
use crate::base::sort::swap;
use crate::base::table::At;

/// The rules of an iteration's turns.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The average load.
    pub average: Average,
    /// Criterion that a transfer must meet.
    pub criterion: Criterion,
    /// Whether there are exchanges.
    pub exchange: bool,
    max: u64,
    threshold: Threshold,
    sender_load: SenderLoad,
    cmf: Cmf,
    cmf_update: CmfUpdate,
    pass: Pass,
}

impl Rules {
    /// Returns the rules of a configuration, for loads with this average and maximum.
    pub fn new(config: &Config, average: Average, max: u64) -> Self {
        let Config { criterion, exchange, threshold, sender_load, cmf, cmf_update, pass, .. } =
            *config;
        Self { average, criterion, exchange, max, threshold, sender_load, cmf, cmf_update, pass }
    }

    /// Whether a processor of this load is one that gives away objects.
    pub fn gives(&self, load: u64) -> bool {
        match self.threshold {
            Threshold::Times(times) => self.average.is_exceeded(times, load),
            Threshold::Falling(part) => {
                let excess =
                    |load| self.average.times(load).saturating_sub(u128::from(self.average.total));
                excess(load).saturating_mul(u128::from(part)) > excess(self.max) && excess(load) > 0
            }
        }
    }

    /// Whether a processor of this load is one that is gossiped about.
    pub fn is_gossiped(&self, load: u64) -> bool {
        match self.threshold {
            Threshold::Times(_) => self.average.is_above(load),
            Threshold::Falling(_) => !self.gives(load),
        }
    }

    /// Whether a processor of this load goes on giving (line 3).
    #[inline]
    pub fn is_overloaded(&self, load: u64) -> bool {
        let times = match self.threshold {
            Threshold::Times(times) => times,
            Threshold::Falling(_) => Millionths::ONE,
        };
        self.average.is_exceeded(times, load)
    }
}

/// A processor's knowledge of others.
#[derive(Debug)]
pub struct Peers<'a> {
    /// The loads that the processor believes them to have.
    pub loads: &'a mut [u64],
    /// Memory for their chances; as long as `loads`.
    pub cumulative: &'a mut [u128],
    weighed: usize,
}

impl<'a> Peers<'a> {
    /// Returns peers of these loads, with their chances (lines 1 and 2).
    pub fn new(rules: &Rules, loads: &'a mut [u64], cumulative: &'a mut [u128]) -> Self {
        let weighed = cmf::weigh(rules.cmf, rules.average, loads, cumulative);
        Self { loads, cumulative, weighed }
    }

    /// Returns peers whose chances are in `cumulative` already, those of `weighed` peers.
    pub const fn with_chances(
        loads: &'a mut [u64],
        cumulative: &'a mut [u128],
        weighed: usize,
    ) -> Self {
        Self { loads, cumulative, weighed }
    }

    /// Returns the number of peers that have chances: all or none.
    pub const fn weighed(&self) -> usize {
        self.weighed
    }

    /// Draws one of them by its chances (line 5); none where no one has any.
    #[inline]
    pub fn sample(&self, rng: &mut Rng) -> Option<usize> {
        cmf::sample(self.cumulative.stretch(..self.weighed), rng)
    }

    /// Adds a load to what this processor believes a peer to have, and updates the chances where
    /// the configuration says so.
    fn add_load(&mut self, rules: &Rules, peer: usize, load: u64) {
        let known = self.loads.at_mut(peer);
        *known = known.saturating_add(load);
        if rules.cmf_update == CmfUpdate::AfterAcceptance {
            self.weighed = cmf::weigh(rules.cmf, rules.average, self.loads, self.cumulative);
        }
    }
}

/// A transfer that the criterion admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The peer, by its place.
    pub peer: usize,
    /// The object that it is to get.
    pub object: ObjectId,
    /// The sender's load before, in its own eyes: never more than it really is.
    pub sender_load: u64,
}

/// A processor that gives objects away at its turn.
#[derive(Debug)]
pub struct Sender<'a, 'b> {
    /// The rules.
    pub rules: &'a Rules,
    /// All objects.
    pub objects: &'a Objects<'a>,
    /// Its load; falls with each transfer.
    pub load: u64,
    /// The others that it knows.
    pub peers: Peers<'b>,
    /// Its load at the beginning.
    start: u64,
    /// Proposals that were refused.
    pub rejected: u64,
}

impl<'a, 'b> Sender<'a, 'b> {
    /// Returns a processor of this load, which has given nothing away yet.
    pub fn new(rules: &'a Rules, objects: &'a Objects<'a>, load: u64, peers: Peers<'b>) -> Self {
        Self { rules, objects, load, peers, start: load, rejected: 0 }
    }

    /// Gives away objects of `list` while the processor is overloaded; `propose` says whether a
    /// transfer can be made. Returns the number of objects that are left: those are at the front,
    /// in their order.
    pub fn run(
        &mut self,
        list: &mut [ObjectId],
        rng: &mut Rng,
        propose: &mut impl FnMut(Proposal) -> bool,
    ) -> usize {
        match self.rules.pass {
            Pass::Single => self.single_pass(list, rng, propose),
            Pass::Restart => self.restarted_passes(list, rng, propose),
        }
    }

    /// Tries to give each object once, in order. Returns how many stay, which come to the front.
    fn single_pass(
        &mut self,
        list: &mut [ObjectId],
        rng: &mut Rng,
        propose: &mut impl FnMut(Proposal) -> bool,
    ) -> usize {
        let mut kept = 0;
        for place in 0..list.len() {
            let Some(&object) = list.get(place) else { break };
            let gone = self.rules.is_overloaded(self.load) && self.attempt(object, rng, propose);
            if !gone {
                swap(list, kept, place);
                kept += 1;
            }
        }
        kept
    }

    /// Tries to give objects in order, and begins anew with the first after each success. Returns
    /// how many stay, which come to the front.
    fn restarted_passes(
        &mut self,
        list: &mut [ObjectId],
        rng: &mut Rng,
        propose: &mut impl FnMut(Proposal) -> bool,
    ) -> usize {
        let (mut left, mut place) = (list.len(), 0);
        while place < left && self.rules.is_overloaded(self.load) {
            let Some(&object) = list.get(place) else { break };
            if self.attempt(object, rng, propose) {
                if let Some(rest) = list.get_mut(place..left) {
                    rest.rotate_left(1);
                }
                left -= 1;
                place = 0;
            } else {
                place += 1;
            }
        }
        left
    }

    /// Draws a peer and proposes to give it one object (lines 5 to 10). False where no peer has a
    /// chance, the criterion rejects the transfer, or `propose` does.
    fn attempt(
        &mut self,
        object: ObjectId,
        rng: &mut Rng,
        propose: &mut impl FnMut(Proposal) -> bool,
    ) -> bool {
        let Some(peer) = self.peers.sample(rng) else { return false };
        let load = self.objects.load(object);
        let receiver = *self.peers.loads.at(peer);
        let sender = match self.rules.sender_load {
            SenderLoad::Current => self.load,
            SenderLoad::AtTurn => self.start,
        };
        let pair = Pair { sender, receiver };
        let proposal = Proposal { peer, object, sender_load: self.load };
        let admitted = self.rules.criterion.admits(self.rules.average, pair, load, 0);
        if !admitted || !propose(proposal) {
            self.rejected += 1;
            return false;
        }
        self.load = self.load.minus(load);
        self.peers.add_load(self.rules, peer, load);
        true
    }
}
