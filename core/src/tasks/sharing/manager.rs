//! A manager: holds the tasks that its members release, hands them on, arbitrates, and finds the
//! end.

use core::num::NonZeroUsize;

use heapless::Vec;

use super::ending::Ending;
use super::managers::Members;
use super::member::{Flow, Likely, Member};
use super::message::{Counts, MAX_CHUNK, MAX_COPIES, Message, Outbox, Peer, list};
use super::method::{Method, Release, SharingConfig};
use super::pool::{Pool, PoolSlot, PoolState};
use super::stack::Full;
use super::trust::Trust;
use crate::base::bug::Minus;
use crate::base::id::ManagerId;
use crate::base::table::At;

/// The most chunks that a manager is given, or gives, at a time.
const MOST_AT_A_TIME: usize = 8;

/// Memory of a manager, lent for each call, so that the lender may enlarge it in between.
#[derive(Debug)]
pub struct ManagerMemory<'m, T> {
    /// State of each member, [`Member::NEW`] at the beginning.
    pub members: &'m mut [Member],
    /// Places for chunks, [`PoolSlot::EMPTY`] at the beginning. New ones come after those that are
    /// there.
    pub slots: &'m mut [PoolSlot],
    /// [`SharingConfig::chunk`] places for each slot.
    pub tasks: &'m mut [T],
}

/// Messages that a manager has exchanged with the one that it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Upwards {
    /// Whether it has asked for tasks, and was not answered yet.
    requested: bool,
    /// Whether it has said that all its members are idle.
    said_idle: bool,
    /// Whether it was asked for tasks.
    asked: bool,
    /// Messages with tasks that it has got.
    works: u64,
    counts: Counts,
}

/// The state of a manager.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Manager {
    members: Members,
    config: SharingConfig,
    pool: PoolState,
    /// The member that waits longest for tasks, and the one that waits shortest.
    first_waiting: u32,
    last_waiting: u32,
    /// Number of members that wait for tasks.
    waiting: usize,
    /// Number of members that are idle.
    idle: usize,
    /// Numbers of members that may be asked and likely have tasks, or may come to make some.
    have: usize,
    make: usize,
    /// Number of members that are asked, and have not answered.
    asked: usize,
    /// The member that is asked next.
    next_asked: usize,
    trust: Trust,
    ending: Ending,
    up: Upwards,
    ended: bool,
}

impl Manager {
    /// Returns a manager without tasks.
    pub fn new(members: Members, config: SharingConfig) -> Self {
        Self {
            members,
            config,
            pool: PoolState::EMPTY,
            first_waiting: u32::MAX,
            last_waiting: u32::MAX,
            waiting: 0,
            idle: 0,
            have: members.number,
            make: 0,
            asked: 0,
            next_asked: 0,
            trust: Trust::NEW,
            ending: Ending::default(),
            up: Upwards::default(),
            ended: false,
        }
    }

    /// Returns the manager's number.
    pub const fn id(&self) -> ManagerId {
        self.members.manager
    }

    /// Whether all tasks are executed, and its members know.
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the number of chunks in its pool.
    pub const fn chunks(&self) -> usize {
        self.pool.chunks()
    }

    /// Returns the number of members that wait for tasks.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns the number of tasks in its pool.
    pub const fn tasks(&self) -> usize {
        self.pool.tasks()
    }

    /// Handles a message of a member, or of the manager above, and sends what follows from it. An
    /// error, and nothing has changed, where its tasks do not fit.
    pub fn receive<T: Copy + Default>(
        &mut self,
        from: Peer,
        message: &Message,
        tasks: &[T],
        memory: &mut ManagerMemory<'_, T>,
        out: &mut impl Outbox<T>,
    ) -> Result<(), Full> {
        let index = self.members.index(from);
        let mut is_from_above = false;
        match (message, index) {
            (Message::Request { works, idle }, Some(index)) => {
                self.handle_request(index, *works, *idle, memory);
            }
            (Message::Release, Some(index)) => {
                self.pool_in(memory).add(tasks)?;
                self.change(index, memory, |member| {
                    member.got += 1;
                    if member.flow == Flow::Asked {
                        member.flow = Flow::Open;
                    }
                });
                self.hold(index, from, memory, out);
            }
            (Message::Claim { copy, task }, Some(index)) => {
                let (copy, task) = (*copy, *task);
                let granted = self.pool_in(memory).claim(copy, task);
                self.trust.arbitrated(granted);
                let answer = if granted {
                    self.change(index, memory, |member| member.given += 1);
                    Message::Granted { copy, task }
                } else {
                    Message::Refused { copy, task }
                };
                out.send(from, answer, &[]);
            }
            (Message::Idle(counts), Some(index)) => {
                let members = &mut *memory.members;
                self.ending.handle_idle(index, *counts, &self.members, members, out);
            }
            (Message::Report { round, idle }, Some(index)) => {
                let (round, idle, all) = (*round, *idle, &self.members);
                if self.ending.handle_report(index, round, idle, all, memory.members, out) {
                    self.end(out);
                }
            }
            (Message::Work { own, .. }, None) => {
                let own = tasks.get(..usize::from(*own)).unwrap_or_default();
                self.pool_in(memory).add(own)?;
                self.up.works += 1;
                self.up.counts.given += 1;
                (self.up.requested, self.up.said_idle) = (false, false);
                is_from_above = true;
            }
            (Message::Want, None) => self.up.asked = true,
            (Message::End, None) => self.end(out),
            _ => {}
        }
        self.act(is_from_above, memory, out);
        Ok(())
    }

    /// Returns the pool on the lent memory.
    fn pool_in<'a, T>(&'a mut self, memory: &'a mut ManagerMemory<'_, T>) -> Pool<'a, T> {
        let (slots, tasks) = (&mut *memory.slots, &mut *memory.tasks);
        Pool { state: &mut self.pool, slots, tasks, chunk: self.config.chunk as usize }
    }

    /// Changes the state of a member, and the counts of members in each state.
    fn change<T>(
        &mut self,
        index: usize,
        memory: &mut ManagerMemory<'_, T>,
        change: impl FnOnce(&mut Member),
    ) {
        let member = memory.members.at_mut(index);
        let before = *member;
        change(member);
        let step = |number: &mut usize, before: bool, after: bool| {
            *number = (*number + usize::from(after)).saturating_sub(usize::from(before));
        };
        step(&mut self.idle, before.is_idle(), member.is_idle());
        for (number, likely) in [(&mut self.have, Likely::Has), (&mut self.make, Likely::Makes)] {
            let is = |member: &Member| member.may_be_asked() == Some(likely);
            step(number, is(&before), is(member));
        }
        step(&mut self.asked, before.flow == Flow::Asked, member.flow == Flow::Asked);
    }

    /// Queues a member that asks for tasks. `works` are the messages with tasks that it has got: a
    /// request that is older than the last of them is ignored. `idle` are its counts, where it has
    /// nothing to do.
    fn handle_request<T>(
        &mut self,
        index: usize,
        works: u64,
        idle: Option<Counts>,
        memory: &mut ManagerMemory<'_, T>,
    ) {
        let mut is_new = false;
        let held = self.begins_held();
        self.change(index, memory, |member| {
            // The member has no tasks to spare, whatever it was asked for.
            if member.flow == Flow::Asked {
                member.flow = if held { Flow::Held } else { Flow::Open };
            }
            // Counts from before the member was given something, or from an earlier message, say
            // nothing of now.
            let given = member.given;
            if let Some(idle) = idle.filter(|idle| idle.given == given) {
                member.idle = Some(idle);
            }
            // A member that has got fewer messages with tasks will get the answer to this request:
            // it is on the way.
            is_new = works == member.works && !member.requested;
            if is_new {
                (member.requested, member.next) = (true, u32::MAX);
            }
        });
        if is_new {
            self.wait(index as u32, memory);
        }
    }

    /// Appends a member to the queue of those that wait for tasks.
    fn wait<T>(&mut self, index: u32, memory: &mut ManagerMemory<'_, T>) {
        match memory.members.get_mut(self.last_waiting as usize) {
            Some(last) => last.next = index,
            None => self.first_waiting = index,
        }
        self.last_waiting = index;
        self.waiting += 1;
    }

    /// Hands on tasks, asks for some, and ends, as far as it can. `is_from_above` says that the
    /// message came from the manager above.
    fn act<T: Copy + Default>(
        &mut self,
        is_from_above: bool,
        memory: &mut ManagerMemory<'_, T>,
        out: &mut impl Outbox<T>,
    ) {
        if self.ended || self.config.method.steals() {
            return;
        }
        // Tasks from above are for members that wait here: else they would go up and down for ever.
        if let Some(parent) = self.members.parent.filter(|_| !is_from_above) {
            self.give_upwards(parent, memory, out);
        }
        while self.waiting > 0 && self.pool.chunks() > 0 {
            self.give(memory, out);
        }
        self.want(memory, out);
        match self.members.parent {
            Some(parent) => self.ask_upwards(parent, out),
            None if self.is_idle() => self.end(out),
            None => {}
        }
    }

    /// Whether all members are idle, and the pool is empty.
    fn is_idle(&self) -> bool {
        self.idle == self.members.number && self.pool.chunks() == 0
    }

    /// Sends tasks to the member that waits longest: at most one chunk to a worker, a fair share of
    /// the pool to a manager.
    fn give<T: Copy + Default>(
        &mut self,
        memory: &mut ManagerMemory<'_, T>,
        out: &mut impl Outbox<T>,
    ) {
        let index = self.first_waiting as usize;
        self.first_waiting = memory.members.at(index).next;
        if self.first_waiting == u32::MAX {
            self.last_waiting = u32::MAX;
        }
        let to = self.members.peer(index);
        let others = self.waiting.minus(1);
        let each = |number: usize| number / NonZeroUsize::MIN.saturating_add(others);
        let messages = if self.members.are_managers {
            each(self.pool.chunks()).clamp(1, MOST_AT_A_TIME)
        } else {
            1
        };
        let most = match self.config.method {
            Method::Adaptive => each(self.pool.tasks() + others).max(1),
            _ => MAX_CHUNK,
        };
        self.waiting = others;
        for _ in 0..messages {
            self.send_work(to, most, memory, out);
        }
        self.change(index, memory, |member| {
            (member.requested, member.idle) = (false, None);
            member.works += messages as u64;
            member.given += messages as u64;
        });
    }

    /// Sends a member one chunk of at most `most` tasks, with as many copies of other chunks as are
    /// worth it.
    fn send_work<T: Copy + Default>(
        &mut self,
        to: Peer,
        most: usize,
        memory: &mut ManagerMemory<'_, T>,
        out: &mut impl Outbox<T>,
    ) {
        let wanted = match self.config.method {
            _ if self.members.are_managers => 0,
            Method::Adaptive => self.trust.copies(self.config.copies),
            method if method.speculates() => self.config.copies,
            _ => 0,
        };
        let mut pool = self.pool_in(memory);
        let own: Vec<T, MAX_CHUNK> = list(pool.take(most).iter().copied());
        let copies = pool.copies(wanted);
        let lent = copies.iter().map(|copy| pool.copied(copy.id));
        let parts: Vec<&[T], { MAX_COPIES + 1 }> = list(core::iter::once(&*own).chain(lent));
        out.send(to, Message::Work { own: own.len() as u16, copies }, &parts);
    }

    /// Whether members release nothing before they are asked.
    fn begins_held(&self) -> bool {
        self.members.are_managers || self.config.method == Method::Adaptive
    }

    /// Whether members release tasks only as long as, or when, the manager asks for them.
    fn asks(&self) -> bool {
        self.members.are_managers || self.config.release == Release::Wanted
    }

    /// Tells a member that has just released tasks to release no more, where there are enough in
    /// the pool.
    fn hold<T>(
        &mut self,
        index: usize,
        from: Peer,
        memory: &mut ManagerMemory<'_, T>,
        out: &mut impl Outbox<T>,
    ) {
        if !self.asks() {
            return;
        }
        let enough = self.begins_held() || self.pool.chunks() >= self.members.number / 2 + 2;
        let is_open = memory.members.get(index).is_some_and(|member| member.flow == Flow::Open);
        if enough && is_open {
            self.change(index, memory, |member| member.flow = Flow::Held);
            if !self.begins_held() {
                out.send(from, Message::Hold, &[]);
            }
        }
    }

    /// Asks members for as many chunks as the waiting ones lack, and for a few in advance: first
    /// those that likely have tasks to spare.
    fn want<T>(&mut self, memory: &mut ManagerMemory<'_, T>, out: &mut impl Outbox<T>) {
        if !self.asks() {
            return;
        }
        let wanted = self.waiting + usize::from(self.up.asked);
        let in_advance = self.members.number / 8 + 1;
        loop {
            let there = self.pool.chunks() + self.asked;
            let likely = match (self.have, self.make) {
                (0, 0) => return,
                (0, _) if wanted > there => Likely::Makes,
                (1.., _) if wanted + in_advance > there => Likely::Has,
                _ => return,
            };
            let index = self.next_asked;
            self.next_asked = (index + 1) % self.members.number.max(1);
            if memory.members.get(index).is_some_and(|member| member.may_be_asked() == Some(likely))
            {
                self.change(index, memory, |member| member.flow = Flow::Asked);
                out.send(self.members.peer(index), Message::Want, &[]);
            }
        }
    }

    /// Gives half of its chunks to the manager above, once for each time that it is asked: before
    /// its own members get some, of which most are not idle but ask ahead.
    fn give_upwards<T: Copy + Default>(
        &mut self,
        parent: ManagerId,
        memory: &mut ManagerMemory<'_, T>,
        out: &mut impl Outbox<T>,
    ) {
        if !self.up.asked || self.pool.chunks() == 0 {
            return;
        }
        self.up.asked = false;
        for _ in 0..self.pool.chunks().div_ceil(2).min(MOST_AT_A_TIME) {
            let mut pool = self.pool_in(memory);
            let tasks = pool.take(MAX_CHUNK);
            out.send(Peer::Manager(parent), Message::Release, &[tasks]);
            self.up.counts.sent += 1;
        }
    }

    /// Asks the manager above for tasks where members wait in vain, and reports when all members
    /// are idle.
    fn ask_upwards<T>(&mut self, parent: ManagerId, out: &mut impl Outbox<T>) {
        let is_idle = self.is_idle();
        let lacks = self.waiting > 0 && self.pool.chunks() == 0;
        if lacks && !self.up.requested || is_idle && !self.up.said_idle {
            (self.up.requested, self.up.said_idle, self.up.asked) = (true, is_idle, false);
            let idle = is_idle.then_some(self.up.counts);
            let request = Message::Request { works: self.up.works, idle };
            out.send(Peer::Manager(parent), request, &[]);
        }
    }

    /// Tells all members that all tasks are executed.
    fn end<T>(&mut self, out: &mut impl Outbox<T>) {
        self.ended = true;
        for index in 0..self.members.number {
            out.send(self.members.peer(index), Message::End, &[]);
        }
    }
}
