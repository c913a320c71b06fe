//! Words that all of the core speaks: ids, time, random numbers, the types of cells, sorting, the
//! grammar of flags' values, and workers on sockets.
//!
//! It knows nothing of parts, workers' lives or runs, and never reads a clock or draws a number by
//! itself.
//!
//! Read [`id`] first, then [`table::Table`] and [`time::Instant`]. [`bug::OrBug`] is how the core
//! stops at its own mistakes.
//!
//! | file | what is in it |
//! |---|---|
//! | [`id`], [`topology`] | who is who, and which workers share a socket |
//! | [`time`], [`rng`] | integer nanoseconds; the seeded generator of every draw |
//! | [`real`], [`mod@unit`] | the types that a cell can have; the numbers that threads share |
//! | `shared_number`, `sync` | numbers that all workers see; atomics, real or modelled |
//! | [`table`] | memory by id: one element for each part, worker, node |
//! | [`list`] | lists in lent memory |
//! | [`heap`], `sort` | order without a panic and without allocation |
//! | [`grammar`] | values as text: `split:0.001` |
//! | [`bug`] | broken invariants |

pub mod bug;
pub mod grammar;
pub mod heap;
pub mod id;
pub mod list;
pub mod real;
pub mod rng;
mod shared_number;
pub(crate) mod sort;
pub(crate) mod sync;
pub mod table;
pub mod time;
pub mod topology;
pub mod unit;

pub use shared_number::SharedNumber;
