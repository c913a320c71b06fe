//! Calls the functions that threads share.

use core::sync::atomic::{AtomicU64, Ordering};

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::stencil::{Kernel, Layout, Portable, Real, Terms};
use tresse_core::field::subdomain::{StencilPart, Subdomain, boundary_len, edges_of};
use tresse_core::node::shared::{Assignment, Barrier, Claims, Copies, Grip, Swept};
use tresse_core::node::worker::{
    Command, Control, Detection, Pass, Residuals, Shares, Sum, Worker,
};
use tresse_core::node::{Around, Board, Homes, Visit, Visitor};
use tresse_core::parts::Part;
use tresse_core::parts::halo::{Edges, HaloTag, Mirror, Publication};
use tresse_core::run::progress::Progress;
use tresse_core::run::schedule::Wanted;

#[inline(never)]
pub fn next(
    worker: &mut Worker,
    control: &Control<AtomicU64>,
    assignment: &Assignment<'_>,
    id: WorkerId,
) -> (Command, u64) {
    worker.ask_to_halt(control);
    worker.look_for_halt(control, u64::from(id.0), 8);
    let set = assignment.of(id).map(|id| u64::from(id.0)).sum::<u64>();
    let lacks = control.lacks(|| set).unwrap_or(0);
    (worker.next(control, || assignment.take_mark(id)), lacks)
}

#[inline(never)]
pub fn tell(
    residuals: &Residuals<AtomicU64>,
    shares: &[Shares<AtomicU64>],
    detection: &mut Detection,
    progress: &Progress,
) -> Option<Sum> {
    let version = progress.least;
    let taken = residuals.taking_at(version)?;
    residuals.publish_share(shares.first()?, Sum { version, taken, squares: 0.5 });
    let known = residuals.find_newest(shares.iter(), progress.least);
    if detection.look_at_version(residuals, known, progress) {
        residuals.halted(version, 0.5);
    }
    residuals.known()
}

/// What was published of each part, and of each worker.
pub struct Published<'a>(&'a [AtomicU64], &'a [AtomicU64]);

impl Board for Published<'_> {
    fn version(&self, part: SubdomainId) -> u64 {
        self.0.get(part.index()).map_or(0, |version| version.load(Ordering::Relaxed))
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        self.0.get(part.index()).is_some()
    }

    fn is_ready(&self, _: SubdomainId, version: u64) -> bool {
        version > 0
    }

    fn is_open(&self, part: SubdomainId) -> bool {
        self.version(part) > 7
    }

    fn stuck(&self, worker: WorkerId) -> u64 {
        self.least(worker)
    }

    fn tell_stuck(&self, part: SubdomainId) {
        self.publish_least(WorkerId(part.0), 1);
    }

    fn least(&self, worker: WorkerId) -> u64 {
        self.1.get(worker.index()).map_or(0, |least| least.load(Ordering::Relaxed))
    }

    fn publish_least(&self, worker: WorkerId, least: u64) {
        if let Some(place) = self.1.get(worker.index()) {
            place.store(least, Ordering::Relaxed);
        }
    }
}

#[inline(never)]
pub fn visit(
    visitor: &mut Visitor,
    me: WorkerId,
    (cut, control): (&Decomposition, &Control<AtomicU64>),
    (parts, starts): (&mut [SubdomainId], &mut [u32]),
    board: &Published<'_>,
) -> (Visit, u32) {
    let homes = &Homes::new(cut, |part| cut.first_owner(part), parts, starts);
    visitor.handle_helped();
    visitor.handle_lost();
    visitor.handle_claimed();
    visitor.handle_read(board.least(me));
    let visit = visitor.next(&Around { me, homes, board, control, diameter: 2 }, || Instant(7));
    (visit, visitor.sweeps_a_claim())
}

/// A part of which there are copies.
type Copied<'m> = StencilPart<'m, f64, Portable>;

fn sweep<'m>(target: &mut Copied<'m>, source: &Copied<'m>) -> Option<f64> {
    target.update_from(SubdomainId(0), source, true)
}

#[inline(never)]
pub fn sweep_open<'c, 'm>(
    copies: &Copies<'c, Copied<'m>>,
    claims: &mut Claims<'c, Copied<'m>>,
    part: usize,
) -> Swept<Option<f64>> {
    let mut grip = claims.grip();
    match copies.take(&mut grip, part) {
        Some(_) => copies.sweep(&mut grip, part, sweep),
        None => copies.help(&mut grip, part, sweep),
    }
}

#[inline(never)]
pub fn wait(barrier: &Barrier) {
    if let Some(generation) = barrier.arrive() {
        while !barrier.is_open(generation) {
            core::hint::spin_loop();
        }
    }
}

/// Returns a part's update, between reading its halo and publishing its edges.
fn update<F: Real>(
    grip: &mut Grip<'_, StencilPart<'_, F, Portable>>,
    (pass, place, neighbour): (Pass, usize, usize),
    (id, halo): (SubdomainId, &Edges<'_, '_, F>),
    publication: &Publication<'_, F>,
) -> Option<f64> {
    if !grip.take_in(pass, place) || !grip.take(neighbour) {
        return None;
    }
    grip.with_both(place, neighbour, |part, neighbour| part.copy(2, neighbour, 3, &[]));
    let sum = grip.with(place, |part| {
        halo.read(id, 0, Wanted::Newest, |edge| part.read(0, edge))?;
        part.update(false);
        let sum = part.update(true)? + part.residual();
        publication.publish([true; 4], |link, edge| part.publish(link, edge));
        publication.publish_residual(sum);
        Some(publication.residual())
    });
    grip.leave(neighbour);
    grip.leave_in(pass, place);
    sum
}

#[inline(never)]
pub fn update_single(
    grip: &mut Grip<'_, StencilPart<'_, f32, Portable>>,
    which: (Pass, usize, usize),
    halo: (SubdomainId, &Edges<'_, '_, f32>),
    publication: &Publication<'_, f32>,
) -> Option<f64> {
    update(grip, which, halo, publication)
}

#[inline(never)]
pub fn update_double(
    grip: &mut Grip<'_, StencilPart<'_, f64, Portable>>,
    which: (Pass, usize, usize),
    halo: (SubdomainId, &Edges<'_, '_, f64>),
    publication: &Publication<'_, f64>,
) -> Option<f64> {
    update(grip, which, halo, publication)
}

#[inline(never)]
pub fn fetch(mirror: &Mirror<'_, f64>, id: SubdomainId, edge: &[AtomicU64], to: &mut [f64]) -> u64 {
    mirror.publish(id, 7, edge);
    let read = mirror.read(id, Wanted::Exactly(7), |edge| edge.copy_to(to));
    read.unwrap_or_else(|| mirror.version())
}

#[inline(never)]
pub fn move_in(
    publication: &Publication<'_, f64>,
    tag: HaloTag,
    layout: &Layout,
    cells: &[f64],
) -> u64 {
    publication.vacate(tag.subdomain, 3);
    publication.admit(tag);
    publication.publish_again([true; 4], edges_of(layout, cells));
    publication.tag() + publication.version()
}

/// Returns a subdomain from its first cells to its last residual, in another's memory.
fn live<'m, F: Real>(
    layout: Layout,
    cells: &'m mut [F],
    boundary: &'m mut [F],
    neighbour: &Subdomain<'m, F>,
    edge: &[F],
) -> f64 {
    let is_outer = [true; 4];
    let length = boundary_len(&layout, is_outer);
    let (boundary, _) = boundary.split_at_mut_checked(length).unwrap_or_default();
    let mut own = Subdomain::new(layout, cells, Terms::NONE, boundary, is_outer);
    own.fill(|_, _| F::ZERO, |_, _| F::ZERO, |_, _| F::ZERO);
    own.copy_halo(Side::Left, neighbour);
    own.set_halo(Side::Right, edge);
    own.sweep(|layout, terms, cells| Portable.sweep(layout, terms, cells));
    own.refit(layout, [false; 4]);
    own.residual(|layout, terms, cells| Portable.residual(layout, terms, cells))
}

#[inline(never)]
pub fn live_single<'m>(
    layout: Layout,
    (cells, boundary): (&'m mut [f32], &'m mut [f32]),
    neighbour: &Subdomain<'m, f32>,
    edge: &[f32],
) -> f64 {
    live(layout, cells, boundary, neighbour, edge)
}

#[inline(never)]
pub fn live_double<'m>(
    layout: Layout,
    (cells, boundary): (&'m mut [f64], &'m mut [f64]),
    neighbour: &Subdomain<'m, f64>,
    edge: &[f64],
) -> f64 {
    live(layout, cells, boundary, neighbour, edge)
}
