use std::fs;
use std::path::Path;

use tresse_core::base::id::SocketId;
use tresse_core::run::noise::{Noise, NoiseChoice};

use super::*;

/// Four cores on packages 3 and 1, alternately, as some BIOSes number them.
fn two_sockets(root: &Path) -> Vec<Core> {
    for (core, package) in [(0, 3), (1, 1), (2, 3), (5, 1)] {
        let folder = root.join(format!("cpu{core}/topology"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("physical_package_id"), format!("{package}\n")).unwrap();
    }
    sysfs::cores(root, &[0, 1, 2, 5])
}

fn machine(sockets: &[u32]) -> Platform {
    let core = |(id, &socket)| Core { id, socket: SocketId(socket), physical: id };
    let cores: Vec<_> = (0..).zip(sockets).map(core).collect();
    let physical_cores = u32::try_from(cores.len()).unwrap();
    Platform { cores, physical_cores, quota: None, cpu: "a test".into(), available_memory: 1 << 30 }
}

/// Hardware threads of one socket whose second ones follow after all `physical` first ones.
fn with_siblings(physical: u32) -> Platform {
    let mut machine = machine(&vec![0; 2 * physical as usize]);
    machine.cores.iter_mut().for_each(|core| core.physical = core.id % physical);
    Platform { physical_cores: physical, ..machine }
}

/// A folder with what Linux says of a machine with these lists of siblings, and of a quota of 1.5
/// cores.
fn system(siblings: &[&str], quota: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    };
    for (core, list) in siblings.iter().enumerate() {
        write(&format!("sys/devices/system/cpu/cpu{core}/topology/core_cpus_list"), list);
    }
    write("sys/devices/system/cpu/online", &format!("0-{}", siblings.len() - 1));
    write("proc/self/cgroup", "0::/mine");
    write("proc/self/mountinfo", "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
    write("sys/fs/cgroup/mine/cpu.max", quota);
    root
}

fn by_default(siblings: &[&str], quota: &str, allowed: &[u32]) -> String {
    let root = system(siblings, quota);
    let mut machine = machine(&[]);
    machine.read_cores(root.path(), allowed);
    let default = machine.default_workers();
    assert_eq!(Placement::plan(&machine, None, None).unwrap().workers(), default.workers);
    default.to_string()
}

fn noisy(placement: &Placement, noise: &str) -> Result<Vec<u32>, String> {
    placement.noisy_cores(&Noise::parse(noise).unwrap()).map_err(|error| error.to_string())
}

/// Returns the noise that a choice resolves to with a seed.
fn resolved(placement: &Placement, choice: &str, seed: u64) -> Result<Vec<String>, String> {
    let choice = NoiseChoice::parse(choice).unwrap();
    let noise = placement.resolve_noise(&[choice], seed).map_err(|error| error.to_string())?;
    Ok(noise.iter().map(ToString::to_string).collect())
}

fn pinned(placement: &Placement) -> Vec<(u32, u32)> {
    placement.seats.iter().map(|seat| (seat.core, seat.socket.0)).collect()
}

#[test]
fn sockets_are_numbered_without_gaps() {
    let root = tempfile::tempdir().unwrap();
    let found: Vec<_> =
        two_sockets(root.path()).iter().map(|core| (core.id, core.socket.0)).collect();
    assert_eq!(found, [(0, 1), (1, 0), (2, 1), (5, 0)]);
}

#[test]
fn an_unreadable_package_is_socket_0() {
    let root = tempfile::tempdir().unwrap();
    let cores = sysfs::cores(root.path(), &[4, 2]);
    assert_eq!(cores, [2, 4].map(|id| Core { id, socket: SocketId(0), physical: id }));
}

#[test]
fn neighbours_share_a_socket() {
    let root = tempfile::tempdir().unwrap();
    let machine = Platform { cores: two_sockets(root.path()), ..machine(&[]) };
    let placement = Placement::plan(&machine, None, None).unwrap();
    assert_eq!(pinned(&placement), [(1, 0), (5, 0), (0, 1), (2, 1)]);
    assert_eq!(placement.warning(), None);
    assert_eq!(noisy(&placement, "socket=1,duty=0.5").unwrap(), [0, 2]);

    let six = Placement::plan(&machine, Some(6), None).unwrap();
    assert_eq!(pinned(&six), [(1, 0), (1, 0), (5, 0), (5, 0), (0, 1), (2, 1)]);
    assert!(six.warning().unwrap().contains("(6) than allowed cores (0-2,5)"));
}

#[test]
fn each_physical_core_has_a_worker_before_any_has_two() {
    let machine = with_siblings(3);
    let pinned = |workers| Placement::plan(&machine, workers, None).unwrap().cores();
    assert_eq!(pinned(None), [0, 1, 2]);
    assert_eq!(pinned(Some(2)), [0, 1]);
    // Beside its sibling.
    assert_eq!(pinned(Some(4)), [0, 3, 1, 2]);
    assert_eq!(pinned(Some(6)), [0, 3, 1, 4, 2, 5]);
    assert_eq!(pinned(Some(7)), [0, 0, 3, 1, 4, 2, 5]);

    let warned = |workers| Placement::plan(&machine, Some(workers), None).unwrap().warning();
    assert_eq!(warned(3), None);
    assert!(warned(4).unwrap().contains("(4) than physical cores (3)"));
    assert!(warned(7).unwrap().contains("(7) than allowed cores (0-5)"));

    // Sockets come one after the other, also where the threads of both take turns.
    let mut two = with_siblings(4);
    two.cores.iter_mut().for_each(|core| core.socket = SocketId(core.id % 2));
    assert_eq!(Placement::plan(&two, None, None).unwrap().cores(), [0, 2, 1, 3]);
    assert_eq!(Placement::plan(&two, Some(5), None).unwrap().cores(), [0, 4, 2, 1, 3]);
}

#[test]
fn the_least_of_physical_cores_quota_and_affinity_mask_is_the_default() {
    let (none, siblings) = ("max 100000", ["0-1", "0-1", "2-3", "2-3"]);
    let all = [0, 1, 2, 3];
    let hyperthreads = "2 (physical cores; 4 hardware threads are allowed)";
    assert_eq!(by_default(&siblings, none, &all), hyperthreads);
    assert_eq!(by_default(&siblings, "200000 100000", &all), hyperthreads);
    assert_eq!(by_default(&["0", "1"], none, &[0, 1]), "2 (physical cores)");
    // The first thread of a core need not be allowed.
    assert_eq!(
        by_default(&siblings, none, &[1, 2]),
        hyperthreads.split(';').next().unwrap().to_owned() + ")"
    );
    let bounded = by_default(&siblings, none, &[2, 3]);
    assert_eq!(bounded, "1 (bounded by the affinity mask; the machine has 2 physical cores)");
    let plain = ["0", "1", "2", "3"];
    let quota = "2 (bounded by a CPU quota of 1.5 cores, cgroup v2)";
    assert_eq!(by_default(&plain, "150000 100000", &all), quota);
    assert_eq!(by_default(&plain, "150000 100000", &[1, 2, 3]), quota);
    // A part of a core is worth a worker.
    assert_eq!(by_default(&siblings, "150000 100000", &all), quota);
    let least = "1 (bounded by a CPU quota of 0.01 cores, cgroup v2)";
    assert_eq!(by_default(&plain, "1000 100000", &all), least);
    // Where nothing is known of siblings, each thread is a core.
    assert_eq!(by_default(&["nonsense", "1-0"], none, &[0, 1]), "2 (physical cores)");
}

#[test]
fn workers_beyond_the_quota_are_warned_of() {
    let quota = Quota::new(150_000, 100_000, Cgroup::V1);
    let machine = Platform { quota, ..machine(&[0; 4]) };
    let warned = |workers| Placement::plan(&machine, workers, None).unwrap().warning();
    assert_eq!((warned(None), warned(Some(2))), (None, None));
    let warning = warned(Some(3)).unwrap();
    assert!(warning.contains("(3) than a CPU quota of 1.5 cores, cgroup v1"), "{warning}");
    assert_eq!(
        machine.report().to_string(),
        "a test, 4 cores, bounded by a CPU quota of 1.50 cores"
    );
    let wide = Platform { quota: Quota::new(4, 1, Cgroup::V1), ..machine };
    assert_eq!(wide.report().to_string(), "a test, 4 cores");
}

#[test]
fn one_machine_stands_for_another() {
    let topology = TopologyOverride::parse("2x18").unwrap();
    let placement = Placement::plan(&machine(&[0, 0]), None, Some(topology)).unwrap();
    assert_eq!((placement.workers(), placement.socket_count()), (36, 2));
    assert!(placement.oversubscribed);
    for (index, (core, socket)) in (0..).zip(pinned(&placement)) {
        assert_eq!((core, socket), (index / 18, index / 18));
    }
    assert_eq!(noisy(&placement, "socket=1,duty=0.5").unwrap(), [1]);
    assert_eq!(noisy(&placement, "node=0,duty=0.5").unwrap(), [0, 1]);

    // More workers than the machine that is stood for has cores: from its first socket again.
    let placement =
        Placement::plan(&machine(&[0]), Some(3), Some(TopologyOverride::parse("2x1").unwrap()));
    assert_eq!(placement.unwrap().sockets(), [0, 1, 0].map(SocketId));
}

#[test]
fn noise_anywhere_is_on_allowed_cores_and_on_sockets_with_workers() {
    let cores = [(4, 0), (6, 0), (9, 2)];
    let cores = cores.map(|(id, socket)| Core { id, socket: SocketId(socket), physical: id });
    let machine = Platform { cores: cores.to_vec(), ..machine(&[]) };
    let placement = Placement::plan(&machine, None, None).unwrap();
    let all = resolved(&placement, "any-core=3,duty=0.5", 1).unwrap();
    assert_eq!(all, ["core=4,duty=0.5", "core=6,duty=0.5", "core=9,duty=0.5"]);
    let both = resolved(&placement, "any-socket=2,duty=0.5", 1).unwrap();
    assert_eq!(both, ["socket=0,duty=0.5", "socket=2,duty=0.5"]);
    assert_eq!(resolved(&placement, "any-node=1,duty=0.5", 1).unwrap(), ["node=0,duty=0.5"]);
    let ones: Vec<_> =
        (0..20).map(|seed| resolved(&placement, "any-core=1,duty=0.5", seed)).collect();
    assert!(all.iter().all(|one| ones.contains(&Ok(vec![one.clone()]))), "{ones:?}");
    let error = resolved(&placement, "any-node=2,duty=0.5", 1).unwrap_err();
    assert!(error.contains("any-node=2") && error.contains("at most 1"), "{error}");
}

#[test]
fn noise_that_has_no_place_says_which_there_are() {
    let placement = Placement::plan(&machine(&[0, 0, 1, 1]), Some(2), None).unwrap();
    assert_eq!(noisy(&placement, "core=3,duty=0.5").unwrap(), [3]);
    let error = noisy(&placement, "core=4,duty=0.5").unwrap_err();
    assert_eq!(error, "--noise core=4: not a core this process may use; allowed: 0-3");
    let error = noisy(&placement, "socket=1,duty=0.5").unwrap_err();
    assert_eq!(error, "--noise socket=1: no worker is on that socket; sockets with workers: 0");
    let error = noisy(&placement, "node=1,duty=0.5").unwrap_err();
    assert_eq!(error, "--noise node=1: this run has one node only, use node=0");
}

#[test]
fn impossible_plans_are_refused() {
    let huge = TopologyOverride { sockets: u32::MAX, cores_per_socket: u32::MAX };
    let plan = |workers, topology| Placement::plan(&machine(&[0]), workers, topology).unwrap_err();
    assert_eq!(plan(Some(0), None), PlatformError::NoWorkers);
    assert_eq!(plan(None, Some(huge)), PlatformError::TooManyWorkers { workers: huge.cores() });
    assert!(matches!(plan(Some(u32::MAX), None), PlatformError::TooManyWorkers { .. }));
    assert_eq!(Placement::plan(&machine(&[]), None, None), Err(PlatformError::NoCores));
}

#[test]
fn topologies_read_back() {
    assert_eq!(TopologyOverride::parse("2x18").unwrap().to_string(), "2x18");
    for wrong in
        ["", "x", "2", "0x4", "4x0", "2x", "-1x2", "+1x2", "2x18x2", "99999999999x1", "2 x 3"]
    {
        assert_eq!(TopologyOverride::parse(wrong), Err(TopologyError), "{wrong}");
    }
}

#[test]
fn this_machine_can_be_pinned_to() {
    let machine = Platform::detect().unwrap();
    assert!(machine.available_memory > 0);
    let core = machine.cores[0].id;
    std::thread::spawn(move || {
        pin_current_thread(core).unwrap();
        let now = core_affinity::get_core_ids().unwrap();
        assert_eq!(now.iter().map(|core| core.id).collect::<Vec<_>>(), [core as usize]);
    })
    .join()
    .unwrap();
    assert_eq!(pin_current_thread(u32::MAX), Err(PlatformError::Pin(u32::MAX)));
}
