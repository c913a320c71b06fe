//! The machine that is simulated: the places of its cores, and the costs of work on it.

use core::fmt;

use heapless::Vec;
use serde::Serialize;

use super::cell_costs::{CellCost, CellCosts};
use super::speed::{PaceRanges, ParasiteCosts};
use crate::base::id::{NodeId, SocketId, WorkerId};
use crate::base::time::Duration;
use crate::run::GridSize;
use crate::run::noise::Parasite;

/// The most kinds of noise that every core of a machine has.
pub const MAX_BACKGROUND: usize = 4;

/// The most that a cost may be, in nanoseconds or picoseconds: the number of nanoseconds of a day.
pub const MAX_COST: u64 = 86_400_000_000_000;

/// A machine: cores on sockets on nodes, all alike but for their noise and their pace.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// Nodes.
    pub nodes: u32,
    /// Sockets of a node.
    pub sockets: u32,
    /// Cores of a socket.
    pub cores: u32,
    /// Costs of work on a core.
    pub costs: Costs,
    /// Ranges of the paces of cores, sockets and nodes.
    pub paces: PaceRanges,
    /// Noise that every core has, each with a phase or bursts of its own.
    pub background: Vec<Parasite, MAX_BACKGROUND>,
}

/// Distance between two workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// The workers are on the same core.
    Core,
    /// The workers are on one socket.
    Socket,
    /// The workers are on two sockets of one node.
    Node,
    /// The workers are on two nodes.
    Network,
}

/// Cost of bringing cells from one place to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Path {
    /// Time until the first cell is there, in nanoseconds.
    pub latency: Duration,
    /// Time of each cell, in picoseconds.
    pub cell: u64,
}

impl Path {
    /// Returns the time of this number of cells.
    pub const fn time(self, cells: u64) -> Duration {
        Duration(self.latency.0.saturating_add(picoseconds(cells, self.cell)))
    }
}

/// A path for each [`Distance`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Paths {
    /// Path within a core.
    pub core: Path,
    /// Path between cores of a socket.
    pub socket: Path,
    /// Path between sockets of a node.
    pub node: Path,
    /// Path between nodes.
    pub network: Path,
}

impl Paths {
    /// Returns the path over a distance.
    pub const fn over(&self, distance: Distance) -> Path {
        match distance {
            Distance::Core => self.core,
            Distance::Socket => self.socket,
            Distance::Node => self.node,
            Distance::Network => self.network,
        }
    }
}

/// Costs of work on a core that nothing slows down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// Cost of sweeping one cell, in picoseconds.
    pub cell: u64,
    /// Cost of sweeping one cell by the number of cells in the worker's hands, where that matters.
    pub cells: CellCosts,
    /// Additional cost of a cell in a sweep that takes the residual, in picoseconds.
    pub residual: u64,
    /// Cost of every sweep besides its cells, in nanoseconds.
    pub sweep: Duration,
    /// Cost of the halo on one side, read when a sweep starts, and of the edge there, shown to
    /// whoever reads it when the sweep ends; the cells are those along the side.
    pub halo: Paths,
    /// Cost of the first sweep of a subdomain that another core swept before; the cells are all of
    /// it. Between nodes it is the time for which the subdomain travels.
    pub hand_over: Paths,
    /// Cost of a barrier, for each doubling of the workers, in nanoseconds.
    pub barrier: Duration,
    /// Cost of a balancing round, in nanoseconds.
    pub round: Duration,
    /// Cost of a balancing round, for each subdomain that it looks at, in picoseconds.
    pub round_subdomain: u64,
    /// Cost of one iteration of the parasite's loop, in picoseconds.
    pub parasite_iteration: u64,
    /// Time for which a parasite sleeps longer than it asks for, in nanoseconds.
    pub wake_up: Duration,
    /// Time that a burst takes from the core besides its work, out of the time for which the
    /// parasite sleeps, in nanoseconds: the core is given away, and given back.
    pub switch: Duration,
}

impl Costs {
    /// Returns the time of a sweep of this number of cells, without halos and residual.
    pub const fn sweep(&self, cells: u64) -> Duration {
        self.sweep_at(cells, self.cell)
    }

    /// Returns the time of a sweep of `cells` cells, without halos. `in_hand` are all cells of the
    /// worker, on which the cost of a cell depends.
    #[inline]
    pub fn sweep_among(&self, cells: u64, in_hand: u64, takes_residual: bool) -> Duration {
        let residual = if takes_residual { self.residual } else { 0 };
        let cell = self.cells.at(in_hand).unwrap_or(self.cell);
        self.sweep_at(cells, cell.saturating_add(residual))
    }

    const fn sweep_at(&self, cells: u64, cell: u64) -> Duration {
        Duration(self.sweep.0.saturating_add(picoseconds(cells, cell)))
    }

    /// Returns the time in which a worker brings `cells` cells into cache and evaluates each of
    /// them `sweeps` times there. `in_hand` are all cells of the worker, on which the cost of the
    /// first evaluation depends.
    pub fn passes(&self, cells: u64, sweeps: u32, in_hand: u64) -> Duration {
        let again = self.cells.at(0).unwrap_or(self.cell);
        let evaluated = cells.saturating_mul(sweeps.saturating_sub(1).into());
        let first = self.sweep_among(cells, in_hand, false);
        Duration(first.0.saturating_add(picoseconds(evaluated, again)))
    }

    /// Returns the costs of the parasites that a run asks for.
    pub(crate) const fn parasite(&self) -> ParasiteCosts {
        let (wake_up, switch) = (self.wake_up, self.switch);
        ParasiteCosts { iteration: self.parasite_iteration, wake_up, switch }
    }

    /// Returns the costs of the noise that every core has at rest: none for waking up and
    /// switching, since the noise that was measured includes both.
    pub(crate) const fn background(&self) -> ParasiteCosts {
        let none = Duration::ZERO;
        ParasiteCosts { iteration: self.parasite_iteration, wake_up: none, switch: none }
    }

    /// Returns the time of a round over this number of subdomains.
    pub const fn round(&self, subdomains: u64) -> Duration {
        Duration(self.round.0.saturating_add(picoseconds(subdomains, self.round_subdomain)))
    }

    /// Returns the costs with which a run on `actual` cells takes the time that it would take on
    /// `as_if` cells, both being those of all workers, or both those of one.
    ///
    /// Costs for each cell of an area (sweeps, hand-overs) are multiplied by the ratio of the
    /// numbers of cells, those for each cell along a side (halos) by the ratio of rows and columns
    /// together, each to the nearest picosecond; numbers of cells in hand are divided by theirs.
    /// Costs that do not grow with cells stay.
    pub fn timed_as(&self, actual: GridSize, as_if: GridSize) -> Self {
        let sides = |size: GridSize| (size.rows as u64).saturating_add(size.columns as u64);
        let paths = |paths: Paths, asked: u64, there: u64| {
            let path = |path: Path| Path { cell: ratio(path.cell, asked, there), ..path };
            Paths {
                core: path(paths.core),
                socket: path(paths.socket),
                node: path(paths.node),
                network: path(paths.network),
            }
        };
        let (asked, there) = (as_if.cells(), actual.cells());
        // Points of few cells may fall together, and stay in order: no worker has that few.
        let point = |CellCost { cells, cost }| CellCost {
            cells: ratio(cells, there, asked),
            cost: ratio(cost, asked, there),
        };
        Self {
            cell: ratio(self.cell, asked, there),
            cells: self.cells.map(point),
            residual: ratio(self.residual, asked, there),
            hand_over: paths(self.hand_over, asked, there),
            halo: paths(self.halo, sides(as_if), sides(actual)),
            ..*self
        }
    }

    /// Returns the time of a barrier of this number of workers.
    pub const fn barrier(&self, workers: u32) -> Duration {
        Duration(self.barrier.0.saturating_mul(doublings(workers)))
    }

    /// Returns the time in which one worker of each of this number of nodes learns what all of them
    /// say, by messages of one number to one other node at a time.
    pub const fn meeting(&self, nodes: u32) -> Duration {
        Duration(self.halo.network.time(1).0.saturating_mul(doublings(nodes)))
    }

    /// Returns the time in which each of this number of nodes learns `numbers` numbers that the
    /// others have: in as many rounds as one is doubled until it is the number of nodes, each
    /// node's messages doubling in length, so that every number arrives once (R. Thakur et al.,
    /// *Optimization of collective communication operations in MPICH*, 2005, section 4.1).
    pub const fn gathering(&self, nodes: u32, numbers: u64) -> Duration {
        let Path { latency, cell } = self.halo.network;
        let rounds = latency.0.saturating_mul(doublings(nodes));
        Duration(rounds.saturating_add(picoseconds(numbers, cell)))
    }

    /// Returns the time of a message of so many numbers between two nodes.
    pub const fn message(&self, numbers: u64) -> Duration {
        self.halo.network.time(numbers)
    }
}

/// Returns how many times one is doubled until it is at least this number.
const fn doublings(number: u32) -> u64 {
    (u32::BITS - number.saturating_sub(1).leading_zeros()) as u64
}

/// Returns `number` times `each` picoseconds, in whole nanoseconds.
const fn picoseconds(number: u64, each: u64) -> u64 {
    number.saturating_mul(each) / 1_000
}

/// Returns `cost` times `asked / there` to the nearest whole number; saturates.
fn ratio(cost: u64, asked: u64, there: u64) -> u64 {
    let there = u128::from(there);
    // The product of two 64-bit numbers and half of a third fits.
    let product = u128::from(cost) * u128::from(asked) + there / 2;
    product.checked_div(there).map_or(u64::MAX, |cost| u64::try_from(cost).unwrap_or(u64::MAX))
}

/// A machine that cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HardwareError {
    /// There are no nodes, sockets or cores.
    Zero(&'static str),
    /// There are more cores than can be numbered.
    TooManyCores,
    /// A cost, in picoseconds or nanoseconds, of more than a day.
    TooExpensive(&'static str),
    /// The pace would reach zero.
    Pace(u32),
}

impl fmt::Display for HardwareError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero(what) => write!(f, "a machine without {what} cannot run anything"),
            Self::TooManyCores => f.write_str("a machine has fewer than 2^24 cores"),
            Self::TooExpensive(what) => write!(f, "`{what}` is more than a day"),
            Self::Pace(range) => {
                write!(f, "a pace range of {range} millionths would let a core stand still")
            }
        }
    }
}

impl core::error::Error for HardwareError {}

impl Hardware {
    /// Returns the number of cores of a node.
    pub const fn node_cores(&self) -> u32 {
        self.sockets.saturating_mul(self.cores)
    }

    /// Returns the number of all cores.
    pub const fn all_cores(&self) -> u32 {
        self.nodes.saturating_mul(self.node_cores())
    }

    /// Returns the number of sockets that have workers, where `workers` are spread evenly over
    /// `nodes` nodes.
    pub const fn used_sockets(&self, workers: u32, nodes: u32) -> u32 {
        match workers.checked_div(nodes) {
            Some(node_workers) if self.cores > 0 => {
                nodes.saturating_mul(node_workers.div_ceil(self.cores))
            }
            _ => 0,
        }
    }

    /// Returns the sockets of the workers of the first node, where each node has `node_workers`.
    pub fn sockets_of(&self, node_workers: u32) -> impl Iterator<Item = SocketId> + use<> {
        let places = WorkerPlaces { node_workers, cores: self.cores, sockets: self.sockets };
        (0..node_workers).map(move |worker| places.socket(WorkerId(worker)))
    }

    /// Checks what can be checked without a run.
    pub fn validate(&self) -> Result<(), HardwareError> {
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
        let expensive = [
            ("cell", costs.cell),
            ("residual", costs.residual),
            ("sweep", costs.sweep.0),
            ("barrier", costs.barrier.0),
            ("round", costs.round.0),
            ("round_subdomain", costs.round_subdomain),
            ("parasite_iteration", costs.parasite_iteration),
            ("wake_up", costs.wake_up.0),
            ("switch", costs.switch.0),
        ]
        .into_iter()
        .chain(costs.cells.points().iter().map(|point| ("cell", point.cost)))
        .chain(paths("halo", costs.halo))
        .chain(paths("hand_over", costs.hand_over))
        .find(|(_, cost)| *cost > MAX_COST);
        if let Some((what, _)) = expensive {
            return Err(HardwareError::TooExpensive(what));
        }
        self.paces.too_wide().map_or(Ok(()), |range| Err(HardwareError::Pace(range)))
    }
}

/// Places of the workers of a run: the first cores of each node, socket by socket. Without cores or
/// nodes, which no run is made on, everybody is on the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerPlaces {
    /// Workers of a node.
    pub node_workers: u32,
    /// Cores of a socket.
    pub cores: u32,
    /// Sockets of a node.
    pub sockets: u32,
}

impl WorkerPlaces {
    #[inline]
    pub fn node(&self, worker: WorkerId) -> NodeId {
        NodeId(worker.0.checked_div(self.node_workers).unwrap_or(0))
    }

    /// Returns the socket of a worker, numbered over all nodes.
    #[inline]
    pub fn socket(&self, worker: WorkerId) -> SocketId {
        let node = self.node(worker).0;
        let local = worker.0 - node * self.node_workers;
        SocketId(node * self.sockets + local.checked_div(self.cores).unwrap_or(0))
    }

    /// Returns the core of a worker, numbered over all nodes.
    pub fn core(&self, worker: WorkerId) -> u32 {
        let node = self.node(worker).0;
        node * self.sockets * self.cores + worker.0 - node * self.node_workers
    }

    /// Returns the distance between two different workers on these sockets.
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
    fn every_number_that_is_gathered_arrives_once() {
        let network = Path { latency: Duration(1_000), cell: 500 };
        let halo = Paths { network, ..Paths::default() };
        let costs = Costs { halo, ..Costs::default() };
        for (nodes, numbers, expected) in [(1, 0, 0), (2, 100, 1_050), (5, 3_000, 4_500)] {
            assert_eq!(costs.gathering(nodes, numbers), Duration(expected), "{nodes}");
        }
        assert_eq!(costs.message(10), Duration(1_005));
    }

    #[test]
    fn small_grids_are_timed_as_large_ones() {
        let path = |cell| Path { latency: Duration(7), cell };
        let all = |cell| Paths {
            core: path(cell),
            socket: path(cell),
            node: path(cell),
            network: path(cell + 1),
        };
        let costs = Costs {
            cell: 1_000,
            cells: CellCosts::new(&[CellCost { cells: 90_000, cost: 2_000 }]).unwrap(),
            residual: 100,
            sweep: Duration(300),
            halo: all(200),
            hand_over: all(8),
            barrier: Duration(5),
            ..Costs::default()
        };
        let size = |rows, columns| GridSize { rows, columns };
        let scaled = costs.timed_as(size(16, 16), size(300, 300));
        // 90,000 ÷ 256 and 300 ÷ 16; 3 of the network's 9 × 351.5625 are cut off, not a half.
        assert_eq!(
            (scaled.cell, scaled.halo.core, scaled.halo.network.cell),
            (351_563, path(3_750), 3_769)
        );
        assert_eq!((scaled.hand_over.socket.cell, scaled.hand_over.network.cell), (2_813, 3_164));
        assert_eq!(scaled.cells.points(), [CellCost { cells: 256, cost: 703_125 }]);
        assert_eq!(scaled.residual, 35_156);
        assert_eq!((scaled.sweep, scaled.barrier), (costs.sweep, costs.barrier));
        assert_eq!(costs.timed_as(size(40, 30), size(40, 30)), costs);
        // Less is possible, and nothing overflows.
        assert_eq!(costs.timed_as(size(10, 10), size(1, 1)).cell, 10);
        assert_eq!(costs.timed_as(size(1, 1), size(usize::MAX, usize::MAX)).cell, u64::MAX);
        assert_eq!(costs.timed_as(size(0, 0), size(1, 1)).cell, u64::MAX);
    }

    #[test]
    fn workers_on_part_of_a_machine_use_the_first_sockets() {
        let hardware = Hardware {
            nodes: 3,
            sockets: 2,
            cores: 4,
            costs: Costs::default(),
            paces: PaceRanges::NONE,
            background: Vec::new(),
        };
        let used = |workers, nodes| hardware.used_sockets(workers, nodes);
        assert_eq!((used(24, 3), used(4, 1), used(5, 1), used(9, 3)), (6, 1, 2, 3));
        assert_eq!(used(4, 0), 0);
    }

    #[test]
    fn workers_fill_the_sockets_of_their_node_in_turn() {
        let places = WorkerPlaces { node_workers: 5, cores: 3, sockets: 2 };
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
