//! The parts in the hands of one worker, and how they get at their neighbours' edges.
//!
//! Where a neighbour is in the same hands, its edge is copied from part to part; only edges that
//! another worker reads are published. Before a part leaves, the edges between it and those that
//! stay are published as they are, so that its next holder finds them.

use std::array;

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Duration;
use tresse_core::node::Hands;
use tresse_core::node::shared::{Grip, Swept};
use tresse_core::node::worker::{Pass, Taking};
use tresse_core::parts::halo::Publication;
use tresse_core::parts::{Graph, Part, SharedPart};
use tresse_core::run::Mode;
use tresse_core::run::progress::Staleness;
use tresse_core::run::schedule::Wanted;

use super::links::{Links, Neighbour};
use super::missing::MissingHalo;
use super::observer::{Observer, Sweep};
use super::peers::Peers;
use super::residuals::Residuals;
use super::run::Run;
use super::slots::{Slots, Taken};
use super::visits::Visits;
use super::wait::Wait;

/// A part that the worker holds.
struct Member<'r, T: SharedPart, const N: usize> {
    id: SubdomainId,
    /// Its claim.
    claim: usize,
    publication: &'r Publication<'r, T::Real, N>,
    neighbours: Links<'r, T::Real, N>,
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
    fn along(&self, residuals: &Residuals) -> Option<Taking> {
        residuals.takes(self.version - 1).filter(|taken| *taken == Taking::Along)
    }

    /// Makes the sweep from one copy into another.
    fn make<T: SharedPart>(
        self,
        residuals: &Residuals,
        observer: &mut impl Observer<T, N>,
        (target, source, is_new): (&mut T, &T, bool),
    ) -> Option<f64> {
        if is_new {
            let is_copy = target.assume(source);
            debug_assert!(is_copy, "a part does not become a copy of another");
        }
        observer.starts(self.seen(source));
        target.update_from(source, self.along(residuals).is_some())
    }

    /// Publishes a sweep from one copy into another, on all links.
    fn publish<T: SharedPart>(
        self,
        publication: &Publication<'_, T::Real, N>,
        residuals: &Residuals,
        (part, share): (&T, Option<f64>),
        observer: &mut impl Observer<T, N>,
    ) {
        let taken = (self.version - 1, self.along(residuals));
        residuals.publish((self.subdomain, publication), taken, share);
        observer.ends(self.seen(part));
        publication.publish([true; N], |link, edge| part.publish(link, edge));
    }
}

/// All parts that one worker holds, in ascending order.
pub(super) struct Members<'r, T: SharedPart, const N: usize> {
    held: Vec<Member<'r, T, N>>,
    grip: Grip<'r, T>,
    mode: Mode,
}

impl<T: SharedPart, const N: usize> Hands for Members<'_, T, N> {
    #[inline]
    fn after(&self, place: Option<u32>) -> Option<u32> {
        let next = place.map_or(0, |place| place + 1);
        Some(next).filter(|&next| (next as usize) < self.held.len())
    }

    #[inline]
    fn count(&self, place: u32) -> (u64, SubdomainId) {
        let Member { id, publication, .. } = &self.held[place as usize];
        (publication.version(), *id)
    }

    fn is_ready(&self, place: u32) -> bool {
        let mode = self.mode;
        // Asynchronously nobody waits, and looking would cost a cache miss.
        if mode == Mode::Async {
            return true;
        }
        let (own, _) = self.count(place);
        self.held[place as usize].neighbours.iter().all(|neighbour| match *neighbour {
            Neighbour::Nobody => true,
            Neighbour::Member(other, _) => mode.admits(own, self.held[other].publication.version()),
            Neighbour::Other(..) => neighbour.admits(mode, own),
        })
    }
}

impl<'r, T: SharedPart, const N: usize> Members<'r, T, N> {
    pub(super) fn new(grip: Grip<'r, T>, most: usize, mode: Mode) -> Self {
        Self { held: Vec::with_capacity(most), grip, mode }
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
        self.held[..number].binary_search_by_key(&id, |member| member.id).is_ok()
    }

    fn place(&self, id: SubdomainId) -> Option<usize> {
        self.held.binary_search_by_key(&id, |member| member.id).ok()
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
        neighbours: Links<'r, T::Real, N>,
    ) {
        let halos = [None; N];
        self.held.push(Member { id, claim, publication, neighbours, halos, stays: true });
    }

    /// Lets go of all, whose edges are published on all links.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.held.drain(..).for_each(|member| self.grip.leave(member.claim));
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
        for member in &mut self.held {
            member.stays = kept(member.id);
        }
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
        self.held.drain(..).for_each(|member| self.grip.leave_in(pass, member.claim));
        number
    }

    /// Publishes the edges between members of which one does not stay.
    fn publish_between(&mut self) {
        for index in 0..self.held.len() {
            let Member { stays, neighbours, .. } = self.held[index];
            let links = neighbours.map(|neighbour| match neighbour {
                Neighbour::Member(other, _) => !(stays && self.held[other].stays),
                Neighbour::Nobody | Neighbour::Other(..) => false,
            });
            let Member { claim, publication, .. } = self.held[index];
            self.grip.with(claim, |own| {
                publication.publish_again(links, |link, edge| own.publish(link, edge));
            });
        }
    }

    /// Finds out again who is on each link of each member.
    pub(super) fn connect<G, P>(&mut self, run: &Run<'_, 'r, T, G, P, N>)
    where
        G: Graph<N> + Sync,
        P: Peers<'r, T, N>,
    {
        self.held.sort_unstable_by_key(|member| member.id);
        for index in 0..self.held.len() {
            let id = self.held[index].id;
            let neighbours = run.graph.neighbours(id);
            self.held[index].neighbours = array::from_fn(|link| {
                let Some(neighbour) = neighbours[link] else { return Neighbour::Nobody };
                let back = run.graph.back(id, link);
                match self.place(neighbour) {
                    Some(place) => Neighbour::Member(place, back),
                    None => Neighbour::Other(neighbour, back, run.edges(id, neighbour, link)),
                }
            });
        }
    }

    /// Sets every member to what the run starts with, and publishes all edges.
    pub(super) fn fill<G, P>(&mut self, run: &Run<'_, 'r, T, G, P, N>) {
        for Member { id, claim, publication, .. } in &self.held {
            self.grip.with(*claim, |own| {
                (run.fill)(*id, own);
                publication.publish_again([true; N], |link, edge| own.publish(link, edge));
            });
        }
    }

    /// Brings the neighbours' edges into a member's halos, as the mode wants them; an error where
    /// one of them is not to be had at the moment, so that the member must not be swept: what
    /// stands in its halos is not the neighbour's then, but what a sweep has left there.
    #[inline]
    pub(super) fn read_halos(&mut self, index: usize) -> Result<(), MissingHalo> {
        let own = self.held[index].publication.version();
        self.read_wanted(index, self.mode.wanted(own))
    }

    /// Counts the halos that a member has read, and sweeps with.
    #[inline]
    pub(super) fn meet(&self, index: usize, met: &mut Staleness) {
        let Member { publication, halos, .. } = &self.held[index];
        let own = publication.version();
        for halo in halos.iter().flatten() {
            met.meet(own, *halo);
        }
    }

    #[inline]
    fn read_wanted(&mut self, index: usize, wanted: Wanted) -> Result<(), MissingHalo> {
        let mut missing = None;
        for link in 0..N {
            let neighbour = self.held[index].neighbours[link];
            let halo = match neighbour {
                Neighbour::Nobody => None,
                Neighbour::Member(other, back) => {
                    Some(self.copy_halo((index, link), (other, back)))
                }
                Neighbour::Other(neighbour, back, edges) => edges.and_then(|edges| {
                    self.grip.with(self.held[index].claim, |own| {
                        edges.read((neighbour, back), wanted, |edge| own.read(link, edge))
                    })
                }),
            };
            if let (None, Neighbour::Other(neighbour, _, edges)) = (halo, neighbour) {
                let reader = self.held[index].id;
                let known = edges.map(|edges| edges.version());
                missing = Some(MissingHalo { reader, link, neighbour, wanted, known });
            }
            self.held[index].halos[link] = halo;
        }
        missing.map_or(Ok(()), Err)
    }

    /// Reads halos without which a worker cannot go on, and which are to be had or on their way: as
    /// long as one is not there, asks for it and looks again. A run in which it can never come any
    /// more ends with an error.
    #[inline]
    pub(super) fn await_halos<G, P>(
        &mut self,
        run: &Run<'_, 'r, T, G, P, N>,
        mut read: impl FnMut(&mut Self) -> Result<(), MissingHalo>,
    ) where
        G: Graph<N> + Sync,
        P: Peers<'r, T, N>,
    {
        let mut wait = Wait::looking(run.oversubscribed);
        while let Err(missing) = read(self) {
            if missing.is_lost() {
                run.peers.give_up(&missing);
            }
            run.peers.bring_halos();
            // It may have been found somewhere else.
            self.connect(run);
            wait.relax();
        }
    }

    #[inline]
    fn copy_halo(&mut self, (index, link): (usize, usize), (other, back): (usize, usize)) -> u64 {
        let (own, other) = (&self.held[index], &self.held[other]);
        self.grip.with_both(own.claim, other.claim, |own, other| own.copy(link, other, back));
        other.publication.version()
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
        let Member { id, claim, publication, neighbours, halos, .. } = &self.held[index];
        let own = publication.version();
        let links = neighbours.map(|neighbour| matches!(neighbour, Neighbour::Other(..)));
        self.grip.with(*claim, |part| {
            let made = Made { worker, subdomain: *id, version: own + 1, halos };
            observer.starts(made.seen(part));
            let taken = residuals.takes(own);
            let apart = (taken == Some(Taking::Apart)).then(|| part.residual());
            let along = part.update(taken == Some(Taking::Along));
            residuals.publish((*id, publication), (own, taken), apart.or(along));
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
        if let Some(Taking::Apart) = residuals.takes(own) {
            let share = self.grip.with(*claim, Part::residual);
            residuals.publish((*id, publication), (own, Some(Taking::Apart)), Some(share));
        }
        let made = Made { worker, subdomain: *id, version: own + 1, halos };
        let swept = slots.sweep(*id, &mut self.grip, |target, source, is_new| {
            made.make(residuals, observer, (target, source, is_new))
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
        (run, visits): (&Run<'_, 'r, T, G, P, N>, &Visits<'_, 'r, T, N>),
        worker: WorkerId,
        observer: &mut impl Observer<T, N>,
    ) -> bool
    where
        P: Peers<'r, T, N>,
    {
        let (slots, residuals) = (&run.slots, &run.residuals);
        let Some(publication) = slots.publication(id) else { return false };
        let swept = slots.help(id, &mut self.grip, |target, source, is_new| {
            // Those of the sweep, now that the part is read.
            let (version, halos) = (publication.version() + 1, visits.halos(id));
            let made = Made { worker, subdomain: id, version, halos: &halos };
            (version, halos, made.make(residuals, observer, (target, source, is_new)))
        });
        if let Swept::Won(claim, (version, halos, share)) = swept {
            let made = Made { worker, subdomain: id, version, halos: &halos };
            self.grip.with(claim, |part| {
                made.publish(publication, residuals, (part, share), observer);
            });
            self.add_among(Taken { id, claim, publication }, visits.links(id, run.peers));
        }
        !self.held.is_empty()
    }

    /// Publishes what a member's sweep took, halos and edges included.
    #[inline]
    pub(super) fn add_time(&self, index: usize, time: Duration) {
        self.held[index].publication.add_sweep_time(time);
    }

    /// Publishes the residual of a part as its cells and its neighbours' newest edges are. While
    /// all are frozen, all of these are to be had, or on their way.
    pub(super) fn share<G, P>(&mut self, taken: Taken<'r, T, N>, run: &Run<'_, 'r, T, G, P, N>)
    where
        G: Graph<N> + Sync,
        P: Peers<'r, T, N>,
    {
        self.add(taken);
        self.connect(run);
        self.await_halos(run, |members| members.read_wanted(0, Wanted::Newest));
        for Member { claim, publication, .. } in &self.held {
            publication.publish_residual(self.grip.with(*claim, Part::residual));
        }
        self.clear();
    }
}
