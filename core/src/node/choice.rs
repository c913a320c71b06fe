//! The part that a worker sweeps next.

use super::board::Board;
use super::homes::Homes;
use super::watch::Watch;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::run::{Balance, Mode, RunConfig};

/// Stands for no part.
const NONE: u32 = u32::MAX;

/// When a worker sweeps a part of another home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Away {
    /// Never.
    Never,
    /// Where it is more than this number of updates behind the worker's own, until it is level with
    /// them.
    Lag(u64),
    /// Where nothing of the worker's own can be swept.
    Idle,
}

impl Away {
    /// Returns the rule of a run that [`visits`](RunConfig::visits) parts, or has switched to that.
    pub const fn of(config: &RunConfig) -> Self {
        match (config.mode, config.balance) {
            (Mode::Exact, Balance::Pull(_)) => Self::Idle,
            (_, Balance::Pull(lag)) => Self::Lag(lag),
            _ if config.may_switch() => Self::Lag(Balance::LAG),
            _ => Self::Never,
        }
    }
}

/// One worker's choice from claim to claim.
///
/// In the exact mode it goes through its own parts in turn, and passes over what is not ready;
/// otherwise it takes the least updated one. It keeps what it has borrowed until that is level with
/// its own least, and then goes home: this is all the hysteresis that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    away: Away,
    in_turn: bool,
    /// Place after that of the part at home that was swept last.
    cursor: u32,
    borrowed: u32,
    /// Whether it helps with what is stuck.
    helps: bool,
    watch: Watch,
}

/// What a worker is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Claim a part.
    Claim(Chosen),
    /// Help with the sweep of a part that is stuck.
    Help(Chosen),
}

/// A part that a worker is to claim, or to help with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chosen {
    /// The part.
    pub part: SubdomainId,
    /// Whether it is at home with another worker.
    pub is_away: bool,
}

/// A part, and the version that it was seen at.
type Seen = (u64, SubdomainId);

impl Choice {
    /// An unused entry of memory to be lent.
    pub(super) const EMPTY: Self = Self {
        away: Away::Never,
        in_turn: false,
        cursor: 0,
        borrowed: NONE,
        helps: false,
        watch: Watch::NOTHING,
    };

    /// Returns a worker's choice at the beginning of a run.
    pub fn new(config: &RunConfig) -> Self {
        let (away, in_turn) = (Away::of(config), config.mode == Mode::Exact);
        Self { away, in_turn, helps: config.helps(), ..Self::EMPTY }
    }

    /// Returns the version below which a held part counts as stuck and is helped with, where the
    /// worker's own parts are at `level`. It is twice as far behind as what is borrowed, as helping
    /// costs more.
    const fn stuck_below(&self, level: u64) -> u64 {
        match self.away {
            Away::Lag(lag) => level.saturating_sub(lag.saturating_mul(2)),
            Away::Idle => u64::MAX,
            Away::Never => 0,
        }
    }

    /// Returns a word of the state. A machine that reads ahead touches it to bring it into the
    /// cache.
    pub(super) const fn prefetch_word(&self) -> u64 {
        self.borrowed as u64
    }

    /// Whether it helps with what is stuck.
    pub(super) const fn helps(&self) -> bool {
        self.helps
    }

    /// Returns what worker `me` is to do next: claim a part, or help with one that is stuck; none
    /// where it finds nothing. `sweep` is the time that one of its sweeps takes.
    #[inline]
    pub fn next(
        &mut self,
        me: WorkerId,
        homes: &Homes<'_>,
        board: &impl Board,
        now: impl FnOnce() -> Instant,
        sweep: Duration,
    ) -> Option<Next> {
        let own = homes.of(me);
        if self.away != Away::Never {
            publish_least(me, own, board);
        }
        let mine = if self.in_turn { self.in_turn(own, board) } else { least_updated(own, board) };
        let level = mine.map_or(u64::MAX, |(version, _)| version);
        let limit = match self.away {
            Away::Lag(lag) if mine.is_some() => level.saturating_sub(lag),
            Away::Lag(_) => u64::MAX,
            Away::Idle if mine.is_none() => u64::MAX,
            Away::Idle | Away::Never => 0,
        };
        let away = |part| Next::Claim(Chosen { part, is_away: true });
        if let Some(borrowed) = self.borrowed(level, board) {
            return Some(away(borrowed));
        }
        let found =
            if limit > 0 { find_behind(me, limit, homes, board) } else { Behind::default() };
        if let Some((chosen, version)) = found.held
            && self.helps
            && version < self.stuck_below(level)
            && self.watch.observe(chosen.part, version, now(), sweep)
        {
            if board.is_open(chosen.part) {
                return Some(Next::Help(chosen));
            }
            board.tell_stuck(chosen.part);
        }
        let is_kept = matches!(self.away, Away::Lag(_));
        self.borrowed = found.sweepable.filter(|_| is_kept).map_or(NONE, |part| part.0);
        if let Some(part) = found.sweepable {
            return Some(away(part));
        }
        mine.map(|(_, part)| Next::Claim(Chosen { part, is_away: false }))
    }

    /// Returns the next of the worker's own parts that can be swept, in cyclic order, and moves the
    /// cursor behind it.
    fn in_turn(&mut self, own: &[SubdomainId], board: &impl Board) -> Option<Seen> {
        let cursor = (self.cursor as usize).min(own.len());
        let (before, after) = own.cut(cursor);
        let mut places = (cursor..).zip(after).chain((0..).zip(before));
        let (place, seen) =
            places.find_map(|(place, &part)| Some((place, sweepable(part, board)?)))?;
        self.cursor = u32::try_from(place + 1).unwrap_or(0);
        Some(seen)
    }

    /// Returns the borrowed part, as long as it can be swept and is below `level`, the version of
    /// the worker's own parts.
    fn borrowed(&self, level: u64, board: &impl Board) -> Option<SubdomainId> {
        let part = (self.borrowed != NONE).then_some(SubdomainId(self.borrowed))?;
        let (version, part) = sweepable(part, board)?;
        (version < level).then_some(part)
    }
}

/// Publishes the lowest version at home with a worker, where it has changed.
fn publish_least(worker: WorkerId, parts: &[SubdomainId], board: &impl Board) {
    let least = least(parts, board);
    if least != board.least(worker) {
        board.publish_least(worker, least);
    }
}

/// Returns a part with its version, where it is free and ready to be swept.
fn sweepable(part: SubdomainId, board: &impl Board) -> Option<Seen> {
    let version = board.version(part);
    (board.is_free(part) && board.is_ready(part, version)).then_some((version, part))
}

/// Parts of others that are behind the worker's own.
#[derive(Clone, Copy, Default)]
struct Behind {
    /// The least updated part that can be swept.
    sweepable: Option<SubdomainId>,
    /// A part in somebody's hands, with its version, that is further behind.
    held: Option<(Chosen, u64)>,
}

/// Returns what is behind version `limit`: the least updated part of the worker that is furthest
/// behind, and a held part that is further behind still, of that worker or of `me`. Ties go to the
/// lowest worker, and among its parts to the first.
///
/// Only one other worker's parts are read, and only where its published minimum is below the limit:
/// that read costs a cache line of each worker.
fn find_behind(me: WorkerId, limit: u64, homes: &Homes<'_>, board: &impl Board) -> Behind {
    let furthest = board.furthest_behind(me, homes.workers());
    let least_of = furthest.filter(|&(told, _)| told < limit);
    let parts = least_of.map_or(&[][..], |(_, worker)| homes.of(worker));
    if let Some((told, worker)) = least_of {
        let lowest = least(parts, board);
        if lowest > told {
            // Its own worker is away, and others have swept for it.
            board.publish_least(worker, lowest);
        }
    }
    let found = least_updated(parts, board).filter(|&(version, _)| version < limit);
    let limit = found.map_or(limit, |(version, _)| version);
    let theirs = least_held(parts, limit, board).map(|seen| (seen, true));
    // What of the worker's own is behind was published by it a moment ago.
    let is_behind = board.least(me) < limit;
    let own = is_behind.then(|| least_held(homes.of(me), limit, board)).flatten();
    let held = theirs.into_iter().chain(own.map(|seen| (seen, false)));
    let held = held.min_by_key(|&((version, _), _)| version);
    let held = held.map(|((version, part), is_away)| (Chosen { part, is_away }, version));
    Behind { sweepable: found.map(|(_, part)| part), held }
}

/// Returns the least updated of the parts below version `limit` that somebody holds.
fn least_held(parts: &[SubdomainId], limit: u64, board: &impl Board) -> Option<Seen> {
    let held = parts.iter().filter(|&&part| !board.is_free(part));
    let held = held.map(|&part| (board.version(part), part));
    held.filter(|&(version, _)| version < limit).min_by_key(|&(version, _)| version)
}

/// Returns the least updated of the parts that can be swept; ties go to the first.
fn least_updated(parts: &[SubdomainId], board: &impl Board) -> Option<Seen> {
    let candidates = parts.iter().filter_map(|&part| sweepable(part, board));
    candidates.min_by_key(|&(version, _)| version)
}

/// Returns the lowest version of the parts; `u64::MAX` where there are none.
fn least(parts: &[SubdomainId], board: &impl Board) -> u64 {
    parts.iter().map(|&part| board.version(part)).min().unwrap_or(u64::MAX)
}
