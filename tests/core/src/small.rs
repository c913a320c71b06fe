//! All small worlds: 3 workers, 6 subdomains, counts 0 to 3, every ownership.

use rayon::prelude::*;
use tresse_core::base::id::SocketId;
use tresse_core::run::PlbParams;

use crate::world::{Fault, Policy, World};

const WORKERS: usize = 3;
const SUBDOMAINS: u32 = 6;
const COUNTS: u64 = 4;

/// Number of worlds for one policy and its parameters.
pub const WORLDS: u64 = (WORKERS as u64).pow(SUBDOMAINS) * COUNTS.pow(SUBDOMAINS);

/// Checks every small world; any fault that there is, or how many worlds were checked.
pub fn every_world(
    policy: Policy,
    sockets: [u32; WORKERS],
    params: PlbParams,
    check: impl Fn(&World) -> Result<(), Fault> + Sync,
) -> Result<u64, Fault> {
    every_world_of(SUBDOMAINS, policy, sockets, params, check)
}

/// Checks every world of a number of subdomains; returns the number of worlds that were checked, or
/// a fault.
pub fn every_world_of(
    subdomains: u32,
    policy: Policy,
    sockets: [u32; WORKERS],
    params: PlbParams,
    check: impl Fn(&World) -> Result<(), Fault> + Sync,
) -> Result<u64, Fault> {
    let ownerships = WORKERS.pow(subdomains);
    let checked = (0..ownerships).into_par_iter().map(|ownership| {
        let owners = digits(ownership, WORKERS, subdomains).collect();
        let sockets = sockets.map(SocketId).to_vec();
        let mut world = World { counts: Vec::new(), owners, sockets, policy, params };
        let all_counts = COUNTS.pow(subdomains);
        for counts in 0..all_counts {
            world.counts.clear();
            world.counts.extend(digits(counts, COUNTS, subdomains));
            check(&world)?;
        }
        Ok(all_counts)
    });
    checked.try_reduce(|| 0, |one, other| Ok(one + other))
}

/// Returns a number of digits of a number in a base, least first.
pub fn digits<N>(number: N, base: N, digits: u32) -> impl Iterator<Item = N>
where
    N: Copy + std::ops::Rem<Output = N> + std::ops::Div<Output = N>,
{
    let rest = std::iter::successors(Some(number), move |&rest| Some(rest / base));
    rest.take(digits as usize).map(move |rest| rest % base)
}
