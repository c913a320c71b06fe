//! What a worker does in a halt: pass by pass something with each part.

use super::{Begun, Step, Worker};
use crate::node::executor::host::{Host, Wait};
use crate::node::executor::observer::{Activity, Observer as _};
use crate::node::executor::peers::Peers;
use crate::node::executor::slots::Taken;
use crate::node::worker::Command;
use crate::parts::{Graph, Part};

impl<'r, T, G, P, H, const N: usize> Worker<'_, '_, 'r, T, G, P, H, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
    H: Host<T, N>,
{
    /// Begins a halt if this worker has the turn; otherwise waits until the worker that has it
    /// does.
    pub(super) fn halt(&mut self) -> Step {
        let node = self.node;
        if node.turn.worker() == self.id {
            self.life.begin_halt(&node.control, node.parts());
            Step::Next
        } else {
            Step::Wait(Wait::Sweep)
        }
    }

    /// Waits until the node's present pass is over.
    pub(super) fn await_pass(&mut self) -> Step {
        let Self { node, life, host, begun, .. } = self;
        if *begun == Begun::No {
            host.observer().turns();
        }
        if node.control.pass() == life.pass() {
            *begun = Begun::Pass;
            return self.go_on_with(Command::Wait, Step::Wait(Wait::Workers));
        }
        *begun = Begun::No;
        host.waited(Wait::Workers);
        host.observer().returns(Activity::Barrier);
        Step::Next
    }

    /// Freezes this worker's members, and then each part that nobody holds, for this pass.
    pub(super) fn freeze(&mut self) {
        self.frozen.clear();
        self.members.parts().for_each(|id| self.frozen.push(id));
        let held = self.members.freeze(self.life.pass());
        let found = self.for_each_remaining(|worker, taken| worker.members.show(&taken, |_| ()));
        self.life.handle_done(&self.node.control, held + found);
    }

    /// Publishes the residual of each part here that is left in this pass, with the newest halos.
    /// While all parts are frozen, every halo is there or on its way; without `ALL` it returns to
    /// wait for one.
    pub(super) fn share<const ALL: bool>(&mut self) -> Step {
        let (node, pass) = (self.node, self.life.pass());
        let Self { members, host, begun, .. } = self;
        let (gone_through, mut shared) = if let Begun::Shared(gone_through, shared) = *begun {
            (gone_through, shared)
        } else {
            host.observer().turns();
            (0, 0)
        };
        for (place, id) in node.parts_here(self.id).enumerate().skip(gone_through) {
            if members.len() == 0 {
                let Some(taken) = members.take_in(pass, id, &node.slots) else { continue };
                members.add(taken);
                members.connect(node);
            }
            while let Err(missing) = members.read_newest() {
                members.request_missing(&missing, node);
                if !ALL {
                    *begun = Begun::Shared(place, shared);
                    return self.go_on_with(Command::Share, Step::Wait(Wait::Halo));
                }
                host.wait(Wait::Halo);
            }
            host.waited(Wait::Halo);
            members.share();
            shared += 1;
        }
        *begun = Begun::No;
        host.observer().returns(Activity::Verification);
        self.life.handle_done(&node.control, shared);
        Step::Next
    }

    /// Saves each part here that is left in this pass and that nobody holds.
    pub(super) fn save(&mut self) {
        let saved = self.for_each_remaining(|worker, taken| {
            let (peers, version) = (worker.node.peers, taken.publication.version());
            worker.members.show(&taken, |part| peers.save(taken.id, version, part));
        });
        self.life.handle_done(&self.node.control, saved);
    }

    /// Claims each part here that nobody holds, or has claimed in this pass before, own parts
    /// first, and calls `act` with it; returns their number.
    fn for_each_remaining(&mut self, mut act: impl FnMut(&mut Self, Taken<'r, T, N>)) -> u64 {
        let (node, pass) = (self.node, self.life.pass());
        let mut number = 0;
        for id in node.parts_here(self.id) {
            if let Some(taken) = self.members.take_in(pass, id, &node.slots) {
                act(self, taken);
                number += 1;
            }
        }
        number
    }
}
