//! The way of a worker from part to part.

use super::board::Board;
use super::choice::{Choice, Chosen, Next};
use super::homes::Homes;
use super::opening::Opening;
use super::pace::Pace;
use super::watch;
use crate::base::SharedNumber;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::time::{Duration, Instant};
use crate::node::worker::Control;
use crate::run::RunConfig;

/// The next thing that a worker does with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visit {
    /// Claim a part; where nobody else has it, tell [`Visitor::handle_claimed`].
    Claim(SubdomainId),
    /// Read the edges of its neighbours, in the versions that the mode wants; where these are far
    /// enough and all of them are to be had, tell [`Visitor::handle_read`] the part's own version.
    Read(SubdomainId),
    /// Update it, and publish its edges and then its version; where somebody who has helped was
    /// done first, tell [`Visitor::handle_lost`].
    Sweep {
        /// The part.
        part: SubdomainId,
        /// Whether it is at home with another worker.
        is_away: bool,
        /// Whether the sweep is to be open to others, who may help where this worker is stopped.
        is_open: bool,
    },
    /// Make the sweep that another worker is stuck in, from the same cells; if this worker is done
    /// first, publish as after a sweep of its own, and tell [`Visitor::handle_helped`].
    Help {
        /// The part.
        part: SubdomainId,
        /// Whether it is at home with another worker.
        is_away: bool,
    },
    /// Let it go.
    Leave(SubdomainId),
    /// This was an iteration, of so many sweeps: tell
    /// [`Worker::handle_swept`](crate::node::worker::Worker::handle_swept).
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
    /// [`Graph::diameter`](crate::parts::Graph::diameter).
    pub diameter: u64,
}

impl<N, B> Around<'_, N, B> {
    /// Returns the number of parts at home with the worker.
    fn parts(&self) -> usize {
        self.homes.of(self.me).len()
    }
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
    /// It helps with a sweep.
    Helping(Chosen),
    /// Another worker has made its sweep first.
    Lost,
}

/// A worker that claims parts for one sweep at a time, or for a few where sweeps are short.
///
/// An iteration is as many claims as there are parts at home, or one; what somebody else turns out
/// to have counts as well, so that turns come. The halt is asked about after the neighbours are
/// read, see [`Control::admits`].
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
    /// Times that a part was stuck in its hands, as far as it has heard.
    stuck: u64,
    opening: Opening,
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
        stuck: 0,
        opening: Opening::EMPTY,
    };

    /// Returns a worker at the beginning of a run.
    pub fn new(config: &RunConfig) -> Self {
        let (choice, pace) = (Choice::new(config), Pace::new(config.mode));
        Self { choice, pace, opening: Opening::new(config), ..Self::EMPTY }
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

    /// Returns the time after which a worker that has nothing to sweep looks for what is stuck;
    /// none where it would not help, and as long as it is not known how long its sweeps take.
    pub fn patience(&self) -> Option<Duration> {
        let sweep = Some(self.pace.sweep()).filter(|sweep| sweep.0 < u64::MAX);
        sweep.filter(|_| self.choice.helps()).map(watch::patience)
    }

    /// Returns something of each cache line that a claim reads, for a machine of many workers that
    /// reads ahead.
    pub(crate) const fn look(&self) -> u64 {
        let stage = matches!(self.stage, Stage::Lost) as u64;
        self.pace.sweep().0 ^ self.stuck ^ self.claims as u64 ^ stage ^ self.choice.look()
    }

    /// Records that the part that was to be claimed is the worker's.
    #[inline]
    pub fn handle_claimed(&mut self) {
        if let Stage::Claiming(chosen) = self.stage {
            self.stage = Stage::Claimed(chosen);
        }
    }

    /// Records that the neighbours were far enough for the part, which is at `version`, and that
    /// their edges are read.
    #[inline]
    pub fn handle_read(&mut self, version: u64) {
        if let Stage::Reading(chosen, left) = self.stage {
            self.stage = Stage::Read(chosen, left, version);
        }
    }

    /// Records that the sweep was for nothing, as another worker has helped and was done first: the
    /// part is no longer this worker's.
    #[cold]
    pub fn handle_lost(&mut self) {
        if let Stage::Sweeping(..) = self.stage {
            self.stage = Stage::Lost;
        }
    }

    /// Records that the worker has helped and was done first: the part is its own now.
    #[cold]
    pub fn handle_helped(&mut self) {
        if let Stage::Helping(chosen) = self.stage {
            self.stage = Stage::Sweeping(chosen, 1);
        }
    }

    /// Returns the next thing to do, once the last one is done. The clock is read at the beginning
    /// and at the end of an iteration that is timed.
    #[inline]
    pub fn next<N: SharedNumber>(
        &mut self,
        around: &Around<'_, N, impl Board>,
        now: impl Fn() -> Instant,
    ) -> Visit {
        match self.stage {
            Stage::Free | Stage::Claiming(_) | Stage::Helping(_) => self.claim(around, now),
            Stage::Lost => {
                self.opening.loses(&now);
                self.claim(around, now)
            }
            Stage::Claimed(chosen) => self.read(chosen, self.pace.sweeps()),
            Stage::Reading(chosen, _) => self.leave(chosen),
            Stage::Read(chosen, left, version) => {
                if !around.control.admits(version, around.diameter) {
                    return self.leave(chosen);
                }
                self.stage = Stage::Sweeping(chosen, left);
                let Chosen { part, is_away } = chosen;
                Visit::Sweep { part, is_away, is_open: self.opening.begins(now) }
            }
            Stage::Sweeping(chosen, left) => {
                self.swept += 1;
                self.opening.ends(now, self.pace.sweep(), around.parts());
                if left > 1 { self.read(chosen, left - 1) } else { self.leave(chosen) }
            }
        }
    }

    #[inline]
    fn claim<N: SharedNumber>(
        &mut self,
        around: &Around<'_, N, impl Board>,
        now: impl Fn() -> Instant,
    ) -> Visit {
        let Around { me, homes, board, .. } = around;
        let most = around.parts().max(1);
        let chosen = ((self.claims as usize) < most).then(|| {
            self.hear(*me, *board);
            self.choice.next(*me, homes, *board, (&now, self.pace.sweep()))
        });
        let Some(next) = chosen.flatten() else { return self.end(now) };
        if self.claims == 0 && self.pace.is_timed() {
            self.began = now();
        }
        self.claims += 1;
        match next {
            Next::Claim(chosen) => {
                self.stage = Stage::Claiming(chosen);
                Visit::Claim(chosen.part)
            }
            Next::Help(chosen) => {
                self.stage = Stage::Helping(chosen);
                Visit::Help { part: chosen.part, is_away: chosen.is_away }
            }
        }
    }

    /// Hears whether a part was stuck in its hands.
    #[inline]
    fn hear(&mut self, me: WorkerId, board: &impl Board) {
        let stuck = board.stuck(me);
        if stuck != self.stuck {
            self.stuck = stuck;
            self.opening.hears();
        }
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
    fn end(&mut self, now: impl Fn() -> Instant) -> Visit {
        let swept = core::mem::take(&mut self.swept).into();
        if self.claims > 0 && self.pace.is_timed() {
            self.pace.add(now().since(self.began), swept);
        }
        self.claims = 0;
        self.stage = Stage::Free;
        Visit::Done(swept)
    }
}
