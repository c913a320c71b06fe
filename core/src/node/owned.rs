//! Estimate of the memory that a run will need.

use crate::balance::measured::MeasuredNeeds;
use crate::field::grid::{Decomposition, Side};
use crate::field::stencil::{ALIGNMENT, Layout, Terms};
use crate::field::subdomain::Subdomain;
use crate::node::shared::Claim;
use crate::parts::halo::{EDGE_BUFFERS, Head, Publication};
use crate::run::RunConfig;

use crate::balance::owned::OwnedMeasuredMemory;

/// Estimates the bytes that a run on `decomposition` allocates: cells with padding, edges,
/// counters, the balancer's measured times, and the whole field that is assembled at the end.
pub fn bytes_needed(config: &RunConfig, decomposition: &Decomposition, terms: Terms<()>) -> u64 {
    let cell = config.precision.bytes();
    let field = config.grid.cells().saturating_mul(cell);
    // Memory grows with rows and columns, so that all parts take as much as mean ones.
    let size = decomposition.mean_part();
    let Some(layout) = Layout::new(size.rows, size.columns) else { return u64::MAX };
    let edges: usize = Side::ALL.iter().map(|&side| EDGE_BUFFERS * layout.side(side)).sum();
    let cells = (layout.len() + ALIGNMENT) as u64 * terms.numbers() + edges as u64;
    let kept = size_of::<Claim<Subdomain<'_, f64>>>()
        + size_of::<Publication<'_, f64>>()
        + size_of::<Head>();
    let each = cells.saturating_mul(cell).saturating_add(kept as u64);
    let measured = MeasuredNeeds::of(config).as_ref().map_or(0, OwnedMeasuredMemory::bytes);
    // Of each subdomain there is another copy where workers help, and two spare ones for each
    // worker.
    let spare = 2 * u64::from(config.workers);
    let copies = match (config.helps(), config.subdomains()) {
        (true, subdomains) => subdomains.saturating_add(spare),
        (false, _) => 0,
    };
    let all = config.subdomains().saturating_add(copies);
    each.saturating_mul(all).saturating_add(field).saturating_add(measured)
}
