//! Sockets and physical cores, as Linux describes them under `/sys`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tresse_core::base::id::SocketId;

use super::Core;

/// Folder in which Linux describes its cores, from the root.
pub const CPUS: &str = "sys/devices/system/cpu";

/// Returns the cores `ids` with their sockets, ascending; `root` is the folder that holds `cpu0`,
/// `cpu1`, ….
///
/// Package ids may have gaps (and are -1 on some boards), so sockets are numbered anew in their
/// order. A core whose package cannot be read counts to package 0.
pub fn cores(root: &Path, ids: &[u32]) -> Vec<Core> {
    let mut packages: Vec<(u32, i64)> = ids.iter().map(|&id| (id, package(root, id))).collect();
    packages.sort_unstable();
    let sockets: BTreeSet<i64> = packages.iter().map(|&(_, package)| package).collect();
    packages
        .into_iter()
        .map(|(id, package)| Core {
            id,
            socket: socket(sockets.range(..package).count()),
            physical: physical(root, id),
        })
        .collect()
}

/// Returns the number of the machine's physical cores that are online, if the system says it.
pub fn physical_cores(root: &Path) -> Option<u32> {
    let online = list(&fs::read_to_string(root.join("online")).ok()?)?;
    let physical: BTreeSet<u32> = online.into_iter().map(|id| physical(root, id)).collect();
    u32::try_from(physical.len()).ok()
}

/// Returns the first hardware thread of a core's physical core; the core itself where the system
/// does not say which are its siblings.
fn physical(root: &Path, core: u32) -> u32 {
    // The second name is that of kernels before 5.3.
    ["core_cpus_list", "thread_siblings_list"]
        .into_iter()
        .find_map(|file| read(root, core, file))
        .and_then(|text| list(&text))
        .filter(|siblings| siblings.contains(&core))
        .map_or(core, |siblings| siblings.into_iter().min().unwrap_or(core))
}

/// Reads a list of cores such as `0-3,8`.
fn list(text: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for range in text.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        // More than any system has are a fault, and would fill the memory.
        if last.saturating_sub(first) > MOST_CORES {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

/// Greatest length of a range of cores; Linux allows 8,192.
const MOST_CORES: u32 = 1 << 16;

/// Returns the number of a core's package; 0 where it cannot be read.
fn package(root: &Path, core: u32) -> i64 {
    read(root, core, "physical_package_id").and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Reads a file about a core's place, if it is there.
fn read(root: &Path, core: u32, file: &str) -> Option<String> {
    fs::read_to_string(root.join(format!("cpu{core}/topology/{file}"))).ok()
}

fn socket(index: usize) -> SocketId {
    SocketId(u32::try_from(index).unwrap_or(u32::MAX))
}
