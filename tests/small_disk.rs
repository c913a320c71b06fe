//! A disk that is soon full.

use std::path::Path;
use std::process::Command;

/// A small disk in memory, unmounted at its end.
pub struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    /// What a test says that has none.
    pub const SKIPPED: &'static str = "skipped: mounting a small disk takes the rights of root";

    /// 64 KiB; none where this process may not mount.
    pub fn mount(path: &'a Path) -> Option<Self> {
        Self::mount_of(64, path)
    }

    /// Of so many KiB.
    pub fn mount_of(kib: u32, path: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(path);
        mount.output().is_ok_and(|done| done.status.success()).then_some(Self(path))
    }

    /// Where it is.
    pub const fn path(&self) -> &Path {
        self.0
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}
