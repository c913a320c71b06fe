//! The CPU quota of this process, as Linux's control groups have it.

use std::cmp::Ordering;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Where control groups are mounted by convention.
const USUAL: &str = "/sys/fs/cgroup";

/// The version of control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cgroup {
    /// Version 1: `cpu.cfs_quota_us` and `cpu.cfs_period_us`.
    V1,
    /// Version 2: `cpu.max`.
    V2,
}

/// The time that a control group may use its cores for, all of its processes together.
///
/// Ordered by the cores that it is worth.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// Microseconds of core time in each period, at least 1.
    time: u64,
    /// Microseconds of a period, at least 1.
    period: u64,
    /// Version of the control group.
    pub cgroup: Cgroup,
}

impl Quota {
    /// Returns a quota of microseconds in each period, if that is one.
    pub fn new(time: u64, period: u64, cgroup: Cgroup) -> Option<Self> {
        (time > 0 && period > 0).then_some(Self { time, period, cgroup })
    }

    /// Returns the number of cores that the quota is worth.
    pub fn cores(self) -> f64 {
        self.time as f64 / self.period as f64
    }

    /// Returns the number of workers that use all of it, rounded up.
    pub fn workers(self) -> u32 {
        u32::try_from(self.time.div_ceil(self.period)).unwrap_or(u32::MAX)
    }

    /// Returns the part of each of `processes` that share the quota.
    pub fn shared_by(self, processes: u32) -> Self {
        Self { period: self.period.saturating_mul(u64::from(processes.max(1))), ..self }
    }
}

impl Ord for Quota {
    fn cmp(&self, other: &Self) -> Ordering {
        let worth = |one: &Self, period: u64| u128::from(one.time) * u128::from(period);
        worth(self, other.period).cmp(&worth(other, self.period))
    }
}

impl PartialOrd for Quota {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quota {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Quota {}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = match self.cgroup {
            Cgroup::V1 => "v1",
            Cgroup::V2 => "v2",
        };
        // Three digits at most, and none that say nothing.
        let cores = (self.cores() * 1000.0).round() / 1000.0;
        let unit = if self.time == self.period { "core" } else { "cores" };
        write!(f, "a CPU quota of {cores} {unit}, cgroup {version}")
    }
}

/// Returns the least quota of this process's control group and its ancestors, if there is any;
/// `root` is the folder that holds `proc` and `sys`.
pub fn quota(root: &Path) -> Option<Quota> {
    let read = |file| fs::read_to_string(inside(root, Path::new(file))).unwrap_or_default();
    let (groups, mounts) = (read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
    let mut mounts: Vec<_> = mounts.lines().filter_map(Mount::parse).collect();
    // Sandboxes have mounts that their mountinfo does not name.
    if inside(root, Path::new(USUAL)).join("cgroup.controllers").exists() {
        let (top, point) = (PathBuf::from("/"), PathBuf::from(USUAL));
        mounts.push(Mount { cgroup: Cgroup::V2, top, point });
    }
    let folders = mounts.iter().flat_map(|mount| {
        let own = groups.lines().filter_map(|line| group(line, mount.cgroup));
        own.flat_map(|own| mount.folders(root, own)).map(|folder| (folder, mount.cgroup))
    });
    folders.filter_map(|(folder, cgroup)| quota_of(&folder, cgroup)).min()
}

/// Returns an absolute path under another root.
fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// A mounted hierarchy of control groups with a CPU controller.
struct Mount {
    cgroup: Cgroup,
    /// The group that is seen at the mount point.
    top: PathBuf,
    point: PathBuf,
}

impl Mount {
    /// Reads a line of mountinfo: `31 23 0:28 TOP POINT rw shared:1 - TYPE SOURCE OPTIONS`.
    fn parse(line: &str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let cgroup = match (system.next()?, system.nth(1)?) {
            ("cgroup2", _) => Cgroup::V2,
            ("cgroup", options) if options.split(',').any(|option| option == "cpu") => Cgroup::V1,
            _ => return None,
        };
        let mut paths = mount.split(' ').skip(3).map(unescaped);
        Some(Self { cgroup, top: paths.next()?, point: paths.next()? })
    }

    /// Returns the folders of a group and of its ancestors, as far as they are seen.
    fn folders(&self, root: &Path, group: &str) -> Vec<PathBuf> {
        let below = Path::new(group).strip_prefix(&self.top).unwrap_or(Path::new(""));
        // A group outside the namespace begins with `..`; of its ancestors the top is seen.
        let is_seen = below.components().all(|part| matches!(part, Component::Normal(_)));
        let below = if is_seen { below } else { Path::new("") };
        let point = inside(root, &self.point);
        below.ancestors().map(|part| point.join(part)).collect()
    }
}

/// Returns the path with the octal escapes of mountinfo undone.
fn unescaped(path: &str) -> PathBuf {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    escapes.iter().fold(path.to_owned(), |path, (escape, plain)| path.replace(escape, plain)).into()
}

/// Returns the group in a line of `/proc/self/cgroup`, `ID:CONTROLLERS:GROUP`, if it is of this
/// version.
fn group(line: &str, cgroup: Cgroup) -> Option<&str> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, group) = (parts.next()?, parts.next()?);
    let is_of_version = match cgroup {
        Cgroup::V1 => controllers.split(',').any(|controller| controller == "cpu"),
        Cgroup::V2 => controllers.is_empty(),
    };
    is_of_version.then_some(group)
}

/// Returns the quota of one group, if it has one.
fn quota_of(folder: &Path, cgroup: Cgroup) -> Option<Quota> {
    let read = |file| fs::read_to_string(folder.join(file)).ok();
    let text = match cgroup {
        Cgroup::V1 => format!("{} {}", read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?),
        Cgroup::V2 => read("cpu.max")?,
    };
    // Without a quota the first is -1 or `max`.
    let mut numbers = text.split_whitespace().map(str::parse);
    Quota::new(numbers.next()?.ok()?, numbers.next()?.ok()?, cgroup)
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2: &str = "41 31 0:38 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw";
    const V1: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpuacct,cpu";

    /// Returns what is said about a process in these groups, beside these files.
    fn found(groups: &str, mounts: &str, files: &[(&str, &str)]) -> Option<String> {
        let root = tempfile::tempdir().unwrap();
        let own = [("proc/self/cgroup", groups), ("proc/self/mountinfo", mounts)];
        for (path, text) in own.iter().chain(files) {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        quota(root.path()).map(|quota| format!("{quota}: {}", quota.workers()))
    }

    #[test]
    fn the_least_of_a_group_and_its_ancestors_counts() {
        let files = [
            ("sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/cpu.max", "30000 10000\n"),
            ("sys/fs/cgroup/other/cpu.max", "10000 100000\n"),
        ];
        let found = |group| found(group, V2, &files);
        let said = Some("a CPU quota of 1.5 cores, cgroup v2: 2".to_owned());
        assert_eq!(found("0::/jobs/mine\n"), said);
        assert_eq!(found("3:memory:/other\n0::/jobs\n"), said);
        let three = Some("a CPU quota of 3 cores, cgroup v2: 3".to_owned());
        assert_eq!(found("0::/\n"), three);
        // Outside the namespace, and of a group that has gone.
        assert_eq!(found("0::/../../other\n"), three);
        assert_eq!(found("0::/gone (deleted)\n"), three);
        assert_eq!(found("4:cpu:/other\n"), None);
    }

    #[test]
    fn version_1_has_two_files() {
        let quota = |quota, period| {
            [
                ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", quota),
                ("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", period),
            ]
        };
        let found = |files: &[_]| found("4:cpuacct,cpu:/a\n0::/\n", V1, files);
        let said = Some("a CPU quota of 0.5 cores, cgroup v1: 1".to_owned());
        assert_eq!(found(&quota("50000\n", "100000\n")), said);
        for (own, period) in [("-1\n", "100000\n"), ("0\n", "1\n"), ("1\n", "0\n"), ("", "")] {
            assert_eq!(found(&quota(own, period)), None, "{own:?} {period:?}");
        }
        assert_eq!(found(&quota("1\n", "1\n")[..1]), None);
    }

    #[test]
    fn the_group_that_is_mounted_is_the_top() {
        let mount = "32 31 0:29 /docker/1 /sys/fs/my\\040cgroup ro - cgroup cgroup rw,cpu";
        let files = [
            ("sys/fs/my cgroup/cpu.cfs_quota_us", "200000"),
            ("sys/fs/my cgroup/cpu.cfs_period_us", "100000"),
        ];
        let said = Some("a CPU quota of 2 cores, cgroup v1: 2".to_owned());
        for group in ["4:cpu:/docker/1", "4:cpu:/docker/1/below", "4:cpu:/elsewhere"] {
            assert_eq!(found(group, mount, &files), said, "{group}");
        }
    }

    #[test]
    fn nothing_is_needed() {
        let max = ("sys/fs/cgroup/cpu.max", "100000 100000");
        let known = ("sys/fs/cgroup/cgroup.controllers", "cpu");
        assert_eq!(found("", "", &[]), None);
        assert_eq!(found("0::/", "not a mount - at all", &[max]), None);
        let said = Some("a CPU quota of 1 core, cgroup v2: 1".to_owned());
        assert_eq!(found("0::/", "", &[max, known]), said);
    }

    #[test]
    fn processes_share_a_quota() {
        let quota = Quota::new(300_000, 100_000, Cgroup::V2).unwrap();
        let of = |processes| quota.shared_by(processes).workers();
        assert_eq!([of(0), of(1), of(2), of(3), of(4)], [3, 3, 2, 1, 1]);
        assert!(quota.shared_by(2) < quota);
    }
}
