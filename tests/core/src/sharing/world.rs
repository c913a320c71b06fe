//! Workers, managers, and what is on its way between them.

use tresse_core::base::id::{ManagerId, WorkerId};
use tresse_core::tasks::sharing::{
    Full, Manager, ManagerMemory, Managers, Member, Message, Peer, PoolSlot, Record, SharingConfig,
    SharingStatistics, Step, Worker, WorkerMemory, WorkerNeeds,
};

use super::tasks::Numbered;
use crate::fingerprint;

/// Chunks of a manager: more than there are in a small world.
const CHUNKS: usize = 32;

/// Places for a worker's tasks, for each task of a chunk: room for a granted copy and all others.
const PLACES: usize = 64;

/// Faults that can be planted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fault {
    /// No fault.
    #[default]
    None,
    /// A refused copy is committed all the same: whoever claims is granted.
    CommitsRefused,
    /// A granted copy is rolled back, as if all copies were lost with one.
    RollsBackGranted,
    /// A worker says that it is idle while it waits for answers to its claims.
    IdleEarly,
}

/// A setting of a small world.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Configuration of the sharing.
    pub config: SharingConfig,
    /// Managers and their workers.
    pub managers: Managers,
    /// Tasks in all.
    pub tasks: u8,
    /// Fault that is planted.
    pub fault: Fault,
}

/// Something that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Happening {
    /// A worker's step.
    Step(usize),
    /// A message arrives.
    Arrives(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OneWorker {
    worker: Worker,
    work: Numbered,
    tasks: Vec<u8>,
    copies: Vec<u8>,
    records: Vec<Record<()>>,
    lent: Vec<PoolSlot>,
    lent_tasks: Vec<u8>,
    ended: bool,
    waits: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OneManager {
    manager: Manager,
    members: Vec<Member>,
    slots: Vec<PoolSlot>,
    tasks: Vec<u8>,
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OnTheWay {
    from: Peer,
    to: Peer,
    message: Message,
    tasks: Vec<u8>,
}

/// Everybody, and everything that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    workers: Vec<OneWorker>,
    managers: Vec<OneManager>,
    messages: Vec<OnTheWay>,
}

impl World {
    /// Tasks for which there is room, whoever has them.
    pub const MOST_TASKS: u8 = 30;

    /// Returns the beginning: the first worker has task 0.
    ///
    /// # Panics
    /// If it does not fit.
    pub fn new(setting: &Setting) -> Self {
        let Setting { config, managers, tasks, .. } = setting;
        let WorkerNeeds { copies, records, lent } = WorkerNeeds::of(config);
        let chunk = config.chunk as usize;
        let worker = |id| OneWorker {
            worker: Worker::new(WorkerId(id), managers, *config),
            work: Numbered { number: *tasks, committed: vec![] },
            tasks: vec![0; PLACES * chunk],
            copies: vec![0; copies],
            records: vec![Record::default(); records],
            lent: vec![PoolSlot::EMPTY; lent],
            lent_tasks: vec![0; lent * chunk],
            ended: false,
            waits: false,
        };
        let manager = |id| {
            let members = managers.members(ManagerId(id));
            OneManager {
                manager: Manager::new(members, *config),
                members: vec![Member::NEW; members.number],
                slots: vec![PoolSlot::EMPTY; CHUNKS],
                tasks: vec![0; CHUNKS * chunk],
            }
        };
        let mut workers: Vec<_> = (0..managers.workers()).map(worker).collect();
        let OneWorker { worker, tasks, copies, records, lent, lent_tasks, .. } = &mut workers[0];
        let mut memory = WorkerMemory::<Numbered> { tasks, copies, records, lent, lent_tasks };
        assert_eq!(worker.begin(&[0], &mut memory), Ok(()));
        Self { workers, managers: (0..managers.number()).map(manager).collect(), messages: vec![] }
    }

    /// Returns everything that can happen now. A worker that waits does nothing until it gets a
    /// message.
    pub fn possible(&self) -> impl Iterator<Item = Happening> + '_ {
        let acts = |(_, worker): &(usize, &OneWorker)| !worker.ended && !worker.waits;
        let steps = self.workers.iter().enumerate().filter(acts).map(|(id, _)| Happening::Step(id));
        steps.chain((0..self.messages.len()).map(Happening::Arrives))
    }

    /// Lets something happen.
    ///
    /// # Panics
    /// If there is no room, which there is in a small world.
    pub fn apply(&mut self, happening: Happening, fault: Fault) {
        let mut sent = vec![];
        let done = match happening {
            Happening::Step(id) => self.step(id, &mut sent),
            Happening::Arrives(index) => {
                let mut envelope = self.messages.remove(index);
                spoil(&mut envelope.message, fault);
                self.deliver(&envelope, &mut sent)
            }
        };
        assert_eq!(done, Ok(()));
        if fault == Fault::IdleEarly {
            for envelope in &mut sent {
                self.claim_to_be_idle(envelope);
            }
        }
        self.messages.append(&mut sent);
        // Their order means nothing: the same messages are the same world.
        self.messages.sort_by_cached_key(fingerprint);
    }

    fn step(&mut self, id: usize, sent: &mut Vec<OnTheWay>) -> Result<(), Full> {
        let one = &mut self.workers[id];
        let from = Peer::Worker(one.worker.id());
        let OneWorker { worker, work, tasks, copies, records, lent, lent_tasks, .. } = one;
        let mut memory = WorkerMemory { tasks, copies, records, lent, lent_tasks };
        let step = worker.step(1, work, &mut memory, &mut sender(from, sent))?;
        *worker.statistics_mut() = SharingStatistics::default();
        (one.ended, one.waits) = (step == Step::Ended, step == Step::Waits);
        Ok(())
    }

    fn deliver(
        &mut self,
        OnTheWay { from, to, message, tasks: with }: &OnTheWay,
        sent: &mut Vec<OnTheWay>,
    ) -> Result<(), Full> {
        let mut out = sender(*to, sent);
        match to {
            Peer::Worker(id) => {
                let one = &mut self.workers[id.index()];
                one.waits = false;
                let OneWorker { worker, work, tasks, copies, records, lent, lent_tasks, .. } = one;
                let mut memory = WorkerMemory { tasks, copies, records, lent, lent_tasks };
                worker.receive(*from, message, with, work, &mut memory, &mut out)?;
                *worker.statistics_mut() = SharingStatistics::default();
            }
            Peer::Manager(id) => {
                let one = &mut self.managers[id.index()];
                let OneManager { manager, members, slots, tasks } = one;
                let mut memory = ManagerMemory { members, slots, tasks };
                manager.receive(*from, message, with, &mut memory, &mut out)?;
            }
        }
        Ok(())
    }

    /// A request becomes that of somebody who is idle.
    fn claim_to_be_idle(&self, envelope: &mut OnTheWay) {
        if let (Message::Request { idle: idle @ None, .. }, Peer::Worker(id)) =
            (&mut envelope.message, envelope.from)
        {
            *idle = Some(self.workers[id.index()].worker.counts());
        }
    }

    /// Returns the number of times that a task was committed.
    pub fn committed(&self, task: u8) -> usize {
        let all = self.workers.iter().flat_map(|one| one.work.committed.iter());
        all.filter(|&&done| done == task).count()
    }

    /// Reports whether a worker has heard of the end.
    pub fn has_ended(&self) -> bool {
        self.workers.iter().any(|one| one.ended)
    }

    /// Reports whether all have.
    pub fn all_have_ended(&self) -> bool {
        self.workers.iter().all(|one| one.ended)
    }
}

fn spoil(message: &mut Message, fault: Fault) {
    *message = match (fault, message.clone()) {
        (Fault::CommitsRefused, Message::Refused { copy, task }) => Message::Granted { copy, task },
        (Fault::RollsBackGranted, Message::Granted { copy, task }) => {
            Message::Refused { copy, task }
        }
        (_, message) => message,
    };
}

fn sender(from: Peer, sent: &mut Vec<OnTheWay>) -> impl FnMut(Peer, Message, &[&[u8]]) {
    move |to, message, parts| sent.push(OnTheWay { from, to, message, tasks: parts.concat() })
}
