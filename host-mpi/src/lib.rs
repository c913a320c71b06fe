//! Tresse across MPI ranks. [Clusters](guide::clusters) is the page for those who use the program.
//!
//! # Map
//!
//! A process enters MPI through its one [`Entry`], which the [`launcher`] started; ranks that share
//! memory are [`nodes`]. What others may read of a rank is in a [`Window`]; [`probe`] finds out whether
//! that needs the rank's help. The [`baseline`] does without all that: it sends messages.

pub mod agreement;
pub mod args;
pub mod bands;
pub mod baseline;
pub mod binding;
mod collectives;
pub mod commands;
mod entry;
mod error;
mod extents;
pub mod guide;
pub mod launcher;
pub mod layout;
pub mod library;
pub mod nodes;
pub mod noise;
pub mod probe;
pub mod rank;
pub mod ranks;
pub mod record;
pub mod report;
pub mod restored;
pub mod saving;
pub mod signals;
mod termination_notice;
pub mod window;
mod windows;

pub use entry::{Entry, LaunchError};
pub use extents::Outside;
pub use window::{Get, Progress, Window, WindowError, Word};
pub use windows::Windows;
