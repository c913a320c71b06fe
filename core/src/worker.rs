//! A worker's life: its next step, whoever it is and whatever drives it.
//!
//! A [`Worker`] knows where it is in its life, and nothing of memory, clocks, threads or messages. Its
//! driver asks for the next [`Command`], carries it out and asks again. Pinned threads, and with them
//! MPI ranks, the virtual [`machine`](crate::machine), loom and the model checkers drive this same type.
//!
//! An iteration is: look at the working set, sweep each of its subdomains whose neighbours are far
//! enough, take one's turn at balancing and detection, and, synchronously, wait for everybody
//! (sections 3.3 and 4.2). A halt brings every subdomain into its owner's hands and every edge up to
//! date, so that the residual is of one consistent state (rule 12).
//!
//! What the workers of a node decide together is beside it: whose [`Turn`] it is and what that one does for
//! all ([`Duty`]), when all halt and whether the run has ended ([`Control`]), what the published residuals say ([`Detection`]), and in the exact
//! mode the residuals of versions that nobody has to stop for ([`Residuals`]).

mod asked;
mod control;
mod detection;
mod halts;
mod residuals;
mod sequence;
mod shared_number;
mod shares;
mod turn;
mod verdict;

pub use asked::{Gathered, Told};
pub use control::Control;
pub use detection::{Detection, next_look};
pub use halts::Halts;
pub use residuals::{Residuals, Versions};
pub use shared_number::SharedNumber;
pub use shares::{Shares, Sum, Taking};
pub use turn::{Duty, Looked, Performed, Turn};
pub use verdict::{Said, Verdict};

use crate::id::WorkerId;
use crate::run::Mode;
use sequence::{Sequence, Who};

/// A worker's next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Let go of what belongs to others now.
    Release,
    /// Let go of the whole working set, whose parts are claimed for one sweep at a time until the next halt.
    ReleaseAll,
    /// Take what belongs to this worker as far as nobody holds it, and tell [`Worker::has_taken`].
    Take,
    /// Set the cells of the working set to those that the run begins with.
    Fill,
    /// Let the clock start: everything is filled, and the initial residual is published.
    Begin,
    /// Read the halos of the whole working set, before anybody has a newer version.
    ReadHalos,
    /// Sweep the next subdomain of the working set whose neighbours are far enough, or all of them one
    /// after the other; where there is none any more, tell [`Worker::has_swept`] how many there were.
    /// [`Keeper`](crate::node::Keeper) says which is next. Where parts are claimed for one sweep at a time,
    /// [`Visitor`](crate::node::Visitor) says so, and there are at most as many in an iteration as are at home
    /// with the worker, or one.
    Sweep,
    /// Balance and detect, where it is this worker's turn and something is due.
    TakeTurn,
    /// Let others go on first: nothing could be swept. In the exact mode, call [`Worker::look_for_halt`].
    Idle,
    /// Wait for all workers of the node.
    Barrier,
    /// Tell the other nodes the highest count here, and [`Control::agree`] with the highest of all.
    Agree,
    /// Meet the other nodes between two synchronous iterations.
    Step,
    /// Let everything arrive that is on its way between nodes.
    Settle,
    /// Bring the newest edges from other nodes.
    Fetch,
    /// Publish the residuals of the working set as its cells and halos are now.
    PublishResiduals,
    /// Decide, on the residual of the consistent state, whether the run has ended.
    Decide,
    /// Save the working set.
    Save,
    /// Note that everybody has saved.
    Saved,
    /// The life is over.
    End,
}

/// Stage of a worker's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// A sequence of commands is under way, which is always carried out to its end; the number is
    /// that of its next command.
    Within(Sequence, u8),
    /// An iteration is about to begin.
    Start,
    /// The worker has let go of subdomains that belong to others.
    Released,
    /// The working set is as it is assigned, as far as others have let go.
    Current,
    /// The subdomains of the working set are being swept, one after the other.
    Sweeping,
    /// All subdomains that may be swept were; whether there was any.
    Swept(bool),
    /// The worker has taken its turn; whether any subdomain was swept before.
    Turned(bool),
    /// The life is over.
    Ended,
}

/// One worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Worker {
    stage: Stage,
    iteration: u64,
    /// Whether something that belongs to this worker was still held by another at its last look.
    awaits: bool,
    is_first: bool,
    mode: Mode,
    has_other_nodes: bool,
}

impl Worker {
    /// Returns a worker at the beginning of its life; `worker` is its number on its node.
    pub const fn new(worker: WorkerId, mode: Mode, has_other_nodes: bool) -> Self {
        Self {
            stage: Stage::Within(Sequence::Beginning, 0),
            iteration: 0,
            awaits: false,
            is_first: worker.0 == 0,
            mode,
            has_other_nodes,
        }
    }

    /// Returns the number of iterations whose sweeps the worker has made.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Asks all workers of the node to halt before the iteration that this worker makes next; called when it takes its turn. In the exact mode they halt at a count that is set later.
    pub fn ask_to_halt<N: SharedNumber>(&self, control: &Control<N>) {
        if self.mode == Mode::Exact && self.has_other_nodes {
            control.freeze();
        } else {
            control.halt_before(self.iteration);
        }
    }

    /// Asks all workers to halt where the sweeps that they were asked for are `made`; returns how many they
    /// lack, and none where nobody counts them ([`Control::lacks`]). Called when the worker takes its turn.
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

    /// Whether the worker has stopped its sweeps for a look at a consistent state.
    pub const fn is_halted(&self) -> bool {
        use Sequence::{Agreement, Beginning, Halt, Saving};
        matches!(self.stage, Stage::Within(Beginning | Agreement | Halt | Saving, _))
    }

    /// Records that the worker has taken what was free; `awaits` tells whether something that
    /// belongs to it is still held by another.
    #[inline]
    pub const fn has_taken(&mut self, awaits: bool) {
        self.awaits = awaits;
    }

    /// Whether something that belongs to this worker was still held by another at its last look.
    pub const fn awaits(&self) -> bool {
        self.awaits
    }

    /// Records that nothing of the working set is left to be swept in this iteration, after
    /// `number` of its subdomains were.
    #[inline]
    pub fn has_swept(&mut self, number: u64) {
        debug_assert_eq!(self.stage, Stage::Sweeping, "nobody was asked to sweep");
        self.stage = Stage::Swept(number > 0);
    }

    /// Halts, in the exact mode, where all `parts` of the node have come to the count of the halt: its workers
    /// have `made` so many updates together. Where there are other nodes, all agree on that count first.
    #[inline]
    pub fn look_for_halt<N: SharedNumber>(&mut self, control: &Control<N>, made: u64, parts: u64) {
        if control.is_reached(made, parts) {
            debug_assert_eq!(self.stage, Stage::Start, "a halt amid an iteration");
            let is_agreed = !self.has_other_nodes || control.is_agreed();
            let next = if is_agreed { Sequence::Halt } else { Sequence::Agreement };
            self.stage = Stage::Within(next, 0);
        }
    }

    /// Returns the next command, once the last one is carried out.
    ///
    /// `take_dirty` answers whether the working set has changed since it was last asked, and clears that
    /// mark: before anybody reads what is assigned, so that no later change is lost.
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
                    if control.has_ended() {
                        self.stage = Stage::Ended;
                        continue;
                    }
                    if control.visits() {
                        // What is at home with a worker stays there.
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
                        self.stage = Stage::Within(Sequence::Halt, 0);
                        continue;
                    }
                    self.stage = Stage::Sweeping;
                    if self.mode.is_synchronous() {
                        return Command::ReadHalos;
                    }
                }
                Stage::Swept(any) => {
                    self.iteration += 1;
                    self.stage = Stage::Turned(any);
                    return Command::TakeTurn;
                }
                Stage::Turned(any) => {
                    if self.mode.is_synchronous() && self.has_other_nodes {
                        self.stage = Stage::Within(Sequence::Step, 0);
                        continue;
                    }
                    self.stage = Stage::Start;
                    if self.mode.is_synchronous() {
                        return Command::Barrier;
                    }
                    if !any {
                        return Command::Idle;
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

    /// Whether the worker halts as soon as it has finished its sweeps.
    #[inline]
    pub fn is_to_halt<N: SharedNumber>(&self, control: &Control<N>) -> bool {
        self.is_halted() || self.mode != Mode::Exact && control.halts(self.iteration)
    }

    /// Returns the next command of a sequence that is this worker's to carry out; none after the
    /// last.
    #[cold]
    fn follow<N: SharedNumber>(
        &mut self,
        sequence: Sequence,
        mut place: u8,
        control: &Control<N>,
    ) -> Option<Command> {
        while let Some((command, who)) = sequence.at(place) {
            place += 1;
            if self.is_meant(who) {
                self.stage = Stage::Within(sequence, place);
                return Some(command);
            }
        }
        let saves = sequence == Sequence::Halt && control.saves();
        self.stage = if saves { Stage::Within(Sequence::Saving, 0) } else { Stage::Start };
        (control.visits() && !saves).then_some(Command::ReleaseAll)
    }

    const fn is_meant(&self, who: Who) -> bool {
        match who {
            Who::All => true,
            Who::First => self.is_first,
            Who::AllOfMany => self.has_other_nodes,
            Who::FirstOfMany => self.is_first && self.has_other_nodes,
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;
    use crate::progress::Progress;
    use crate::run::{RunConfig, Stop};

    /// A worker alone, whose sweeps are those of `swept` subdomains an iteration.
    struct Alone {
        worker: Worker,
        control: Control<Cell<u64>>,
        swept: u64,
    }

    impl Alone {
        fn new(mode: Mode, swept: u64) -> Self {
            let stop = Stop { iterations: Some(100), tolerance: None };
            let control = Control::new(&RunConfig { mode, stop, ..RunConfig::default() });
            Self { worker: Worker::new(WorkerId(0), mode, false), control, swept }
        }

        /// Carries commands out, where nothing changes hands, up to one of this kind.
        fn reach(&mut self, wanted: Command) {
            let comes = (0..100).any(|_| self.next() == wanted);
            assert!(comes, "{wanted:?} does not come any more");
        }

        fn next(&mut self) -> Command {
            let command = self.worker.next(&self.control, || false);
            match command {
                Command::Begin => self.control.begin(&Progress::level(0, 4), false),
                Command::Sweep => self.worker.has_swept(self.swept),
                _ => {}
            }
            command
        }
    }

    #[test]
    fn what_is_not_free_yet_is_looked_for_in_each_iteration_until_it_is_taken() {
        let mut alone = Alone::new(Mode::Async, 1);
        alone.reach(Command::Begin);
        alone.worker.has_taken(true);
        for iteration in 0..3 {
            alone.reach(Command::Take);
            assert_eq!(alone.worker.iteration(), iteration);
            alone.reach(Command::TakeTurn);
        }
        alone.reach(Command::Take);
        alone.worker.has_taken(false);
        assert_eq!(alone.next(), Command::Sweep);
        assert_eq!([alone.next(), alone.next()], [Command::TakeTurn, Command::Sweep]);
    }

    /// Halts are set for an iteration of everybody's, so whoever has no subdomain counts as the others do.
    #[test]
    fn an_iteration_without_a_sweep_counts() {
        for mode in [Mode::Sync, Mode::SemiSync(1), Mode::Async] {
            let mut alone = Alone::new(mode, 0);
            for iteration in 1..=3 {
                alone.reach(Command::TakeTurn);
                assert_eq!(alone.worker.iteration(), iteration, "{mode:?}");
            }
        }
    }
}
