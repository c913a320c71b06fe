//! Parasites that slow a core down on purpose.
//!
//! Source: Zarins & Weiland 2017, section 4.3 (a loop of sleep and arithmetic, pinned to one core).

mod clock;
mod error;
mod measure;
mod parasite;
mod threads;

#[cfg(test)]
mod tests;

pub use error::NoiseError;
pub use measure::{SlowDown, measure_slowdown, window_for};
pub use parasite::Bursts;
pub use threads::NoiseThreads;
