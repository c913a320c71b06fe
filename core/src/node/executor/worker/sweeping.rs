//! How a worker sweeps: what it keeps in its hands, or what it claims for one sweep at a time.

use super::{Begun, Step, Worker};
use crate::base::table::At;
use crate::node::executor::board::SharedBoard;
use crate::node::executor::host::{Host, Wait};
use crate::node::executor::node::Sweeps;
use crate::node::executor::peers::Peers;
use crate::node::executor::visits::Visits;
use crate::node::worker::Command;
use crate::node::{Around, Hands as _, Keep, Visit};
use crate::parts::{Graph, Part};

impl<'w, 'r, T, G, P, H, const N: usize> Worker<'_, 'w, 'r, T, G, P, H, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
    H: Host<T, N>,
{
    /// Sweeps members whose neighbours are far enough: all of this iteration with `ALL`, otherwise
    /// the next one.
    #[inline]
    pub(super) fn sweep<const ALL: bool>(&mut self) -> Step {
        let Self { id, node, members, keeper, leveling, staleness, host, begun, .. } = self;
        let mode = node.config.mode;
        // Read once a sweep, and only for a balancer that goes by it.
        let mut before = match *begun {
            Begun::Sweep(before) => before,
            _ => node.config.balance.measures_sweeps().then(|| host.now()),
        };
        loop {
            let index = match keeper.next(mode, members, leveling.as_mut()) {
                Keep::Sweep(place) => place as usize,
                Keep::Done(swept) => {
                    *begun = Begun::No;
                    self.handle_swept(swept);
                    return Step::Next;
                }
            };
            if mode.is_synchronous() || members.read_halos(index).is_ok() {
                if !mode.is_synchronous() {
                    members.count_staleness(index, staleness);
                }
                members.sweep(index, &node.residuals, *id, host.observer());
                node.peers.enter();
                if let Some(before) = &mut before {
                    let now = host.now();
                    members.add_time(index, now.since(*before));
                    *before = now;
                }
            } else {
                keeper.handle_missed();
            }
            if !ALL {
                *begun = Begun::Sweep(before);
                return self.go_on_with(Command::Sweep, Step::Next);
            }
        }
    }

    /// Carries out the next action of the [`Visitor`](crate::node::Visitor), or with `ALL` all
    /// actions of an iteration.
    #[inline]
    pub(super) fn visit<const ALL: bool>(&mut self, visits: &Visits<'w, 'r, T, N>) -> Step {
        let Self { id, node, life, members, visitor, visited, staleness, host, .. } = self;
        let around = Around {
            me: *id,
            homes: &visits.homes,
            board: &SharedBoard { node, visits },
            control: &node.control,
            diameter: visits.diameter,
        };
        loop {
            match visitor.next(&around, || host.now()) {
                Visit::Claim(part) => {
                    if let Some(taken) = members.take_in(life.pass(), part, &node.slots) {
                        members.add_among(taken, visits.links(part, node.peers));
                        visitor.handle_claimed();
                    }
                }
                Visit::Read(_) => {
                    if members.is_ready(0) && members.read_halos(0).is_ok() {
                        visitor.handle_read(members.count(0).0);
                    }
                }
                Visit::Sweep { is_away, is_open, .. } => {
                    // Not as they are read: a halt may come between.
                    members.count_staleness(0, staleness);
                    let (slots, residuals, observer) =
                        (&node.slots, &node.residuals, host.observer());
                    if !is_open {
                        members.sweep(0, residuals, *id, observer);
                    } else if !members.sweep_open((slots, visits), residuals, *id, observer) {
                        visitor.handle_lost();
                        continue;
                    }
                    node.peers.enter();
                    visited.away += u64::from(is_away);
                }
                Visit::Help { part, is_away } => {
                    if members.help(part, (node, visits), *id, host.observer()) {
                        visitor.handle_helped();
                        visited.away += u64::from(is_away);
                        visited.helped += 1;
                    }
                }
                Visit::Leave(_) => members.clear(),
                Visit::Done(swept) => {
                    self.handle_swept(swept);
                    return Step::Next;
                }
            }
            if !ALL {
                return self.go_on_with(Command::Sweep, Step::Next);
            }
        }
    }

    /// Records the end of an iteration with this number of sweeps.
    #[inline]
    fn handle_swept(&mut self, swept: u64) {
        self.sweeps().add(swept);
        self.life.handle_swept(swept);
        if swept > 0 && !self.node.config.mode.is_synchronous() {
            self.host.waited(Wait::Sweep);
        }
    }

    /// Returns this worker's published sweep counter.
    #[inline]
    pub(super) fn sweeps(&self) -> &'w Sweeps {
        self.node.sweeps.at(self.id)
    }
}
