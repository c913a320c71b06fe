//! A worker's life: its next step, whoever it is and whatever drives it.
//!
//! A [`Worker`] knows where it is in its life, and nothing of memory, clocks, threads or messages.
//! Its driver asks for the next [`Command`], carries it out and asks again. Pinned threads, and
//! with them MPI ranks, the virtual [`machine`](crate::sim::machine), loom and the model checkers
//! drive this same type.
//!
//! An iteration is: look at the working set, sweep each of its subdomains whose neighbours are far
//! enough, take one's turn at balancing and detection, and, synchronously, wait for everybody
//! (sections 3.3 and 4.2).
//!
//! A halt freezes every subdomain where it is, in whose hands ever: it is let go with all its edges
//! published, and not taken again. Once all are frozen, the cells are one consistent state, so that
//! the residual is of that (rule 12). All that is to be done with it is done in passes over all
//! subdomains, by whoever comes first ([`Pass`]).
//!
//! What the workers of a node decide together is beside it: whose [`Turn`] it is and what that one
//! does for all ([`Duty`]), when all halt and whether the run has ended ([`Control`]), what the
//! published residuals say ([`Detection`]), and in the exact mode the residuals of versions that
//! nobody has to stop for ([`Residuals`]).

mod control;
mod detection;
mod halts;
mod pass;
mod reduction;
mod residuals;
mod rounds;
mod sequence;
mod shares;
mod turn;
mod verdict;

pub use control::Control;
pub use detection::{Detection, GlobalProgress, next_look};
pub use halts::Halts;
pub use pass::{Pass, Work};
pub use reduction::{Contribution, Total};
pub use residuals::{Residuals, Versions};
pub use rounds::Rounds;
pub use shares::{Shares, Sum, Taking};
pub use turn::{Duty, Looked, Performed, Turn};
pub use verdict::{HaltStatus, Verdict};

use crate::base::SharedNumber;
use crate::base::id::{SubdomainId, WorkerId};
use crate::run::Mode;
use sequence::Sequence;

/// The next step of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Let go of what the worker does not keep ([`Worker::keeps`]).
    Release,
    /// Take what belongs to this worker, by [`Worker::take`].
    Take,
    /// Set the cells of the working set to those that the run begins with.
    Fill,
    /// Let the clock start: everything is filled, and the initial residual is published. For all,
    /// while they wait.
    Begin,
    /// Read the halos of the whole working set, before anybody has a newer version.
    ReadHalos,
    /// Sweep the next subdomain of the working set whose neighbours are far enough, or all of them
    /// one after the other; where there is none any more, tell [`Worker::handle_swept`] how many
    /// there were. [`Keeper`](crate::node::Keeper) says which is next. Where parts are claimed for
    /// one sweep at a time, [`Visitor`](crate::node::Visitor) says so, and there are at most as
    /// many in an iteration as are at home with the worker, or one.
    Sweep,
    /// Balance and detect, where it is this worker's turn and something is due.
    TakeTurn,
    /// Let others go on first: nothing could be swept. In the exact mode, call
    /// [`Worker::look_for_halt`].
    Idle,
    /// Wait for all workers of the node.
    Barrier,
    /// Where it is this worker's turn, begin a halt, by [`Worker::begin_halt`]; else let others go
    /// on first.
    Halt,
    /// Freeze all that is in this worker's hands: publish all edges, and let it go as done in this
    /// pass ([`Control::pass`]). Then freeze what nobody has, and tell [`Worker::handle_done`] how
    /// many that were together.
    Freeze,
    /// Publish the residual of each subdomain of the node that is not done in this pass and that
    /// nobody has, as its cells and its neighbours' edges are now; and tell [`Worker::handle_done`]
    /// how many that were. A worker begins with its own.
    Share,
    /// Save each subdomain of the node that is not done in this pass and that nobody has; and tell
    /// [`Worker::handle_done`] how many that were.
    Save,
    /// Let others go on first, until the pass is over.
    Wait,
    /// For all: tell the other nodes the highest count here, and [`Control::agree`] with the
    /// highest of all.
    Agree,
    /// For all: meet the other nodes between two synchronous iterations.
    Step,
    /// For all: let everything arrive that is on its way between nodes.
    Settle,
    /// For all: bring the newest edges from other nodes, and tell [`Control::count_parts`] how many
    /// subdomains are here.
    Fetch,
    /// For all: decide, on the residual of the consistent state, whether the run has ended.
    Decide,
    /// For all: note that everything is saved.
    Saved,
    /// The life is over.
    End,
}

/// Stage of a worker's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// A sequence of commands is being carried out to its end; with the index of the next command.
    Within(Sequence, u8),
    /// The worker has done its part of the pass.
    Passed,
    /// An iteration is about to begin.
    Start,
    /// The worker has released subdomains that belong to others.
    Released,
    /// The working set is as it is assigned, as far as others have let go.
    Current,
    /// All subdomains of the node are at the count of the halt.
    Reached,
    /// The subdomains of the working set are being swept, one after the other.
    Sweeping,
    /// The sweeps of the iteration are over; with whether there were any.
    Swept(bool),
    /// The worker has taken its turn; with whether it has swept before.
    Turned(bool),
    /// The life is over.
    Ended,
}

/// One worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "a machine has many, of 24 bytes each")]
pub struct Worker {
    stage: Stage,
    iteration: u64,
    /// The pass that it is in.
    pass: Pass,
    /// Whether another worker still held a subdomain of this one when it last tried to take them.
    awaits: bool,
    /// Whether this worker has begun the next pass; one is left in that pass for it.
    has_begun: bool,
    is_first: bool,
    is_synchronous: bool,
    is_exact: bool,
    has_other_nodes: bool,
}

impl Worker {
    /// Returns a worker that has not begun. `worker` is its number on its node.
    pub const fn new(worker: WorkerId, mode: Mode, has_other_nodes: bool) -> Self {
        Self {
            stage: Stage::Within(Sequence::Beginning, 0),
            iteration: 0,
            pass: Pass::BEFORE,
            awaits: false,
            has_begun: worker.0 == 0,
            is_first: worker.0 == 0,
            is_synchronous: mode.is_synchronous(),
            is_exact: matches!(mode, Mode::Exact),
            has_other_nodes,
        }
    }

    /// Returns the number of iterations that the worker has completed.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Requests a halt of all workers of the node before the next iteration of this one, which has
    /// the turn. In the exact mode they halt at a count that is set later.
    pub fn ask_to_halt<N: SharedNumber>(&self, control: &Control<N>) {
        if self.is_exact && self.has_other_nodes {
            control.freeze();
        } else {
            control.halt_before(self.iteration);
        }
    }

    /// Requests a halt where the workers have `made` the requested sweeps. Returns how many they
    /// lack, and none where nobody counts them ([`Control::lacks`]). Called by the worker that has
    /// the turn.
    pub fn count<N: SharedNumber>(
        &self,
        control: &Control<N>,
        made: impl FnOnce() -> u64,
    ) -> Option<u64> {
        let left = control.lacks(made);
        if left == Some(0) {
            self.ask_to_halt(control);
        }
        left
    }

    /// Returns the pass in which the worker takes parts.
    #[inline]
    pub const fn pass(&self) -> Pass {
        self.pass
    }

    /// Begins a halt of the node, which has this number of parts; called by the worker that has the
    /// turn.
    pub fn begin_halt<N: SharedNumber>(&mut self, control: &Control<N>, parts: u64) {
        control.count_parts(parts);
        self.go_to(control, Work::Freeze);
    }

    /// Begins the next pass of the node, in which this work is done.
    fn go_to<N: SharedNumber>(&mut self, control: &Control<N>, work: Work) {
        self.has_begun = !matches!(work, Work::Run | Work::End);
        self.stage = Stage::Passed;
        control.go_to(work);
    }

    /// Records that the worker has done `parts` parts in this pass, all that it found. If that ends
    /// the pass, the worker acts for all before the next one.
    pub fn handle_done<N: SharedNumber>(&mut self, control: &Control<N>, parts: u64) {
        let begun = u64::from(core::mem::take(&mut self.has_begun));
        if !control.handle_done(parts.saturating_add(begun)) {
            return;
        }
        let sequence = match self.pass.work() {
            Work::Freeze if !self.has_other_nodes => return self.go_to(control, Work::Share),
            Work::Freeze if self.is_to_agree(control) => Sequence::Agreement,
            Work::Freeze => Sequence::Meeting,
            Work::Share if self.pass.is_initial() => Sequence::Begin,
            Work::Share => Sequence::Decision,
            Work::Save => Sequence::Saved,
            Work::Run | Work::End => return,
        };
        self.stage = Stage::Within(sequence, 0);
    }

    /// Whether the nodes still have to agree on the count at which they halt.
    fn is_to_agree<N: SharedNumber>(&self, control: &Control<N>) -> bool {
        self.is_exact && !control.is_agreed() && self.pass > Pass::first()
    }

    /// Whether the worker acts for all, having ended a pass.
    pub const fn acts(&self) -> bool {
        use Sequence::{Agreement, Begin, Decision, Meeting, Saved};
        matches!(self.stage, Stage::Within(Agreement | Begin | Decision | Meeting | Saved, _))
    }

    /// Whether worker `me` keeps a subdomain that belongs to `owner`.
    #[inline]
    pub fn keeps(me: WorkerId, owner: Option<WorkerId>) -> bool {
        owner == Some(me)
    }

    /// Takes the subdomains that are assigned to the worker. `take` tries to claim one, and returns
    /// whether the worker holds it now.
    pub fn take(
        &mut self,
        assigned: impl Iterator<Item = SubdomainId>,
        mut take: impl FnMut(SubdomainId) -> bool,
    ) {
        self.awaits = false;
        for subdomain in assigned {
            self.awaits |= !take(subdomain);
        }
    }

    /// Whether another worker still held a subdomain of this one when it last tried to take them.
    pub const fn awaits(&self) -> bool {
        self.awaits
    }

    /// Records that the sweeps of an iteration are over, `number` of them.
    #[inline]
    pub fn handle_swept(&mut self, number: u64) {
        debug_assert_eq!(self.stage, Stage::Sweeping, "nobody was asked to sweep");
        self.stage = Stage::Swept(number > 0);
    }

    /// In the exact mode, begins the halt where all `parts` of the node have come to its count;
    /// `made` is the number of updates of all its workers.
    #[inline]
    pub fn look_for_halt<N: SharedNumber>(&mut self, control: &Control<N>, made: u64, parts: u64) {
        if control.is_reached(made, parts) {
            debug_assert_eq!(self.stage, Stage::Start, "a halt amid an iteration");
            self.stage = Stage::Reached;
        }
    }

    /// Returns the next command, once the last one is carried out.
    ///
    /// `take_dirty` returns whether the working set has changed since the last call, and clears
    /// that mark. It is called before anybody reads what is assigned, so that no later change is
    /// lost.
    #[inline]
    pub fn next<N: SharedNumber>(
        &mut self,
        control: &Control<N>,
        mut take_dirty: impl FnMut() -> bool,
    ) -> Command {
        loop {
            match self.stage {
                Stage::Sweeping => return Command::Sweep,
                Stage::Start => {
                    if control.pass() != self.pass {
                        self.stage = Stage::Passed;
                        continue;
                    }
                    if control.visits() {
                        // What is at home with a worker stays there: a move of before is no news
                        // any more.
                        take_dirty();
                        self.stage = Stage::Current;
                        continue;
                    }
                    let is_dirty = take_dirty();
                    self.stage =
                        if is_dirty || self.awaits { Stage::Released } else { Stage::Current };
                    if is_dirty {
                        return Command::Release;
                    }
                }
                Stage::Released => {
                    self.stage = Stage::Current;
                    return Command::Take;
                }
                Stage::Current => {
                    if self.is_to_halt(control) {
                        self.stage = Stage::Start;
                        return Command::Halt;
                    }
                    self.stage = Stage::Sweeping;
                    if self.is_synchronous {
                        return Command::ReadHalos;
                    }
                }
                Stage::Swept(any) => {
                    self.iteration += 1;
                    self.stage = Stage::Turned(any);
                    return Command::TakeTurn;
                }
                Stage::Turned(any) => {
                    if self.is_synchronous && self.has_other_nodes {
                        self.stage = Stage::Within(Sequence::Step, 0);
                        continue;
                    }
                    self.stage = Stage::Start;
                    if self.is_synchronous {
                        return Command::Barrier;
                    }
                    if !any {
                        return Command::Idle;
                    }
                }
                Stage::Reached => {
                    if control.pass() == self.pass {
                        // It stays so, and takes no turn any more that it would pass on.
                        return Command::Halt;
                    }
                    self.stage = Stage::Passed;
                }
                Stage::Passed => {
                    if let Some(command) = self.pass_on(control) {
                        return command;
                    }
                }
                Stage::Within(sequence, place) => {
                    if let Some(command) = self.follow(sequence, place, control) {
                        if command == Command::Release {
                            take_dirty();
                        }
                        return command;
                    }
                }
                Stage::Ended => return Command::End,
            }
        }
    }

    /// Whether the worker halts before its next sweep.
    #[inline]
    pub fn is_to_halt<N: SharedNumber>(&self, control: &Control<N>) -> bool {
        self.stage == Stage::Reached || !self.is_exact && control.halts(self.iteration)
    }

    /// Returns the worker's command in the node's present pass: what the pass is for where it is a
    /// new one, otherwise to wait. None where the worker goes on in another stage.
    #[cold]
    fn pass_on<N: SharedNumber>(&mut self, control: &Control<N>) -> Option<Command> {
        let pass = control.pass();
        if pass == self.pass {
            return Some(Command::Wait);
        }
        self.pass = pass;
        match pass.work() {
            Work::Freeze => return Some(Command::Freeze),
            Work::Share => return Some(Command::Share),
            Work::Save => return Some(Command::Save),
            Work::Run => {
                // Everything was let go, and nobody is told.
                self.awaits = true;
                self.stage = Stage::Start;
            }
            Work::End => self.stage = Stage::Ended,
        }
        None
    }

    /// Returns the next command of a sequence that this worker carries out, from `place` on. After
    /// the last one, enters the stage or begins the pass that follows the sequence.
    #[cold]
    fn follow<N: SharedNumber>(
        &mut self,
        sequence: Sequence,
        mut place: u8,
        control: &Control<N>,
    ) -> Option<Command> {
        while let Some(command) = sequence.at(place) {
            place += 1;
            if command != Command::Step || self.is_first {
                self.stage = Stage::Within(sequence, place);
                return Some(command);
            }
        }
        let run = if control.has_ended() { Work::End } else { Work::Run };
        match sequence {
            Sequence::Beginning => {
                self.stage = Stage::Passed;
                return None;
            }
            Sequence::Step => {
                self.stage = Stage::Start;
                return None;
            }
            Sequence::Meeting => self.go_to(control, Work::Share),
            Sequence::Decision if control.saves() => self.go_to(control, Work::Save),
            Sequence::Agreement | Sequence::Begin | Sequence::Decision | Sequence::Saved => {
                self.go_to(control, run);
            }
        }
        Some(Command::Wait)
    }
}

#[cfg(test)]
mod tests;
