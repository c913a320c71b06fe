//! Errors of noise.

use std::io;

use thiserror::Error;

use crate::PlatformError;

/// An error of making or measuring noise.
#[derive(Debug, Error)]
pub enum NoiseError {
    /// The core cannot be used.
    #[error(transparent)]
    Machine(#[from] PlatformError),
    /// The system starts no more threads.
    #[error("cannot start a noise thread for core {core}: {source}; use fewer --noise sources")]
    Spawn {
        /// The core that it was for.
        core: u32,
        /// The system's reason.
        source: io::Error,
    },
    /// A thread of ours panicked.
    #[error("the noise thread of core {0} ended early: this is a fault of the program")]
    Lost(u32),
    /// `--seconds` is not a length of time.
    #[error("--seconds {0}: expected a number of seconds above 0")]
    Seconds(f64),
    /// The result could not be printed.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
}
