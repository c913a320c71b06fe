//! Pools of tasks that workers share: unbalanced trees that are counted, and graphs that are
//! traversed.
//!
//! # Map
//!
//! - [`pool`]: a pool on pinned threads; [`virtual_pool`]: one in virtual time.
//! - [`hashes`]: the hash of the nodes of unbalanced trees, as this processor does it best.
//! - [`traversal`]: graphs to traverse; [`graph_files`]: those on the disk.
//! - Behind the feature `program`: the `commands` `uts` and `traverse`, and what any command with a
//!   pool needs. [`wording`] names their flags in errors.

#[cfg(feature = "program")]
pub mod commands;
pub mod graph_files;
pub mod hashes;
pub mod pool;
pub mod traversal;
pub mod virtual_pool;
pub mod wording;
