//! A worker's life: what it does next, whoever it is and whatever drives it.
//!
//! A [`Worker`] knows where it is in its life, and nothing of memory, clocks, threads or messages. Its
//! driver asks for the next [`Command`], carries it out and asks again. Pinned threads, and with them
//! MPI ranks, the virtual [`machine`](crate::machine), loom and the model checkers drive this same type.
//!
//! An iteration is: look at the working set, sweep each of its subdomains whose neighbours are far
//! enough, take one's turn at balancing and detection, and, synchronously, wait for everybody
//! (sections 3.3 and 4.2). A halt brings every subdomain into its owner's hands and every edge up to
//! date, so that the residual is of one consistent state (rule 12).

use crate::id::WorkerId;

/// What a worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Look at the working set: let go of what belongs to others now, and take what belongs to this
    /// worker as far as nobody holds it.
    Refresh,
    /// Set the cells of the working set to those that the run begins with.
    Fill,
    /// Let the clock start: everything is filled, and the initial residual is published.
    Begin,
    /// Read the halos of the whole working set, before anybody has a newer version.
    ReadHalos,
    /// Sweep the next subdomain of the working set whose neighbours are far enough; where there is none
    /// any more, tell [`Worker::has_swept`] how many there were.
    Sweep,
    /// Balance and detect, where it is this worker's turn and something is due.
    TakeTurn,
    /// Nothing could be swept: let others go on first.
    Idle,
    /// Wait for all workers of the node.
    Barrier,
    /// Between two synchronous iterations: meet the other nodes.
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
    /// Everybody has saved.
    Saved,
    /// The life is over.
    End,
}

/// What a worker asks of all of them together, while it is between two commands.
pub trait Together {
    /// Whether the run has ended.
    fn has_ended(&self) -> bool;

    /// Whether workers halt before this iteration of theirs.
    fn halts(&self, iteration: u64) -> bool;

    /// Whether what they have is to be saved; asked while all are halted.
    fn saves(&self) -> bool;
}

/// Where a worker is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// In one of the sequences that are always gone through whole, before so many of its commands.
    Within(Sequence, u8),
    /// Before an iteration.
    Start,
    /// It has looked at its working set.
    Refreshed,
    /// Its subdomains are swept, one after the other.
    Sweeping,
    /// All of them were, or none.
    Swept,
    /// It has taken its turn.
    Turned,
    /// It has none.
    Ended,
}

/// Commands that follow each other whatever happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sequence {
    Beginning,
    Halt,
    Saving,
    Step,
}

/// Who carries out a command of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    All,
    /// Worker 0, for all.
    First,
    /// All, where there are other nodes.
    AllOfMany,
    /// Worker 0, where there are other nodes.
    FirstOfMany,
}

use Command::{
    Barrier, Begin, Decide, Fetch, Fill, PublishResiduals, Refresh, Save, Saved, Settle, Step,
};
use Who::{All, AllOfMany, First, FirstOfMany};

/// Brings every subdomain into its owner's hands and all edges up to date, and publishes residuals.
///
/// After the first barrier nobody balances, so no more moves are announced; and before the next one
/// everybody has let go of what belongs to others. Were a move announced in between, a subdomain could
/// be in nobody's hands, and its residual would be an old one.
const CONSISTENT: [(Command, Who); 12] = [
    (Barrier, All),
    (Refresh, All),
    (Barrier, All),
    (Settle, FirstOfMany),
    (Barrier, AllOfMany),
    (Refresh, All),
    (Barrier, AllOfMany),
    (Fetch, FirstOfMany),
    (Barrier, AllOfMany),
    (Refresh, AllOfMany),
    (PublishResiduals, All),
    (Barrier, All),
];
const BEFORE: [(Command, Who); 2] = [(Refresh, All), (Fill, All)];
const BEGIN: [(Command, Who); 2] = [(Begin, First), (Barrier, All)];
const DECIDE: [(Command, Who); 2] = [(Decide, First), (Barrier, All)];
const SAVE: [(Command, Who); 4] = [(Save, All), (Barrier, All), (Saved, First), (Barrier, All)];
const STEP: [(Command, Who); 3] = [(Barrier, All), (Step, FirstOfMany), (Barrier, AllOfMany)];

impl Sequence {
    /// The command at a place; none after the last.
    fn at(self, place: u8) -> Option<(Command, Who)> {
        let parts: [&[(Command, Who)]; 3] = match self {
            Self::Beginning => [&BEFORE, &CONSISTENT, &BEGIN],
            Self::Halt => [&CONSISTENT, &DECIDE, &[]],
            Self::Saving => [&SAVE, &[], &[]],
            Self::Step => [&STEP, &[], &[]],
        };
        parts.into_iter().flatten().nth(place.into()).copied()
    }
}

/// One worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Worker {
    place: Place,
    iteration: u64,
    /// Whether anything was swept in this iteration.
    swept: bool,
    is_first: bool,
    is_synchronous: bool,
    has_other_nodes: bool,
}

impl Worker {
    /// One at the beginning of its life; `worker` is its number on its node.
    pub const fn new(worker: WorkerId, is_synchronous: bool, has_other_nodes: bool) -> Self {
        Self {
            place: Place::Within(Sequence::Beginning, 0),
            iteration: 0,
            swept: false,
            is_first: worker.0 == 0,
            is_synchronous,
            has_other_nodes,
        }
    }

    /// The iterations that it has begun and ended.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Whether it has stopped its sweeps for a look at a consistent state.
    pub const fn is_halted(&self) -> bool {
        matches!(self.place, Place::Within(Sequence::Beginning | Sequence::Halt | Sequence::Saving, _))
    }

    /// Nothing of the working set is left to be swept in this iteration; so many were.
    #[inline]
    pub fn has_swept(&mut self, number: u64) {
        debug_assert_eq!(self.place, Place::Sweeping, "nobody was asked to sweep");
        self.place = Place::Swept;
        self.swept = number > 0;
    }

    /// What to do next, once the last command is carried out.
    #[inline]
    pub fn next(&mut self, together: &impl Together) -> Command {
        loop {
            match self.place {
                Place::Sweeping => return Command::Sweep,
                Place::Start => {
                    if together.has_ended() {
                        self.place = Place::Ended;
                        continue;
                    }
                    self.place = Place::Refreshed;
                    return Refresh;
                }
                Place::Refreshed => {
                    if together.halts(self.iteration) {
                        self.place = Place::Within(Sequence::Halt, 0);
                        continue;
                    }
                    self.place = Place::Sweeping;
                    if self.is_synchronous {
                        return Command::ReadHalos;
                    }
                }
                Place::Swept => {
                    self.iteration += 1;
                    self.place = Place::Turned;
                    return Command::TakeTurn;
                }
                Place::Turned => {
                    self.place = if self.is_synchronous {
                        Place::Within(Sequence::Step, 0)
                    } else {
                        Place::Start
                    };
                    if !self.is_synchronous && !self.swept {
                        return Command::Idle;
                    }
                }
                Place::Within(sequence, place) => {
                    if let Some(command) = self.follow(sequence, place, together) {
                        return command;
                    }
                }
                Place::Ended => return Command::End,
            }
        }
    }

    /// The next command of a sequence that is this worker's to carry out; none after the last.
    #[cold]
    fn follow(
        &mut self,
        sequence: Sequence,
        mut place: u8,
        together: &impl Together,
    ) -> Option<Command> {
        while let Some((command, who)) = sequence.at(place) {
            place += 1;
            if self.is_meant(who) {
                self.place = Place::Within(sequence, place);
                return Some(command);
            }
        }
        let saves = sequence == Sequence::Halt && self.has_other_nodes && together.saves();
        self.place = if saves { Place::Within(Sequence::Saving, 0) } else { Place::Start };
        None
    }

    const fn is_meant(&self, who: Who) -> bool {
        match who {
            All => true,
            First => self.is_first,
            AllOfMany => self.has_other_nodes,
            FirstOfMany => self.is_first && self.has_other_nodes,
        }
    }
}
