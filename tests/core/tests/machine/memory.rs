//! Measures the memory of a virtual machine's subdomain beyond its cells.

use tresse_core::balance::Mean;
use tresse_core::base::id::{SocketId, WorkerId};
use tresse_core::field::subdomain::Subdomain;
use tresse_core::parts::halo::Location;
use tresse_core::parts::ownership::{Holding, Link};
use tresse_core::run::schedule::Leveling;
use tresse_core::sim::machine::{
    NodeState, Pending, SimulationNeeds, Slowdown, SubdomainState, WorkerState,
};
use tresse_experiments::experiment;

/// Bytes for each subdomain: those of the machine, and the descriptors of its cells, source term
/// and coefficient.
const ALLOWED: usize = 240;

/// Returns all that is lent to a machine.
fn bytes(needs: &SimulationNeeds) -> usize {
    let each_subdomain =
        size_of::<SubdomainState>() + size_of::<WorkerId>() + size_of::<Link>() + size_of::<u64>();
    let each_worker = size_of::<WorkerState>()
        + 3 * size_of::<u64>()
        + size_of::<Leveling>()
        + size_of::<SocketId>()
        + size_of::<WorkerId>();
    needs.subdomains * each_subdomain
        + needs.workers * each_worker
        + needs.holdings * size_of::<Holding>()
        + needs.nodes * (size_of::<NodeState>() + size_of::<Mean>())
        + needs.locations * size_of::<Location>()
        + needs.handled * size_of::<u32>()
        + needs.slots
        + needs.pending * size_of::<Pending>()
        + needs.slowdowns * size_of::<Slowdown<'_>>()
}

/// Four subdomains a worker, nodes of 24, and the descriptors of the cells.
#[test]
fn a_subdomain_takes_two_hundred_and_forty_bytes_beyond_its_cells() {
    let mut experiment = experiment("memory", String::new(), 100);
    experiment.config.workers = 24 * 100;
    experiment.hardware.cores = 12;
    let needs = SimulationNeeds::of(&experiment.config, &experiment.hardware, &[]);
    let machine = bytes(&needs).div_ceil(needs.subdomains);
    let all = machine + size_of::<Subdomain<'_, f64>>();
    println!("{machine} bytes of the machine, {all} with the subdomain itself");
    assert!(all <= ALLOWED, "{all} bytes");
    assert!(all > ALLOWED / 2, "{all} bytes: something is not counted");
}
