//! Sockets, as Linux describes them under `/sys`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tresse_core::id::SocketId;

use super::Core;

/// Folder in which Linux describes its cores.
pub const CPUS: &str = "/sys/devices/system/cpu";

/// Returns the cores `ids` with their sockets, ascending; `root` is the folder that holds `cpu0`, `cpu1`,
/// ….
///
/// Package ids may have gaps (and are -1 on some boards), so sockets are numbered anew in their
/// order. A core whose package cannot be read counts to package 0.
pub fn cores(root: &Path, ids: &[u32]) -> Vec<Core> {
    let mut packages: Vec<(u32, i64)> = ids.iter().map(|&id| (id, package(root, id))).collect();
    packages.sort_unstable();
    let sockets: BTreeSet<i64> = packages.iter().map(|&(_, package)| package).collect();
    packages
        .into_iter()
        .map(|(id, package)| Core { id, socket: socket(sockets.range(..package).count()) })
        .collect()
}

fn package(root: &Path, core: u32) -> i64 {
    fs::read_to_string(root.join(format!("cpu{core}/topology/physical_package_id")))
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0)
}

fn socket(index: usize) -> SocketId {
    SocketId(u32::try_from(index).unwrap_or(u32::MAX))
}
