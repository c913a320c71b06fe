//! Checkpoints of a run in one process or in several: [`Saving`] writes them, and [`Restored`] is
//! what a run of Jacobi iteration goes on from; a [`Keeper`] has both. Multigrid is kept by a
//! [`MultigridKeeper`], parts of one's own by a [`PartsKeeper`]. The files are those of
//! [`checkpoint`](crate::files::checkpoint).

mod group;
mod keeper;
mod multigrid;
mod parts;
mod restored;
mod saving;
mod stencil;

pub use group::Group;
pub use keeper::Keeper;
pub use multigrid::{MultigridKeeper, restore, stage};
pub use parts::PartsKeeper;
pub use restored::{Restored, whole_iterations};
pub use saving::{Checkpoints, Plan, Saving};
pub use stencil::StencilKeeper;
