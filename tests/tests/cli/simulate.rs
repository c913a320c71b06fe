//! `tresse simulate`: machines, nodes, noise, files and what cannot be simulated.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::program::{SMALL, names, number, object, refused, run, tresse};

const VIRTUAL: &str = "simulate --cells-per-worker 8x8 --tolerance 1e-2";

/// Every key of an object, with the objects that it stands in; of a list, those of its first.
fn keys(value: &Value, within: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{within}/{key}");
                keys(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(values) => {
            if let Some(first) = values.first() {
                keys(first, &format!("{within}/0"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn the_object_has_the_keys_of_solve_in_virtual_time() {
    let of = |line: &str| {
        let mut found = BTreeSet::new();
        keys(&object(&mut tresse(&format!("{line} --noise node=0,duty=0.1")), 0), "", &mut found);
        found
    };
    let (mut real, simulated) = (of(SMALL), of(VIRTUAL));
    // What a virtual worker has of its core is up to the machine.
    real.remove("/cpu_share");
    assert_eq!(real, simulated);
}

#[test]
fn a_simulation_is_the_same_every_time() {
    let line = format!("{VIRTUAL} --machine cirrus --balance hybrid:50us,5 --json");
    let of = |more: &str| {
        let ended = run(&mut tresse(&format!("{line} {more}")));
        assert_eq!(ended.code, 0, "{}", ended.err);
        ended.out
    };
    let first = of("");
    assert_eq!(first, of(""));
    let times = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap();
        number(&value, "/seconds")
    };
    assert!((times(&first) - times(&of("--seed 2"))).abs() > 0.0, "the seed changes nothing");
}

#[test]
fn machines_and_nodes() {
    for (flags, pointer, expected) in [
        ("", "/workers", json!(4)),
        ("", "/virtual", json!(true)),
        ("--machine archer", "/workers", json!(24)),
        ("--machine archer", "/sockets", json!(2)),
        ("--machine archer --topology 3x5", "/workers", json!(15)),
        ("--machine archer --topology 3x5", "/sockets", json!(3)),
        ("--machine archer --workers 12", "/sockets", json!(1)),
        ("--machine archer --workers 12", "/machine/cores", json!(24)),
        ("--machine cirrus-15 --nodes 2", "/workers", json!(72)),
        ("--machine cirrus-15 --nodes 2", "/nodes", json!(2)),
        ("--machine cirrus-15 --nodes 2", "/sockets", json!(4)),
        ("--machine cirrus-15 --nodes 2", "/config/nodes/balance", json!("none")),
        (
            "--machine cirrus-15 --nodes 2 --node-balance dplb:50us,2 --node-rule published \
             --node-cooldown 5us",
            "/config/nodes",
            json!({"number": 2, "balance": "dplb:0.00005,2", "rule": "published", "cooldown": 5e-6}),
        ),
        (
            "--machine cirrus-15 --nodes 2 --node-balance chaos:7",
            "/config/nodes/balance",
            json!("chaos:7"),
        ),
        ("--mode sync", "/spread/end", json!(0)),
        ("--mode ssync:2 --precision f32", "/precision", json!("f32")),
    ] {
        let report = object(&mut tresse(&format!("{VIRTUAL} {flags}")), 0);
        assert_eq!(report.pointer(pointer), Some(&expected), "{flags}: {pointer}");
        assert_eq!(report["converged"], true, "{flags}");
    }
    let report = object(&mut tresse(&format!("{VIRTUAL} --timed-as 300x300")), 0);
    let cpu = report["machine"]["cpu"].as_str().unwrap();
    for part in ["virtual", "laptop", "1 node", "4 cores", "300x300"] {
        assert!(cpu.contains(part), "no {part} in {cpu}");
    }
}

#[test]
fn the_papers_example() {
    let line = "simulate --machine archer --mode async --split 4 --balance split:0.001 \
                --noise core=2,duty=0.19 --cells-per-worker 16x16 --timed-as 300x300";
    let report = object(&mut tresse(line), 0);
    assert!((number(&report, "/noise/0/share") - 0.19).abs() < 0.001, "{report:#}");
    assert!(number(&report, "/moves") > 0.0, "{report:#}");
}

#[test]
fn many_subdomains_move_as_few_do() {
    let line = "simulate --noise core=0,duty=0.4 --cells-per-worker 16x16 --timed-as 300x300 \
                --iterations 500 --split 16";
    let report = object(&mut tresse(line), 0);
    assert_eq!(report["config"]["plb"], json!({"pairs": 6, "low": 8, "high": 24, "dead_band": 0}));
    assert!(number(&report, "/moves") > 0.0, "{report:#}");
    let stuck = run(&mut tresse(&format!("{line} --high 9 --low 2")));
    assert!(stuck.err.contains("--high 9 no subdomain can ever move"), "{}", stuck.err);
}

#[test]
fn a_run_makes_as_many_iterations_on_average_as_were_asked_for() {
    let line = "simulate --noise core=0,duty=0.6 --balance none --iterations 60";
    let report = object(&mut tresse(line), 0);
    assert_eq!(report["end"], "iterations");
    assert!(number(&report, "/iterations") >= 60.0, "{report:#}");
    assert!(number(&report, "/iterations") < 65.0, "{report:#}");
}

#[test]
fn grapevine_shares_a_noisy_core_out() {
    let of = |balance: &str| {
        let line = "simulate --machine archer --noise core=2,duty=0.19 --iterations 1500 \
                    --cells-per-worker 16x16 --timed-as 300x300 --balance";
        object(&mut tresse(&format!("{line} {balance}")), 0)
    };
    let (none, grapevine) = (of("none"), of("grapevine:0.001"));
    assert_eq!(grapevine["balance"], json!("grapevine:0.001"));
    assert!(number(&grapevine, "/moves") > 0.0, "{grapevine:#}");
    let spread = |report| number(report, "/spread/max");
    assert!(2.0 * spread(&grapevine) < spread(&none), "{grapevine:#}\n{none:#}");
}

#[test]
fn noise_is_on_all_cores_of_its_place() {
    let machine = "--machine cirrus-15 --nodes 2";
    for (place, cores) in [("core=40", 40..41), ("socket=1", 18..36), ("node=1", 36..72)] {
        let line = format!("{VIRTUAL} {machine} --noise {place},duty=0.4 --mode sync");
        let report = object(&mut tresse(&line), 0);
        let noise = report["noise"].as_array().unwrap();
        let found: Vec<_> = noise.iter().map(|noise| noise["core"].as_u64().unwrap()).collect();
        assert_eq!(found, cores.collect::<Vec<_>>(), "{place}");
    }
}

#[test]
fn noise_costs_time_and_a_slower_core_too() {
    let seconds = |flags: &str| {
        // By iterations: the end is detected to a millisecond only.
        let line = format!("simulate --cells-per-worker 8x8 --iterations 200 --mode sync {flags}");
        number(&object(&mut tresse(&line), 0), "/seconds")
    };
    let quiet = seconds("--timed-as 100x100");
    assert!(seconds("--timed-as 100x100 --noise core=1,duty=0.4") > 1.3 * quiet);
    assert!(seconds("--timed-as 200x200") > 2.0 * quiet);
    let folder = tempdir().unwrap();
    let file = folder.path().join("slow.toml");
    let trace = "[[trace]]\ncore = 2\nfile = \"speeds.csv\"\n";
    fs::write(&file, format!("base = \"laptop\"\nname = \"slow\"\n{trace}")).unwrap();
    fs::write(folder.path().join("speeds.csv"), "seconds,speed\n0,0.5\n").unwrap();
    assert!(seconds(&format!("--timed-as 100x100 --machine {}", file.display())) > 1.7 * quiet);
}

#[test]
fn a_person_reads_the_machine_and_finds_the_files() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("results");
    let ended = run(tresse(VIRTUAL).arg("--out").arg(&out));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    for part in ["virtual machine laptop: 1 node x 1 socket x 4 cores", "of virtual time"] {
        assert!(ended.out.contains(part), "no {part} in\n{}", ended.out);
    }
    let real = folder.path().join("real");
    assert_eq!(run(tresse(SMALL).arg("--out").arg(&real)).code, 0);
    assert_eq!(names(&out), names(&real));
    let help = run(&mut tresse("help simulate"));
    for name in ["cirrus", "cirrus-15", "cirrus-100", "archer", "icc", "laptop"] {
        assert!(help.out.contains(name), "no {name} in\n{}", help.out);
    }
}

#[test]
fn what_cannot_be_simulated() {
    let root = tempdir().unwrap();
    let file = root.path().join("m.toml");
    let folder = root.path().join("results");
    for (flags, parts) in [
        ("--machine cray", &["--machine cray", "cirrus-100", "laptop", ".toml"][..]),
        ("--machine /gone.toml", &["--machine /gone.toml", "cannot be read"]),
        ("--mode rayon", &["--mode rayon", "--mode sync"]),
        ("--topology 65536x65536", &["--topology", "cores"]),
        ("--nodes 0", &["--nodes"]),
        ("--workers 5", &["--workers", "4 cores"]),
        ("--noise core=4,duty=0.1", &["--noise core=4", "no such core"]),
        ("--noise socket=1,duty=0.1", &["--noise socket=1"]),
        ("--noise node=1,duty=0.1", &["--noise node=1"]),
        ("--noise core=1,sleep=0,work=3", &["--noise", "sleep"]),
        ("--node-balance dplb:1", &["--node-balance"]),
        ("--mode sync --node-balance dplb:1,1", &["--node-balance", "--mode sync"]),
        ("--timed-as 0x3", &["--timed-as"]),
        ("--cells-per-worker 900000x900000", &["--cells-per-worker", "memory"]),
    ] {
        let line = format!("simulate {flags}");
        refused(tresse(&line).arg("--out").arg(&folder), parts);
    }
    for (text, parts) in [
        ("cores = 0", &["`cores` is 0"][..]),
        ("costs.cell = -1", &["`costs.cell` is -1"]),
        ("costs.cell = nan", &["`costs.cell` is nan"]),
        ("costs.halo.socket.latency = \"-5ns\"", &["`costs.halo.socket.latency`"]),
        ("kores = 3", &["`kores`", "`cores`"]),
        ("cores = ", &["line", "TOML"]),
        ("[[trace]]\ncore = 4\npoints = [[0, 1]]", &["`trace[0].core`"]),
        ("[[trace]]\ncore = 0\nfile = \"gone.csv\"", &["`trace[0].file`", "gone.csv"]),
    ] {
        fs::write(&file, format!("base = \"laptop\"\nname = \"x\"\n{text}")).unwrap();
        let named = [parts, &["--machine", "m.toml"]].concat();
        refused(tresse("simulate --machine").arg(&file).arg("--out").arg(&folder), &named);
    }
    assert!(!folder.exists(), "nothing is made for a run that cannot be");
}
