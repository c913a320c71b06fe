//! The machine that is simulated: where its cores are, and what things cost on it.

use core::fmt;

use heapless::Vec;
use serde::{Deserialize, Serialize};

use crate::id::{NodeId, SocketId, WorkerId};
use crate::noise::Parasite;
use crate::time::Duration;

/// The most kinds of noise that every core of a machine has.
pub const MAX_BACKGROUND: usize = 4;

/// A machine: cores on sockets on nodes, all alike but for their noise and their pace.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// Nodes.
    pub nodes: u32,
    /// Sockets of a node.
    pub sockets: u32,
    /// Cores of a socket.
    pub cores: u32,
    /// What things cost.
    pub costs: Costs,
    /// How much faster or slower than the nominal one a core's pace may be: each is drawn from
    /// this range around it, in millionths.
    pub pace_range: u32,
    /// Noise that every core has, each with a phase or bursts of its own.
    pub background: Vec<Parasite, MAX_BACKGROUND>,
}

/// How far apart two workers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// It is the same core.
    Core,
    /// On one socket.
    Socket,
    /// On two sockets of one node.
    Node,
    /// On two nodes.
    Network,
}

/// What it costs to bring cells from one place to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Until the first cell is there, in nanoseconds.
    pub latency: Duration,
    /// For each cell, in picoseconds.
    pub cell: u64,
}

impl Path {
    /// The time for so many cells.
    pub const fn time(self, cells: u64) -> Duration {
        Duration(self.latency.0.saturating_add(picoseconds(cells, self.cell)))
    }
}

/// A path for each [`Distance`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paths {
    /// Within a core.
    pub core: Path,
    /// Between cores of a socket.
    pub socket: Path,
    /// Between sockets of a node.
    pub node: Path,
    /// Between nodes.
    pub network: Path,
}

impl Paths {
    /// The path over a distance.
    pub const fn over(&self, distance: Distance) -> Path {
        match distance {
            Distance::Core => self.core,
            Distance::Socket => self.socket,
            Distance::Node => self.node,
            Distance::Network => self.network,
        }
    }
}

/// What things cost on a core that nothing slows down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Sweeping one cell, in picoseconds.
    pub cell: u64,
    /// Every sweep, besides its cells, in nanoseconds.
    pub sweep: Duration,
    /// Reading the halo on one side when a sweep starts; the cells are those along the side.
    pub halo: Paths,
    /// The first sweep of a subdomain that another core swept before; the cells are all of it.
    /// Between nodes it is the time for which the subdomain travels.
    pub hand_over: Paths,
    /// A barrier, for each doubling of the workers, in nanoseconds.
    pub barrier: Duration,
    /// A balancing round, in nanoseconds.
    pub round: Duration,
    /// A balancing round, for each subdomain that it looks at, in picoseconds.
    pub round_subdomain: u64,
    /// One iteration of the parasite's loop, in picoseconds.
    pub parasite_iteration: u64,
}

impl Costs {
    /// A sweep of so many cells, without halos.
    pub const fn sweep(&self, cells: u64) -> Duration {
        Duration(self.sweep.0.saturating_add(picoseconds(cells, self.cell)))
    }

    /// A round over so many subdomains.
    pub const fn round(&self, subdomains: u64) -> Duration {
        Duration(self.round.0.saturating_add(picoseconds(subdomains, self.round_subdomain)))
    }

    /// A barrier of so many workers.
    pub const fn barrier(&self, workers: u32) -> Duration {
        let doublings = u32::BITS - workers.saturating_sub(1).leading_zeros();
        Duration(self.barrier.0.saturating_mul(doublings as u64))
    }
}

/// `number` times `each` picoseconds, in whole nanoseconds.
const fn picoseconds(number: u64, each: u64) -> u64 {
    number.saturating_mul(each) / 1_000
}

/// A machine that cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HardwareError {
    /// No nodes, sockets or cores.
    Zero(&'static str),
    /// More cores than can be numbered.
    TooManyCores,
    /// A cost, in picoseconds or nanoseconds, of more than a day.
    Dear(&'static str),
    /// The pace would reach zero.
    Pace(u32),
}

impl fmt::Display for HardwareError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero(what) => write!(f, "a machine without {what} cannot run anything"),
            Self::TooManyCores => f.write_str("a machine has fewer than 2^24 cores"),
            Self::Dear(what) => write!(f, "`{what}` is more than a day"),
            Self::Pace(range) => {
                write!(f, "a pace range of {range} millionths would let a core stand still")
            }
        }
    }
}

impl core::error::Error for HardwareError {}

impl Hardware {
    /// Cores of a node.
    pub const fn node_cores(&self) -> u32 {
        self.sockets.saturating_mul(self.cores)
    }

    /// Cores in all.
    pub const fn all_cores(&self) -> u32 {
        self.nodes.saturating_mul(self.node_cores())
    }

    /// Checks what can be checked without a run.
    pub fn validate(&self) -> Result<(), HardwareError> {
        const DAY: u64 = 86_400_000_000_000;
        let numbers = [("nodes", self.nodes), ("sockets", self.sockets), ("cores", self.cores)];
        if let Some((what, _)) = numbers.iter().find(|(_, number)| *number == 0) {
            return Err(HardwareError::Zero(what));
        }
        if self.all_cores() >= 1 << 24 {
            return Err(HardwareError::TooManyCores);
        }
        let costs = &self.costs;
        let paths = |name, paths: Paths| {
            [paths.core, paths.socket, paths.node, paths.network]
                .map(|path| (name, path.latency.0.max(path.cell)))
        };
        let dear = [
            ("cell", costs.cell),
            ("sweep", costs.sweep.0),
            ("barrier", costs.barrier.0),
            ("round", costs.round.0),
            ("round_subdomain", costs.round_subdomain),
            ("parasite_iteration", costs.parasite_iteration),
        ]
        .into_iter()
        .chain(paths("halo", costs.halo))
        .chain(paths("hand_over", costs.hand_over))
        .find(|(_, cost)| *cost > DAY);
        if let Some((what, _)) = dear {
            return Err(HardwareError::Dear(what));
        }
        if self.pace_range >= 1_000_000 {
            return Err(HardwareError::Pace(self.pace_range));
        }
        Ok(())
    }
}

/// Where the workers of a run are: on the first cores of each node, socket by socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// Workers of a node.
    pub node_workers: u32,
    /// Cores of a socket.
    pub cores: u32,
    /// Sockets of a node.
    pub sockets: u32,
}

impl Places {
    #[inline]
    pub fn node(&self, worker: WorkerId) -> NodeId {
        NodeId(worker.0.checked_div(self.node_workers).unwrap_or(0))
    }

    /// The socket, numbered over all nodes.
    #[inline]
    pub fn socket(&self, worker: WorkerId) -> SocketId {
        let node = self.node(worker).0;
        let local = worker.0 - node * self.node_workers;
        SocketId(node * self.sockets + local.checked_div(self.cores).unwrap_or(0))
    }

    /// The core, numbered over all nodes.
    pub fn core(&self, worker: WorkerId) -> u32 {
        let node = self.node(worker).0;
        node * self.sockets * self.cores + worker.0 - node * self.node_workers
    }

    /// How far apart two workers on these sockets are, who are not the same.
    #[inline]
    pub fn between(&self, one: SocketId, other: SocketId) -> Distance {
        let node = |socket: SocketId| socket.0.checked_div(self.sockets);
        if one == other {
            Distance::Socket
        } else if node(one) == node(other) {
            Distance::Node
        } else {
            Distance::Network
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_grow_with_the_logarithm() {
        let costs = Costs { barrier: Duration(10), ..Costs::default() };
        for (workers, doublings) in [(1, 0), (2, 1), (3, 2), (4, 2), (24, 5), (36, 6)] {
            assert_eq!(costs.barrier(workers), Duration(10 * doublings), "{workers}");
        }
    }

    #[test]
    fn workers_fill_the_sockets_of_their_node_in_turn() {
        let places = Places { node_workers: 5, cores: 3, sockets: 2 };
        let at = |worker| {
            let worker = WorkerId(worker);
            (places.node(worker).0, places.socket(worker).0, places.core(worker))
        };
        assert_eq!((at(0), at(2), at(3), at(4)), ((0, 0, 0), (0, 0, 2), (0, 1, 3), (0, 1, 4)));
        assert_eq!((at(5), at(9)), ((1, 2, 6), (1, 3, 10)));
        let socket = |worker| places.socket(WorkerId(worker));
        let far = |one, other| places.between(socket(one), socket(other));
        assert_eq!(far(0, 2), Distance::Socket);
        assert_eq!((far(2, 3), far(4, 5)), (Distance::Node, Distance::Network));
    }
}
