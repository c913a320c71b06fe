//! Places for results that a person should not have named: the program's own inputs, one place
//! twice, links, pipes and devices.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use ndarray::Array2;
use tempfile::{TempDir, tempdir};
use tresse_tests::program::TRESSE;
use tresse_tests::skip::note;

use crate::program::{SMALL, field, names, refused, run, tresse};

const RECORD: &str = "solve --workers 2 --grid 24x32 --iterations 50 --quiet --record";

/// Returns a folder with a recording `R`, and another name, a link and a hard link of it.
fn recorded() -> TempDir {
    let folder = tempdir().unwrap();
    let path = folder.path().join("R");
    assert_eq!(run(tresse(RECORD).arg(&path)).code, 0);
    symlink("R", folder.path().join("link")).unwrap();
    fs::hard_link(&path, folder.path().join("twin")).unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    folder
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_recording_is_not_replaced_by_what_is_made_of_it() {
    let folder = recorded();
    let at = |name: &str| folder.path().join(name);
    let before = fs::read(at("R")).unwrap();
    for (from, to) in [("R", "R"), ("R", "link"), ("link", "R"), ("R", "twin"), ("R", "below/../R")]
    {
        let mut command = tresse("export-trace");
        command.arg(at(from)).arg("--perfetto").arg(at(to));
        let [from, to] = [from, to].map(|name| at(name).display().to_string());
        refused(
            &mut command,
            &[&format!("--perfetto {to}"), &format!("{from} (the recording)"), "another"],
        );
    }
    symlink("../R", at("below/field.npy")).unwrap();
    let mut command = tresse("replay");
    command.arg(at("R")).arg("--out").arg(at("below"));
    refused(&mut command, &["--out", "below/field.npy", "R (the recording)"]);
    assert_eq!(fs::read(at("R")).unwrap(), before);
    assert_eq!(names(folder.path()), ["R", "below", "link", "twin"]);
}

#[test]
fn a_problem_is_not_replaced_by_its_results() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = "initial = { npy = \"field.npy\" }\n[boundary]\ntop = { npy = \"top.npy\" }\n";
    fs::write(at("p.toml"), text).unwrap();
    ndarray_npy::write_npy(at("field.npy"), &Array2::<f64>::ones((24, 32))).unwrap();
    ndarray_npy::write_npy(at("top.npy"), &ndarray::Array1::<f64>::ones(32)).unwrap();
    let before = ["p.toml", "field.npy", "top.npy"].map(|name| fs::read(at(name)).unwrap());
    let solve = |flags: &str| {
        let mut command = tresse("solve --workers 2 --tolerance 1e-2 --problem p.toml");
        command.args(flags.split(' ')).current_dir(folder.path());
        command
    };
    refused(&mut solve("--record p.toml"), &["--record p.toml", "p.toml (--problem)", "reads"]);
    refused(&mut solve("--record top.npy"), &["--record top.npy", "`boundary.top` in --problem"]);
    refused(&mut solve("--out ."), &["--out ./field.npy", "`initial` in --problem"]);
    let mut simulate = tresse("simulate --problem p.toml --out .");
    refused(simulate.current_dir(folder.path()), &["--out ./field.npy", "`initial` in --problem"]);
    let machine = "base = \"laptop\"\n[[trace]]\ncore = 0\nfile = \"history.csv\"\n";
    fs::write(at("m.toml"), machine).unwrap();
    fs::write(at("history.csv"), "seconds,speed\n0,1\n").unwrap();
    let mut simulate = tresse("simulate --machine m.toml --grid 24x32 --out .");
    refused(simulate.current_dir(folder.path()), &["--out ./history.csv", "(--machine)"]);
    let after = ["p.toml", "field.npy", "top.npy"].map(|name| fs::read(at(name)).unwrap());
    assert_eq!(after, before);
    assert_eq!(names(folder.path()), ["field.npy", "history.csv", "m.toml", "p.toml", "top.npy"]);
    // Beside them there is room.
    assert_eq!(run(&mut solve("--out out --record run.tresse --quiet")).code, 0);
}

#[test]
fn two_results_are_not_one_file() {
    let folder = tempdir().unwrap();
    symlink("out/history.csv", folder.path().join("link")).unwrap();
    for record in ["out/summary.json", "./out/../out/field.vti", "link"] {
        let mut command = tresse(SMALL);
        command.args(["--out", "out", "--record", record]).current_dir(folder.path());
        refused(&mut command, &[&format!("--record {record}"), "of --out", "different names"]);
    }
    assert!(names(&folder.path().join("out")).is_empty());
}

/// Checks that a file that the shell has made of standard output counts as a result as well.
#[test]
fn standard_output_is_not_replaced() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("report.txt");
    let mut command = Command::new(TRESSE.as_path());
    command.args(RECORD.split(' ')).arg(&path).stdout(fs::File::create(&path).unwrap());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("where standard output goes"), "{said}");
    // Named as such, it takes the result where it stands.
    let recording = folder.path().join("R");
    assert_eq!(run(tresse(RECORD).arg(&recording)).code, 0);
    let mut command = Command::new(TRESSE.as_path());
    command.arg("export-trace").arg(&recording).args(["--quiet", "--perfetto", "/dev/stdout"]);
    let number = fs::metadata(&path).unwrap().ino();
    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    assert!(command.stdout(file).status().unwrap().success());
    serde_json::from_slice::<serde_json::Value>(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().ino(), number);
    let shown = command.stdout(Stdio::piped()).output().unwrap();
    assert_eq!(shown.stdout, fs::read(&path).unwrap());
}

#[test]
fn links_stay_and_lead_to_the_results() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("disk")).unwrap();
    fs::create_dir_all(at("out")).unwrap();
    fs::write(at("disk/old"), "old").unwrap();
    symlink("disk/old", at("R")).unwrap();
    symlink("../disk/field.npy", at("out/field.npy")).unwrap();
    let mut command = tresse(SMALL);
    command.args(["--quiet", "--out", "out", "--record", "R"]).current_dir(folder.path());
    assert_eq!(run(&mut command).code, 0);
    assert_eq!(fs::read_link(at("R")).unwrap(), Path::new("disk/old"));
    assert_eq!(fs::read_link(at("out/field.npy")).unwrap(), Path::new("../disk/field.npy"));
    assert_eq!(names(&at("disk")), ["field.npy", "old"]);
    assert_eq!(field(&at("out")).dim(), (24, 32));
    assert_eq!(run(tresse("replay --quiet").arg(at("disk/old"))).code, 0);
}

#[test]
fn places_that_are_none_are_refused_before_the_run() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("out/summary.json")).unwrap();
    symlink("gone/R", at("lost")).unwrap();
    symlink("loop", at("loop")).unwrap();
    symlink("out", at("folder")).unwrap();
    for (flags, parts) in [
        ("--out out", ["--out out/summary.json", "name a file"]),
        ("--record out", ["--record out", "name a file"]),
        ("--record folder", ["--record folder", "name a file"]),
        ("--record new/", ["--record new/", "name a file"]),
        ("--record lost", ["--record lost", "cannot be written"]),
        ("--record loop", ["--record loop", "cannot be written"]),
        ("--out loop", ["--out loop", "cannot be written"]),
        ("--record /dev/fd/77", ["--record /dev/fd/77", "cannot be written"]),
    ] {
        let mut command = tresse(SMALL);
        command.args(flags.split(' ')).current_dir(folder.path());
        refused(&mut command, &parts);
    }
    assert_eq!(names(folder.path()), ["folder", "loop", "lost", "out"]);
}

/// Reads everything that comes through a pipe.
fn drained(path: PathBuf) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        fs::File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    })
}

#[test]
fn pipes_take_results_and_stay_pipes() {
    let folder = recorded();
    let at = |name: &str| folder.path().join(name);
    for name in ["pipe", "below/field.npy"] {
        pipe(&at(name));
    }
    let trace = |to: &Path| {
        let mut command = tresse("export-trace --quiet");
        assert_eq!(run(command.arg(at("R")).arg("--perfetto").arg(to)).code, 0);
    };
    trace(&at("trace.json"));
    let reader = drained(at("pipe"));
    trace(&at("pipe"));
    assert!(reader.join().unwrap() == fs::read(at("trace.json")).unwrap());
    let reader = drained(at("pipe"));
    assert_eq!(run(tresse(RECORD).arg(at("pipe"))).code, 0);
    fs::write(at("copy"), reader.join().unwrap()).unwrap();
    assert_eq!(run(tresse("replay --quiet").arg(at("copy"))).code, 0);
    let reader = drained(at("below/field.npy"));
    assert_eq!(run(tresse("replay --quiet").arg(at("R")).arg("--out").arg(at("below"))).code, 0);
    assert!(reader.join().unwrap().starts_with(b"\x93NUMPY"));
    for name in ["pipe", "below/field.npy"] {
        assert!(fs::symlink_metadata(at(name)).unwrap().file_type().is_fifo(), "{name}");
    }
}

/// Returns a device that is always full, in a folder of its own: a program that replaces what it is
/// given would replace the system's. None where this process may not make one, which is said.
fn full_device(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("full");
    let made = Command::new("mknod").arg(&path).args(["c", "1", "7"]).output();
    if made.is_ok_and(|made| made.status.success())
        && let Ok(mut file) = fs::OpenOptions::new().write(true).open(&path)
    {
        let refused = file.write_all(b"x").map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::StorageFull));
        return Some(path);
    }
    note("this process may not make a device", "run the tests as root");
    None
}

#[test]
fn devices_are_written_to_and_stay_devices() {
    let folder = recorded();
    let Some(full) = full_device(folder.path()) else { return };
    let full_name = full.display().to_string();
    let to_full = |mut command: assert_cmd::Command| {
        let ended = run(&mut command);
        assert_eq!(ended.code, 1, "{}", ended.err);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        assert!(ended.err.contains(&full_name) || ended.err.contains("field.npy"), "{}", ended.err);
        assert!(ended.err.contains("free some space"), "{}", ended.err);
        let claims = |line: &str| line.starts_with("written") || line.contains(&full_name);
        assert!(!ended.out.lines().any(claims), "{}", ended.out);
    };
    let mut command = tresse(SMALL);
    command.arg("--record").arg(&full);
    to_full(command);
    let mut command = tresse("export-trace");
    command.arg(folder.path().join("R")).arg("--perfetto").arg(&full);
    to_full(command);
    symlink(&full, folder.path().join("below/field.npy")).unwrap();
    let mut command = tresse("replay");
    command.arg(folder.path().join("R")).arg("--out").arg(folder.path().join("below"));
    to_full(command);
    assert!(fs::symlink_metadata(&full).unwrap().file_type().is_char_device());
}
