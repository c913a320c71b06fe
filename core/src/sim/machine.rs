//! The virtual machine: the same decisions on any machine, in virtual time.
//!
//! A discrete-event simulation ([`sim`](crate::sim)) of workers on cores, sockets and nodes. Each
//! worker does what the threads do: at the start of a sweep it reads the halos of its subdomain as
//! they are published then, at the end it publishes the new cells; between two iterations it looks
//! at its working set, takes its turn at balancing, and waits where its mode says so. What takes
//! how long is in [`Hardware`]; what is decided comes from the modules that the threads use. Events
//! at equal times happen in the order of their actors' numbers, and all times are integers, so that
//! a configuration and a seed give the same run to the bit everywhere.
//!
//! The same queue, costs, paces and noise drive a pool of tasks (`virtual_pool`, with the feature
//! `alloc`).
//!
//! What is swept are [`Part`](crate::parts::Part)s of any kind in a [`Graph`](crate::parts::Graph):
//! real cells with the real stencil, or none ([`NoCells`](crate::parts::NoCells)) where only
//! progress counts. No event costs a scan of all workers or subdomains; looking at all of them, to
//! detect the end, happens once in an iteration.
//!
//! What is not simulated: that cores of a socket share its memory's bandwidth, and messages its
//! links; looking at published residuals and means costs no time. What nodes know of each other's
//! means is as old as the network makes it. A halt waits until every subdomain that is between
//! nodes has arrived, as ranks do.

mod cores;
mod error;
mod event;
mod halt;
mod intervene;
mod intervened;
mod intervention;
mod memory;
mod migration;
mod moment;
mod numbers;
mod prefetch;
mod records;
mod round;
mod setup;
mod simulation;
mod suspended;
mod transfers;
mod view;
mod visits;
mod worker;
mod workers;
mod working_set;

pub use crate::sim::{
    CellCost, CellCosts, CoreTrace, Costs, Distance, Hardware, HardwareError, MAX_BACKGROUND,
    MAX_CELL_COSTS, MAX_COST, PaceRanges, Path, Paths, Pending, Piece, Slowdown,
};
pub use cores::CoreNoise;
pub use error::SimulationError;
pub use event::{Event, Wait, Watch};
pub use intervened::Intervened;
pub use intervention::{Effect, Intervention};
pub use memory::{
    NodeState, SimulationMemory, SimulationNeeds, SubdomainState, VisitsMemory, WorkerState,
};
pub use setup::check;
pub use simulation::{LentParts, Simulation};
pub use suspended::Suspended;
pub use view::{NoiseTaken, SimulationOutcome};
