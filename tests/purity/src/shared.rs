//! What threads touch together.

use tresse_core::grid::Side;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::migration::HaloTag;
use tresse_core::ownership::Move;
use tresse_core::schedule::Wanted;
use tresse_core::shared::{Assignment, AtomicF64, Barrier, Edges, Handover, Mirror, Publication};
use tresse_core::stencil::Layout;
use tresse_core::subdomain::{Subdomain, boundary_len};

use crate::sweeps::{
    residual_f64, sweep_f32, sweep_f64, sweep_with_residual_f32, sweep_with_residual_f64,
};

#[inline(never)]
pub fn subdomain<'m>(
    layout: Layout,
    cells: &'m mut [f64],
    source: Option<&'m mut [f64]>,
    boundary: &'m mut [f64],
    is_outer: [bool; 4],
) -> Subdomain<'m, f64> {
    let (boundary, _) =
        boundary.split_at_mut_checked(boundary_len(&layout, is_outer)).unwrap_or_default();
    Subdomain::new(layout, cells, source, boundary, is_outer)
}

#[inline(never)]
pub fn fill(subdomain: &mut Subdomain<'_, f64>, value: f64) {
    subdomain.fill(|_, _| value, |_, _| value, |_, _| value);
}

#[inline(never)]
pub fn fill_f32(subdomain: &mut Subdomain<'_, f32>, value: f32) {
    subdomain.fill(|_, _| value, |_, _| value, |_, _| value);
}

#[inline(never)]
pub fn sweep(held: &Handover<Subdomain<'_, f64>>, worker: WorkerId) -> Option<f64> {
    held.take(worker).map(|mut held| {
        held.with(|subdomain| {
            subdomain.sweep(sweep_f64);
            subdomain.sweep(sweep_with_residual_f64)
        })
    })
}

#[inline(never)]
pub fn sweep_single(subdomain: &mut Subdomain<'_, f32>) -> f64 {
    subdomain.sweep(sweep_f32);
    subdomain.sweep(sweep_with_residual_f32)
}

#[inline(never)]
pub fn residual(subdomain: &Subdomain<'_, f64>) -> f64 {
    subdomain.residual(residual_f64)
}

#[inline(never)]
pub fn copy_halo<'m>(
    subdomain: &mut Subdomain<'m, f64>,
    side: Side,
    neighbour: &Subdomain<'m, f64>,
) {
    subdomain.copy_halo(side, neighbour);
}

#[inline(never)]
pub fn set_halo(subdomain: &mut Subdomain<'_, f64>, side: Side, edge: &[f64]) {
    subdomain.set_halo(side, edge);
}

#[inline(never)]
pub fn read_halo(
    subdomain: &mut Subdomain<'_, f64>,
    side: Side,
    (id, neighbour): (SubdomainId, &Publication<'_, f64>),
    wanted: Wanted,
) -> Option<u64> {
    subdomain.read_halo(side, (id, Edges::Published(neighbour)), wanted)
}

#[inline(never)]
pub fn read_fetched(
    subdomain: &mut Subdomain<'_, f64>,
    side: Side,
    (id, mirror): (SubdomainId, &Mirror<'_, f64>),
    edge: &[AtomicF64],
) -> Option<u64> {
    mirror.publish(id, 7, edge);
    subdomain.read_halo(side, (id, Edges::Fetched(mirror)), Wanted::Exactly(7))
}

#[inline(never)]
pub fn change_tag(
    publication: &Publication<'_, f64>,
    tag: HaloTag,
    subdomain: &mut Subdomain<'_, f64>,
    layout: Layout,
) -> bool {
    publication.vacate(tag.subdomain, 3);
    publication.admit(tag);
    subdomain.refit(layout, [false; 4]) && publication.tag() == tag.encode()
}

#[inline(never)]
pub fn publish(
    publication: &Publication<'_, f64>,
    layout: &Layout,
    cells: &[f64],
    sides: [bool; 4],
) -> u64 {
    publication.publish_again(layout, cells, sides);
    publication.publish(layout, cells, sides);
    publication.version()
}

#[inline(never)]
pub fn publish_single(
    publication: &Publication<'_, f32>,
    layout: &Layout,
    cells: &[f32],
    sides: [bool; 4],
) -> f64 {
    publication.publish(layout, cells, sides);
    publication.publish_residual(1.0);
    publication.residual()
}

#[inline(never)]
pub fn assign(assignment: &Assignment<'_>, made: Move) -> u64 {
    assignment.announce(made);
    let dirty = assignment.take_dirty(made.from);
    assignment.of(made.to).map(|id| u64::from(id.0)).sum::<u64>() + u64::from(dirty)
}

#[inline(never)]
pub fn wait(barrier: &Barrier) {
    barrier.wait(core::hint::spin_loop);
}
