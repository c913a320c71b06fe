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
    /// Claim a part. If that succeeds, tell [`Visitor::handle_claimed`].
    Claim(SubdomainId),
    /// Read the edges of the part's neighbours, in the versions that the mode wants. If they are
    /// far enough and all were read, tell [`Visitor::handle_read`] the part's own version.
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
    /// Release the part.
    Leave(SubdomainId),
    /// The iteration is over, after this number of sweeps: tell
    /// [`Worker::handle_swept`](crate::node::worker::Worker::handle_swept).
    Done(u64),
}

/// What the workers of a node share, from the point of view of one of them.
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
    /// It tries to claim this part.
    Claiming(Chosen),
    /// It has claimed this part.
    Claimed(Chosen),
    /// It reads the neighbours of this part; with the number of sweeps left in this claim.
    Reading(Chosen, u32),
    /// It has read the neighbours; with the sweeps left in this claim, and the part's version.
    Read(Chosen, u32, u64),
    /// It sweeps this part; with the number of sweeps left in this claim.
    Sweeping(Chosen, u32),
    /// It helps with a sweep of this part.
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
    /// Number of claims in this iteration so far.
    claims: u32,
    /// Number of sweeps in this iteration so far.
    swept: u32,
    /// Start of the iteration, where it is timed.
    began: Instant,
    /// The last known count of times that a part was stuck in its hands ([`Board::stuck`]).
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

    /// Returns a worker that has not begun its run.
    pub fn new(config: &RunConfig) -> Self {
        let (choice, pace) = (Choice::new(config), Pace::new(config.mode));
        Self { choice, pace, opening: Opening::new(config), ..Self::EMPTY }
    }

    /// Returns the same worker with this pace, which need not be measured then.
    #[must_use]
    pub const fn paced(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Returns the number of sweeps that the worker makes for each claim of a part.
    pub fn sweeps_a_claim(&self) -> u32 {
        self.pace.sweeps()
    }

    /// Returns how long a worker without anything to sweep waits before it looks for a stuck part.
    /// None where it does not help, or the time of its sweeps is not known yet.
    pub fn patience(&self) -> Option<Duration> {
        let sweep = Some(self.pace.sweep()).filter(|sweep| sweep.0 < u64::MAX);
        sweep.filter(|_| self.choice.helps()).map(watch::patience)
    }

    /// Returns a word that depends on each cache line that a claim reads. A machine of many workers
    /// touches it to read ahead.
    pub(crate) const fn prefetch_word(&self) -> u64 {
        let stage = matches!(self.stage, Stage::Lost) as u64;
        self.pace.sweep().0 ^ self.stuck ^ self.claims as u64 ^ stage ^ self.choice.prefetch_word()
    }

    /// Records that the claim has succeeded.
    #[inline]
    pub fn handle_claimed(&mut self) {
        if let Stage::Claiming(chosen) = self.stage {
            self.stage = Stage::Claimed(chosen);
        }
    }

    /// Records that the neighbours were far enough for the part, now at `version`, and that their
    /// edges are read.
    #[inline]
    pub fn handle_read(&mut self, version: u64) {
        if let Stage::Reading(chosen, left) = self.stage {
            self.stage = Stage::Read(chosen, left, version);
        }
    }

    /// Records that the sweep was lost: a helper has finished it first, and holds the part now.
    #[cold]
    pub fn handle_lost(&mut self) {
        if let Stage::Sweeping(..) = self.stage {
            self.stage = Stage::Lost;
        }
    }

    /// Records that the worker has helped and finished first: it holds the part now.
    #[cold]
    pub fn handle_helped(&mut self) {
        if let Stage::Helping(chosen) = self.stage {
            self.stage = Stage::Sweeping(chosen, 1);
        }
    }

    /// Returns the next action, once the last one is done. The clock `now` is read only where an
    /// iteration or a sweep is timed.
    #[inline]
    pub fn next<N: SharedNumber>(
        &mut self,
        around: &Around<'_, N, impl Board>,
        now: impl Fn() -> Instant,
    ) -> Visit {
        match self.stage {
            Stage::Free | Stage::Claiming(_) | Stage::Helping(_) => self.claim(around, now),
            Stage::Lost => {
                self.opening.end_lost_sweep(&now);
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
                Visit::Sweep { part, is_away, is_open: self.opening.begin_sweep(now) }
            }
            Stage::Sweeping(chosen, left) => {
                self.swept += 1;
                self.opening.end_sweep(now, self.pace.sweep(), around.parts());
                if left > 1 { self.read(chosen, left - 1) } else { self.leave(chosen) }
            }
        }
    }

    /// Chooses the next part, and returns the action to claim it or to help with it. Ends the
    /// iteration where nothing is chosen, or after as many claims as parts at home.
    #[inline]
    fn claim<N: SharedNumber>(
        &mut self,
        around: &Around<'_, N, impl Board>,
        now: impl Fn() -> Instant,
    ) -> Visit {
        let Around { me, homes, board, .. } = around;
        let most = around.parts().max(1);
        let chosen = ((self.claims as usize) < most).then(|| {
            self.check_stuck(*me, *board);
            self.choice.next(*me, homes, *board, &now, self.pace.sweep())
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

    /// Takes note where the board says that a part was stuck in the worker's hands meanwhile.
    #[inline]
    fn check_stuck(&mut self, me: WorkerId, board: &impl Board) {
        let stuck = board.stuck(me);
        if stuck != self.stuck {
            self.stuck = stuck;
            self.opening.note_stuck();
        }
    }

    /// Returns the action to read the neighbours of a claimed part, with `left` sweeps left.
    #[inline]
    const fn read(&mut self, chosen: Chosen, left: u32) -> Visit {
        self.stage = Stage::Reading(chosen, left);
        Visit::Read(chosen.part)
    }

    /// Returns the action to release a part.
    #[inline]
    const fn leave(&mut self, chosen: Chosen) -> Visit {
        self.stage = Stage::Free;
        Visit::Leave(chosen.part)
    }

    /// Ends the iteration, and returns the action with the number of its sweeps.
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
