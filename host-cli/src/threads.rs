//! The engine on pinned threads.
//!
//! Everything that decides is in [`tresse_core`]; here are the threads, their memory and the clock.
//! [`solve`] is the way in.

mod clock;
mod control;
mod duty;
mod engine;
mod history;
mod memory;
mod observer;
mod run;
mod solution;
mod team;
mod wait;
mod worker;

pub use engine::{EngineError, Job, solve};
pub use observer::{Observer, Swept};
pub use solution::{End, Record, Solution};
