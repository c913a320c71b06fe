//! Calls the functions of a driver of workers and managers, for tasks of two kinds: nodes of a
//! tree, vertices of a graph.

use tresse_core::tasks::sharing::{
    Full, Manager, ManagerMemory, Message, Outbox, Peer, Step, Worker, WorkerMemory,
};
use tresse_core::tasks::traversal::{Marks, RandomArcs, Visit};
use tresse_core::tasks::uts::{Count, Node, Portable};

/// Keeps what is sent by counting it.
pub struct Counted(u64);

impl Outbox<Node> for Counted {
    fn send(&mut self, _: Peer, _: Message, parts: &[&[Node]]) {
        self.0 += parts.iter().map(|part| part.len() as u64).sum::<u64>();
    }
}

type Work<'t> = Count<'t, Portable>;

#[inline(never)]
pub fn step<'t>(
    worker: &mut Worker,
    work: &mut Work<'t>,
    memory: &mut WorkerMemory<'_, Work<'t>>,
    out: &mut Counted,
) -> Result<Step, Full> {
    worker.step(100, work, memory, out)
}

#[inline(never)]
pub fn hear<'t>(
    worker: &mut Worker,
    (from, message, tasks): (Peer, &Message, &[Node]),
    work: &mut Work<'t>,
    memory: &mut WorkerMemory<'_, Work<'t>>,
    out: &mut Counted,
) -> Result<(), Full> {
    worker.receive(from, message, tasks, work, memory, out)
}

#[inline(never)]
pub fn manage(
    manager: &mut Manager,
    (from, message, tasks): (Peer, &Message, &[Node]),
    memory: &mut ManagerMemory<'_, Node>,
    out: &mut Counted,
) -> Result<(), Full> {
    manager.receive(from, message, tasks, memory, out)
}

type Visiting<'m> = Visit<RandomArcs<Portable>, Marks<'m>>;

impl Outbox<u32> for Counted {
    fn send(&mut self, _: Peer, _: Message, parts: &[&[u32]]) {
        self.0 += parts.iter().map(|part| part.len() as u64).sum::<u64>();
    }
}

#[inline(never)]
pub fn traverse<'m>(
    worker: &mut Worker,
    work: &mut Visiting<'m>,
    memory: &mut WorkerMemory<'_, Visiting<'m>>,
    out: &mut Counted,
) -> Result<Step, Full> {
    worker.step(100, work, memory, out)
}
