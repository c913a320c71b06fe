//! A disk that is soon full.

use std::path::Path;
use std::process::Command;

use crate::skip::note;

/// A small disk in memory, unmounted at its end.
pub struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    /// 64 KiB; none where this process may not mount, which is said.
    pub fn mount(path: &'a Path) -> Option<Self> {
        Self::mount_of(64, path)
    }

    /// Mounts a disk with a number of KiB.
    pub fn mount_of(kib: u32, path: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(path);
        if mount.output().is_ok_and(|done| done.status.success()) {
            return Some(Self(path));
        }
        note("this process may not mount a small disk", "run the tests as root");
        None
    }

    /// Returns the path of the disk.
    pub const fn path(&self) -> &Path {
        self.0
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}
