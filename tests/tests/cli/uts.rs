//! `tresse uts`: published counts whatever the method, and trees that cannot be searched.

use tresse_tests::program::example;

use serde_json::Value;

use crate::program::{number, object, refused, run, tresse};

/// Returns a whole number in an object.
pub fn whole(object: &Value, key: &str) -> u64 {
    object[key].as_u64().unwrap_or_else(|| panic!("no {key} in {object}"))
}

/// Keys of the shares of a worker's time.
pub const SHARES: [&str; 6] = ["busy", "speculating", "searching", "idle", "managing", "messaging"];

/// All of each worker's time is told, and the shares are those of all workers.
pub fn assert_shares(report: &Value) {
    let seconds = number(report, "/seconds");
    let workers = report["by_worker"].as_array().unwrap();
    for worker in workers {
        let sum: f64 = SHARES.iter().map(|key| worker[*key].as_f64().unwrap()).sum();
        assert!((sum / seconds - 1.0).abs() < 1e-6, "{sum} of {seconds}: {worker}");
    }
    for key in SHARES {
        let sum: f64 = workers.iter().map(|worker| worker[key].as_f64().unwrap()).sum();
        let share = report[key].as_f64().unwrap();
        assert!((share - sum / seconds / workers.len() as f64).abs() < 1e-9, "{key}: {report}");
    }
    let sum: f64 = SHARES.iter().map(|key| report[*key].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}: {report}");
    let busy = number(report, "/manager_busy");
    assert!((0.0..=1.0).contains(&busy), "{busy}: {report}");
}

/// All of them.
pub const METHODS: [&str; 7] = [
    "sharing",
    "prefetch",
    "speculative",
    "stealing",
    "speculative-stealing",
    "prefetch-stealing",
    "adaptive",
];

#[test]
fn every_method_counts_the_same_with_any_number_of_workers() {
    for method in METHODS {
        for workers in [1, 2, 3, 5_u64] {
            let line = format!("uts --tree T3 --method {method} --workers {workers}");
            let report = object(&mut tresse(&line), 0);
            let counts = ["nodes", "leaves", "depth"].map(|key| whole(&report, key));
            assert_eq!(counts, [4_112_897, 3_599_034, 1_572], "{line}");
            assert_eq!(
                (&report["as_published"], &report["method"]),
                (&true.into(), &method.into())
            );
            assert_eq!(whole(&report, "workers"), workers);
            let of_workers = report["by_worker"].as_array().unwrap();
            let sum = |key: &str| of_workers.iter().map(|worker| whole(worker, key)).sum::<u64>();
            assert_eq!(sum("executed") + sum("committed"), counts[0], "{line}");
            assert_eq!(sum("speculated"), sum("committed") + sum("rolled_back"), "{line}");
            assert_shares(&report);
        }
    }
}

#[test]
fn parameters_at_their_bounds_change_no_count() {
    for flags in [
        "--method sharing --chunk 1 --interval 1",
        "--method sharing --manager dedicated --chunk 4 --interval 16",
        "--method speculative --chunk 1 --interval 1 --copies 4 --window 1",
        "--method speculative --release interval --arbitration task --chunk 4 --interval 4",
        "--method speculative --chunk 128 --interval 4294967295 --window 128 --manager dedicated",
        "--method speculative-stealing --arbitration task --chunk 2 --copies 4",
        "--method adaptive --chunk 1 --copies 0",
        "--method stealing --chunk 1 --sharing-seed 18446744073709551615",
    ] {
        // A binomial tree that is thin, so that there is little to share.
        let line = format!("uts -t 0 -b 300 -q 0.124875 -m 8 -r 42 --workers 3 {flags}");
        let report = object(&mut tresse(&line), 0);
        let alone = object(&mut tresse("uts -t 0 -b 300 -q 0.124875 -m 8 -r 42 --workers 1"), 0);
        for key in ["nodes", "leaves", "depth"] {
            assert_eq!(report[key], alone[key], "{line}: {key}");
        }
        assert!(report["as_published"].is_null());
    }
}

#[test]
fn flags_without_effect_are_warned_of() {
    for (flags, idle) in [
        ("--method sharing --window 3", "--window has no effect with --method sharing"),
        ("--method stealing --release wanted", "--release has no effect with --method stealing"),
        ("--interval 9", "--interval has no effect with --method adaptive"),
        ("--machine laptop --manager dedicated", "--manager has no effect with --machine"),
    ] {
        let ended = run(&mut tresse(&format!("uts -t 3 -b 2 -d 2 --workers 2 --json {flags}")));
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert!(ended.err.contains(idle), "{flags}: {}", ended.err);
    }
}

#[test]
fn parameters_that_a_kind_of_tree_does_not_have_are_warned_of() {
    for (tree, idle) in [
        ("-t 0 -b 0 -q 0.2 -m 2", &[][..]),
        ("-t 0 -b 0 -a 3 -d 5 -f 0.1", &["-a", "-d", "-f"]),
        ("-b 1 -a 3 -d 2", &[]),
        ("-b 1 -d 2 -q 0.2 -m 2 -f 0.1", &["-q", "-m", "-f"]),
        ("-t 2 -b 1 -q 0.2 -m 2 -a 3 -d 2 -f 0.1", &[]),
        ("-t 3 -b 2 -d 2 -r 7 -g 2", &[]),
        ("-t 3 -b 2 -d 2 -q 0.2 -m 2 -a 3 -f 0.1", &["-q", "-m", "-a", "-f"]),
    ] {
        let ended = run(&mut tresse(&format!("uts {tree} --workers 1 --quiet")));
        let warned: Vec<_> =
            ended.err.lines().map(|line| line.split(' ').nth(1).unwrap()).collect();
        assert_eq!((ended.code, &*warned), (0, idle), "{tree}: {}", ended.err);
    }
    let ended = run(&mut tresse("uts -t 0 -b 0 -d 5 --workers 1 --quiet"));
    assert_eq!(ended.err, "warning: -d has no effect with -t 0, a binomial tree\n");
}

#[test]
fn trees_of_one_node_and_more_workers_than_tasks() {
    for method in METHODS {
        let line = format!("uts -t 0 -b 0 --workers 4 --method {method}");
        let report = object(&mut tresse(&line), 0);
        assert_eq!((whole(&report, "nodes"), whole(&report, "leaves")), (1, 1), "{line}");
        let line = format!("uts -t 3 -b 2 -d 2 --workers 9 --method {method}");
        assert_eq!(whole(&object(&mut tresse(&line), 0), "nodes"), 7, "{line}");
    }
}

#[test]
fn trees_and_parameters_that_cannot_be_are_refused() {
    for (flags, parts) in [
        ("--tree T1l -b 3", &["--tree", "-b"][..]),
        ("--tree T6L", &["--tree", "T6L", "did you mean"]),
        ("--tree fir", &["--tree", "T1XXL"]),
        ("-t 4", &["-t", "0, 1, 2 or 3"]),
        ("-t 0 -q 0.25 -m 4", &["-q", "-m", "infinite"]),
        ("-t 0 -q 1.5", &["-q", "1.5"]),
        ("-t 0 -m 101 -q 0.001", &["-m", "101"]),
        ("-b nan", &["-b", "NaN"]),
        ("-d 4294967295", &["-d", "4294967295"]),
        ("-d 99999999999", &["-d", "at most 4294967295"]),
        ("-r -1", &["-r", "expected a whole number"]),
        ("-t 0 -m -1", &["-m", "expected a whole number"]),
        ("-g 0", &["-g", "0"]),
        ("--method fast", &["--method", "fast"]),
        ("--chunk 0", &["--chunk 0", "1 to 128"]),
        ("--chunk 129", &["--chunk 129", "1 to 128"]),
        ("--interval 0", &["--interval 0"]),
        ("--copies 5", &["--copies 5", "0 to 4"]),
        ("--window 0", &["--window 0"]),
        ("--workers 0", &["--workers"]),
        ("--arbitration all", &["--arbitration", "all"]),
    ] {
        refused(&mut tresse(&format!("uts {flags}")), parts);
    }
}

#[test]
fn a_person_is_told_what_was_done() {
    let ended = run(&mut tresse("uts --tree T1 --method speculative --chunk 20"));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    for part in
        ["T1", "speculative", "chunk 20", "4130071 nodes", "as published", "per second", "idle"]
    {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
    assert_eq!(whole(&object(&mut tresse("uts -t 3 -b 2 -d 2 --quiet"), 0), "nodes"), 7);
    let quiet = run(&mut tresse("uts --quiet"));
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (0, "", ""));
}

#[test]
fn tasks_of_ones_own() {
    let program = example("tresse", "own_tasks");
    let ended = run(assert_cmd::Command::new(program).arg("8"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.starts_with("92 ways to place 8 queens"), "{}", ended.out);
}

#[test]
fn the_same_in_virtual_time() {
    let line = "uts --tree T3 --machine cirrus --nodes 2 --method speculative";
    let report = object(&mut tresse(line), 0);
    assert_eq!((whole(&report, "nodes"), whole(&report, "workers")), (4_112_897, 68));
    assert_eq!((&report["virtual"], whole(&report, "managers")), (&true.into(), 4));
    assert_eq!(object(&mut tresse(line), 0)["seconds"], report["seconds"]);
    assert_shares(&report);
    // Managers have cores of their own, and messages are told apart.
    assert_eq!(report["managing"], 0.0);
    assert!(number(&report, "/messaging") > 0.0 && number(&report, "/searching") > 0.0);
    // No task takes less there, and what the machine has at rest makes some longer.
    let executed: u64 =
        report["by_worker"].as_array().unwrap().iter().map(|it| whole(it, "executed")).sum();
    let busy = number(&report, "/busy") * number(&report, "/seconds") * 68.0;
    let longer = busy / (executed as f64 * 400e-9);
    assert!((1.0..1.1).contains(&longer), "{longer}: {report:#}");
    for key in ["costs", "noise", "noise_seed"] {
        assert!(!report["config"][key].is_null(), "{key}: {report:#}");
    }
    let said = run(&mut tresse(&format!("{line} --workers 47"))).out;
    for part in
        ["of virtual time", "ns a task", "cirrus: 2 nodes x 2 sockets x 18 cores", "and 1 manager"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let noisy =
        |flags: &str| object(&mut tresse(&format!("{line} --noise core=3,duty=0.4 {flags}")), 0);
    let slow = noisy("");
    let config = &slow["config"];
    assert_eq!(
        (&config["noise"][0], &config["noise_seed"]),
        (&"core=3,duty=0.4".into(), &1.into())
    );
    let busy = |report: &Value| {
        report["by_worker"][3]["busy"].as_f64().unwrap()
            / report["by_worker"][3]["executed"].as_f64().unwrap()
    };
    assert!(busy(&slow) > 1.5 * busy(&report), "{slow}");
    assert_ne!(noisy("--seed 2")["seconds"], slow["seconds"]);
    for (flags, parts) in [
        ("--noise core=0,duty=0.1", &["--noise", "--machine"][..]),
        ("--seed 2", &["--seed", "--machine"]),
        (
            "--machine cirrus --noise core=36,duty=0.1",
            &["--noise core=36,duty=0.1", "no such core"],
        ),
        ("--machine cirrus --noise any-socket=3,duty=0.1", &["--noise any-socket=3", "at most 2"]),
        ("--machine cirrus --noise core=0,sleep=0,work=9", &["--noise", "some sleep"]),
        ("--nodes 2", &["--nodes", "--machine"]),
        ("--machine cirrus --workers 36", &["--workers", "37 workers and managers", "--nodes"]),
        ("--machine cirrus --workers 0", &["--workers"]),
        ("--machine nowhere", &["--machine"]),
        ("--machine cirrus --managers 0", &["--managers"]),
        ("--machine laptop --managers 100", &["--managers 100", "at most"]),
        ("--machine laptop --workers 2 --managers 3", &["--managers 3", "at most 2"]),
    ] {
        refused(&mut tresse(&format!("uts {flags}")), parts);
    }
}
