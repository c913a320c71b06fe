//! Tresse across MPI ranks.
//!
//! # Map
//!
//! A process enters MPI through its one [`Entry`], which the [`launcher`] started; ranks that share
//! memory are [`nodes`]. What others may read of a rank is in a [`Window`]; [`probe`] finds out whether
//! that needs the rank's help.

mod collectives;
mod entry;
mod error;
mod extents;
pub mod launcher;
pub mod layout;
pub mod library;
pub mod nodes;
pub mod probe;
pub mod ranks;
pub mod record;
pub mod window;
mod windows;

pub use entry::{Entry, LaunchError};
pub use extents::Outside;
pub use window::{Get, Progress, Window, WindowError, Word};
pub use windows::Windows;
