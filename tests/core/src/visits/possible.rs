//! The steps that can happen.

use tresse_core::node::Visit;
use tresse_core::node::worker::Command;

use super::{At, Driver, Step, System};

impl System {
    /// Returns the steps that can happen now.
    pub fn possible(&self) -> Vec<Step> {
        let able = || (0..self.at.len()).filter(|&worker| self.is_able(worker));
        let turns = || able().filter(|&worker| self.at[worker] == At::Do(Command::TakeTurn));
        let wishes = turns().filter(|&worker| self.wishes > 0 && self.has_turn(worker));
        let wishes = wishes.map(Step::Wish);
        let hears = (0..self.at.len()).filter(|&worker| self.can_hear(worker)).map(Step::Hear);
        let meets = self.can_meet().then_some(Step::Meet);
        let late = (0..self.at.len()).filter(|&worker| self.can_be_late(worker)).map(Step::Late);
        able().map(Step::Go).chain(wishes).chain(hears).chain(meets).chain(late).collect()
    }

    /// Whether a worker can go on by itself.
    pub(super) fn is_able(&self, worker: usize) -> bool {
        let at = self.at[worker];
        let idles = at == At::Do(Command::Idle) && !self.has_news[worker];
        let reads = self.driver == Driver::ReadsLate
            && matches!(at, At::Visit(Visit::Sweep { part, .. })
                if !self.neighbours_admit(part.index()));
        let is_passed = self.controls[self.node(worker)].pass() == self.workers[worker].pass();
        let waits = self.waits[worker] || at == At::Do(Command::Wait) && is_passed;
        let is_stopped = waits || self.meets(worker) || at == At::Do(Command::End);
        !(idles || reads || is_stopped)
    }

    /// Whether a worker can hear of a halt that nodes are asked for: in its turn, which comes again
    /// and again while it is idle.
    pub(super) fn can_hear(&self, worker: usize) -> bool {
        let (made, asked) = self.halts;
        let is_asked = asked > made && asked > self.heard[self.node(worker)];
        let takes_turn = match self.at[worker] {
            At::Do(Command::TakeTurn) => true,
            At::Do(Command::Idle) => !self.has_news[worker],
            _ => false,
        };
        self.controls.len() > 1 && is_asked && takes_turn && self.has_turn(worker)
    }

    /// The first worker of each node has the turn.
    pub(super) fn has_turn(&self, worker: usize) -> bool {
        worker.is_multiple_of(self.config.workers_per_node() as usize)
    }

    /// Whether it makes a difference that much time passes before a worker looks again.
    fn can_be_late(&self, worker: usize) -> bool {
        let at = self.at[worker];
        let looks = at == At::Do(Command::Sweep) || at == At::Do(Command::Idle);
        self.config.helps() && looks && self.lates > 0 && !self.late[worker]
    }

    pub(super) fn can_meet(&self) -> bool {
        let all = 0..self.at.len();
        self.controls.len() > 1
            && all.filter(|&worker| self.meets(worker)).count() == self.controls.len()
    }

    /// Whether a worker has come to a collective operation of several nodes.
    pub(super) fn meets(&self, worker: usize) -> bool {
        use Command::{Agree, Begin, Decide, Fetch, Settle};
        let is_collective = |at| matches!(at, At::Do(Agree | Begin | Decide | Fetch | Settle));
        self.controls.len() > 1 && is_collective(self.at[worker])
    }
}
