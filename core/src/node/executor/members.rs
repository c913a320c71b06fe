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
use super::links::{Links, Neighbour};
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
    /// Its claim.
    claim: usize,
    publication: &'r Publication<'r, T::Unit, N>,
    neighbours: Links<'r, T::Unit, N>,
    /// The versions of the halos that were read last.
    halos: [Option<u64>; N],
    stays: bool,
}

/// A sweep that an observer sees.
#[derive(Clone, Copy)]
struct Made<'a, const N: usize> {
    worker: WorkerId,
    subdomain: SubdomainId,
    version: u64,
    halos: &'a [Option<u64>; N],
}

impl<'a, const N: usize> Made<'a, N> {
    #[inline]
    fn seen<T>(self, part: &'a T) -> Sweep<'a, T, N> {
        let Self { worker, subdomain, version, halos } = self;
        Sweep { worker, subdomain, version, halos, part }
    }
}

impl<const N: usize> Made<'_, N> {
    /// Returns how this sweep takes a share of the residual along. Where it is taken apart, the
    /// worker that was to make the sweep has told it.
    fn fused(&self, residuals: &Residuals) -> Option<Taking> {
        residuals.takes(self.version - 1).filter(|taken| *taken == Taking::Fused)
    }

    /// Makes the sweep from one copy into another.
    fn make<T: Part>(
        self,
        residuals: &Residuals,
        observer: &mut impl Observer<T, N>,
        (target, source): (&mut T, &T),
    ) -> Option<f64> {
        observer.starts(self.seen(source));
        target.update_from(self.subdomain, source, self.fused(residuals).is_some())
    }

    /// Publishes a sweep from one copy into another, on all links.
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
        publication.publish([true; N], |link, edge| part.publish(link, edge));
    }
}

/// All parts that one worker holds, in ascending order.
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
        let (own, _) = self.count(place);
        self.held.at(place as usize).neighbours.iter().all(|neighbour| match *neighbour {
            Neighbour::Nobody => true,
            Neighbour::Member(other, _) => {
                mode.admits(own, self.held.at(other).publication.version())
            }
            Neighbour::Other(..) => neighbour.admits(mode, own),
        })
    }
}

impl<'m, 'r, T: Part, const N: usize> Members<'m, 'r, T, N> {
    /// Returns no parts, in memory for as many as can be here.
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

    /// Whether a part is among the first so many members, which are connected.
    pub(super) fn has_among(&self, number: usize, id: SubdomainId) -> bool {
        self.held.place_among(number, &id, |member| member.id).is_some()
    }

    fn place(&self, id: SubdomainId) -> Option<usize> {
        self.held.place_among(self.held.len(), &id, |member| member.id)
    }

    /// Adds a part; [`Members::connect`] is to follow.
    pub(super) fn add(&mut self, taken: Taken<'r, T, N>) {
        self.add_among(taken, [Neighbour::Nobody; N]);
    }

    /// Adds a part whose neighbours are known.
    #[inline]
    pub(super) fn add_among(
        &mut self,
        Taken { id, claim, publication }: Taken<'r, T, N>,
        neighbours: Links<'r, T::Unit, N>,
    ) {
        let halos = [None; N];
        self.held.push(Member { id, claim, publication, neighbours, halos, stays: true });
    }

    /// Lets go of all, whose edges are published on all links.
    #[inline]
    pub(super) fn clear(&mut self) {
        while let Some(member) = self.held.pop() {
            self.grip.leave(member.claim);
        }
    }

    /// Takes a part in a pass, if it is here and nobody has it.
    #[inline]
    pub(super) fn take_in(
        &mut self,
        pass: Pass,
        id: SubdomainId,
        slots: &Slots<'r, T, N>,
    ) -> Option<Taken<'r, T, N>> {
        slots.take_in(pass, id, &mut self.grip)
    }

    /// Shows a part that was taken, and lets it go.
    pub(super) fn show(&mut self, taken: &Taken<'r, T, N>, see: impl FnOnce(&T)) {
        self.grip.with(taken.claim, |part| see(part));
        self.grip.leave(taken.claim);
    }

    /// Lets go of those that are not to be kept; [`Members::connect`] is to follow.
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

    /// Lets go of all, as done in this pass, with all edges published; returns their number.
    pub(super) fn freeze(&mut self, pass: Pass) -> u64 {
        self.held.iter_mut().for_each(|member| member.stays = false);
        self.publish_between();
        let number = self.held.len() as u64;
        while let Some(member) = self.held.pop() {
            self.grip.leave_in(pass, member.claim);
        }
        number
    }

    /// Publishes the edges between members of which one does not stay.
    fn publish_between(&mut self) {
        for index in 0..self.held.len() {
            let Member { claim, publication, stays, neighbours, .. } = self.held.at(index);
            let links = neighbours.map(|neighbour| match neighbour {
                Neighbour::Member(other, _) => !(*stays && self.held.at(other).stays),
                Neighbour::Nobody | Neighbour::Other(..) => false,
            });
            self.grip.with(*claim, |own| {
                publication.publish_again(links, |link, edge| own.publish(link, edge));
            });
        }
    }

    /// Finds out again who is on each link of each member.
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
                let (neighbour, back) = (neighbour?, node.graph.back(id, link));
                Some(match self.place(neighbour) {
                    Some(place) => Neighbour::Member(place, back),
                    None => Neighbour::Other(neighbour, back, node.edges(id, neighbour, link)),
                })
            });
            self.held.at_mut(index).neighbours =
                neighbours.map(|neighbour| neighbour.unwrap_or(Neighbour::Nobody));
        }
    }

    /// Sets every member to what the run starts with, and publishes all edges.
    pub(super) fn fill(&mut self, host: &mut impl Host<T, N>) {
        for Member { id, claim, publication, .. } in self.held.iter() {
            self.grip.with(*claim, |own| {
                host.fill(*id, own);
                publication.publish_again([true; N], |link, edge| own.publish(link, edge));
            });
        }
    }

    /// Brings the neighbours' edges into a member's halos, as the mode wants them; an error where
    /// one of them is not to be had at the moment, so that the member must not be swept: what
    /// stands in its halos is not the neighbour's then, but what a sweep has left there.
    #[inline]
    pub(super) fn read_halos(&mut self, index: usize) -> Result<(), MissingHalo> {
        let own = self.held.at(index).publication.version();
        self.read_wanted(index, self.mode.wanted(own))
    }

    /// Counts the halos that a member has read, and sweeps with.
    #[inline]
    pub(super) fn meet(&self, index: usize, met: &mut Staleness) {
        let Member { publication, halos, .. } = self.held.at(index);
        let own = publication.version();
        for halo in halos.iter().flatten() {
            met.meet(own, *halo);
        }
    }

    #[inline]
    fn read_wanted(&mut self, index: usize, wanted: Wanted) -> Result<(), MissingHalo> {
        let mut missing = None;
        for link in 0..N {
            let Member { id, claim, neighbours, .. } = self.held.at(index);
            let halo = match neighbours.at(link) {
                Neighbour::Nobody => None,
                Neighbour::Member(other, back) => {
                    let Member { claim: there, publication, .. } = self.held.at(*other);
                    let through = publication.unread(*back);
                    self.grip.with_both(*claim, *there, |own, other| {
                        own.copy(link, other, *back, through);
                    });
                    Some(publication.version())
                }
                Neighbour::Other(neighbour, back, edges) => {
                    let halo = edges.and_then(|edges| {
                        self.grip.with(*claim, |own| {
                            edges.read((*neighbour, *back), wanted, |edge| own.read(link, edge))
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

    /// Asks for a halo without which a worker cannot go on, and which is to be had or on its way. A
    /// run in which it can never come any more ends with an error.
    #[cold]
    pub(super) fn bring<G, P>(&mut self, missing: &MissingHalo, node: &Node<'_, 'r, T, G, P, N>)
    where
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

    /// Sweeps a member with the halos that it has, and publishes what others read.
    #[inline]
    pub(super) fn sweep(
        &mut self,
        index: usize,
        residuals: &Residuals,
        worker: WorkerId,
        observer: &mut impl Observer<T, N>,
    ) {
        let Member { id, claim, publication, neighbours, halos, .. } = self.held.at(index);
        let own = publication.version();
        let links = neighbours.map(|neighbour| matches!(neighbour, Neighbour::Other(..)));
        self.grip.with(*claim, |part| {
            let made = Made { worker, subdomain: *id, version: own + 1, halos };
            observer.starts(made.seen(part));
            let taken = residuals.takes(own);
            let separate = (taken == Some(Taking::Separate)).then(|| part.residual());
            let fused = part.update(taken == Some(Taking::Fused));
            residuals.publish((*id, publication), (own, taken), separate.or(fused));
            observer.ends(made.seen(part));
            publication.publish(links, |link, edge| part.publish(link, edge));
        });
    }

    /// Sweeps the only member as [`Members::sweep`] does, but so that others can help; false where
    /// one has, and was done first, so that the member is gone.
    pub(super) fn sweep_open(
        &mut self,
        (slots, visits): (&Slots<'r, T, N>, &Visits<'_, 'r, T, N>),
        residuals: &Residuals,
        worker: WorkerId,
        observer: &mut impl Observer<T, N>,
    ) -> bool {
        let Some(member) = self.held.pop() else { return false };
        let Member { id, claim, publication, halos, .. } = &member;
        visits.tell_halos(*id, halos);
        // Now, as nobody may touch the copy while others may read it.
        let own = publication.version();
        if let Some(Taking::Separate) = residuals.takes(own) {
            let share = self.grip.with(*claim, Part::residual);
            residuals.publish((*id, publication), (own, Some(Taking::Separate)), Some(share));
        }
        let made = Made { worker, subdomain: *id, version: own + 1, halos };
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

    /// Makes the sweep of a part that another worker is stuck in; false where that turns out not to
    /// be so, or where this worker is not done first. Else the part is the only member now.
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
        let swept = slots.help(id, &mut self.grip, |target, source| {
            // Those of the sweep, now that the part is read.
            let (version, halos) = (publication.version() + 1, visits.halos(id));
            let made = Made { worker, subdomain: id, version, halos: &halos };
            (version, halos, made.make(residuals, observer, (target, source)))
        });
        if let Swept::Won(claim, (version, halos, share)) = swept {
            let made = Made { worker, subdomain: id, version, halos: &halos };
            self.grip.with(claim, |part| {
                made.publish(publication, residuals, (part, share), observer);
            });
            self.add_among(Taken { id, claim, publication }, visits.links(id, node.peers));
        }
        !self.held.is_empty()
    }

    /// Publishes what a member's sweep took, halos and edges included.
    #[inline]
    pub(super) fn add_time(&self, index: usize, time: Duration) {
        self.held.at(index).publication.add_sweep_time(time);
    }

    /// Brings the newest edges of the neighbours into the only member's halos, as
    /// [`Members::read_halos`] does.
    pub(super) fn read_newest(&mut self) -> Result<(), MissingHalo> {
        self.read_wanted(0, Wanted::Newest)
    }

    /// Publishes the residual of the only member with the halos that it has, and lets it go.
    pub(super) fn share(&mut self) {
        for Member { claim, publication, .. } in self.held.iter() {
            publication.publish_residual(self.grip.with(*claim, Part::residual));
        }
        self.clear();
    }
}
