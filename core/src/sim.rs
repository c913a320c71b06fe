//! Virtual time: machines of cores, sockets, nodes and a network, and what runs on them.
//!
//! An event is a time and the number of an actor. What an actor does at its event is decided by the
//! code that threads and ranks are driven by; nothing here decides for them, and nothing reads a
//! clock or draws a number but from a seed. So a configuration gives the same run to the bit
//! everywhere.
//!
//! Read [`Hardware`] first, then [`machine::Simulation`].
//!
//! | file | what is in it |
//! |---|---|
//! | `queue`, `calendar` | what happens next |
//! | `hardware`, `cell_costs` | cores on sockets on nodes, and what things cost on them |
//! | `speed` | what noise, paces and traces leave of a core |
//! | `tournament` | who is furthest behind |
//! | [`machine`] | workers and the parts that move between them |
//! | `virtual_pool` | pools of tasks (with `alloc`) |
//! | `owned` | memory, runs that can be gone back to, threads of multigrid (with `alloc`) |

pub(crate) mod calendar;
pub(crate) mod cell_costs;
pub(crate) mod hardware;
pub mod machine;
#[cfg(feature = "alloc")]
pub mod owned;
pub(crate) mod queue;
pub(crate) mod speed;
pub(crate) mod tournament;
#[cfg(feature = "alloc")]
pub mod virtual_pool;

pub use cell_costs::{CellCost, CellCosts, MAX_CELL_COSTS};
pub use hardware::{
    Costs, Distance, Hardware, HardwareError, MAX_BACKGROUND, MAX_COST, Path, Paths,
};
pub use queue::Pending;
pub use speed::{CoreTrace, PaceRanges, Piece, Slowdown};
