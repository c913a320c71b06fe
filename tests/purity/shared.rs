//! What threads touch together.

use tresse_core::grid::Side;
use tresse_core::id::WorkerId;
use tresse_core::ownership::Move;
use tresse_core::schedule::Wanted;
use tresse_core::shared::{Assignment, Barrier, Handover, Publication};
use tresse_core::stencil::{self, Layout};
use tresse_core::subdomain::Subdomain;

#[inline(never)]
pub fn sweep(held: &Handover<Subdomain<'_, f64>>, worker: WorkerId) -> Option<f64> {
    held.take(worker)
        .map(|mut held| held.with(|subdomain| subdomain.sweep(stencil::sweep_with_residual)))
}

#[inline(never)]
pub fn fill(subdomain: &mut Subdomain<'_, f32>, value: f32) {
    subdomain.fill(|_, _| value, |_, _| value, |_, _| value);
}

#[inline(never)]
pub fn publish(publication: &Publication<'_, f64>, layout: &Layout, cells: &[f64]) {
    publication.publish_initial(layout, cells);
    publication.publish(layout, cells);
}

#[inline(never)]
pub fn read_halo(
    subdomain: &mut Subdomain<'_, f64>,
    side: Side,
    neighbour: &Publication<'_, f64>,
    wanted: Wanted,
) -> Option<u64> {
    subdomain.read_halo(side, neighbour, wanted)
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
