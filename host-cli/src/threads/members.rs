//! The subdomains in the hands of one worker, and how they get at their neighbours' edges.
//!
//! Where a neighbour is in the same hands, its edge is copied from cell to cell; only edges that
//! another worker reads are published. Before a subdomain leaves, the edges between it and those
//! that stay are published as they are, so that its next holder finds them.

use tresse_core::convergence::takes_residual;
use tresse_core::grid::Side;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::progress::Staleness;
use tresse_core::run::Mode;
use tresse_core::schedule::Wanted;
use tresse_core::shared::{Edges, Held, Publication, SharedReal};
use tresse_core::stencil::Kernel as _;
use tresse_core::subdomain::Subdomain;
use tresse_core::time::Duration;

use super::missing::MissingHalo;
use super::observer::{Observer, Sweep};
use super::peers::Peers;
use super::run::{Run, Taken};
use super::wait::Wait;

/// One subdomain.
struct Member<'r, F: SharedReal> {
    id: SubdomainId,
    held: Held<'r, Subdomain<'r, F>>,
    publication: &'r Publication<'r, F>,
    neighbours: [Neighbour<'r, F>; 4],
    /// The versions of the halos that were read last.
    halos: [Option<u64>; 4],
    stays: bool,
}

/// Who lies beyond a side.
#[derive(Clone, Copy)]
enum Neighbour<'r, F: SharedReal> {
    /// Nobody: the boundary of the grid.
    Nobody,
    /// The member at this place.
    Member(usize),
    /// A subdomain in other hands, and where its edge is read, once that is known.
    Other(SubdomainId, Option<Edges<'r, 'r, F>>),
}

/// Which sweep an observer sees.
#[derive(Clone, Copy)]
struct Made<'a> {
    worker: WorkerId,
    subdomain: SubdomainId,
    version: u64,
    halos: &'a [Option<u64>; 4],
}

impl<'a> Made<'a> {
    #[inline]
    fn seen<F: SharedReal>(self, subdomain: &'a Subdomain<'_, F>) -> Sweep<'a, F> {
        let Self { worker, subdomain: id, version, halos } = self;
        let (layout, cells) = (subdomain.layout(), subdomain.cells());
        Sweep { worker, subdomain: id, version, halos, layout, cells }
    }
}

/// All subdomains of one worker, in ascending order.
pub(super) struct Members<'r, F: SharedReal> {
    members: Vec<Member<'r, F>>,
}

impl<'r, F: SharedReal> Members<'r, F> {
    pub(super) fn with_capacity(most: usize) -> Self {
        Self { members: Vec::with_capacity(most) }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn has(&self, id: SubdomainId) -> bool {
        self.place(id).is_some()
    }

    fn place(&self, id: SubdomainId) -> Option<usize> {
        self.members.binary_search_by_key(&id, |member| member.id).ok()
    }

    /// Adds a subdomain; [`Members::connect`] is to follow.
    pub(super) fn add(&mut self, Taken { id, held, publication }: Taken<'r, F>) {
        let neighbours = [Neighbour::Nobody; 4];
        let halos = [None; 4];
        self.members.push(Member { id, held, publication, neighbours, halos, stays: true });
    }

    /// Lets go of those that are not to be kept; [`Members::connect`] is to follow.
    pub(super) fn keep(&mut self, kept: impl Fn(SubdomainId) -> bool) {
        // Asked once: what is to be kept may change at any moment.
        for member in &mut self.members {
            member.stays = kept(member.id);
        }
        if self.members.iter().all(|member| member.stays) {
            return;
        }
        for index in 0..self.members.len() {
            let Member { stays, neighbours, .. } = self.members[index];
            let sides = neighbours.map(|neighbour| match neighbour {
                Neighbour::Member(other) => !(stays && self.members[other].stays),
                Neighbour::Nobody | Neighbour::Other(..) => false,
            });
            let Member { held, publication, .. } = &mut self.members[index];
            held.with(|own| publication.publish_again(own.layout(), own.cells(), sides));
        }
        self.members.retain(|member| member.stays);
    }

    /// Finds out again who lies beyond each side of each member.
    pub(super) fn connect<P: Peers<'r, F>>(&mut self, run: &Run<'_, 'r, F, P>) {
        self.members.sort_unstable_by_key(|member| member.id);
        for index in 0..self.members.len() {
            let id = self.members[index].id;
            self.members[index].neighbours = Side::ALL.map(|side| {
                let Some(neighbour) = run.decomposition.neighbour(id, side) else {
                    return Neighbour::Nobody;
                };
                match self.place(neighbour) {
                    Some(place) => Neighbour::Member(place),
                    None => Neighbour::Other(neighbour, run.edges(id, neighbour, side)),
                }
            });
        }
    }

    /// Sets every member's cells to the problem's, and publishes all edges.
    pub(super) fn fill<P: Peers<'r, F>>(&mut self, run: &Run<'_, 'r, F, P>) {
        for Member { id, held, publication, .. } in &mut self.members {
            held.with(|own| {
                run.fill(*id, own);
                publication.publish_again(own.layout(), own.cells(), [true; 4]);
            });
        }
    }

    /// Whether a member has to wait for a neighbour.
    pub(super) fn waits<P: Peers<'r, F>>(&self, index: usize, run: &Run<'_, 'r, F, P>) -> bool {
        let mode = run.config.mode;
        // Asynchronously nobody waits, and looking would cost a cache miss.
        if mode == Mode::Async {
            return false;
        }
        let Member { publication, neighbours, .. } = &self.members[index];
        let own = publication.version();
        neighbours.iter().any(|neighbour| match *neighbour {
            Neighbour::Nobody => false,
            Neighbour::Member(other) => {
                !mode.admits(own, self.members[other].publication.version())
            }
            Neighbour::Other(_, edges) => {
                edges.is_some_and(|edges| !mode.admits(own, edges.version()))
            }
        })
    }

    /// Brings the neighbours' edges into a member's halos, as the mode wants them; an error where one of
    /// them is not to be had at the moment, so that the member must not be swept: what stands in its
    /// halos is not the neighbour's then, but what a sweep has left there.
    #[inline]
    pub(super) fn read_halos<P: Peers<'r, F>>(
        &mut self,
        index: usize,
        run: &Run<'_, 'r, F, P>,
        met: &mut Staleness,
    ) -> Result<(), MissingHalo> {
        let own = self.members[index].publication.version();
        self.refresh_halos(index, run.config.mode.wanted(own))?;
        for halo in self.members[index].halos.iter().flatten() {
            met.meet(own, *halo);
        }
        Ok(())
    }

    #[inline]
    fn refresh_halos(&mut self, index: usize, wanted: Wanted) -> Result<(), MissingHalo> {
        let mut missing = None;
        for side in Side::ALL {
            let neighbour = self.members[index].neighbours[side.index()];
            let halo = match neighbour {
                Neighbour::Nobody => None,
                Neighbour::Member(other) => self.copy_halo(index, side, other),
                Neighbour::Other(neighbour, edges) => edges.and_then(|edges| {
                    let held = &mut self.members[index].held;
                    held.with(|own| own.read_halo(side, (neighbour, edges), wanted))
                }),
            };
            if let (None, Neighbour::Other(neighbour, edges)) = (halo, neighbour) {
                let reader = self.members[index].id;
                let known = edges.map(|edges| edges.version());
                missing = Some(MissingHalo { reader, side, neighbour, wanted, known });
            }
            self.members[index].halos[side.index()] = halo;
        }
        missing.map_or(Ok(()), Err)
    }

    /// Reads halos without which a worker cannot go on, and which are to be had or on their way: as long
    /// as one is not there, asks for it and looks again. A run in which it can never come any more ends
    /// with an error.
    #[inline]
    pub(super) fn await_halos<P: Peers<'r, F>>(
        &mut self,
        run: &Run<'_, 'r, F, P>,
        mut read: impl FnMut(&mut Self) -> Result<(), MissingHalo>,
    ) {
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
    fn copy_halo(&mut self, index: usize, side: Side, other: usize) -> Option<u64> {
        let [own, other] = self.members.get_disjoint_mut([index, other]).ok()?;
        other.held.with(|other| own.held.with(|own| own.copy_halo(side, other)));
        Some(other.publication.version())
    }

    /// Sweeps a member with the halos that it has, and publishes what others read.
    #[inline]
    pub(super) fn sweep<P: Peers<'r, F>>(
        &mut self,
        index: usize,
        worker: WorkerId,
        run: &Run<'_, 'r, F, P>,
        observer: &mut impl Observer<F>,
    ) {
        let Member { id, held, publication, neighbours, halos, .. } = &mut self.members[index];
        let own = publication.version();
        let sides = neighbours.map(|neighbour| matches!(neighbour, Neighbour::Other(..)));
        held.with(|subdomain| {
            let made = Made { worker, subdomain: *id, version: own + 1, halos };
            observer.starts(made.seen(subdomain));
            if takes_residual(own) {
                publication.publish_residual(subdomain.sweep(|layout, source, cells| {
                    run.kernel.sweep_with_residual(layout, source, cells)
                }));
            } else {
                subdomain.sweep(|layout, source, cells| run.kernel.sweep(layout, source, cells));
            }
            observer.ends(made.seen(subdomain));
            publication.publish(subdomain.layout(), subdomain.cells(), sides);
        });
    }

    /// Publishes what a member's sweep took, halos and edges included.
    #[inline]
    pub(super) fn add_time(&self, index: usize, time: Duration) {
        self.members[index].publication.add_sweep_time(time);
    }

    /// Publishes the residuals of the newest cells with the newest halos. While all are halted all of
    /// them are to be had, or on their way.
    pub(super) fn publish_residuals<P: Peers<'r, F>>(&mut self, run: &Run<'_, 'r, F, P>) {
        for index in 0..self.members.len() {
            self.await_halos(run, |members| members.refresh_halos(index, Wanted::Newest));
            let Member { held, publication, .. } = &mut self.members[index];
            let residual = |layout: &_, source: Option<&[F]>, cells: &[F]| {
                run.kernel.residual(layout, source, cells)
            };
            publication.publish_residual(held.with(|own| own.residual(residual)));
        }
    }

    /// Shows every member with its update count.
    pub(super) fn show(&mut self, mut look: impl FnMut(SubdomainId, u64, &Subdomain<'r, F>)) {
        for Member { id, held, publication, .. } in &mut self.members {
            held.with(|own| look(*id, publication.version(), own));
        }
    }
}
