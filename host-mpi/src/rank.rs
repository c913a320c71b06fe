//! One rank's part of a run: its memory, its workers, and its links to the other ranks.
//!
//! [`iterate()`] drives parts of any kind, and [`solve()`] those of the stencil. [`ranks`] are the
//! other ranks, and moves between them; [`baseline`] is the solver that sends messages instead.

pub mod bands;
pub mod baseline;
mod error;
mod gather;
mod iterate;
pub mod layout;
mod memory;
mod mirrors;
pub mod multigrid;
pub mod noise;
pub mod pool;
pub mod ranks;
pub mod recording;
mod resume;
mod solve;
mod termination_notice;
mod windows;

pub use error::RankError;
pub(crate) use error::{all_restored, reason};
pub(crate) use gather::{read_parts, write_part};
pub use iterate::{RankIteration, iterate};
pub use memory::PartPlaces;
pub use resume::open;
pub use solve::{RankJob, Solved, solve};
pub use windows::Windows;
