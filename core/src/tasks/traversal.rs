//! Depth-first traversal of a graph: work for a pool whose tasks depend on each other's data.
//!
//! A task is a vertex, and executing it claims those of its successors that nobody has claimed
//! ([`Claims`]): these are its children. So every vertex that can be reached becomes one task, of
//! whoever came first, and how much there is to do at a time is limited by the graph: what comes
//! after a vertex is known only when it was visited.
//!
//! A claim is made in the name of the vertex that it leads from, not of the worker. Speculation may
//! execute a task twice, on two workers, one of them in vain; both claim the same in the same name,
//! so either finds all of its children, and what was done in vain is done for the other: there is
//! nothing to undo. Were a claim a worker's own, a visit that is rolled back would take vertices
//! with it that others have passed by.
//!
//! What is found does not depend on the schedule: the vertices that are reached, their arcs, and a
//! [fingerprint](Reached::fingerprint) of their numbers.

#![expect(
    clippy::cast_possible_truncation,
    reason = "vertices, and arcs of one of them, are numbers of at most 32 bits, where they come in"
)]

mod claims;
mod digraph;
mod random;
mod visit;

pub use claims::Claims;
#[cfg(target_has_atomic = "32")]
pub use claims::Marks;
pub use digraph::Digraph;
pub use random::{MAX_DEGREE, RandomArcs, RandomGraph};
pub use visit::{Reached, Visit, Visited};
