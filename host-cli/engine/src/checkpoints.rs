//! Checkpoints of a run in one process or in several: [`Saving`] writes them, and [`Restored`] is
//! what a run of Jacobi iteration goes on from. Multigrid is kept by a [`VisitsKeeper`]. The files
//! are those of [`checkpoint`](crate::files::checkpoint).

mod group;
mod restored;
mod saving;
mod visits;

pub use group::Group;
pub use restored::{Restored, whole_iterations};
pub use saving::{Checkpoints, Plan, Saving};
pub use visits::{VisitsKeeper, restore, stage};
