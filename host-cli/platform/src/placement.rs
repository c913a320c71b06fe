//! The core that each worker is pinned to, and the socket that it counts to.

use std::collections::BTreeSet;
use std::iter;

use serde::Serialize;
use tresse_core::base::id::{NodeId, SocketId, WorkerId};
use tresse_core::run::MAX_WORKERS;
use tresse_core::run::noise::{
    MAX_NOISE, Noise, NoiseChoice, NoisePlace, NoisePlaces, ScatterError, resolve,
};

use super::{Core, CoreList, Platform, PlatformError, TopologyOverride};

/// The core and the socket of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// The worker.
    pub worker: WorkerId,
    /// Core that the worker is pinned to, by the operating system's number.
    pub core: u32,
    /// Socket that the worker counts to.
    pub socket: SocketId,
}

/// The seats of all workers.
///
/// Workers are dealt to the allowed cores in turn, so that no core has two more than another, and
/// each physical core has one before any has two. They are then numbered by socket and core, so
/// that neighbours share a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Seats of the workers, by [`WorkerId`].
    pub seats: Vec<Seat>,
    /// The topology that sockets were counted by, where it is not the machine's own.
    pub topology: Option<TopologyOverride>,
    /// Whether workers share cores.
    pub oversubscribed: bool,
    machine: Platform,
}

impl Placement {
    /// Returns a number of workers on the cores of this machine that the process may use, one on
    /// each as far as these go, with the sockets that the system names.
    pub fn here(workers: u32) -> Result<Self, PlatformError> {
        Self::plan(&Platform::detect()?, Some(workers), None)
    }

    /// Places `workers`; by default as many as [`Platform::default_workers`] has, or the cores of
    /// `topology`.
    pub fn plan(
        machine: &Platform,
        workers: Option<u32>,
        topology: Option<TopologyOverride>,
    ) -> Result<Self, PlatformError> {
        let cores = machine.cores.len();
        if cores == 0 {
            return Err(PlatformError::NoCores);
        }
        let here = || u64::from(machine.default_workers().workers);
        let default = topology.map_or_else(here, TopologyOverride::cores);
        let wanted = workers.map_or(default, u64::from);
        let workers = u32::try_from(wanted)
            .ok()
            .filter(|&workers| workers <= MAX_WORKERS)
            .ok_or(PlatformError::TooManyWorkers { workers: wanted })?;
        if workers == 0 {
            return Err(PlatformError::NoWorkers);
        }
        Ok(Self {
            seats: seats(machine, workers, topology),
            topology,
            oversubscribed: workers as usize > cores,
            machine: machine.clone(),
        })
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> u32 {
        u32::try_from(self.seats.len()).unwrap_or(MAX_WORKERS)
    }

    /// Returns the core of each worker, by [`WorkerId`].
    pub fn cores(&self) -> Vec<u32> {
        self.seats.iter().map(|seat| seat.core).collect()
    }

    /// Returns the socket of each worker, by [`WorkerId`].
    pub fn sockets(&self) -> Vec<SocketId> {
        self.seats.iter().map(|seat| seat.socket).collect()
    }

    /// Returns the number of sockets that have a worker.
    pub fn socket_count(&self) -> u32 {
        u32::try_from(self.used_sockets().len()).unwrap_or(MAX_WORKERS)
    }

    /// Returns a warning about the placement, for a person to read before the run.
    pub fn warning(&self) -> Option<String> {
        let warnings: Vec<_> = self.crowded().into_iter().chain(self.throttled()).collect();
        (!warnings.is_empty()).then(|| warnings.join("; "))
    }

    /// Returns a warning where workers share cores.
    fn crowded(&self) -> Option<String> {
        let (workers, physical) = (self.seats.len(), self.machine.allowed_physical_cores());
        if self.oversubscribed {
            return Some(format!(
                "more workers ({workers}) than allowed cores ({}): they share cores, so rates are \
                 not those of {workers} cores; lower --workers or --topology to have a core for each",
                self.machine.allowed(),
            ));
        }
        (workers > physical as usize).then(|| {
            format!(
                "more workers ({workers}) than physical cores ({physical}): hardware threads of one core \
                 share its units, so rates are not those of {workers} cores; lower --workers or --topology \
                 to have a core for each"
            )
        })
    }

    /// Returns a warning where a CPU quota stops workers.
    fn throttled(&self) -> Option<String> {
        let quota = self.machine.quota?;
        (self.workers() > quota.workers()).then(|| {
            format!(
                "more workers ({}) than {quota}, keeps busy: the system stops all of them in each period, once \
                 the quota is used up; lower --workers or --topology to {}, or raise the quota",
                self.seats.len(),
                quota.workers(),
            )
        })
    }

    /// Returns the cores that a noise source is to run on, ascending, by the operating system's
    /// numbers.
    ///
    /// `core=C` is always the system's core; `socket=S` means the cores that the workers counted to
    /// that socket are pinned to, and `node=0` those of all workers.
    pub fn noisy_cores(&self, noise: &Noise) -> Result<Vec<u32>, PlatformError> {
        match noise.place {
            NoisePlace::Core(core) => {
                self.machine.check_core(core, || format!("--noise core={core}"))?;
                Ok(vec![core])
            }
            NoisePlace::Socket(socket) => {
                let cores = self.cores_of(|seat| seat.socket == socket);
                if cores.is_empty() {
                    let used =
                        CoreList(self.used_sockets().iter().map(|socket| socket.0).collect());
                    return Err(PlatformError::NoSuchSocket { socket, used });
                }
                Ok(cores)
            }
            NoisePlace::Node(NodeId(0)) => Ok(self.cores_of(|_| true)),
            NoisePlace::Node(node) => Err(PlatformError::NoSuchNode(node)),
        }
    }

    /// Returns the sources of noise that a person asked for, each at a place: on allowed cores, on
    /// sockets with workers, or on the only node.
    pub fn resolve_noise(
        &self,
        choices: &[NoiseChoice],
        seed: u64,
    ) -> Result<heapless::Vec<Noise, MAX_NOISE>, ScatterError> {
        let cores: Vec<_> = self.machine.cores.iter().map(|core| core.id).collect();
        let sockets: Vec<_> = self.used_sockets().into_iter().collect();
        resolve(choices, seed, &NoisePlaces { cores: &cores, sockets: &sockets, nodes: 1 })
    }

    /// Returns the sockets that have a worker.
    pub fn used_sockets(&self) -> BTreeSet<SocketId> {
        self.seats.iter().map(|seat| seat.socket).collect()
    }

    /// Returns the cores of the chosen seats, each once, in order.
    fn cores_of(&self, chosen: impl Fn(&Seat) -> bool) -> Vec<u32> {
        let cores: BTreeSet<u32> =
            self.seats.iter().filter(|&seat| chosen(seat)).map(|seat| seat.core).collect();
        cores.into_iter().collect()
    }
}

/// Deals the workers to the cores, first threads of physical cores before second ones.
fn seats(machine: &Platform, workers: u32, topology: Option<TopologyOverride>) -> Vec<Seat> {
    let cores = first_threads_first(&machine.cores);
    // Dealt in turn, core i of n gets every n-th worker from the i-th on; numbering by core then
    // puts its workers side by side, beside those of the same physical core.
    let (workers, count) = (workers as usize, cores.len());
    let dealt = cores.iter().enumerate().flat_map(|(index, core)| {
        let share = workers.saturating_sub(index).div_ceil(count);
        iter::repeat_n(core, share)
    });
    let mut dealt: Vec<_> = dealt.collect();
    dealt.sort_by_key(|core| (core.socket, core.physical, core.id));
    (0..)
        .map(WorkerId)
        .zip(dealt)
        .map(|(worker, core)| {
            let socket = topology.map_or(core.socket, |topology| topology.socket_of(worker));
            Seat { worker, core: core.id, socket }
        })
        .collect()
}

/// Returns cores in the order in which they get workers: a hardware thread of each physical core
/// before a second one of any; by socket and number otherwise.
pub fn first_threads_first(cores: &[Core]) -> Vec<Core> {
    let mut sorted = cores.to_vec();
    sorted.sort_unstable_by_key(|core| (core.socket, core.physical, core.id));
    let of_one_core = sorted.chunk_by(|one, next| one.physical == next.physical);
    let mut turns: Vec<_> = of_one_core.flat_map(|threads| (0..).zip(threads)).collect();
    // A stable sort by turn keeps that order within each.
    turns.sort_by_key(|&(turn, _): &(u32, _)| turn);
    turns.into_iter().map(|(_, core)| *core).collect()
}
