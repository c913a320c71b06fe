//! Parts of anything that is iterated: what a part is, which are neighbours, whose each is, and how
//! they read each other's edges.
//!
//! A part has a number, neighbours, a version and an owner. What it computes is its own affair:
//! nothing here knows of cells or grids, and nothing decides which part is swept or moved.
//!
//! Read [`Part`] first, then [`Graph`]. [`ownership::Ownership`] is the only door through which
//! owners change, and a [`halo::Publication`] has the edges that neighbours read.
//!
//! | file | what is in it |
//! |---|---|
//! | `part` | [`Part`], and [`NoCells`] where only progress counts |
//! | `graph`, `slice_graph` | [`Graph`], whether it can be iterated ([`check`]); one in [slices](SliceGraph) |
//! | [`ownership`] | owners, and [`Move`](ownership::Move)s between them |
//! | [`halo`] | edges with their versions, in one memory and from other ranks |
//! | `owned` | the memory of the edges, and of a graph in slices (with `alloc`) |

mod graph;
pub mod halo;
#[cfg(all(feature = "alloc", target_has_atomic = "64"))]
pub mod owned;
pub mod ownership;
mod part;
mod slice_graph;

pub use graph::{Graph, GraphError, check, check_number};
pub use part::{NoCells, Part, SharedUnit};
pub use slice_graph::{Link, SliceGraph};
