//! The parts in the hands of one worker, and how they get at their neighbours' edges.
//!
//! Where a neighbour is in the same hands, its edge is copied from part to part; only edges that
//! another worker reads are published. Before a part leaves, the edges between it and those that
//! stay are published as they are, so that its next holder finds them.

use core::fmt;

use crate::base::id::{SubdomainId, WorkerId};
use crate::base::list::List;
use crate::base::table::At;
use crate::base::time::Duration;
use crate::node::Hands;
use crate::node::shared::{Grip, Swept};
use crate::node::worker::{Pass, Taking};
use crate::parts::halo::Publication;
use crate::parts::{Graph, Part};
use crate::run::Mode;
use crate::run::progress::Staleness;
use crate::run::schedule::Wanted;

use super::host::Host;
use super::links::{Ends, Links, Neighbour};
use super::missing::MissingHalo;
use super::node::Node;
use super::observer::{Observer, Sweep};
use super::peers::Peers;
use super::residuals::Residuals;
use super::slots::{Slots, Taken};
use super::visits::Visits;

/// A part that a worker holds.
pub struct Member<'r, T: Part, const N: usize> {
    id: SubdomainId,
    /// The index of its claim.
    claim: usize,
    publication: &'r Publication<'r, T::Unit, N>,
    neighbours: Links<'r, T::Unit, N>,
    /// The versions of the halos that were read last, by link.
    halos: [Option<u64>; N],
    stays: bool,
}

/// A sweep, as an observer sees it.
#[derive(Clone, Copy)]
struct Made<'a, const N: usize> {
    worker: WorkerId,
    subdomain: SubdomainId,
    version: u64,
    halos: &'a [Option<u64>; N],
    /// Units of the edges that the part publishes, where it has a neighbour.
    sent: [Option<u32>; N],
}

impl<'a, const N: usize> Made<'a, N> {
    /// Returns the sweep with its part, for an observer.
    #[inline]
    fn seen<T>(self, part: &'a T) -> Sweep<'a, T, N> {
        let Self { worker, subdomain, version, halos, .. } = self;
        Sweep { worker, subdomain, version, halos, part }
    }
}

impl<const N: usize> Made<'_, N> {
    /// Returns [`Taking::Fused`] where this sweep takes a share of the residual along. A separate
    /// share was published before by the worker that began the sweep.
    fn fused(&self, residuals: &Residuals) -> Option<Taking> {
        residuals.taking_at(self.version - 1).filter(|taken| *taken == Taking::Fused)
    }

    /// Makes the sweep from `source` into `target`; returns the fused share of the residual.
    fn make<T: Part>(
        self,
        residuals: &Residuals,
        observer: &mut impl Observer<T, N>,
        (target, source): (&mut T, &T),
    ) -> Option<f64> {
        observer.starts(self.seen(source));
        target.update_from(self.subdomain, source, self.fused(residuals).is_some())
    }

    /// Publishes the result of a sweep between two copies: its share of the residual, and its edges
    /// on all links.
    fn publish<T: Part>(
        self,
        publication: &Publication<'_, T::Unit, N>,
        residuals: &Residuals,
        (part, share): (&T, Option<f64>),
        observer: &mut impl Observer<T, N>,
    ) {
        let taken = (self.version - 1, self.fused(residuals));
        residuals.publish((self.subdomain, publication), taken, share);
        observer.ends(self.seen(part));
        publication.publish(self.sent.map(|sent| sent.is_some()), |link, edge| {
            part.publish(link, edge.exactly(self.sent.at(link).unwrap_or(0)));
        });
    }
}

/// All parts that one worker holds, in ascending order, and its grip on them.
pub(super) struct Members<'m, 'r, T: Part, const N: usize> {
    held: List<'m, Member<'r, T, N>>,
    grip: Grip<'r, T>,
    mode: Mode,
}

/// The parts, and the halos that each has read.
impl<T: Part, const N: usize> fmt::Debug for Members<'_, '_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.held.iter().map(|member| (member.id, member.halos))).finish()
    }
}

impl<T: Part, const N: usize> Hands for Members<'_, '_, T, N> {
    #[inline]
    fn after(&self, place: Option<u32>) -> Option<u32> {
        let next = place.map_or(0, |place| place + 1);
        Some(next).filter(|&next| (next as usize) < self.held.len())
    }

    #[inline]
    fn count(&self, place: u32) -> (u64, SubdomainId) {
        let Member { id, publication, .. } = self.held.at(place as usize);
        (publication.version(), *id)
    }

    fn is_ready(&self, place: u32) -> bool {
        let mode = self.mode;
        // Asynchronously nobody waits, and looking would cost a cache miss.
        if mode == Mode::Async {
            return true;
        }
        let (version, _) = self.count(place);
        self.held.at(place as usize).neighbours.iter().all(|neighbour| match *neighbour {
            Neighbour::Nobody => true,
            Neighbour::Member(other, _) => {
                mode.admits(version, self.held.at(other).publication.version())
            }
            Neighbour::Other(..) => neighbour.admits(mode, version),
        })
    }
}

impl<'m, 'r, T: Part, const N: usize> Members<'m, 'r, T, N> {
    /// Returns a worker's hands without a part. `memory` has a place for each part that can be in
    /// this process.
    pub(super) fn new(
        grip: Grip<'r, T>,
        memory: &'m mut [Option<Member<'r, T, N>>],
        mode: Mode,
    ) -> Self {
        Self { held: List::new(memory), grip, mode }
    }

    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Returns the parts, in ascending order.
    pub(super) fn parts(&self) -> impl Iterator<Item = SubdomainId> {
        self.held.iter().map(|member| member.id)
    }

    /// Whether a part is among the first `number` members, which are sorted.
    pub(super) fn has_among(&self, number: usize, id: SubdomainId) -> bool {
        self.held.place_among(number, &id, |member| member.id).is_some()
    }

    /// Returns the index of a part among the members.
    fn place(&self, id: SubdomainId) -> Option<usize> {
        self.held.place_among(self.held.len(), &id, |member| member.id)
    }

    /// Adds a part; [`Members::connect`] must follow.
    pub(super) fn add(&mut self, taken: Taken<'r, T, N>) {
        self.add_among(taken, [Neighbour::Nobody; N]);
    }

    /// Adds a part that was taken, with its neighbours.
    #[inline]
    pub(super) fn add_among(
        &mut self,
        Taken { id, claim, publication }: Taken<'r, T, N>,
        neighbours: Links<'r, T::Unit, N>,
    ) {
        let halos = [None; N];
        self.held.push(Member { id, claim, publication, neighbours, halos, stays: true });
    }

    /// Releases all members; all their edges are published already.
    #[inline]
    pub(super) fn clear(&mut self) {
        while let Some(member) = self.held.pop() {
            self.grip.leave(member.claim);
        }
    }

    /// Claims a part in a pass, if it is here and nobody holds it.
    #[inline]
    pub(super) fn take_in(
        &mut self,
        pass: Pass,
        id: SubdomainId,
        slots: &Slots<'r, T, N>,
    ) -> Option<Taken<'r, T, N>> {
        slots.take_in(pass, id, &mut self.grip)
    }

    /// Calls `see` with a claimed part, and releases it.
    pub(super) fn show(&mut self, taken: &Taken<'r, T, N>, see: impl FnOnce(&T)) {
        self.grip.with(taken.claim, |part| see(part));
        self.grip.leave(taken.claim);
    }

    /// Releases the members that `kept` rejects; [`Members::connect`] must follow.
    pub(super) fn keep(&mut self, kept: impl Fn(SubdomainId) -> bool) {
        // Asked once: what is to be kept may change at any moment.
        self.held.iter_mut().for_each(|member| member.stays = kept(member.id));
        if self.held.iter().all(|member| member.stays) {
            return;
        }
        self.publish_between();
        let Self { held, grip, .. } = self;
        held.retain(|member| {
            if !member.stays {
                grip.leave(member.claim);
            }
            member.stays
        });
    }

    /// Releases all members as done in this pass, with all edges published; returns their number.
    pub(super) fn freeze(&mut self, pass: Pass) -> u64 {
        self.held.iter_mut().for_each(|member| member.stays = false);
        self.publish_between();
        let number = self.held.len() as u64;
        while let Some(member) = self.held.pop() {
            self.grip.leave_in(pass, member.claim);
        }
        number
    }

    /// Publishes the edges between two members of which at least one does not stay.
    fn publish_between(&mut self) {
        for index in 0..self.held.len() {
            let Member { claim, publication, stays, neighbours, .. } = self.held.at(index);
            let links = neighbours.map(|neighbour| match neighbour {
                Neighbour::Member(other, _) => !(*stays && self.held.at(other).stays),
                Neighbour::Nobody | Neighbour::Other(..) => false,
            });
            self.grip.with(*claim, |own| {
                publication.publish_again(links, |link, edge| {
                    own.publish(link, edge.exactly(neighbours.at(link).sent().unwrap_or(0)));
                });
            });
        }
    }

    /// Sorts the members, and looks up the neighbour on each of their links.
    pub(super) fn connect<G, P>(&mut self, node: &Node<'_, 'r, T, G, P, N>)
    where
        G: Graph<N>,
        P: Peers<'r, T, N>,
    {
        self.held.sort_by_key(|member| member.id);
        for index in 0..self.held.len() {
            let id = self.held.at(index).id;
            let mut links = 0..;
            let neighbours = node.graph.neighbours(id).map(|neighbour| {
                let link = links.next()?;
                let neighbour = neighbour?;
                let ends = Ends::new(node.graph, (id, link), neighbour);
                Some(match self.place(neighbour) {
                    Some(place) => Neighbour::Member(place, ends),
                    None => Neighbour::Other(neighbour, ends, node.edges(id, neighbour, link)),
                })
            });
            self.held.at_mut(index).neighbours =
                neighbours.map(|neighbour| neighbour.unwrap_or(Neighbour::Nobody));
        }
    }

    /// Sets every member to its state at the start of the run, and publishes all its edges.
    pub(super) fn fill(&mut self, host: &mut impl Host<T, N>) {
        for Member { id, claim, publication, neighbours, .. } in self.held.iter() {
            let sent = neighbours.each_ref().map(Neighbour::sent);
            self.grip.with(*claim, |own| {
                host.fill(*id, own);
                publication.publish_again(sent.map(|sent| sent.is_some()), |link, edge| {
                    own.publish(link, edge.exactly(sent.at(link).unwrap_or(0)));
                });
            });
        }
    }

    /// Reads the neighbours' edges into the halos of the member at `index`, in the versions that
    /// the mode wants. On an error a halo is missing, and the member must not be swept: its ghost
    /// cells are then stale.
    #[inline]
    pub(super) fn read_halos(&mut self, index: usize) -> Result<(), MissingHalo> {
        let own = self.held.at(index).publication.version();
        self.read_wanted(index, self.mode.wanted(own))
    }

    /// Counts the staleness of the halos with which a member is swept.
    #[inline]
    pub(super) fn count_staleness(&self, index: usize, met: &mut Staleness) {
        let Member { publication, halos, .. } = self.held.at(index);
        let own = publication.version();
        for halo in halos.iter().flatten() {
            met.meet(own, *halo);
        }
    }

    /// Reads the neighbours' edges in the wanted version into the halos of the member at `index`;
    /// an error names a halo that is missing.
    #[inline]
    fn read_wanted(&mut self, index: usize, wanted: Wanted) -> Result<(), MissingHalo> {
        let mut missing = None;
        for link in 0..N {
            let Member { id, claim, neighbours, .. } = self.held.at(index);
            let halo = match neighbours.at(link) {
                Neighbour::Nobody => None,
                Neighbour::Member(other, Ends { back, received, .. }) => {
                    let Member { claim: there, publication, .. } = self.held.at(*other);
                    let through = publication.unread(*back);
                    let through = through.get(..*received as usize).unwrap_or(through);
                    self.grip.with_both(*claim, *there, |own, other| {
                        own.copy(link, other, *back, through);
                    });
                    Some(publication.version())
                }
                Neighbour::Other(neighbour, Ends { back, received, .. }, edges) => {
                    let halo = edges.and_then(|edges| {
                        self.grip.with(*claim, |own| {
                            edges.read(*neighbour, *back, wanted, |edge| {
                                own.read(link, edge.first(*received));
                            })
                        })
                    });
                    if halo.is_none() {
                        let known = edges.map(|edges| edges.version());
                        let (reader, neighbour) = (*id, *neighbour);
                        missing = Some(MissingHalo { reader, link, neighbour, wanted, known });
                    }
                    halo
                }
            };
            *self.held.at_mut(index).halos.at_mut(link) = halo;
        }
        missing.map_or(Ok(()), Err)
    }

    /// Requests a missing halo without which the worker cannot go on, and looks up all neighbours
    /// again. Ends the run with an error where it can never come.
    #[cold]
    pub(super) fn request_missing<G, P>(
        &mut self,
        missing: &MissingHalo,
        node: &Node<'_, 'r, T, G, P, N>,
    ) where
        G: Graph<N>,
        P: Peers<'r, T, N>,
    {
        if missing.is_lost() {
            node.peers.give_up(missing);
        }
        node.peers.bring_halos();
        // It may have been found somewhere else.
        self.connect(node);
    }

    /// Sweeps the member at `index` with the halos that it has, and publishes its edges and its
    /// share of the residual.
    #[inline]
    pub(super) fn sweep(
        &mut self,
        index: usize,
        residuals: &Residuals,
        worker: WorkerId,
        observer: &mut impl Observer<T, N>,
    ) {
        let Member { id, claim, publication, neighbours, halos, .. } = self.held.at(index);
        let version = publication.version();
        // Other members read the part itself.
        let links = neighbours.map(|neighbour| matches!(neighbour, Neighbour::Other(..)));
        self.grip.with(*claim, |part| {
            let sent = neighbours.each_ref().map(Neighbour::sent);
            let made = Made { worker, subdomain: *id, version: version + 1, halos, sent };
            observer.starts(made.seen(part));
            let taken = residuals.taking_at(version);
            let separate = (taken == Some(Taking::Separate)).then(|| part.residual());
            let fused = part.update(taken == Some(Taking::Fused));
            residuals.publish((*id, publication), (version, taken), separate.or(fused));
            observer.ends(made.seen(part));
            publication.publish(links, |link, edge| {
                part.publish(link, edge.exactly(sent.at(link).unwrap_or(0)));
            });
        });
    }

    /// Sweeps the only member as [`Members::sweep`] does, but open to helpers. Returns false where
    /// a helper finished first, so that the member is gone.
    pub(super) fn sweep_open(
        &mut self,
        (slots, visits): (&Slots<'r, T, N>, &Visits<'_, 'r, T, N>),
        residuals: &Residuals,
        worker: WorkerId,
        observer: &mut impl Observer<T, N>,
    ) -> bool {
        let Some(member) = self.held.pop() else { return false };
        let Member { id, claim, publication, halos, neighbours, .. } = &member;
        visits.publish_halos(*id, halos);
        // Now, as nobody may touch the copy while others may read it.
        let version = publication.version();
        if let Some(Taking::Separate) = residuals.taking_at(version) {
            let share = self.grip.with(*claim, Part::residual);
            residuals.publish((*id, publication), (version, Some(Taking::Separate)), Some(share));
        }
        let sent = neighbours.each_ref().map(Neighbour::sent);
        let made = Made { worker, subdomain: *id, version: version + 1, halos, sent };
        let swept = slots.sweep(*id, &mut self.grip, |target, source| {
            made.make(residuals, observer, (target, source))
        });
        match swept {
            Swept::Won(claim, share) => {
                self.grip.with(claim, |part| {
                    made.publish(publication, residuals, (part, share), observer);
                });
                self.held.push(Member { claim, ..member });
            }
            Swept::Lost => {}
            Swept::Closed => {
                self.held.push(member);
                self.sweep(0, residuals, worker, observer);
            }
        }
        !self.held.is_empty()
    }

    /// Makes the sweep that another worker is stuck in. Returns true where this worker finished
    /// first: the part is then its only member.
    #[cold]
    pub(super) fn help<G, P>(
        &mut self,
        id: SubdomainId,
        (node, visits): (&Node<'_, 'r, T, G, P, N>, &Visits<'_, 'r, T, N>),
        worker: WorkerId,
        observer: &mut impl Observer<T, N>,
    ) -> bool
    where
        P: Peers<'r, T, N>,
    {
        let (slots, residuals) = (&node.slots, &node.residuals);
        let Some(publication) = slots.publication(id) else { return false };
        let sent = visits.links(id, node.peers).each_ref().map(Neighbour::sent);
        let swept = slots.help(id, &mut self.grip, |target, source| {
            // Those of the sweep, now that the part is read.
            let (version, halos) = (publication.version() + 1, visits.halos(id));
            let made = Made { worker, subdomain: id, version, halos: &halos, sent };
            (version, halos, made.make(residuals, observer, (target, source)))
        });
        if let Swept::Won(claim, (version, halos, share)) = swept {
            let made = Made { worker, subdomain: id, version, halos: &halos, sent };
            self.grip.with(claim, |part| {
                made.publish(publication, residuals, (part, share), observer);
            });
            self.add_among(Taken { id, claim, publication }, visits.links(id, node.peers));
        }
        !self.held.is_empty()
    }

    /// Adds the time that a member's sweep took, reading and publishing included.
    #[inline]
    pub(super) fn add_time(&self, index: usize, time: Duration) {
        self.held.at(index).publication.add_sweep_time(time);
    }

    /// Reads the newest edges of the neighbours into the only member's halos; see
    /// [`Members::read_halos`] for the error.
    pub(super) fn read_newest(&mut self) -> Result<(), MissingHalo> {
        self.read_wanted(0, Wanted::Newest)
    }

    /// Publishes the residual of the only member with the halos that it has, and releases it.
    pub(super) fn share(&mut self) {
        for Member { claim, publication, .. } in self.held.iter() {
            publication.publish_residual(self.grip.with(*claim, Part::residual));
        }
        self.clear();
    }
}
