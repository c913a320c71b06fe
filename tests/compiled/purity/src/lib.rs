//! Instances of the core's generic functions, as drivers have them.
//!
//! Nobody calls these: the purity test builds this crate for several targets and looks at what the
//! compiled functions refer to. The core's other functions it has from the core itself, where they
//! are compiled whether or not somebody calls them; so what stands here is what a driver gives
//! types or closures to.

#![no_std]
#![expect(missing_docs, reason = "each function is named after those that it instantiates")]

use core::ops::ControlFlow;

use tresse_core::balance::grapevine::parallel::Serial;
use tresse_core::balance::grapevine::protocol::{Message, Peer, ProtocolMemory, Setting};
use tresse_core::balance::grapevine::{self, BalanceOutcome, GrapevineMemory, Problem, RunError};
use tresse_core::balance::{Balancer, Lent, Observed, plb};
use tresse_core::base::id::{ProcessorId, RankId, SlotId, SocketId, SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::stencil::Layout;
use tresse_core::parts::halo::{Bounds, DirectoryEntry, Location};
use tresse_core::parts::ownership::{Move, Ownership};
use tresse_core::ranks::migration::{FreeSlots, Look, Packet, PacketError, Receiver, Write, homes};
use tresse_core::run::RunConfig;
use tresse_core::run::progress::Progress;

pub mod machine;
pub mod multigrid;
#[cfg(target_has_atomic = "64")]
pub mod remote;
#[cfg(target_has_atomic = "64")]
pub mod shared;
pub mod sharing;

#[inline(never)]
pub fn poll(
    balancer: &mut Balancer,
    now: Instant,
    observed: &Observed<'_>,
    lent: Lent<'_, '_>,
    ownership: &mut Ownership<'_>,
    last: &mut Option<Move>,
) {
    balancer.poll(now, observed, lent, ownership, &mut |made| *last = Some(made));
}

#[inline(never)]
pub fn working_set(ownership: &Ownership<'_>, worker: WorkerId) -> u64 {
    ownership.of(worker).map(|id| u64::from(id.0)).sum()
}

#[inline(never)]
pub fn progress(counts: &[u64]) -> Progress {
    Progress::of(counts.iter().copied())
}

#[inline(never)]
pub fn warnings(config: &RunConfig, workers: &[(SocketId, u32)]) -> (usize, Option<plb::Stuck>) {
    let stuck = plb::stuck(config.balance, &config.plb, workers.iter().copied());
    (config.warnings().count(), stuck)
}

#[inline(never)]
pub fn edges(layout: &Layout, cells: &mut [f64], row: usize) -> f64 {
    let ring = [layout.top(cells), layout.bottom(cells)].into_iter().flatten();
    let ends = layout.left(cells).chain(layout.right(cells));
    let rows = layout.row(cells, row).iter();
    let sum = ring.chain(ends).chain(rows).sum();
    let swept = layout.swept();
    swept.top_mut(cells).fill(sum);
    swept.bottom_mut(cells).fill(sum);
    swept.left_mut(cells).for_each(|cell| *cell = sum);
    swept.right_mut(cells).for_each(|cell| *cell = sum);
    swept.row_mut(cells, row).fill(sum);
    let aligned = layout.aligned(cells).len();
    sum + swept.column(cells, row).sum::<f64>() + aligned as f64
}

#[inline(never)]
pub fn run(
    problem: &Problem<'_>,
    owners: &mut [ProcessorId],
    memory: &mut GrapevineMemory<'_>,
    most: u32,
) -> Result<BalanceOutcome, RunError> {
    grapevine::run(problem, owners, memory, &Serial, &mut |made: &grapevine::Iteration| {
        if made.number < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
}

#[inline(never)]
pub fn talk(
    peer: &mut Peer,
    setting: &Setting<'_>,
    memory: &mut ProtocolMemory<'_>,
    received: Option<(u32, Message)>,
    sent: &mut (u32, Message),
) {
    let mut tell = |to, message| *sent = (to, message);
    match received {
        None => peer.start(setting, memory, &mut tell),
        Some((from, message)) => peer.receive(setting, memory, from, message, &mut tell),
    }
}

#[inline(never)]
pub fn settle(config: &RunConfig, cut: &Decomposition, taken: &mut [u32]) -> Option<Location> {
    homes(config, cut, taken).last()
}

#[inline(never)]
pub fn slots(taken: &mut [bool], slot: SlotId) -> (Option<SlotId>, usize) {
    let mut slots = FreeSlots::new(taken, 0);
    slots.give_back(slot);
    (slots.take(), slots.free())
}

#[inline(never)]
pub fn look(
    receiver: &mut Receiver,
    (from, word): (RankId, u64),
    handled: &mut u32,
    directory: &[DirectoryEntry],
    slots: &mut FreeSlots<&mut [bool]>,
) -> (Look, Option<Write>) {
    let entry = |id: SubdomainId| directory.get(id.index()).copied().unwrap_or_default();
    (receiver.look(from, word, handled, entry, slots), receiver.refuse(slots))
}

#[inline(never)]
pub fn unpack(
    words: &[u64],
    bounds: Bounds,
    cut: &Decomposition,
    (receiver, entry): (&mut Receiver, DirectoryEntry),
) -> Result<bool, PacketError> {
    let packet = Packet::<4>::decode(words.iter().copied(), bounds, cut)?;
    Ok(receiver.fetched(&packet, entry))
}
