//! Instances of the core's generic and inlined functions, as a host would have them.
//!
//! Nobody calls these: the purity test builds this crate for several targets and looks at what the
//! compiled functions refer to.

#![no_std]
#![expect(missing_docs, reason = "each function is named after the one that it instantiates")]

use tresse_core::balance::dplb::{self, NodeBalancer, Transfer};
use tresse_core::balance::{Balancer, Lent, Mean, Observed, plb};
use tresse_core::convergence::{Convergence, Detected, Verified, norm, takes_residual};
use tresse_core::grammar::{self, ParseError};
use tresse_core::grid::{Axis, Decomposition, Rectangle, Side, gaussian};
use tresse_core::id::{SocketId, SubdomainId, WorkerId};
use tresse_core::noise::{self, Noise, NoiseChoice, NoisePlaces, Parasite, Turn};
use tresse_core::ownership::{Holding, Link, Move, Ownership, OwnershipError};
use tresse_core::progress::{Progress, Staleness};
use tresse_core::rng::Rng;
use tresse_core::run::{Balance, GridSize, Imbalance, Mode, PlbParams, Precision, RunConfig};
use tresse_core::schedule::{Wanted, is_done};
use tresse_core::stencil::Layout;
use tresse_core::time::{Duration, Instant};
use tresse_core::topology::{NotSorted, Topology};

pub mod central;
pub mod grapevine;
pub mod machine;
pub mod migration;
#[cfg(target_has_atomic = "64")]
pub mod shared;
pub mod sweeps;

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
pub fn joint_within(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    last: &mut Option<Move>,
) {
    plb::joint_within(counts, ownership, topology, params, &mut |made| *last = Some(made));
}

#[inline(never)]
pub fn node_balancer(
    balancer: &mut NodeBalancer,
    now: Instant,
    view: &[Mean],
    ownership: &Ownership<'_>,
    workers: &[WorkerId],
) -> Option<Transfer> {
    balancer.poll(now, view, ownership, workers)
}

#[inline(never)]
pub fn place(ownership: &Ownership<'_>, workers: &[WorkerId]) -> Option<WorkerId> {
    dplb::place(ownership, workers)
}

#[inline(never)]
pub fn exchange(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    rng: &mut Rng,
) -> Option<Move> {
    plb::exchange(counts, ownership, topology, params, rng)
}

#[inline(never)]
pub fn swap(
    counts: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    last: &mut Option<Move>,
) {
    plb::swap(counts, ownership, topology, params, &mut |made| *last = Some(made));
}

#[inline(never)]
pub fn gradient(
    counts: &[u64],
    rates: &[u64],
    ownership: &mut Ownership<'_>,
    topology: &Topology<'_>,
    params: &PlbParams,
    last: &mut Option<Move>,
) {
    plb::gradient(counts, rates, ownership, topology, params, &mut |made| *last = Some(made));
}

#[inline(never)]
pub fn give(ownership: &mut Ownership<'_>, id: SubdomainId, to: WorkerId) -> Option<Move> {
    ownership.give(id, to)
}

#[inline(never)]
pub fn balancer(
    balancer: &mut Balancer,
    now: Instant,
    observed: &Observed<'_>,
    lent: Lent<'_, '_>,
    ownership: &mut Ownership<'_>,
    last: &mut Option<Move>,
) -> Instant {
    balancer.poll(now, observed, lent, ownership, &mut |made| *last = Some(made));
    balancer.poll_at()
}

#[inline(never)]
pub fn new_balancer(balance: Balance, params: PlbParams) -> Balancer {
    Balancer::new(balance, params, (1, 0), Instant::ZERO)
}

#[inline(never)]
pub fn draw(rng: &mut Rng, bound: u32) -> u32 {
    rng.below(bound)
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
    let swept = layout.swept();
    swept.top_mut(cells).fill(sum);
    swept.bottom_mut(cells).fill(sum);
    swept.left_mut(cells).for_each(|cell| *cell = sum);
    swept.right_mut(cells).for_each(|cell| *cell = sum);
    swept.row_mut(cells, row).unwrap_or_default().fill(sum);
    sum + swept.column(cells, row).sum::<f64>()
}

#[inline(never)]
pub fn decomposition(config: &RunConfig) -> Option<Decomposition> {
    config.validate().ok()?;
    Decomposition::new(config).ok()
}

#[inline(never)]
pub fn axis(length: usize, imbalance: Imbalance, index: u32) -> Option<(usize, usize)> {
    Axis::new(length, index, 2, imbalance).map(|axis| axis.part(index))
}

#[inline(never)]
pub fn part(cut: &Decomposition, id: SubdomainId) -> (Rectangle, Option<SubdomainId>, WorkerId) {
    (cut.rectangle(id), cut.neighbour(id, Side::Left), cut.first_owner(id))
}

#[inline(never)]
pub fn detect(convergence: &mut Convergence, sum: f64, all: &Progress) -> Option<Detected> {
    takes_residual(all.least).then(|| convergence.detect(norm(sum), all))
}

#[inline(never)]
pub fn never_moves(
    balance: Balance,
    params: &PlbParams,
    workers: &[(SocketId, u32)],
) -> Option<plb::Stuck> {
    plb::stuck(balance, params, workers.iter().copied())
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
pub fn staleness(met: Staleness, own: u64, halo: u64) -> f64 {
    let mut met = met.and(Staleness::default());
    met.meet(own, halo);
    met.mean()
}

#[inline(never)]
pub fn iteration_rate(progress: &Progress, elapsed: Duration) -> f64 {
    progress.iteration_rate(elapsed)
}

#[inline(never)]
pub fn schedule(mode: Mode, own: u64, neighbour: u64) -> (bool, Wanted, bool) {
    (mode.admits(own, neighbour), mode.wanted(own), is_done(own, 4, Some(neighbour)))
}

#[inline(never)]
pub fn boundary(position: f64) -> f64 {
    gaussian(position, 1.0, 0.5, 0.1)
}

#[inline(never)]
pub fn parse_mode(text: &str) -> Result<Mode, ParseError> {
    Mode::parse(text)
}

#[inline(never)]
pub fn parse_balance(text: &str) -> Result<Balance, ParseError> {
    Balance::parse(text)
}

#[inline(never)]
pub fn parse_noise(text: &str) -> Result<Noise, ParseError> {
    Noise::parse(text)
}

#[inline(never)]
pub fn parse_noise_choice(text: &str) -> Result<NoiseChoice, ParseError> {
    NoiseChoice::parse(text)
}

#[inline(never)]
pub fn resolve_noise(
    choices: &[NoiseChoice],
    seed: u64,
    places: &NoisePlaces<'_>,
) -> Option<Noise> {
    noise::resolve(choices, seed, places).ok()?.last().copied()
}

#[inline(never)]
pub fn draw_turn(burst: Duration, gap: Duration, rng: &mut Rng) -> Turn {
    Turn::draw(burst, gap, rng)
}

#[inline(never)]
pub fn parse_duty(text: &str) -> Result<Parasite, ParseError> {
    Parasite::duty(text)
}

#[inline(never)]
pub fn parse_counts(text: &str) -> Result<(u64, u32), ParseError> {
    Ok((grammar::count(text)?, grammar::count32(text)?))
}

#[inline(never)]
pub fn parse_size(text: &str) -> Result<GridSize, ParseError> {
    GridSize::parse(text)
}

#[inline(never)]
pub fn parse_others(text: &str) -> Result<(Precision, Duration), ParseError> {
    Ok((Precision::parse(text)?, Duration::parse(text)?))
}
