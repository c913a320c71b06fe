//! The part that a worker sweeps next.

use super::board::Board;
use super::homes::Homes;
use crate::bug::OrBug;
use crate::id::{SubdomainId, WorkerId};
use crate::run::{Balance, Mode, RunConfig};

/// Stands for no part.
const NONE: u32 = u32::MAX;

/// When a worker sweeps a part of another home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Away {
    /// Never.
    Never,
    /// Where it is more than this number of updates behind the worker's own, until it is level with them.
    Lag(u64),
    /// Where nothing of the worker's own can be swept.
    Idle,
}

impl Away {
    /// Returns the rule of a configuration that [`visits`](RunConfig::visits).
    pub const fn of(config: &RunConfig) -> Self {
        match (config.mode, config.balance) {
            (Mode::Exact, Balance::Pull(_)) => Self::Idle,
            (_, Balance::Pull(lag)) => Self::Lag(lag),
            _ => Self::Never,
        }
    }
}

/// One worker's choice from claim to claim.
///
/// In the exact mode it goes through its own parts in turn, and passes over what is not ready; otherwise it
/// takes the least updated one. It keeps what it has borrowed until that is level with its own least, and
/// then goes home: this is all the hysteresis that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    away: Away,
    in_turn: bool,
    /// Place after that of the part at home that was swept last.
    cursor: u32,
    borrowed: u32,
}

/// A part that a worker is to claim.
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
    pub(super) const EMPTY: Self =
        Self { away: Away::Never, in_turn: false, cursor: 0, borrowed: NONE };

    /// Returns a worker's choice at the beginning of a run.
    pub fn new(config: &RunConfig) -> Self {
        Self { away: Away::of(config), in_turn: config.mode == Mode::Exact, ..Self::EMPTY }
    }

    /// Returns the part that worker `me` is to claim next; none where there is none.
    #[inline]
    pub fn next(&mut self, me: WorkerId, homes: &Homes<'_>, board: &impl Board) -> Option<Chosen> {
        let own = homes.of(me);
        if self.away != Away::Never {
            tell(me, own, board);
        }
        let mine = if self.in_turn { self.in_turn(own, board) } else { least_updated(own, board) };
        let borrowed = match self.away {
            Away::Lag(lag) => self.borrow(lag, mine, me, homes, board),
            Away::Idle if mine.is_none() => behind(me, u64::MAX, homes, board),
            Away::Idle | Away::Never => None,
        };
        let own = || mine.map(|(_, part)| Chosen { part, is_away: false });
        borrowed.map(|part| Chosen { part, is_away: true }).or_else(own)
    }

    /// Returns what is more than `lag` behind `mine`, the least of its own, or was and is not level yet.
    fn borrow(
        &mut self,
        lag: u64,
        mine: Option<Seen>,
        me: WorkerId,
        homes: &Homes<'_>,
        board: &impl Board,
    ) -> Option<SubdomainId> {
        let level = mine.map_or(u64::MAX, |(version, _)| version);
        if let Some(borrowed) = self.borrowed(level, board) {
            return Some(borrowed);
        }
        let limit = mine.map_or(u64::MAX, |(version, _)| version.saturating_sub(lag));
        let borrowed = behind(me, limit, homes, board);
        self.borrowed = borrowed.map_or(NONE, |part| part.0);
        borrowed
    }

    /// Returns the next of its own parts that can be swept, in turn.
    fn in_turn(&mut self, own: &[SubdomainId], board: &impl Board) -> Option<Seen> {
        let cursor = (self.cursor as usize).min(own.len());
        let (before, after) = own.split_at_checked(cursor).or_bug("a cursor beyond its parts")?;
        let mut places = (cursor..).zip(after).chain((0..).zip(before));
        let (place, seen) = places.find_map(|(place, &part)| Some((place, able(part, board)?)))?;
        self.cursor = u32::try_from(place + 1).unwrap_or(0);
        Some(seen)
    }

    /// Returns what it has borrowed, as long as that is below the level of its own parts.
    fn borrowed(&self, level: u64, board: &impl Board) -> Option<SubdomainId> {
        let part = (self.borrowed != NONE).then_some(SubdomainId(self.borrowed))?;
        let (version, part) = able(part, board)?;
        (version < level).then_some(part)
    }
}

/// Publishes the least version at home with a worker, where that has changed.
fn tell(worker: WorkerId, parts: &[SubdomainId], board: &impl Board) {
    let least = least(parts, board);
    if least != board.least(worker) {
        board.publish_least(worker, least);
    }
}

/// Returns a part with its version, where it can be swept.
fn able(part: SubdomainId, board: &impl Board) -> Option<Seen> {
    let version = board.version(part);
    (board.is_free(part) && board.is_ready(part, version)).then_some((version, part))
}

/// Returns the least updated part, below version `limit`, of the worker whose parts are furthest behind; ties go
/// to the worker of the lowest number, and among its parts to the first.
///
/// Only one worker's parts are looked at, and only where its published minimum says so: a look costs a cache
/// line of each other worker.
fn behind(me: WorkerId, limit: u64, homes: &Homes<'_>, board: &impl Board) -> Option<SubdomainId> {
    let others = (0..homes.workers()).map(WorkerId).filter(|&worker| worker != me);
    let published = others.map(|worker| (board.least(worker), worker));
    let (told, worker) = published.min_by_key(|&(least, _)| least)?;
    if told >= limit {
        return None;
    }
    let parts = homes.of(worker);
    let lowest = least(parts, board);
    if lowest > told {
        // Its own worker is away, and others have swept for it.
        board.publish_least(worker, lowest);
    }
    let found = least_updated(parts, board).filter(|&(version, _)| version < limit);
    found.map(|(_, part)| part)
}

/// Returns the least updated of the parts that can be swept; ties go to the first.
fn least_updated(parts: &[SubdomainId], board: &impl Board) -> Option<Seen> {
    let able = parts.iter().filter_map(|&part| able(part, board));
    able.min_by_key(|&(version, _)| version)
}

/// Returns the lowest version of the parts; of none, a version that nobody comes to.
fn least(parts: &[SubdomainId], board: &impl Board) -> u64 {
    parts.iter().map(|&part| board.version(part)).min().unwrap_or(u64::MAX)
}
