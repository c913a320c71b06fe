use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::thread;

use super::*;
use crate::exit::{Exit, Failure as _};

const NONE: [&str; 0] = [];

fn outputs() -> Outputs {
    Outputs::default()
}

fn folder(path: &Path) -> OutputDir {
    outputs().folder("--out", path, NONE).unwrap()
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn pipe(path: &Path) {
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
}

#[test]
fn a_file_is_written_whole_and_replaced_whole() {
    let root = tempfile::tempdir().unwrap();
    let out = folder(&root.path().join("a/b"));
    assert!(names(out.path()).is_empty());
    out.write("x.txt", |w| w.write_all(b"first")).unwrap();
    out.write("x.txt", |w| w.write_all(b"second")).unwrap();
    assert_eq!(names(out.path()), ["x.txt"]);
    assert_eq!(fs::read(out.path().join("x.txt")).unwrap(), b"second");
}

#[test]
fn a_failure_midway_leaves_nothing_new() {
    let root = tempfile::tempdir().unwrap();
    let out = folder(root.path());
    let fail = |w: &mut dyn Write| {
        w.write_all(&vec![7; 100_000])?;
        Err(ErrorKind::StorageFull.into())
    };
    let error = out.write("x.bin", fail).unwrap_err();
    assert!(names(out.path()).is_empty());
    let message = error.to_string();
    assert!(matches!(error, OutputError::Write { .. }));
    assert!(message.contains("x.bin") && message.contains("free some space"), "{message}");
    assert!(!message.contains('\n'));

    out.write("x.bin", |w| w.write_all(b"whole")).unwrap();
    out.write("x.bin", fail).unwrap_err();
    assert_eq!(fs::read(out.path().join("x.bin")).unwrap(), b"whole");
}

#[test]
fn a_place_that_cannot_be_written_is_found_first() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, b"").unwrap();
    for path in [file.join("below"), file.clone()] {
        let error = outputs().folder("--out", &path, NONE).unwrap_err();
        assert!(matches!(error, OutputError::NotWritable { .. }));
        let message = error.to_string();
        assert!(message.starts_with(&format!("--out {}: ", path.display())), "{message}");
        assert!(message.contains("a file is in the way"), "{message}");
    }
    fs::create_dir(root.path().join("x.csv")).unwrap();
    symlink("loop", root.path().join("loop")).unwrap();
    symlink("gone/file", root.path().join("lost")).unwrap();
    symlink(".", root.path().join("here")).unwrap();
    for name in ["x.csv", "loop", "lost", "here"] {
        let error = outputs().folder("--out", root.path(), [name]).unwrap_err();
        assert!(matches!(error, OutputError::NotWritable { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        let error = outputs().file("--record", &root.path().join(name)).unwrap_err();
        assert!(matches!(error, OutputError::NotWritable { .. }), "{error}");
    }
    for name in ["new/", "new/..", "..", ""] {
        let error = outputs().file("--record", &root.path().join(name)).unwrap_err().to_string();
        assert!(error.contains("name a file with --record"), "{error}");
    }
    assert!(!root.path().join("new").exists());
}

#[test]
fn a_file_keeps_its_permissions_and_a_new_one_has_those_of_any_new_file() {
    let root = tempfile::tempdir().unwrap();
    let mode = |name| fs::metadata(root.path().join(name)).unwrap().permissions().mode();
    fs::write(root.path().join("plain"), b"").unwrap();
    let out = folder(root.path());
    out.write("ours", |_| Ok(())).unwrap();
    assert_eq!(mode("ours"), mode("plain"));
    for bits in [0o600, 0o640, 0o666] {
        fs::set_permissions(root.path().join("ours"), fs::Permissions::from_mode(bits)).unwrap();
        out.write("ours", |w| w.write_all(b"new")).unwrap();
        assert_eq!(mode("ours") & 0o777, bits);
    }
}

/// Refuses a path to a file that the run reads: its own name, another one, a link, or a hard link.
#[test]
fn what_a_run_reads_is_never_replaced() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir(at("below")).unwrap();
    fs::write(at("input"), b"mine").unwrap();
    symlink("input", at("link")).unwrap();
    symlink("../link", at("below/far")).unwrap();
    fs::hard_link(at("input"), at("twin")).unwrap();
    pipe(&at("pipe"));
    for (given, named) in [("input", "link"), ("link", "input"), ("pipe", "pipe")] {
        let inputs = Inputs::default().with("--problem", &at(given));
        let outputs = Outputs::new(inputs);
        let same = if given == "pipe" {
            vec!["pipe"]
        } else {
            vec!["input", "link", "below/far", "below/../input", "twin", named]
        };
        for name in same {
            let error = outputs.file("--record", &at(name)).unwrap_err();
            assert_eq!(error.exit(), Exit::BadInput);
            let message = error.to_string();
            assert!(message.contains(&format!("--record {}: ", at(name).display())), "{message}");
            assert!(message.contains(&format!("{} (--problem)", at(given).display())), "{message}");
            // As one of several, known before or only when it is written.
            let error = outputs.folder("--out", root.path(), [name]).unwrap_err();
            assert!(matches!(error, OutputError::Taken { flag: "--out", .. }), "{error}");
            let out = outputs.folder("--out", root.path(), NONE).unwrap();
            let error = out.write(name, |w| w.write_all(b"lost")).unwrap_err();
            assert!(matches!(error, OutputError::Taken { .. }), "{error}");
        }
    }
    assert_eq!(fs::read(at("input")).unwrap(), b"mine");
    assert_eq!(names(root.path()), ["below", "input", "link", "pipe", "twin"]);
}

#[test]
fn two_results_are_never_one_file() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    symlink("summary.json", at("link")).unwrap();
    symlink(".", at("same")).unwrap();
    for other in ["summary.json", "./summary.json", "link", "same/summary.json"] {
        let outputs = outputs();
        let out = outputs.folder("--out", root.path(), ["summary.json", "a.csv"]).unwrap();
        let error = outputs.file("--record", &at(other)).unwrap_err().to_string();
        for part in ["--record", "summary.json of --out", "different names"] {
            assert!(error.contains(part), "{error}");
        }
        out.write("summary.json", |_| Ok(())).unwrap();
        out.write("summary.json", |_| Ok(())).unwrap();
        fs::remove_file(at("summary.json")).unwrap();
    }
    // Nothing is lost in a device.
    let device = full_device(root.path());
    symlink(&device, at("a")).unwrap();
    symlink(&device, at("b")).unwrap();
    outputs().folder("--out", root.path(), ["a", "b"]).unwrap();
}

#[test]
fn links_stay_and_what_they_lead_to_is_replaced() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir(at("far")).unwrap();
    fs::write(at("far/old"), b"old").unwrap();
    fs::set_permissions(at("far/old"), fs::Permissions::from_mode(0o604)).unwrap();
    symlink("far/old", at("replaced")).unwrap();
    symlink("far/new", at("dangling")).unwrap();
    symlink(at("dangling"), at("twice")).unwrap();
    let out = outputs();
    let out = out.folder("--out", root.path(), ["replaced", "twice"]).unwrap();
    out.write("replaced", |w| w.write_all(b"1")).unwrap();
    out.write("twice", |w| w.write_all(b"2")).unwrap();
    for name in ["replaced", "dangling", "twice"] {
        assert!(fs::symlink_metadata(at(name)).unwrap().is_symlink(), "{name}");
    }
    assert_eq!(names(&at("far")), ["new", "old"]);
    assert_eq!(fs::read(at("far/old")).unwrap(), b"1");
    assert_eq!(fs::read(at("far/new")).unwrap(), b"2");
    assert_eq!(fs::metadata(at("far/old")).unwrap().mode() & 0o777, 0o604);
    // What fails leaves the old one.
    out.write("replaced", |w| w.write_all(b"half").and(Err(ErrorKind::Other.into()))).unwrap_err();
    assert_eq!(fs::read(at("far/old")).unwrap(), b"1");
    assert_eq!(names(&at("far")), ["new", "old"]);
}

#[test]
fn a_pipe_takes_everything_and_stays_a_pipe() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("pipe");
    pipe(&path);
    let file = outputs().file("--record", &path).unwrap();
    let text = vec![7; 1_000_000];
    let written = text.clone();
    // The writer first: it waits.
    let writer = thread::spawn(move || file.write(|w| w.write_all(&written)));
    let mut read = Vec::new();
    fs::File::open(&path).unwrap().read_to_end(&mut read).unwrap();
    writer.join().unwrap().unwrap();
    assert!(read == text);
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
    assert_eq!(names(root.path()), ["pipe"]);
    let why = "all write into it";
    let error = folder(root.path()).target("pipe", why).unwrap_err();
    assert!(matches!(error, OutputError::Stream { .. }) && error.to_string().contains(why));
}

/// Returns a device that is always full, made for this test where the process may make one, so that
/// a program that replaces the device does not replace the system's.
fn full_device(folder: &Path) -> PathBuf {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let path = folder.join("full");
    let made =
        mknodat(CWD, &path, FileType::CharacterDevice, Mode::RUSR | Mode::WUSR, makedev(1, 7));
    if made.is_ok() { path } else { PathBuf::from("/dev/full") }
}

#[test]
fn a_full_device_is_noticed_and_stays_a_device() {
    let root = tempfile::tempdir().unwrap();
    let path = &full_device(root.path());
    let file = outputs().file("--record", path).unwrap();
    let error = file.write(|w| w.write_all(b"x")).unwrap_err();
    assert_eq!(error.exit(), Exit::NotReached);
    let message = error.to_string();
    assert!(message.contains("full: ") && message.contains("free some space"), "{message}");
    assert!(fs::symlink_metadata(path).unwrap().file_type().is_char_device());
}

/// An open file is written to where it stands, and not replaced.
#[test]
fn an_open_file_is_written_to_itself() {
    use std::os::fd::AsRawFd as _;
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    fs::write(&path, b"before ").unwrap();
    let open = OpenOptions::new().append(true).open(&path).unwrap();
    let number = fs::metadata(&path).unwrap().ino();
    let name = format!("/dev/fd/{}", open.as_raw_fd());
    outputs().file("--record", Path::new(&name)).unwrap().write(|w| w.write_all(b"after")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"before after");
    assert_eq!(fs::metadata(&path).unwrap().ino(), number);
    let outputs = Outputs::new(Inputs::default().with("--problem", &path));
    let error = outputs.file("--record", Path::new(&name)).unwrap_err();
    assert!(matches!(error, OutputError::Taken { .. }), "{error}");
}
