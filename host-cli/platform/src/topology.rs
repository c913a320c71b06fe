//! `--topology 2x18`: one machine stands for another.

use std::fmt;

use serde::{Serialize, Serializer};
use thiserror::Error;
use tresse_core::base::id::{SocketId, WorkerId};

/// Sockets and cores to count workers to, instead of those that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopologyOverride {
    /// Sockets, at least 1.
    pub sockets: u32,
    /// Cores of each socket, at least 1.
    pub cores_per_socket: u32,
}

/// The value of `--topology` is not a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected SOCKETSxCORES, such as 2x18, both at least 1")]
pub struct TopologyError;

impl TopologyOverride {
    /// Reads `SOCKETSxCORES`, cores meaning those of one socket.
    pub fn parse(text: &str) -> Result<Self, TopologyError> {
        let (sockets, cores) = text.split_once(['x', 'X', '×']).ok_or(TopologyError)?;
        Ok(Self { sockets: side(sockets)?, cores_per_socket: side(cores)? })
    }

    /// Cores of the machine that is stood for.
    pub fn cores(self) -> u64 {
        u64::from(self.sockets) * u64::from(self.cores_per_socket)
    }

    /// Returns the socket of a worker: sockets are filled one after the other, then from the first
    /// again.
    pub fn socket_of(self, worker: WorkerId) -> SocketId {
        let full = worker.0.checked_div(self.cores_per_socket).unwrap_or(0);
        SocketId(full.checked_rem(self.sockets).unwrap_or(0))
    }
}

/// Parses a number of sockets or cores, which is positive.
fn side(text: &str) -> Result<u32, TopologyError> {
    // `parse` alone would read a sign.
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(TopologyError);
    }
    text.parse().ok().filter(|&side| side > 0).ok_or(TopologyError)
}

impl fmt::Display for TopologyOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.sockets, self.cores_per_socket)
    }
}

/// Writes the topology as on the command line.
impl Serialize for TopologyOverride {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
