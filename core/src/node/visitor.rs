//! The way of a worker from part to part.

use super::board::Board;
use super::choice::{Choice, Chosen};
use super::homes::Homes;
use super::pace::Pace;
use crate::id::{SubdomainId, WorkerId};
use crate::run::RunConfig;
use crate::time::{Duration, Instant};
use crate::worker::{Control, SharedNumber};

/// The next thing that a worker does with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visit {
    /// Claim a part; where nobody else has it, tell [`Visitor::has_claimed`].
    Claim(SubdomainId),
    /// Read the edges of its neighbours, in the versions that the mode wants; where these are far enough and
    /// all of them are to be had, tell [`Visitor::has_read`] the part's own version.
    Read(SubdomainId),
    /// Update it, and publish its edges and then its version.
    Sweep {
        /// The part.
        part: SubdomainId,
        /// Whether it is at home with another worker.
        is_away: bool,
    },
    /// Let it go.
    Leave(SubdomainId),
    /// This was an iteration, of so many sweeps: tell [`Worker::has_swept`](crate::worker::Worker::has_swept).
    Done(u64),
}

/// What all workers of a node share, as one of them sees it.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a, N, B> {
    /// The worker.
    pub me: WorkerId,
    /// Parts at home with each worker.
    pub homes: &'a Homes<'a>,
    /// Hints about parts and other workers.
    pub board: &'a B,
    /// Halts.
    pub control: &'a Control<N>,
    /// [`Graph::diameter`](crate::part::Graph::diameter).
    pub diameter: u64,
}

/// Where a worker is with its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// It has none.
    Free,
    /// It tries to claim one.
    Claiming(Chosen),
    /// It has claimed one.
    Claimed(Chosen),
    /// It reads the neighbours; the number is that of the sweeps of this claim that are left.
    Reading(Chosen, u32),
    /// It has read them, for a part at the version of the last number.
    Read(Chosen, u32, u64),
    /// It sweeps.
    Sweeping(Chosen, u32),
}

/// A worker that claims parts for one sweep at a time, or for a few where sweeps are short.
///
/// An iteration is as many claims as there are parts at home, or one; what somebody else turns out to have
/// counts as well, so that turns come. The halt is asked about after the neighbours are read, see
/// [`Control::admits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Visitor {
    choice: Choice,
    pace: Pace,
    stage: Stage,
    /// Claims of this iteration.
    claims: u32,
    /// Sweeps of this iteration.
    swept: u32,
    /// Time at which an iteration began that is timed.
    began: Instant,
}

impl Visitor {
    /// An unused entry of memory to be lent.
    pub const EMPTY: Self = Self {
        choice: Choice::EMPTY,
        pace: Pace::of(Duration(u64::MAX)),
        stage: Stage::Free,
        claims: 0,
        swept: 0,
        began: Instant::ZERO,
    };

    /// Returns a worker at the beginning of a run.
    pub fn new(config: &RunConfig) -> Self {
        Self { choice: Choice::new(config), pace: Pace::new(config.mode), ..Self::EMPTY }
    }

    /// Returns the worker as one whose pace is known.
    #[must_use]
    pub const fn paced(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Returns the number of sweeps for which the worker claims a part.
    pub fn sweeps_a_claim(&self) -> u32 {
        self.pace.sweeps()
    }

    /// Records that the part that was to be claimed is the worker's.
    #[inline]
    pub fn has_claimed(&mut self) {
        if let Stage::Claiming(chosen) = self.stage {
            self.stage = Stage::Claimed(chosen);
        }
    }

    /// Records that the neighbours were far enough for the part, which is at `version`, and that their edges are
    /// read.
    #[inline]
    pub fn has_read(&mut self, version: u64) {
        if let Stage::Reading(chosen, left) = self.stage {
            self.stage = Stage::Read(chosen, left, version);
        }
    }

    /// Returns the next thing to do, once the last one is done. The clock is read at the beginning and at the
    /// end of an iteration that is timed.
    #[inline]
    pub fn next<N: SharedNumber>(
        &mut self,
        around: &Around<'_, N, impl Board>,
        now: impl FnOnce() -> Instant,
    ) -> Visit {
        match self.stage {
            Stage::Free | Stage::Claiming(_) => self.claim(around, now),
            Stage::Claimed(chosen) => self.read(chosen, self.pace.sweeps()),
            Stage::Reading(chosen, _) => self.leave(chosen),
            Stage::Read(chosen, left, version) => {
                if !around.control.admits(version, around.diameter) {
                    return self.leave(chosen);
                }
                self.stage = Stage::Sweeping(chosen, left);
                let Chosen { part, is_away } = chosen;
                Visit::Sweep { part, is_away }
            }
            Stage::Sweeping(chosen, left) => {
                self.swept += 1;
                if left > 1 { self.read(chosen, left - 1) } else { self.leave(chosen) }
            }
        }
    }

    #[inline]
    fn claim<N: SharedNumber>(
        &mut self,
        Around { me, homes, board, .. }: &Around<'_, N, impl Board>,
        now: impl FnOnce() -> Instant,
    ) -> Visit {
        let most = homes.of(*me).len().max(1);
        let chosen = ((self.claims as usize) < most).then(|| self.choice.next(*me, homes, *board));
        let Some(chosen) = chosen.flatten() else { return self.end(now) };
        if self.claims == 0 && self.pace.is_timed() {
            self.began = now();
        }
        self.claims += 1;
        self.stage = Stage::Claiming(chosen);
        Visit::Claim(chosen.part)
    }

    #[inline]
    const fn read(&mut self, chosen: Chosen, left: u32) -> Visit {
        self.stage = Stage::Reading(chosen, left);
        Visit::Read(chosen.part)
    }

    #[inline]
    const fn leave(&mut self, chosen: Chosen) -> Visit {
        self.stage = Stage::Free;
        Visit::Leave(chosen.part)
    }

    /// Ends an iteration.
    #[inline]
    fn end(&mut self, now: impl FnOnce() -> Instant) -> Visit {
        let swept = core::mem::take(&mut self.swept).into();
        if self.claims > 0 && self.pace.is_timed() {
            self.pace.add(now().since(self.began), swept);
        }
        self.claims = 0;
        self.stage = Stage::Free;
        Visit::Done(swept)
    }
}
