//! The engine on pinned threads.
//!
//! Everything that decides is in [`tresse_core`]; here are the threads, their memory and the clock.
//! [`solve`] is the way in.

mod baseline;
mod capacity;
mod clock;
mod control;
mod duty;
mod engine;
mod members;
mod memory;
mod observer;
mod run;
mod solution;
mod team;
mod wait;
mod worker;

pub use crate::solution::{Record, Solution};
pub use baseline::solve_with_rayon;
pub use capacity::bytes_needed;
pub use engine::{EngineError, Job, solve};
pub use observer::{Activity, Observer, Observers, Sweep};
pub use tresse_core::run::End;
