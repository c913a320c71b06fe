//! The engine on pinned threads.
//!
//! Everything that decides is in [`tresse_core`]; here are the threads, their memory and the clock.
//! [`solve`] is the way in.

mod baseline;
mod berths;
mod capacity;
mod clock;
mod duty;
mod engine;
mod members;
mod memory;
mod missing;
mod observer;
mod peers;
mod run;
mod solution;
mod team;
mod wait;
mod worker;

pub use crate::solution::{Record, Solution};
pub use baseline::{Beyond, Rows, Share, solve_with_rayon, solve_with_rayon_among};
pub use berths::{Berths, Places};
pub use capacity::{bytes_needed, bytes_needed_with_rayon};
pub use engine::{EngineError, Job, solve, solve_among};
pub use missing::MissingHalo;
pub use observer::{Activity, Observer, Observers, Sweep};
pub use peers::{Alone, Elsewhere, Exchanged, Local, Moment, Peers, Whole};
pub use tresse_core::run::End;
