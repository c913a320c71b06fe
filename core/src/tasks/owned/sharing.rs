//! A worker and a manager of [`sharing`](crate::tasks::sharing) with memory of their own, which
//! grows.

use alloc::vec;
use alloc::vec::Vec;

use crate::base::id::WorkerId;
use crate::tasks::sharing::{
    Full, Manager, ManagerMemory, Managers, Member, Members, Message, Outbox, Peer, PoolSlot,
    Record, SharingConfig, SharingStatistics, Step, Work, Worker, WorkerMemory, WorkerNeeds,
};

/// Tasks that a worker has places for at the beginning.
const FIRST_TASKS: usize = 1 << 10;

/// Chunks that a manager has places for at the beginning.
const FIRST_CHUNKS: usize = 64;

/// A worker, its memory, and the work itself.
#[derive(Debug)]
pub struct OwnedWorker<W: Work> {
    worker: Worker,
    /// The kind of its tasks, with the result so far.
    pub work: W,
    tasks: Vec<W::Task>,
    copies: Vec<W::Task>,
    records: Vec<Record<W::Outcome>>,
    lent: Vec<PoolSlot>,
    lent_tasks: Vec<W::Task>,
    most: usize,
}

impl<W: Work> OwnedWorker<W> {
    /// Returns a worker without tasks, which may come to have `most` at a time.
    pub fn new(worker: Worker, config: &SharingConfig, work: W, most: usize) -> Self {
        let WorkerNeeds { copies, records, lent } = WorkerNeeds::of(config);
        Self {
            worker,
            work,
            tasks: vec![W::Task::default(); FIRST_TASKS.min(most)],
            copies: vec![W::Task::default(); copies],
            records: vec![Record::default(); records],
            lent: vec![PoolSlot::EMPTY; lent],
            lent_tasks: vec![W::Task::default(); lent * config.chunk as usize],
            most,
        }
    }

    /// Gives the worker tasks that nobody else has ([`Worker::begin`]).
    pub fn begin(&mut self, tasks: &[W::Task]) -> Result<(), Full> {
        self.with_room(|worker, _, memory| worker.begin(tasks, memory))
    }

    /// Makes a step ([`Worker::step`]). An error where there are too many tasks.
    #[inline]
    pub fn step(&mut self, most: u32, out: &mut impl Outbox<W::Task>) -> Result<Step, Full> {
        self.with_room(|worker, work, memory| worker.step(most, work, memory, out))
    }

    /// Takes a message ([`Worker::receive`]). An error where there are too many tasks.
    pub fn receive(
        &mut self,
        from: Peer,
        message: &Message,
        tasks: &[W::Task],
        out: &mut impl Outbox<W::Task>,
    ) -> Result<(), Full> {
        self.with_room(|worker, work, memory| {
            worker.receive(from, message, tasks, work, memory, out)
        })
    }

    /// Calls `act` again with more memory for tasks until they fit. An error where there would be
    /// more than the most.
    #[inline]
    fn with_room<R>(
        &mut self,
        mut act: impl FnMut(&mut Worker, &mut W, &mut WorkerMemory<'_, W>) -> Result<R, Full>,
    ) -> Result<R, Full> {
        loop {
            let mut memory = WorkerMemory {
                tasks: &mut self.tasks,
                copies: &mut self.copies,
                records: &mut self.records,
                lent: &mut self.lent,
                lent_tasks: &mut self.lent_tasks,
            };
            match act(&mut self.worker, &mut self.work, &mut memory) {
                Err(full) => grow(&mut self.tasks, full, self.most)?,
                done => return done,
            }
        }
    }

    /// Returns the statistics of the worker so far.
    pub const fn statistics(&self) -> &SharingStatistics {
        self.worker.statistics()
    }

    /// Returns the worker itself.
    pub const fn worker(&self) -> &Worker {
        &self.worker
    }
}

/// Makes room for more tasks: for those that did not fit, and at least twice as many as before. An
/// error beyond `most` places.
#[cold]
fn grow<T: Copy + Default>(tasks: &mut Vec<T>, full: Full, most: usize) -> Result<(), Full> {
    let wanted = tasks.len().saturating_add(full.more).max(tasks.len().saturating_mul(2));
    let len = wanted.min(most);
    if len <= tasks.len() || tasks.try_reserve(len - tasks.len()).is_err() {
        return Err(full);
    }
    tasks.resize(len, T::default());
    Ok(())
}

/// A manager, and its pool.
#[derive(Debug)]
pub struct OwnedManager<T> {
    manager: Manager,
    members: Vec<Member>,
    slots: Vec<PoolSlot>,
    tasks: Vec<T>,
    chunk: usize,
    most: usize,
}

impl<T: Copy + Default> OwnedManager<T> {
    /// Returns a manager without tasks, which may come to have `most` at a time.
    pub fn new(members: Members, config: SharingConfig, most: usize) -> Self {
        let chunk = config.chunk as usize;
        let slots = if config.method.steals() { 0 } else { FIRST_CHUNKS };
        Self {
            manager: Manager::new(members, config),
            members: vec![Member::NEW; members.number],
            slots: vec![PoolSlot::EMPTY; slots],
            tasks: vec![T::default(); slots * chunk],
            chunk,
            most,
        }
    }

    /// Takes a message ([`Manager::receive`]). An error where there are too many tasks.
    pub fn receive(
        &mut self,
        from: Peer,
        message: &Message,
        tasks: &[T],
        out: &mut impl Outbox<T>,
    ) -> Result<(), Full> {
        loop {
            let mut memory = ManagerMemory {
                members: &mut self.members,
                slots: &mut self.slots,
                tasks: &mut self.tasks,
            };
            match self.manager.receive(from, message, tasks, &mut memory, out) {
                Err(full) => {
                    let most = self.most.max(FIRST_CHUNKS * self.chunk);
                    grow(&mut self.tasks, full, most / self.chunk * self.chunk)?;
                    self.slots.resize(self.tasks.len() / self.chunk, PoolSlot::EMPTY);
                }
                done => return done,
            }
        }
    }

    /// Returns the manager itself.
    pub const fn manager(&self) -> &Manager {
        &self.manager
    }
}

/// Returns all workers and managers of a run, none with tasks; each may come to have `most` tasks
/// at a time.
pub fn everybody<W: Work>(
    managers: &Managers,
    config: SharingConfig,
    most: usize,
    mut work: impl FnMut(WorkerId) -> W,
) -> (Vec<OwnedWorker<W>>, Vec<OwnedManager<W::Task>>) {
    let workers = (0..managers.workers()).map(WorkerId);
    let new = |id| OwnedWorker::new(Worker::new(id, managers, config), &config, work(id), most);
    let above = (0..managers.number()).map(crate::base::id::ManagerId);
    let manager = |id| OwnedManager::new(managers.members(id), config, most);
    (workers.map(new).collect(), above.map(manager).collect())
}
