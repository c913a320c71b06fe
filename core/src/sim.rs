//! The base of any discrete-event simulation of a machine: events in order of time, and the times
//! that a machine's cores, sockets, nodes and network take for things.
//!
//! An event is a time and the number of an actor; what an actor is, and what it does then, is the driver's.
//! [`machine`](crate::machine) drives workers and migrating subdomains, and pools of tasks, by it.
//!
//! | file | what is in it |
//! |---|---|
//! | `queue`, `calendar` | what happens next |
//! | `hardware`, `cell_costs` | cores on sockets on nodes, and what things cost on them |
//! | `speed` | what noise, paces and traces leave of a core |
//! | `tournament` | who is furthest behind |

pub(crate) mod calendar;
pub(crate) mod cell_costs;
pub(crate) mod hardware;
pub(crate) mod queue;
pub(crate) mod speed;
pub(crate) mod tournament;

pub use cell_costs::{CellCost, CellCosts, MAX_CELL_COSTS};
pub use hardware::{
    Costs, Distance, Hardware, HardwareError, MAX_BACKGROUND, MAX_COST, Path, Paths,
};
pub use queue::Pending;
pub use speed::{CoreTrace, PaceRanges, Piece, Slowdown};
