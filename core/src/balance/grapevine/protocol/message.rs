//! Messages of processors. Every message is bounded.

use heapless::Vec;

use super::heard::Load;
use crate::balance::grapevine::config::KNOWN_MAX;
use crate::balance::grapevine::transfer::receiver::CANDIDATES_MAX;
use crate::base::id::ObjectId;

/// Work that is done between two detections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The beginning, at which the loads are summed up.
    Start,
    /// A round of gossip; all of them in [`super::Mode::Messages`].
    Gossip(u32),
    /// The offers of an attempt; their answers too in [`super::Mode::Messages`].
    Offers(u32),
    /// The answers of an attempt.
    Answers(u32),
    /// The end of the run.
    End,
}

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The iteration, from 0.
    pub iteration: u32,
    /// The work that is done.
    pub phase: Phase,
}

/// The beginning of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Begin {
    /// The step that begins.
    pub step: Step,
    /// The sum of all loads.
    pub total: u64,
    /// The highest load, at the beginning of the iteration.
    pub max: u64,
    /// Whether the placement as it is now is the best so far.
    pub taken: bool,
}

/// Numbers that are added up, or compared, up the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Messages of this step that were sent.
    pub sent: u64,
    /// The number of messages that were received.
    pub received: u64,
    /// The sum of the loads.
    pub total: u64,
    /// The highest load.
    pub max: u64,
    /// Objects that were taken in this iteration, or given for one.
    pub transfers: u64,
}

/// Knowledge of a processor that tells others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rumour {
    /// Step in which it is told.
    pub step: Step,
    /// Round in which it is told.
    pub round: u32,
    /// The load of the one who tells, if it is underloaded.
    pub own: Option<u64>,
    /// Other underloaded processors.
    pub known: Vec<Load, KNOWN_MAX>,
}

/// A stand-in for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Token {
    /// Its number, of which there is no other.
    pub id: ObjectId,
    /// Its load; the sum of all fits 64 bits.
    pub load: u64,
    /// Whether it must stay.
    pub fixed: bool,
}

/// Objects of which one is to be taken.
pub type Candidates = Vec<Token, CANDIDATES_MAX>;

/// An offer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offer {
    /// Step in which it is made.
    pub step: Step,
    /// The offer's number among those that its sender makes in that step, from 0.
    pub number: u32,
    /// The load of the sender, never more than it really is.
    pub sender_load: u64,
    /// Whether any one of the objects is to be taken, also for another; otherwise it is one.
    pub any: bool,
    /// Objects that the sender wants to be rid of.
    pub objects: Candidates,
}

/// The answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// Step of the offer.
    pub step: Step,
    /// Object that the receiver took; none where it refuses.
    pub given: Option<ObjectId>,
    /// Object that the receiver gives for it.
    pub got: Option<Token>,
}

/// A message.
#[expect(clippy::large_enum_variant, reason = "without an allocator there are no boxes")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// Tells down the tree that a step begins.
    Begin(Begin),
    /// Asks down the tree for one more count of the messages sent and received.
    Count,
    /// Reports up the tree the counts of a processor and those below it.
    Counted(Counts),
    /// Gossip.
    Rumour(Rumour),
    /// An offer.
    Offer(Offer),
    /// The answer to an offer.
    Answer(Answer),
}
