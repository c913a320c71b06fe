//! One processor: its reaction to each message.

use super::detection::{Count, Traffic, children, parent};
use super::heard::Heard;
use super::message::{Begin, Counts, Message, Phase, Rumour, Step};
use super::offers::Negotiation;
use super::setting::{Mode, Setting};
use super::store::{ProtocolMemory, Store};
use crate::balance::grapevine::gossip::choose_targets;
use crate::balance::grapevine::moment::Stage;
use crate::balance::grapevine::rounds::outer_iterations::{
    Next, OuterIterations, is_taken, is_worth_another,
};
use crate::balance::grapevine::transfer::sender::Rules;

/// A processor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Peer {
    pub(super) name: u32,
    /// The step that it is in, and what it was told of it.
    pub(super) begun: Begin,
    count: Count,
    /// The messages of this step.
    pub(super) traffic: Traffic,
    /// The messages of the next step, in which other processors may be already.
    traffic_of_next: Traffic,
    pub(super) store: Store,
    /// Its load at the beginning of the iteration.
    published: u64,
    /// Knowledge that the processor tells others in this round, and goes by in its offers.
    pub(super) heard: Heard,
    /// Knowledge of the processor after the round.
    heard_next_round: Heard,
    /// Gossip that the processor heard in a step that it is not yet in.
    heard_early: Heard,
    /// A bit for each round in which it heard something before it was in the step.
    early_rounds_mask: u64,
    /// A bit for each round whose gossip it has forwarded, where it does so at once.
    forwarded_rounds_mask: u64,
    pub(super) negotiation: Negotiation,
    /// Objects that it took in this iteration, or gave for one.
    pub(super) transfers: u64,
    root: Root,
}

/// State of the root, processor 0, by which it decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Root {
    outer: OuterIterations,
    /// Transfers of the iteration up to the step before.
    transfers: u64,
    /// The highest load of the best placement.
    best: u64,
    /// The count before.
    before: Option<Traffic>,
}

/// The placeholder before the first step and after the last one.
const OUTSIDE: Begin =
    Begin { step: Step { iteration: 0, phase: Phase::Start }, total: 0, max: 0, taken: false };

impl Peer {
    /// Returns the processor of this name, with `objects` objects in its memory.
    pub fn new(name: u32, objects: usize) -> Self {
        Self {
            name,
            begun: OUTSIDE,
            count: Count::NONE,
            traffic: Traffic::default(),
            traffic_of_next: Traffic::default(),
            store: Store { held: objects, best: 0 },
            published: 0,
            heard: Heard::default(),
            heard_next_round: Heard::default(),
            heard_early: Heard::default(),
            early_rounds_mask: 0,
            forwarded_rounds_mask: 0,
            negotiation: Negotiation::default(),
            transfers: 0,
            root: Root::default(),
        }
    }

    /// Returns the number of the processor's objects, which are the first in its memory.
    pub const fn held(&self) -> usize {
        self.store.held
    }

    /// Whether the processor's run is over; no message comes to it then.
    pub fn is_done(&self) -> bool {
        self.begun.step.phase == Phase::End
    }

    /// Returns the step that the processor is in.
    pub const fn step(&self) -> Step {
        self.begun.step
    }

    /// Begins the run; processor 0 tells the others.
    pub fn start(
        &mut self,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        if self.name == 0 {
            self.begin(OUTSIDE, setting, memory, send);
            self.conclude(setting, memory, send);
        }
    }

    /// Handles a message of the processor `from`, and passes the counts on if that completes them.
    /// Answers go out by `send`.
    pub fn receive(
        &mut self,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        from: u32,
        message: Message,
        send: &mut impl FnMut(u32, Message),
    ) {
        match message {
            Message::Begin(begin) => self.begin(begin, setting, memory, send),
            Message::Count => self.count_again(setting, send),
            Message::Counted(counts) => self.count.add(counts),
            Message::Rumour(rumour) => self.receive_gossip(from, &rumour, setting, send),
            Message::Offer(offer) => self.consider(from, offer, setting, memory, send),
            Message::Answer(answer) => self.settle(answer, memory),
        }
        self.conclude(setting, memory, send);
    }

    /// Passes the counts of the subtree up the tree once all children have reported. The root
    /// begins the next step where the counts show that no message is under way, and else has all
    /// count again.
    fn conclude(
        &mut self,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        while self.count.is_complete() {
            let counts = self.count.pass(self.own_counts(memory));
            if let Some(above) = parent(self.name) {
                send(above, Message::Counted(counts));
            } else if counts.is_quiet(self.root.before) {
                self.root.before = None;
                let next = self.direct(counts, setting);
                self.begin(next, setting, memory, send);
            } else {
                self.root.before = Some(counts.traffic());
                self.count_again(setting, send);
            }
        }
    }

    /// Returns this processor's contribution to the reduction up the tree: its messages of the
    /// step, its load and its transfers.
    fn own_counts(&self, memory: &ProtocolMemory<'_>) -> Counts {
        let Self { traffic: Traffic { sent, received }, transfers, .. } = *self;
        let load = self.store.load(memory);
        Counts { sent, received, total: load, max: load, transfers }
    }

    /// Starts a new reduction of the counts in the subtree below this processor, for the detection
    /// of the step's termination.
    fn count_again(&mut self, setting: &Setting<'_>, send: &mut impl FnMut(u32, Message)) {
        children(self.name, setting.processors).for_each(|child| send(child, Message::Count));
        self.count = Count::new(self.name, setting.processors);
    }

    /// Decides as the root, by the counts of all processors, which step comes after the one that
    /// has ended, and whether its placement is the best so far.
    fn direct(&mut self, counts: Counts, setting: &Setting<'_>) -> Begin {
        let Begin { step, total, max, .. } = self.begun;
        let Root { outer, best, transfers, .. } = &mut self.root;
        let before = core::mem::replace(transfers, counts.transfers);
        debug_assert!(counts.transfers >= before, "transfers are undone");
        let made = counts.transfers.saturating_sub(before);
        let is_worth = |next: &Step| {
            !matches!(next.phase, Phase::Offers(1..)) || is_worth_another(made, counts.transfers)
        };
        if let Some(step) = setting.after(step).filter(is_worth) {
            return Begin { step, total, max, taken: false };
        }
        *transfers = 0;
        let is_start = step.phase == Phase::Start;
        if !is_start {
            outer.count(counts.transfers);
        }
        let taken = is_start || is_taken(setting.config, counts.max, *best);
        if taken {
            *best = counts.max;
        }
        let average = setting.average(counts.total);
        let step = match outer.next(setting.config, average, counts.max) {
            Next::Iteration(iteration) => Step { iteration, phase: Phase::Gossip(0) },
            Next::End | Next::Reached => Step { phase: Phase::End, ..step },
        };
        Begin { step, total: counts.total, max: counts.max, taken }
    }

    /// Passes the beginning of a step down the tree, and does this processor's part of the step.
    fn begin(
        &mut self,
        begin: Begin,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let below = children(self.name, setting.processors);
        below.for_each(|child| send(child, Message::Begin(begin)));
        self.begun = begin;
        self.count = Count::new(self.name, setting.processors);
        // Messages of this step may have come before its beginning.
        self.traffic = core::mem::take(&mut self.traffic_of_next);
        // The placement that the step before has left is the best so far.
        if begin.taken && setting.config.keep_best {
            self.store.remember(memory);
        }
        match begin.step.phase {
            Phase::Start => {}
            Phase::Gossip(round) => {
                if round == 0 {
                    self.published = self.store.load(memory);
                    self.transfers = 0;
                    self.heard_next_round = Heard::default();
                }
                self.gossip(round, setting, send);
            }
            Phase::Offers(number) => {
                // The offers go by all gossip, also that of the last round.
                if number == 0 && setting.mode == Mode::Rounds {
                    self.heard.clone_from(&self.heard_next_round);
                }
                self.make_offers(number, setting, memory, send);
            }
            Phase::Answers(_) => self.answer_all(setting, memory, send),
            Phase::End => {
                self.count = Count::NONE;
                if setting.config.keep_best {
                    self.store.restore(memory);
                }
            }
        }
    }

    /// Returns the rules of the sender and the receiver, by the average and the highest load in
    /// this iteration.
    pub(super) fn rules(&self, setting: &Setting<'_>) -> Rules {
        Rules::new(setting.config, setting.average(self.begun.total), self.begun.max)
    }

    /// Begins a round of gossip. Where rounds do not wait for each other, all of them begin at
    /// once, and what came early is forwarded.
    fn gossip(&mut self, round: u32, setting: &Setting<'_>, send: &mut impl FnMut(u32, Message)) {
        let early = core::mem::take(&mut self.heard_early);
        self.heard.clone_from(&self.heard_next_round);
        if setting.mode == Mode::Rounds {
            self.heard_next_round
                .insert_all(setting.sampling(self.begun.step.iteration, self.name), &early);
            self.send_gossip(round, setting, send);
            return;
        }
        self.heard = early;
        let rounds = core::mem::take(&mut self.early_rounds_mask);
        self.forwarded_rounds_mask = 0;
        if self.rules(setting).is_gossiped(self.published) {
            self.send_gossip(0, setting, send);
        }
        for heard in (0..u64::BITS).filter(|&round| rounds & bit(round) > 0) {
            self.forward_gossip(heard, setting, send);
        }
    }

    /// Sends what this processor knows of underloaded ones, and its own load if that is gossiped,
    /// to randomly drawn others; nothing where it knows of nobody.
    fn send_gossip(
        &mut self,
        round: u32,
        setting: &Setting<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let own = self.rules(setting).is_gossiped(self.published).then_some(self.published);
        if own.is_none() && self.heard.known.is_empty() {
            return;
        }
        let step = self.begun.step;
        let (known, sampling) = (&self.heard.known, setting.sampling(step.iteration, self.name));
        let mut rng = setting.draws(step.iteration, Stage::Gossip(round), self.name);
        let Setting { processors, config, .. } = *setting;
        let targets =
            choose_targets(processors, self.name, config.fanout, known, sampling, &mut rng);
        for target in targets {
            self.traffic.sent += 1;
            let known = self.heard.entries();
            send(target, Message::Rumour(Rumour { step, round, own, known }));
        }
    }

    /// Sends gossip of the round after `heard`, the round of the message that has just come; only
    /// for the first message of a round, and not beyond the last round.
    fn forward_gossip(
        &mut self,
        heard: u32,
        setting: &Setting<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let is_first = self.forwarded_rounds_mask & bit(heard) == 0 && bit(heard) > 0;
        if is_first && heard + 1 < setting.config.rounds {
            self.forwarded_rounds_mask |= bit(heard);
            self.send_gossip(heard + 1, setting, send);
        }
    }

    /// Merges the loads in a message into the table of the round that it belongs to, and forwards
    /// the gossip where rounds do not wait for each other. A message of the next step is kept until
    /// this processor begins that one.
    fn receive_gossip(
        &mut self,
        from: u32,
        rumour: &Rumour,
        setting: &Setting<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        self.traffic_of(rumour.step).received += 1;
        let sampling = setting.sampling(rumour.step.iteration, self.name);
        let is_early = rumour.step != self.begun.step;
        let table = match setting.mode {
            _ if is_early => &mut self.heard_early,
            Mode::Rounds => &mut self.heard_next_round,
            Mode::Messages => &mut self.heard,
        };
        let own = rumour.own.map(|load| (from, load));
        for &load in own.iter().chain(&rumour.known).filter(|&&(name, _)| name != self.name) {
            table.insert(sampling, load);
        }
        if setting.mode == Mode::Messages {
            if is_early {
                self.early_rounds_mask |= bit(rumour.round);
            } else {
                self.forward_gossip(rumour.round, setting, send);
            }
        }
    }

    /// Returns the messages of a step: the one that the processor is in, or the one after it.
    pub(super) fn traffic_of(&mut self, step: Step) -> &mut Traffic {
        if step == self.begun.step { &mut self.traffic } else { &mut self.traffic_of_next }
    }
}

/// Returns the mask bit of one of the first 64 rounds; 0 for later ones, which are not forwarded at
/// once.
const fn bit(round: u32) -> u64 {
    match 1_u64.checked_shl(round) {
        Some(bit) => bit,
        None => 0,
    }
}
