//! Instances of the core's generic and inlined functions, as a host would have them.
//!
//! Nobody calls these: the purity test builds this crate for several targets and looks at what the
//! compiled functions refer to.

#![no_std]
#![expect(missing_docs, reason = "each function is named after the one that it instantiates")]

use tresse_core::balance::{Balancer, Observed, plb};
use tresse_core::convergence::{Convergence, Detected, Verified, norm, takes_residual};
use tresse_core::grammar::GrammarError;
use tresse_core::grid::{Decomposition, Part, Side};
use tresse_core::id::{SocketId, SubdomainId, WorkerId};
use tresse_core::noise::Noise;
use tresse_core::ownership::{Holding, Link, Move, Ownership, OwnershipError};
use tresse_core::progress::Progress;
use tresse_core::rng::Rng;
use tresse_core::run::{Balance, GridSize, Mode, PlbParams, Precision, RunConfig};
use tresse_core::stencil::{self, Layout};
use tresse_core::time::{Duration, Instant};
use tresse_core::topology::{NotSorted, Topology};

#[cfg(target_has_atomic = "64")]
pub mod shared;

#[inline(never)]
pub fn ownership<'m>(
    owners: &'m mut [WorkerId],
    links: &'m mut [Link],
    holdings: &'m mut [Holding],
) -> Result<Ownership<'m>, OwnershipError> {
    Ownership::new(owners, links, holdings)
}

#[inline(never)]
pub fn of(ownership: &Ownership<'_>, worker: WorkerId) -> u64 {
    ownership.of(worker).map(|id| u64::from(id.0)).sum::<u64>() + u64::from(ownership.held(worker))
}

#[inline(never)]
pub fn topology<'m>(
    sockets: &'m [SocketId],
    by_socket: &'m [WorkerId],
) -> Result<Topology<'m>, NotSorted> {
    Topology::new(sockets, by_socket)
}

#[inline(never)]
pub fn joint(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    params: &PlbParams,
    last: &mut Option<Move>,
) {
    plb::joint(counts, ownership, params, &mut |made| *last = Some(made));
}

#[inline(never)]
pub fn split(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    last: &mut Option<Move>,
) {
    plb::split(counts, ownership, topology, params, None, &mut |made| *last = Some(made));
}

#[inline(never)]
pub fn balancer(
    balancer: &mut Balancer<'_>,
    now: Instant,
    observed: &Observed<'_>,
    ownership: &mut Ownership<'_>,
    last: &mut Option<Move>,
) -> Instant {
    balancer.poll(now, observed, ownership, &mut |made| *last = Some(made));
    balancer.poll_at()
}

#[inline(never)]
pub fn new_balancer<'m>(
    balance: Balance,
    params: PlbParams,
    last_updates: &'m mut [u64],
    rates: &'m mut [u64],
) -> Balancer<'m> {
    Balancer::new(balance, params, 1, Instant::ZERO, last_updates, rates)
}

#[inline(never)]
pub fn draw(rng: &mut Rng, bound: u32) -> u32 {
    rng.below(bound)
}

#[inline(never)]
pub fn sweep_f32(layout: &Layout, source: Option<&[f32]>, current: &[f32], next: &mut [f32]) {
    stencil::sweep(layout, source, current, next);
}

#[inline(never)]
pub fn sweep_f64(layout: &Layout, source: Option<&[f64]>, current: &[f64], next: &mut [f64]) {
    stencil::sweep(layout, source, current, next);
}

#[inline(never)]
pub fn sweep_with_residual_f32(
    layout: &Layout,
    source: Option<&[f32]>,
    current: &[f32],
    next: &mut [f32],
) -> f64 {
    stencil::sweep_with_residual(layout, source, current, next)
}

#[inline(never)]
pub fn sweep_with_residual_f64(
    layout: &Layout,
    source: Option<&[f64]>,
    current: &[f64],
    next: &mut [f64],
) -> f64 {
    stencil::sweep_with_residual(layout, source, current, next)
}

#[inline(never)]
pub fn residual_f32(layout: &Layout, source: Option<&[f32]>, current: &[f32]) -> f64 {
    stencil::residual_sum_of_squares(layout, source, current)
}

#[inline(never)]
pub fn residual_f64(layout: &Layout, source: Option<&[f64]>, current: &[f64]) -> f64 {
    stencil::residual_sum_of_squares(layout, source, current)
}

#[inline(never)]
pub fn aligned<'a>(layout: &Layout, buffer: &'a mut [f64]) -> Option<&'a mut [f64]> {
    layout.aligned(buffer)
}

#[inline(never)]
pub fn layout(rows: usize, columns: usize) -> Option<Layout> {
    Layout::new(rows, columns)
}

#[inline(never)]
pub fn edges(layout: &Layout, cells: &mut [f64], row: usize) -> f64 {
    let ring = [layout.top(cells), layout.bottom(cells)].into_iter().flatten();
    let ends = layout.left(cells).chain(layout.right(cells));
    let rows = layout.row(cells, row).into_iter().flatten();
    let sum = ring.chain(ends).chain(rows).sum();
    layout.top_mut(cells).fill(sum);
    layout.left_mut(cells).for_each(|cell| *cell = sum);
    sum
}

#[inline(never)]
pub fn decomposition(config: &RunConfig) -> Option<Decomposition> {
    config.validate().ok()?;
    Decomposition::new(config).ok()
}

#[inline(never)]
pub fn part(cut: &Decomposition, id: SubdomainId) -> (Part, Option<SubdomainId>, WorkerId) {
    (cut.part(id), cut.neighbour(id, Side::Left), cut.first_owner(id))
}

#[inline(never)]
pub fn detect(convergence: &mut Convergence, sum: f64, count: u64) -> Option<Detected> {
    takes_residual(count).then(|| convergence.detect(norm(sum), count))
}

#[inline(never)]
pub fn verify(convergence: &mut Convergence, sum: f64) -> Verified {
    convergence.verify(sum)
}

#[inline(never)]
pub fn progress(counts: &[u64]) -> (u64, f64) {
    let progress = Progress::of(counts.iter().copied());
    (progress.spread(), progress.mean())
}

#[inline(never)]
pub fn admits(mode: Mode, own: u64, neighbour: u64) -> bool {
    mode.admits(own, neighbour)
}

#[inline(never)]
pub fn parse_mode(text: &str) -> Result<Mode, GrammarError> {
    Mode::parse(text)
}

#[inline(never)]
pub fn parse_balance(text: &str) -> Result<Balance, GrammarError> {
    Balance::parse(text)
}

#[inline(never)]
pub fn parse_noise(text: &str) -> Result<Noise, GrammarError> {
    Noise::parse(text)
}

#[inline(never)]
pub fn parse_size(text: &str) -> Result<GridSize, GrammarError> {
    GridSize::parse(text)
}

#[inline(never)]
pub fn parse_others(text: &str) -> Result<(Precision, Duration), GrammarError> {
    Ok((Precision::parse(text)?, Duration::parse(text)?))
}
