use std::fs;

use toml::Table;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::run::noise::Parasite;
use tresse_core::sim::machine::{CellCost, Hardware, Path as Way, Piece};
use tresse_files::machine_files::shipped_text;

use super::*;

fn shipped(name: &str) -> VirtualMachine {
    load(Path::new(name)).unwrap()
}

/// Returns a small machine in which a key, given with its tables, has another value, or none where
/// that is empty.
fn text(key: &str, value: &str) -> String {
    let mut table: Table = shipped_text("laptop").unwrap().parse().unwrap();
    let (tables, key) = key.rsplit_once('.').unwrap_or(("", key));
    let mut place = &mut table;
    for name in tables.split('.').filter(|name| !name.is_empty()) {
        place = place[name].as_table_mut().unwrap();
    }
    if value.is_empty() {
        place.remove(key).unwrap();
    } else {
        let given: Table = format!("x = {value}").parse().unwrap();
        place.insert(key.into(), given["x"].clone());
    }
    table.to_string()
}

fn parsed(text: &str) -> Result<VirtualMachine, String> {
    parse(text, Path::new("")).map_err(|error| error.to_string())
}

#[test]
fn every_shipped_machine_can_be_used() {
    let sizes = [(1, 2, 18), (15, 2, 18), (100, 2, 18), (1, 2, 12), (84, 2, 6), (1, 1, 4)];
    for (name, size) in NAMES.into_iter().zip(sizes) {
        let machine = shipped(name);
        assert_eq!(machine.name, name);
        let Hardware { nodes, sockets, cores, .. } = machine.hardware;
        assert_eq!((nodes, sockets, cores), size, "{name}");
    }
    let (one, many) = (shipped("cirrus").hardware, shipped("cirrus-100").hardware);
    assert_eq!(one.costs, many.costs);
    assert_eq!(shipped("archer").to_string(), "archer: 1 node x 2 sockets x 12 cores");
}

#[test]
fn costs_are_taken_exactly() {
    let machine = parsed(&text("costs.cell", "0.351")).unwrap().hardware;
    assert_eq!(machine.costs.cell, 351);
    let machine = parsed(&text("costs.halo.core", "{ latency = \"1.5us\", cell = 2 }")).unwrap();
    let way = Way { latency: Duration(1_500), cell: 2_000 };
    assert_eq!(machine.hardware.costs.halo.core, way);
    assert_eq!(machine.hardware.costs.halo.network, Way::default());
    let machine = parsed(&text("costs.cell", "[[9000, 0.3], [1000000, 1]]")).unwrap().hardware;
    let point = |cells, cost| CellCost { cells, cost };
    assert_eq!(machine.costs.cells.points(), [point(9_000, 300), point(1_000_000, 1_000)]);
    assert_eq!((machine.costs.cell, machine.costs.switch), (300, Duration::ZERO));
    assert_eq!(parsed(&text("pace-range", "0.000001")).unwrap().hardware.paces.core, 1);
    let noisy = parsed(&text("background", "[\"sleep=1ms,work=5\", \"duty=0.01\"]")).unwrap();
    let loops = Parasite::Loop { sleep: Duration::from_millis(1), work: 5 };
    assert_eq!(noisy.hardware.background, [loops, Parasite::Duty { millionths: 10_000 }]);
}

#[test]
fn a_file_goes_over_its_base_key_by_key() {
    let file = "base = \"cirrus\"\nname = \"mine\"\ncores = 3\n[costs.halo]\ncore = { cell = 9 }";
    let (mine, base) = (parsed(file).unwrap(), shipped("cirrus"));
    assert_eq!((mine.name.as_str(), mine.hardware.cores, mine.hardware.sockets), ("mine", 3, 2));
    let mut expected = base.hardware.costs;
    expected.halo.core.cell = 9_000;
    assert_eq!(mine.hardware.costs, expected);
}

#[test]
fn bad_values_are_named_with_their_key() {
    for (key, value, parts) in [
        ("cores", "0", &["`cores` is 0", "whole number from 1"][..]),
        ("sockets", "0", &["`sockets` is 0"]),
        ("nodes", "0", &["`nodes` is 0"]),
        ("nodes", "-2", &["`nodes` is -2"]),
        ("cores", "1.5", &["`cores` is 1.5"]),
        ("cores", "20000000", &["fewer than 2^24 cores"]),
        ("cores", "", &["`cores` is missing", "whole number"]),
        ("name", "", &["`name` is missing"]),
        ("name", "7", &["`name` is 7", "text"]),
        ("pace-range", "1", &["`pace-range` is 1", "below 1"]),
        ("pace-range", "-0.1", &["`pace-range` is -0.1"]),
        ("pace-range", "nan", &["`pace-range` is nan"]),
        ("costs.cell", "-1", &["`costs.cell` is -1", "nanoseconds, 0 or more"]),
        ("costs.cell", "nan", &["`costs.cell` is nan"]),
        ("costs.cell", "inf", &["`costs.cell` is inf"]),
        ("costs.cell", "1e300", &["`costs.cell` is 1"]),
        ("costs.cell", "86400000001", &["`costs.cell`"]),
        ("costs.cell", "0.0001", &["`costs.cell`", "3 decimals"]),
        ("costs.cell", "", &["`costs.cell` is missing", "nanoseconds"]),
        ("costs.cell", "[]", &["`costs.cell` is a list of 0", "pairs [cells, nanoseconds]"]),
        ("costs.cell", "[[9, 1], [9, 2]]", &["`costs.cell` is a list of 2", "ascending"]),
        ("costs.cell", "[[9, -1]]", &["`costs.cell`", "pairs"]),
        ("costs.cell", "[[9]]", &["`costs.cell`", "pairs"]),
        (
            "costs.cell",
            "[[1,1],[2,1],[3,1],[4,1],[5,1],[6,1],[7,1],[8,1],[9,1]]",
            &["1 to 8 pairs"],
        ),
        ("costs.parasite-iteration", "-4.6", &["`costs.parasite-iteration` is -4.6"]),
        ("costs.round-subdomain", "[]", &["`costs.round-subdomain`"]),
        ("costs.sweep", "300", &["`costs.sweep` is 300", "unit"]),
        ("costs.sweep", "\"-300ns\"", &["`costs.sweep`", "-300ns"]),
        ("costs.sweep", "nan", &["`costs.sweep` is nan"]),
        ("costs.barrier", "\"2000000s\"", &["`costs.barrier`", "at most a day"]),
        ("costs.round", "", &["`costs.round` is missing", "unit"]),
        ("costs.halo.node.cell", "-0.5", &["`costs.halo.node.cell` is -0.5"]),
        ("costs.hand-over.socket.latency", "\"1\"", &["`costs.hand-over.socket.latency`"]),
        ("costs.hand-over.core", "", &["`costs.hand-over.core` is missing", "latency, cell"]),
        ("costs.halo", "5", &["`costs.halo` is 5", "table"]),
        ("costs", "", &["`costs` is missing", "halo"]),
        ("nodes", "2", &["`costs.halo.network` is missing"]),
        ("background", "[\"core=1,duty=0.5\"]", &["`background` is \"core=1,duty=0.5\""]),
        ("background", "[\"duty=nan\"]", &["`background`", "duty=nan"]),
        ("background", "[\"sleep=0,work=5\"]", &["`background`", "some sleep"]),
        ("background", "\"duty=0.5\"", &["`background`", "list"]),
        (
            "background",
            "[\"duty=0.1\", \"duty=0.1\", \"duty=0.1\", \"duty=0.1\", \"duty=0.1\"]",
            &["`background`", "at most 4"],
        ),
        ("base", "\"hal\"", &["`base` is \"hal\"", "cirrus"]),
        ("base", "3", &["`base` is 3"]),
        ("kores", "3", &["unknown key `kores`", "did you mean `cores`"]),
        ("pace_range", "0.1", &["`pace_range`", "did you mean `pace-range`"]),
        ("costs.swep", "3", &["`costs.swep`", "did you mean `costs.sweep`"]),
        ("costs.halo.sockets", "3", &["`costs.halo.sockets`", "`costs.halo.socket`"]),
        ("costs.halo.core.cells", "3", &["did you mean `costs.halo.core.cell`"]),
    ] {
        let error = parsed(&text(key, value)).expect_err(key);
        assert!(parts.iter().all(|part| error.contains(part)), "{key} = {value}: {error}");
        assert!(!error.contains('\n') && error.len() < 300, "{key} = {value}: {error}");
    }
    assert!(parsed("nodes = = 3").unwrap_err().contains("line 1, column 9"));
}

#[test]
fn traces_are_inline_or_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("machine.toml");
    fs::write(folder.path().join("speeds.csv"), "seconds,speed\n0, 1\n0.25,0.30000000000000004\n")
        .unwrap();
    let traces = "[[trace]]\ncore = 3\nfile = \"speeds.csv\"\n\
                  [[trace]]\ncore = 0\npoints = [[0, 0.5], [1e-9, 1.0]]\n";
    fs::write(&file, text("cores", "4") + traces).unwrap();
    let machine = load(&file).unwrap();
    let piece = |nanoseconds, millionths| Piece::new(Instant(nanoseconds), millionths);
    let expected = [
        SpeedTrace { core: 3, pieces: [piece(0, 1_000_000), piece(250_000_000, 300_000)].into() },
        SpeedTrace { core: 0, pieces: [piece(0, 500_000), piece(1, 1_000_000)].into() },
    ];
    assert_eq!(machine.traces, expected);
}

#[test]
fn a_trace_may_be_of_a_socket_or_of_many_cores() {
    let of = |place: &str| {
        let file = format!(
            "base = \"cirrus\"\nname = \"x\"\nnodes = 2\n[[trace]]\n{place}\npoints = [[0, 0.5]]"
        );
        let traces = parsed(&file)?.traces;
        Ok::<_, String>(traces.iter().map(|trace| trace.core).collect::<Vec<_>>())
    };
    assert_eq!(of("socket = 0").unwrap(), (0..18).collect::<Vec<_>>());
    assert_eq!(of("socket = 3").unwrap(), (54..72).collect::<Vec<_>>());
    assert_eq!(of("core = \"64-71\"").unwrap(), (64..72).collect::<Vec<_>>());
    assert_eq!(of("core = \"3\"").unwrap(), [3]);
    assert_eq!(of("core = \"8, 0-2,5\"").unwrap(), [0, 1, 2, 5, 8]);
    for (place, parts) in [
        ("socket = 4", &["`trace[0].socket` is 4", "0 to 3"][..]),
        ("socket = -1", &["`trace[0].socket` is -1"]),
        ("core = \"64-72\"", &["`trace[0].core` is \"64-72\"", "0 to 71", "0-3,8"]),
        ("core = \"5-4\"", &["`trace[0].core`"]),
        ("core = \"\"", &["`trace[0].core`"]),
        ("core = \"1-2-3\"", &["`trace[0].core`"]),
        ("core = \"1,,2\"", &["`trace[0].core`"]),
        ("core = 1\nsocket = 1", &["`trace[0].socket`", "either `core` or `socket`"]),
        ("", &["`trace[0].core` is missing", "0 to 71"]),
    ] {
        let error = of(place).expect_err(place);
        assert!(parts.iter().all(|part| error.contains(part)), "{place}: {error}");
    }
}

#[test]
fn traces_of_nodes_that_are_not_used_are_left_out() {
    let traces = "[[trace]]\ncore = 35\npoints = [[0, 0.5]]\n\
                  [[trace]]\ncore = 36\npoints = [[0, 0.5]]\n";
    let file = format!("base = \"cirrus-15\"\nname = \"x\"\n{traces}");
    let machine = parsed(&file).unwrap();
    assert_eq!(machine.traces.len(), 2);
    let machine = machine.on_nodes(1).unwrap();
    assert_eq!(machine.traces.iter().map(|trace| trace.core).collect::<Vec<_>>(), [35]);
}

#[test]
fn nodes_that_the_machine_does_not_have_are_its_own_again_with_their_traces() {
    let traces = "[[trace]]\ncore = 3\npoints = [[0, 0.5]]\n";
    let file = format!("base = \"laptop\"\nname = \"x\"\n{traces}");
    let machine = parsed(&file).unwrap();
    let repeated = machine.clone().on_nodes(3).unwrap();
    assert_eq!(repeated.hardware, Hardware { nodes: 3, ..machine.hardware });
    let expected = [3, 7, 11].map(|core| SpeedTrace { core, ..machine.traces[0].clone() });
    assert_eq!(repeated.traces, expected);
    let file = "base = \"cirrus-15\"\nname = \"x\"\n[[trace]]\ncore = 36\npoints = [[0, 0.5]]\n";
    let repeated = parsed(file).unwrap().on_nodes(17).unwrap();
    let cores: Vec<_> = repeated.traces.iter().map(|trace| trace.core).collect();
    assert_eq!(cores, [36, 36 + 15 * 36], "the second of fifteen is the seventeenth as well");
    assert!(parsed(file).unwrap().on_nodes(u32::MAX).is_err());
}

#[test]
fn bad_traces_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("machine.toml");
    for (csv, parts) in [
        ("", &["the first time must be 0"][..]),
        ("seconds,speed\n", &["the first time must be 0"]),
        ("time,speed\n0,1\n", &["seconds"]),
        ("seconds,speed\n0,fast\n", &["CSV", "seconds,speed"]),
        ("seconds,speed\n0,1\n1\n", &["CSV"]),
        ("seconds,speed\n0,1\n1,1.5\n", &["row 2", "from 0 to 1"]),
        ("seconds,speed\n0,1\n-1,1\n", &["row 2"]),
        ("seconds,speed\n0,1\nNaN,1\n", &["row 2"]),
        ("seconds,speed\n0,NaN\n", &["row 1"]),
        ("seconds,speed\n1,1\n", &["the first time must be 0"]),
        ("seconds,speed\n0,1\n0,0.5\n", &["ascend"]),
        ("seconds,speed\n0,1\n1,0\n", &["above 0"]),
    ] {
        fs::write(folder.path().join("s.csv"), csv).unwrap();
        fs::write(&file, text("cores", "4") + "[[trace]]\ncore = 3\nfile = \"s.csv\"\n").unwrap();
        let error = load(&file).expect_err(csv).to_string();
        let named = ["machine.toml", "`trace[0].file`", "s.csv"];
        assert!(named.iter().chain(parts).all(|part| error.contains(part)), "{csv}: {error}");
        assert!(!error.contains('\n'), "{csv}: {error}");
    }
    for (trace, parts) in [
        ("core = 4\npoints = [[0, 1]]", &["`trace[0].core` is 4", "0 to 3"][..]),
        ("points = [[0, 1]]", &["`trace[0].core` is missing"]),
        ("core = 1", &["`trace[0].points` is missing", "`file` or `points`"]),
        ("core = 1\npoints = [[0, 1]]\nfile = \"s.csv\"", &["`file` or `points`"]),
        ("core = 1\npoints = [[0, 1, 2]]", &["`trace[0].points`", "[seconds, speed]"]),
        ("core = 1\npoints = [[0, 2]]", &["`trace[0].points`", "from 0 to 1"]),
        ("core = 1\npoints = []", &["`trace[0].points`", "first time must be 0"]),
        ("core = 1\nfile = \"gone.csv\"", &["gone.csv", "cannot be read"]),
        ("core = 1\nfile = \".\"", &["not a folder"]),
        ("core = 1\npoint = [[0, 1]]", &["did you mean `trace[0].points`"]),
    ] {
        let error = parsed(&format!("{}[[trace]]\n{trace}", text("cores", "4"))).expect_err(trace);
        assert!(parts.iter().all(|part| error.contains(part)), "{trace}: {error}");
    }
    let other = parsed(&text("trace", "[1]")).unwrap_err();
    assert!(other.contains("`trace` is a list of 1") && other.contains("[[trace]]"), "{other}");
    assert!(parsed(&text("trace", "{ core = 1 }")).unwrap_err().contains("[[trace]]"));
}

#[test]
fn what_is_no_machine_names_those_that_are() {
    for name in ["Cirrus", "", "machines/cirrus", "x.csv"] {
        let error = load(Path::new(name)).unwrap_err().to_string();
        assert!(NAMES.iter().all(|name| error.contains(name)), "{error}");
        assert!(error.contains(".toml"), "{error}");
    }
    let error = load(Path::new("/gone.toml")).unwrap_err().to_string();
    assert!(error.contains("/gone.toml: cannot be read"), "{error}");
}
