//! The number of workers that a run has by default.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use super::Platform;

/// What bounds the default number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The machine's physical cores.
    PhysicalCores,
    /// The CPU quota of the control group.
    CpuQuota,
    /// The affinity mask of the process.
    AffinityMask,
}

/// The number of workers that a run has by default: one on each physical core that the process may
/// use, and no more than use up its CPU quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultWorkers<'a> {
    /// Number of workers, at least 1.
    pub workers: u32,
    /// What bounds it.
    pub bound: Bound,
    machine: &'a Platform,
}

impl Platform {
    /// Returns the number of physical cores that the process may use.
    pub fn allowed_physical_cores(&self) -> u32 {
        let physical: BTreeSet<u32> = self.cores.iter().map(|core| core.physical).collect();
        u32::try_from(physical.len()).unwrap_or(u32::MAX)
    }

    /// Returns the number of workers that a run has by default, and what bounds it.
    pub fn default_workers(&self) -> DefaultWorkers<'_> {
        let allowed = self.allowed_physical_cores().max(1);
        let (workers, bound) = match self.quota {
            Some(quota) if quota.cores() < f64::from(allowed) => (quota.workers(), Bound::CpuQuota),
            _ if allowed < self.physical_cores => (allowed, Bound::AffinityMask),
            _ => (allowed, Bound::PhysicalCores),
        };
        DefaultWorkers { workers, bound, machine: self }
    }
}

/// Writes the number, and in brackets what bounds it.
impl fmt::Display for DefaultWorkers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, bound, machine } = self;
        let threads = machine.cores.len();
        match (bound, machine.quota) {
            (Bound::CpuQuota, Some(quota)) => write!(f, "{workers} (bounded by {quota})"),
            (Bound::AffinityMask, _) => write!(
                f,
                "{workers} (bounded by the affinity mask; the machine has {} physical cores)",
                machine.physical_cores
            ),
            _ if threads > *workers as usize => {
                write!(f, "{workers} (physical cores; {threads} hardware threads are allowed)")
            }
            _ => write!(f, "{workers} (physical cores)"),
        }
    }
}
