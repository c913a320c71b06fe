//! The gossiping phase, in rounds: the choice of those that are told, and the tables that they are
//! told.

use heapless::Vec;

use super::known::{Known, Sampling};
use crate::balance::grapevine::config::{Config, FANOUT_MAX};
use crate::balance::grapevine::group::{group, stretch};
use crate::balance::grapevine::moment::{Moment, Stage};
use crate::balance::grapevine::parallel::{Parallel, SplitByProcessor, cut, divide};
use crate::base::id::ProcessorId;
use crate::base::rng::Rng;
use crate::base::table::{Add, At};

/// The most processors that one tells in a round.
const TARGETS_MAX: usize = FANOUT_MAX as usize;

/// Stands for no processor, where there is no message.
pub const NOBODY: ProcessorId = ProcessorId(u32::MAX);

/// Numbers of messages of gossip, and of their entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Messages.
    pub messages: u64,
    /// Processors that were named in them, with their loads.
    pub entries: u64,
}

impl Told {
    /// Returns both together.
    pub fn and(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, entries: self.entries + other.entries }
    }
}

/// Draws the names of the processors that the processor `own` sends gossip to in a round: `fanout`
/// others that it does not know to be underloaded (Menon & Kalé 2013, informed selection); all of
/// those where there are no more. `known` is its table, and `sampling` the rule of it.
pub fn choose_targets(
    processors: u32,
    own: u32,
    fanout: u32,
    known: &Known,
    sampling: Sampling,
    rng: &mut Rng,
) -> Vec<u32, TARGETS_MAX> {
    let mut targets = Vec::new();
    debug_assert!(known.len() < processors as usize, "more is known than there is");
    let unknown = (processors as usize).saturating_sub(known.len() + 1);
    let is_unknown = |name: u32| name != own && !known.contains(sampling, name);
    if unknown <= fanout as usize {
        let all = (0..processors).filter(|&name| is_unknown(name)).take(TARGETS_MAX);
        all.for_each(|name| targets.add(name));
        return targets;
    }
    // There are more of them than are wanted, so that each is found sooner or later.
    while targets.len() < (fanout as usize).min(TARGETS_MAX) {
        let name = rng.below(processors);
        if is_unknown(name) && !targets.contains(&name) {
            targets.add(name);
        }
    }
    targets
}

/// Memory for tables of bounded size.
#[derive(Debug)]
pub struct Tables<'a> {
    /// Knowledge of each processor.
    pub known: &'a mut [Known],
    /// Knowledge of each processor after the round; as long as `known`.
    pub next: &'a mut [Known],
    /// Processors that each one tells: the fan-out for each.
    pub targets: &'a mut [ProcessorId],
    /// Processors that told each one; as long as `targets`.
    pub senders: &'a mut [ProcessorId],
    /// Place where the senders of each processor begin; one more than there are processors.
    pub first: &'a mut [u32],
}

/// Setting of an iteration's rounds, in which it does not change.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<'a> {
    /// The parameters.
    pub config: &'a Config,
    /// The iteration.
    pub moment: Moment,
    /// Whether each processor is one that is gossiped about: those start.
    pub underloaded: &'a [bool],
    /// Number of others that a processor remembers.
    pub bound: u32,
}

impl Rounds<'_> {
    fn is_underloaded(&self, processor: ProcessorId) -> bool {
        *self.underloaded.at(processor)
    }

    /// Returns the number of processors.
    pub fn processors(&self) -> u32 {
        u32::try_from(self.underloaded.len()).unwrap_or(u32::MAX)
    }

    /// Returns the sampling of a processor's table.
    pub fn sampling(&self, name: u32) -> Sampling {
        Sampling::new(self.moment.salt(name), self.bound, self.processors())
    }

    /// Makes all rounds; every processor that is underloaded, or has heard of one that is, tells
    /// others in each of them.
    pub fn gossip(&self, tables: &mut Tables<'_>, parallel: &impl Parallel) -> Told {
        let part = Receiving { first_processor: 0, next: &mut *tables.known };
        divide(parallel, part, &|part| part.next.iter_mut().for_each(Known::clear), &|(), ()| ());
        (0..self.config.rounds)
            .fold(Told::default(), |told, round| told.and(self.round(round, tables, parallel)))
    }

    /// Makes one round: every processor that knows of an underloaded one draws its targets, and
    /// each target merges the tables of its senders into its own. Returns the number of messages.
    fn round(&self, round: u32, tables: &mut Tables<'_>, parallel: &impl Parallel) -> Told {
        let fanout = self.config.fanout as usize;
        let Tables { known, next, targets, senders, first } = tables;
        let told = {
            let known: &[Known] = known;
            let part = Sending { first_processor: 0, fanout, targets };
            divide(parallel, part, &|part| self.choose_all(round, known, part), &Told::and)
        };
        let of_each = (0..).map(ProcessorId).zip(targets.chunks(fanout.max(1)));
        let sent = of_each
            .flat_map(|(sender, targets)| targets.iter().map(move |target| (*target, sender)))
            .filter(|(target, _)| *target != NOBODY);
        group(sent, first, senders);
        let (now, first): (&[Known], &[u32]) = (known, first);
        let part = Receiving { first_processor: 0, next };
        divide(parallel, part, &|part| self.merge(now, (first, senders), part), &|(), ()| ());
        core::mem::swap(known, next);
        told
    }

    /// Draws the targets of the processors in `part`, and counts their messages. Unused places for
    /// targets get [`NOBODY`].
    fn choose_all(&self, round: u32, known: &[Known], mut part: Sending<'_>) -> Told {
        let mut told = Told::default();
        let processors = part.processors();
        let known = known.stretch(part.first_processor as usize..).stretch(..processors);
        let mut rest = core::mem::take(&mut part.targets);
        for (processor, known) in (part.first_processor..).map(ProcessorId).zip(known) {
            let (targets, others) = cut(rest, part.fanout);
            rest = others;
            targets.fill(NOBODY);
            let entries = known.len() + usize::from(self.is_underloaded(processor));
            if entries == 0 {
                continue;
            }
            let ProcessorId(name) = processor;
            let mut rng = self.moment.draws(Stage::Gossip(round), name);
            let (processors, fanout) = (self.processors(), self.config.fanout);
            let sampling = self.sampling(name);
            let chosen = choose_targets(processors, name, fanout, known, sampling, &mut rng);
            told.messages += chosen.len() as u64;
            told.entries += (chosen.len() * entries) as u64;
            for (target, &name) in targets.iter_mut().zip(&chosen) {
                *target = ProcessorId(name);
            }
        }
        told
    }

    /// Merges into the next table of each processor in `part` the tables of those that sent to it.
    /// The senders to a processor are a stretch of `senders`, which begins at its place in `first`.
    fn merge<'t>(
        &self,
        now: &'t [Known],
        (first, senders): (&[u32], &'t [ProcessorId]),
        part: Receiving<'_>,
    ) {
        let told = |processor| senders.stretch(stretch(first, processor));
        let tables = |senders: &'t [ProcessorId]| {
            senders.iter().map(move |&sender| (sender, now.at(sender)))
        };
        for (processor, next) in (part.first_processor..).map(ProcessorId).zip(part.next) {
            // The senders are anywhere: while one hears, the tables for the next one are on their
            // way.
            let after = ProcessorId(processor.0 + 1);
            if after.index() < now.len() {
                tables(told(after)).for_each(|(_, known)| known.prefetch());
            }
            next.clone_from(now.at(processor));
            let ProcessorId(name) = processor;
            let sampling = self.sampling(name);
            for (sender, known) in tables(told(processor)) {
                if self.is_underloaded(sender) {
                    next.insert(sampling, sender.0);
                }
                for other in known.names().filter(|&other| other != name) {
                    next.insert(sampling, other);
                }
            }
        }
    }
}

/// The targets of consecutive processors, `fanout` places for each.
struct Sending<'a> {
    first_processor: u32,
    fanout: usize,
    targets: &'a mut [ProcessorId],
}

impl SplitByProcessor for Sending<'_> {
    fn processors(&self) -> usize {
        self.targets.len().checked_div(self.fanout).unwrap_or(0)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let Self { first_processor: first, fanout, targets } = self;
        let (left, right) = cut(targets, at * fanout);
        let after = first.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        (
            Self { first_processor: first, fanout, targets: left },
            Self { first_processor: after, fanout, targets: right },
        )
    }
}

/// The tables of consecutive processors after the round.
struct Receiving<'a> {
    first_processor: u32,
    next: &'a mut [Known],
}

impl SplitByProcessor for Receiving<'_> {
    fn processors(&self) -> usize {
        self.next.len()
    }

    fn split(self, at: usize) -> (Self, Self) {
        let Self { first_processor: first, next } = self;
        let (left, right) = cut(next, at);
        let after = first.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        (Self { first_processor: first, next: left }, Self { first_processor: after, next: right })
    }
}
