//! Errors of placing a run on the machine.

use std::fmt;

use thiserror::Error;
use tresse_core::base::id::{NodeId, SocketId};
use tresse_core::run::MAX_WORKERS;

/// An error of placing a run on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlatformError {
    /// The affinity mask could not be read, or is empty.
    #[error("the system does not say which cores this process may use")]
    NoCores,
    /// Memory and processor could not be read.
    #[error("the system does not say what memory and processor it has: {0}")]
    System(String),
    /// The system refused to pin a thread.
    #[error(
        "cannot pin a thread to core {0}: it is not, or no longer, a core this process may use"
    )]
    Pin(u32),
    /// There are no workers.
    #[error("--workers 0: at least one worker is needed")]
    NoWorkers,
    /// There are more workers than any system starts threads.
    #[error("{workers} workers are too many: at most {MAX_WORKERS}; lower --workers or --topology")]
    TooManyWorkers {
        /// Number of workers that was asked for.
        workers: u64,
    },
    /// A core lies outside the affinity mask.
    #[error("{flag}: not a core this process may use; allowed: {allowed}")]
    CoreNotAllowed {
        /// The flag and its value.
        flag: String,
        /// The cores that could be used.
        allowed: CoreList,
    },
    /// A socket has no worker.
    #[error("--noise socket={socket}: no worker is on that socket; sockets with workers: {used}")]
    NoSuchSocket {
        /// Socket that was asked for.
        socket: SocketId,
        /// The sockets that could be named.
        used: CoreList,
    },
    /// The run has no such node, as it has one only.
    #[error("--noise node={0}: this run has one node only, use node=0")]
    NoSuchNode(NodeId),
}

/// Ascending numbers that print as ranges: `0-3,8`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreList(pub Vec<u32>);

impl fmt::Display for CoreList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|&a, &b| a.checked_add(1) == Some(b));
        for (index, run) in runs.enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match *run {
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [only] => write!(f, "{comma}{only}")?,
                [] => {}
            }
        }
        Ok(())
    }
}
