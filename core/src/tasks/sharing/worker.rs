//! A worker: executes tasks, releases some, asks for some, and speculates while it waits.

use super::ahead::Ahead;
use super::managers::Managers;
use super::message::{Copies, CopyId, Counts, MAX_COPIES, Message, Outbox, Peer};
use super::method::{Method, Release, SharingConfig};
use super::pool::{PoolSlot, PoolState};
use super::speculation::{self, Copy, CopyMemory, Record};
use super::stack::{Extent, Full, Stack};
use super::statistics::SharingStatistics;
use super::work::Work;
use crate::base::id::{ManagerId, WorkerId};
use crate::base::table::At;

/// Memory of a worker, lent for each call, so that the lender may enlarge [`WorkerMemory::tasks`]
/// in between.
pub struct WorkerMemory<'m, W: Work> {
    /// Its own tasks.
    pub tasks: &'m mut [W::Task],
    /// [`WorkerNeeds::copies`] places for copies and their children.
    pub copies: &'m mut [W::Task],
    /// [`WorkerNeeds::records`] of what was executed of copies.
    pub records: &'m mut [Record<W::Outcome>],
    /// [`WorkerNeeds::lent`] slots for chunks of which others have copies.
    pub lent: &'m mut [PoolSlot],
    /// [`SharingConfig::chunk`] places for each of them.
    pub lent_tasks: &'m mut [W::Task],
}

/// The memory that a worker needs besides its own tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerNeeds {
    /// Tasks of copies and their children.
    pub copies: usize,
    /// Records of tasks of copies.
    pub records: usize,
    /// Slots for lent chunks, with [`SharingConfig::chunk`] tasks each.
    pub lent: usize,
}

impl WorkerNeeds {
    /// Returns the needs of a worker with this configuration.
    pub const fn of(config: &SharingConfig) -> Self {
        let chunk = config.chunk as usize;
        let copies = if config.method.speculates() { MAX_COPIES } else { 0 };
        let lends = matches!(config.method, Method::SpeculativeStealing);
        Self {
            copies: copies * speculation::places(chunk),
            records: copies * chunk,
            lent: if lends { MAX_COPIES } else { 0 },
        }
    }
}

/// Result of a worker's step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The worker has executed this number of its own tasks.
    Executed(u32),
    /// The worker has executed a task of a copy.
    Speculated,
    /// The worker has nothing to do until it gets a message.
    Waits,
    /// All tasks of everybody are executed.
    Ended,
}

/// The state of a worker.
#[expect(clippy::struct_excessive_bools, reason = "each is what one kind of message was about")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Worker {
    pub(super) id: WorkerId,
    pub(super) manager: ManagerId,
    /// Number of workers of all managers.
    pub(super) workers: u32,
    pub(super) config: SharingConfig,
    pub(super) stack: Extent,
    /// Tasks to execute until the next release.
    until_release: u32,
    /// Whether the worker may release without being asked.
    open: bool,
    /// Whether the worker was asked for tasks.
    asked: bool,
    /// Whether the worker has asked for tasks, and was not answered yet.
    pub(super) requested: bool,
    /// Whether the manager knows that the worker is idle.
    pub(super) said_idle: bool,
    /// Messages with tasks that it has got.
    works: u64,
    pub(super) counts: Counts,
    copies: [Copy; MAX_COPIES],
    /// Chunks of its own of which others have copies.
    pub(super) lent: PoolState,
    ahead: Ahead,
    /// Victims drawn so far.
    pub(super) drawn: u64,
    ended: bool,
    pub(super) statistics: SharingStatistics,
}

impl Worker {
    /// Returns a worker without tasks, one of those of `managers`.
    pub fn new(id: WorkerId, managers: &Managers, config: SharingConfig) -> Self {
        Self {
            id,
            manager: managers.of(id),
            workers: managers.workers(),
            config,
            stack: Extent::NONE,
            until_release: config.interval,
            open: config.method != Method::Adaptive,
            asked: false,
            requested: false,
            said_idle: false,
            works: 0,
            counts: Counts { given: 0, sent: 0 },
            copies: [Copy::NONE; MAX_COPIES],
            lent: PoolState::EMPTY,
            ahead: Ahead::NEW,
            drawn: 0,
            ended: false,
            statistics: SharingStatistics::default(),
        }
    }

    /// Gives the worker tasks that nobody else has: those that a run begins with.
    pub fn begin<W: Work>(
        &mut self,
        tasks: &[W::Task],
        memory: &mut WorkerMemory<'_, W>,
    ) -> Result<(), Full> {
        Stack::new(memory.tasks, &mut self.stack).extend(tasks)
    }

    /// Returns the worker's number.
    pub const fn id(&self) -> WorkerId {
        self.id
    }

    /// Returns the number of tasks of its own.
    pub const fn tasks(&self) -> usize {
        self.stack.len()
    }

    /// Returns the counts of messages that the worker has sent and got.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the statistics of the worker so far.
    pub const fn statistics(&self) -> &SharingStatistics {
        &self.statistics
    }

    /// Returns the statistics of the worker, for a driver that adds to them or resets them.
    pub const fn statistics_mut(&mut self) -> &mut SharingStatistics {
        &mut self.statistics
    }

    /// Executes up to `most` tasks, or as few as it takes to the next release, or one task of a
    /// copy. Where the children of a task do not fit, the worker goes on as soon as there is more
    /// memory.
    pub fn step<W: Work>(
        &mut self,
        most: u32,
        work: &mut W,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) -> Result<Step, Full> {
        if self.ended {
            return Ok(Step::Ended);
        }
        if self.stack.is_empty() {
            self.take_back(memory)?;
        }
        if !self.stack.is_empty() {
            return self.execute(most, work, memory, out).map(Step::Executed);
        }
        if self.speculate(work, memory, out) {
            self.statistics.speculated += 1;
            return Ok(Step::Speculated);
        }
        self.request_when_idle(out);
        Ok(Step::Waits)
    }

    /// Handles a message, and sends what follows from it. After the end messages mean nothing. An
    /// error, and nothing has changed, where its tasks do not fit.
    pub fn receive<W: Work>(
        &mut self,
        from: Peer,
        message: &Message,
        tasks: &[W::Task],
        work: &mut W,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) -> Result<(), Full> {
        match message {
            _ if self.ended => {}
            Message::Work { own, copies } => {
                let (own, copied) = tasks.split_at_checked(usize::from(*own)).unwrap_or_default();
                Stack::new(memory.tasks, &mut self.stack).extend(own)?;
                self.statistics.chunks += 1;
                self.ahead.arrived(self.stack.len() - own.len());
                self.works += 1;
                self.counts.given += 1;
                (self.requested, self.said_idle) = (false, false);
                self.receive_copies(from, copies, copied, memory);
            }
            Message::Nothing { copies } => {
                self.statistics.failed_steals += 1;
                self.requested = false;
                self.receive_copies(from, copies, tasks, memory);
            }
            Message::Granted { copy, task } => {
                self.handle_granted(from, *copy, *task, work, memory)?;
            }
            Message::Refused { copy, task } => {
                self.handle_refused(from, *copy, *task, work, memory);
            }
            Message::Want => {
                self.asked = true;
                self.release_if_asked(memory, out);
            }
            Message::Hold => self.open = false,
            Message::Steal => self.answer_thief(from, memory, out)?,
            Message::Claim { copy, task } => self.arbitrate(from, *copy, *task, memory, out),
            Message::Probe { round } => {
                // A worker that is busy says so again when it is idle.
                self.said_idle &= self.is_idle();
                let idle = self.said_idle.then_some(self.counts);
                out.send(from, Message::Report { round: *round, idle }, &[]);
            }
            Message::End => self.end(work, memory),
            Message::Request { .. }
            | Message::Release
            | Message::Idle(_)
            | Message::Report { .. } => {}
        }
        Ok(())
    }

    /// Executes up to `most` of its own tasks, releases a chunk where that is due, and asks for
    /// more tasks early enough. Returns the number of executed tasks.
    fn execute<W: Work>(
        &mut self,
        most: u32,
        work: &mut W,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) -> Result<u32, Full> {
        let counts_down = self.open && !self.config.method.steals();
        let most = if counts_down { most.min(self.until_release) } else { most };
        let done = work.run(&mut Stack::new(memory.tasks, &mut self.stack), most)?;
        self.statistics.executed += u64::from(done);
        if counts_down {
            self.until_release -= done.min(self.until_release);
            if self.until_release == 0 {
                self.until_release = self.config.interval;
                let has_released = self.release(memory, out);
                // A worker that has none to spare waits until it is asked, if the manager asks.
                self.open = has_released || self.config.release == Release::Interval;
            }
        }
        self.release_if_asked(memory, out);
        if !self.requested && self.stack.len() <= self.ahead_by() {
            self.request(None, out);
        }
        Ok(done)
    }

    /// Returns the number of own tasks at or below which the worker asks for more; 0 where it asks
    /// only when it has none.
    fn ahead_by(&self) -> usize {
        match self.config.method {
            _ if self.workers == 1 => 0,
            Method::Adaptive => self.ahead.tasks(),
            method if method.asks_ahead() => self.config.chunk as usize,
            _ => 0,
        }
    }

    /// Releases a chunk, if the worker was asked for tasks and has some to spare.
    fn release_if_asked<W: Work>(
        &mut self,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) {
        if self.asked {
            self.release(memory, out);
        }
    }

    /// Releases a chunk from the bottom of the stack to the manager. False where the worker has
    /// none to spare.
    fn release<W: Work>(
        &mut self,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) -> bool {
        let len = self.stack.len();
        if len <= self.surplus().max(self.ahead_by()) {
            return false;
        }
        let chunk = self.chunk();
        let mut stack = Stack::new(memory.tasks, &mut self.stack);
        let tasks = stack.take_bottom(chunk);
        out.send(Peer::Manager(self.manager), Message::Release, &[tasks]);
        self.counts.sent += 1;
        self.statistics.released += 1;
        if self.asked {
            self.asked = false;
            self.open = self.config.method != Method::Adaptive;
        }
        true
    }

    /// Returns the number of tasks that the worker keeps in any case: two chunks, as published,
    /// unless others wait for some.
    pub(super) const fn surplus(&self) -> usize {
        if self.asked { 1 } else { 2 * self.config.chunk as usize }
    }

    /// Returns the number of tasks that the worker hands on at a time: half of its tasks, where
    /// others wait and there are few.
    pub(super) fn chunk(&self) -> usize {
        let chunk = self.config.chunk as usize;
        if self.asked { chunk.min(self.stack.len() / 2) } else { chunk }
    }

    /// Executes a task of a copy. False where there is none, or as many tasks as may be are not yet
    /// certain.
    fn speculate<W: Work>(
        &mut self,
        work: &mut W,
        memory: &mut WorkerMemory<'_, W>,
        out: &mut impl Outbox<W::Task>,
    ) -> bool {
        let arbitration = self.config.arbitration;
        let open: usize = self.copies.iter().map(|copy| copy.open(arbitration)).sum();
        if open >= self.config.window as usize {
            return false;
        }
        // A copy that is begun goes on first.
        let begun = self.copies.iter().position(|copy| copy.goes_on() && !copy.is_new());
        let Some(place) = begun.or_else(|| self.copies.iter().position(Copy::goes_on)) else {
            return false;
        };
        let own = copy_memory::<W>(place, &self.config, memory.copies, memory.records);
        let (Some(copy), Some(mut own)) = (self.copies.get_mut(place), own) else { return false };
        self.statistics.asked += u64::from(copy.execute(work, arbitration, &mut own, out));
        if !self.requested && !self.copies.iter().any(Copy::is_new) {
            // The last claim may have failed when the answer comes.
            self.request(None, out);
        }
        true
    }

    /// Replaces the copies that are not begun by those that have come. `tasks` are those of all
    /// copies, one after the other.
    fn receive_copies<W: Work>(
        &mut self,
        from: Peer,
        copies: &Copies,
        mut tasks: &[W::Task],
        memory: &mut WorkerMemory<'_, W>,
    ) {
        // Copies that were not begun are older than those that come.
        for copy in self.copies.iter_mut().filter(|copy| copy.is_new()) {
            *copy = Copy::NONE;
        }
        for copied in copies {
            let (own, rest) = tasks.split_at_checked(usize::from(copied.len)).unwrap_or_default();
            tasks = rest;
            // A second copy of a chunk is left out: nobody could tell which one's claim was
            // answered.
            if self.copies.iter().any(|copy| copy.is_of(copied.id, from)) {
                continue;
            }
            let free = self.copies.iter().position(Copy::may_be_replaced);
            if let Some(place) = free
                && let Some(copy) = self.copies.get_mut(place)
                && let Some(mut memory) =
                    copy_memory::<W>(place, &self.config, memory.copies, memory.records)
            {
                copy.begin(*copied, from, own, &mut memory);
                self.statistics.copies += 1;
            }
        }
    }

    /// Returns the place of the copy of this chunk, of which something is claimed.
    fn claimed(&self, from: Peer, copy: CopyId) -> usize {
        self.copies.place_of(|of| of.is_of(copy, from) && of.has_claims())
    }

    /// Takes over the claimed tasks of a copy, one or all. An error where they do not fit on the
    /// stack.
    fn handle_granted<W: Work>(
        &mut self,
        from: Peer,
        copy: CopyId,
        task: Option<u8>,
        work: &mut W,
        memory: &mut WorkerMemory<'_, W>,
    ) -> Result<(), Full> {
        let place = self.claimed(from, copy);
        let own = copy_memory::<W>(place, &self.config, memory.copies, memory.records);
        let (Some(copy), Some(mut own)) = (self.copies.get_mut(place), own) else { return Ok(()) };
        let mut stack = Stack::new(memory.tasks, &mut self.stack);
        let answered = copy.granted(task, work, &mut stack, &mut own)?;
        self.counts.given += 1;
        self.said_idle = false;
        self.statistics.count_answer(&answered, true);
        Ok(())
    }

    /// Rolls back the claimed tasks of a copy, one or all, which are another worker's.
    fn handle_refused<W: Work>(
        &mut self,
        from: Peer,
        copy: CopyId,
        task: Option<u8>,
        work: &mut W,
        memory: &mut WorkerMemory<'_, W>,
    ) {
        let place = self.claimed(from, copy);
        let own = copy_memory::<W>(place, &self.config, memory.copies, memory.records);
        if let (Some(copy), Some(mut own)) = (self.copies.get_mut(place), own) {
            let answered = copy.refused(task, work, &mut own);
            self.statistics.count_answer(&answered, false);
        }
    }

    /// Ends the worker's run, as all tasks are executed. Rolls back those of copies whose claims
    /// are not answered: another worker has executed them.
    fn end<W: Work>(&mut self, work: &mut W, memory: &mut WorkerMemory<'_, W>) {
        self.ended = true;
        for (place, copy) in self.copies.iter_mut().enumerate() {
            let own = copy_memory::<W>(place, &self.config, memory.copies, memory.records);
            let Some(mut own) = own.filter(|_| copy.has_claims()) else { continue };
            let (claims, rolled_back) = copy.end(work, &mut own);
            self.statistics.failed += claims;
            self.statistics.rolled_back += u64::from(rolled_back);
        }
    }

    /// Whether the worker has nothing to execute, and nothing claimed.
    pub(super) fn is_idle(&self) -> bool {
        self.stack.is_empty()
            && self.lent.chunks() == 0
            && !self.copies.iter().any(|copy| copy.has_claims() || copy.goes_on())
    }

    /// Asks for tasks if the worker has not, and reports that it is idle, if it is.
    fn request_when_idle<T>(&mut self, out: &mut impl Outbox<T>) {
        if !self.said_idle && self.is_idle() {
            self.ahead.ran_dry();
            self.said_idle = true;
            if self.config.method.steals() {
                out.send(Peer::Manager(self.manager), Message::Idle(self.counts), &[]);
            } else {
                return self.request(Some(self.counts), out);
            }
        }
        if !self.requested {
            self.request(None, out);
        }
    }

    /// Asks for tasks: a victim where workers steal, else the manager, which also gets the counts
    /// of a worker that is `idle`.
    fn request<T>(&mut self, idle: Option<Counts>, out: &mut impl Outbox<T>) {
        if self.config.method.steals() {
            let Some(victim) = self.victim() else { return };
            self.statistics.steals += 1;
            out.send(Peer::Worker(victim), Message::Steal, &[]);
        } else {
            let works = self.works;
            out.send(Peer::Manager(self.manager), Message::Request { works, idle }, &[]);
            self.asked = false;
        }
        self.requested = true;
    }
}

/// Returns the memory of the copy at a place.
fn copy_memory<'a, W: Work>(
    place: usize,
    config: &SharingConfig,
    tasks: &'a mut [W::Task],
    records: &'a mut [Record<W::Outcome>],
) -> Option<CopyMemory<'a, W>> {
    let chunk = config.chunk as usize;
    let places = speculation::places(chunk);
    let tasks = tasks.get_mut(place * places..(place + 1) * places)?;
    let records = records.get_mut(place * chunk..(place + 1) * chunk)?;
    Some(CopyMemory { tasks, records })
}
