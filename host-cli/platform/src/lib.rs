//! The machine as the operating system shows it: allowed cores, sockets, memory, name; threads that
//! are [`pinned`] to its cores, and the [`noise`] that takes time from them.

mod cgroup;
pub mod clock;
mod core_time;
mod default_workers;
mod error;
pub mod noise;
pub mod pinned;
mod placement;
mod sysfs;
mod topology;

#[cfg(test)]
mod tests;

use std::path::Path;

use core_affinity::CoreId;
use rustix::thread::CpuSet;
use serde::Serialize;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};
use tresse_core::base::id::SocketId;
use tresse_core::run::MachineReport;

pub use cgroup::{Cgroup, Quota};
pub use core_time::{CoreTime, share};
pub use default_workers::{Bound, DefaultWorkers};
pub use error::{CoreList, PlatformError};
pub use placement::{Placement, Seat, first_threads_first};
pub use topology::{TopologyError, TopologyOverride};

/// A core that this process may use: a hardware thread, where physical cores have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Core {
    /// Number that the operating system gives to the core.
    pub id: u32,
    /// Socket that the core is on; sockets are numbered from 0 without gaps.
    pub socket: SocketId,
    /// The physical core, by the number of its first hardware thread.
    pub physical: u32,
}

/// The properties of the machine that a run depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The cores of this process's affinity mask, ascending.
    pub cores: Vec<Core>,
    /// Number of the machine's physical cores, which this process may not all use.
    pub physical_cores: u32,
    /// The CPU quota of the process's control group, which bounds all of its processes together.
    pub quota: Option<Quota>,
    /// The processor's name; empty where the system gives none.
    pub cpu: String,
    /// Bytes that can be allocated without swapping, within a control group's limit.
    pub available_memory: u64,
}

impl Platform {
    /// Asks the operating system for the machine's properties.
    ///
    /// To be called before the calling thread is pinned: a pinned thread sees its own core only.
    pub fn detect() -> Result<Self, PlatformError> {
        let ids: Vec<u32> = core_affinity::get_core_ids()
            .unwrap_or_default()
            .into_iter()
            .filter_map(|core| u32::try_from(core.id).ok())
            .collect();
        if ids.is_empty() {
            return Err(PlatformError::NoCores);
        }
        let unknown = |error: sysinfo::Error| PlatformError::System(error.to_string());
        let mut system = System::new().map_err(unknown)?;
        system.refresh_cpu_list(CpuRefreshKind::nothing());
        let cpu = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
        let mut machine = Self {
            cores: vec![],
            physical_cores: 0,
            quota: None,
            cpu: cpu.unwrap_or_default(),
            available_memory: available_memory(&mut system),
        };
        machine.read_cores(Path::new("/"), &ids);
        Ok(machine)
    }

    /// Reads what the system's files say about the cores `ids`; `root` is the folder that holds
    /// `proc` and `sys`.
    fn read_cores(&mut self, root: &Path, ids: &[u32]) {
        let cpus = root.join(sysfs::CPUS);
        self.cores = sysfs::cores(&cpus, ids);
        let allowed = self.allowed_physical_cores();
        self.physical_cores = sysfs::physical_cores(&cpus).unwrap_or(allowed).max(allowed);
        self.quota = cgroup::quota(root);
    }

    /// Returns the allowed cores, as text for a person.
    pub fn allowed(&self) -> CoreList {
        CoreList(self.cores.iter().map(|core| core.id).collect())
    }

    /// Fails where `core` is not allowed; `flag` is the flag that names the core, such as `--core
    /// 5`.
    pub fn check_core(
        &self,
        core: u32,
        flag: impl FnOnce() -> String,
    ) -> Result<(), PlatformError> {
        if self.cores.iter().any(|allowed| allowed.id == core) {
            return Ok(());
        }
        Err(PlatformError::CoreNotAllowed { flag: flag(), allowed: self.allowed() })
    }

    /// Returns the machine's part of a run's report.
    pub fn report(&self) -> MachineReport<'_> {
        let cores = u32::try_from(self.cores.len()).unwrap_or(u32::MAX);
        // A quota of more than all cores bounds nothing.
        let quota = self.quota.map(Quota::cores).filter(|&quota| quota < f64::from(cores));
        MachineReport { cpu: &self.cpu, cores, cpu_quota: quota }
    }
}

/// Returns the bytes that can be allocated without swapping, within the limit of this process's
/// control group.
fn available_memory(system: &mut System) -> u64 {
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let available = system.available_memory();
    let limits = sysinfo::get_current_pid().ok().and_then(|pid| {
        let nothing_more = ProcessRefreshKind::nothing().without_tasks();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, nothing_more);
        system.process(pid)?.cgroup_limits()
    });
    // A group's free memory leaves out what its file cache would give back, so its limit is taken
    // less what is really occupied.
    limits.map_or(available, |group| available.min(group.total_memory.saturating_sub(group.rss)))
}

/// Keeps the calling thread on one core, by the operating system's number.
pub fn pin_current_thread(core: u32) -> Result<(), PlatformError> {
    let id = core as usize;
    // The call below indexes a fixed mask with the number.
    let pinned = id < CpuSet::MAX_CPU && core_affinity::set_for_current(CoreId { id });
    if pinned { Ok(()) } else { Err(PlatformError::Pin(core)) }
}
