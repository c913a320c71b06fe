//! What processors tell each other. Every message is bounded.

use heapless::Vec;

use super::heard::Load;
use crate::balance::grapevine::config::KNOWN_MAX;
use crate::balance::grapevine::transfer::receiver::CANDIDATES_MAX;
use crate::id::ObjectId;

/// What is done between two detections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing yet: the loads are summed up.
    Start,
    /// A round of gossip; all of them in [`super::Mode::Messages`].
    Gossip(u32),
    /// The offers of an attempt; their answers too in [`super::Mode::Messages`].
    Offers(u32),
    /// The answers of an attempt.
    Answers(u32),
    /// Nothing any more.
    End,
}

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Which iteration, from 0.
    pub iteration: u32,
    /// What is done.
    pub phase: Phase,
}

/// A step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Begin {
    /// Which one.
    pub step: Step,
    /// The sum of all loads.
    pub total: u64,
    /// The highest one, at the beginning of the iteration.
    pub max: u64,
    /// Whether the placement as it is now is the best so far.
    pub taken: bool,
}

/// What is counted and compared up the tree.
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

/// What a processor knows when it tells others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rumour {
    /// When it is told.
    pub step: Step,
    /// In which round.
    pub round: u32,
    /// The load of the one who tells, if it is underloaded.
    pub own: Option<u64>,
    /// Other underloaded processors.
    pub known: Vec<Load, KNOWN_MAX>,
}

/// What stands for an object.
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
    /// When it is made.
    pub step: Step,
    /// The offer's number among those that its sender makes in that step, from 0.
    pub number: u32,
    /// The load of the sender, never more than it really is.
    pub sender_load: u64,
    /// Whether any one of the objects is to be taken, also for another; otherwise it is one.
    pub any: bool,
    /// What it wants to be rid of.
    pub objects: Candidates,
}

/// What becomes of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// When it is answered.
    pub step: Step,
    /// What the receiver took; none: it refuses.
    pub given: Option<ObjectId>,
    /// What it gives for that.
    pub got: Option<Token>,
}

/// A message.
#[expect(clippy::large_enum_variant, reason = "without an allocator there are no boxes")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Message {
    /// Down the tree: a step begins.
    Begin(Begin),
    /// Down the tree: what was sent and received is counted once more.
    Count,
    /// Up the tree: it was.
    Counted(Counts),
    /// Gossip.
    Rumour(Rumour),
    /// An offer.
    Offer(Offer),
    /// What becomes of an offer.
    Answer(Answer),
}
