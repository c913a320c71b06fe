//! A full disk: exit code 1, one line, and no half of a file under its name.

use tempfile::tempdir;
use tresse_tests::output_files::assert_whole;
use tresse_tests::small_disk::SmallDisk;

use crate::files::NAMES;
use crate::program::{names, run, tresse};

#[test]
fn whole_files_or_none() {
    // Each is full at another place of what is written.
    for kib in [32, 48, 64, 80, 96] {
        let root = tempdir().unwrap();
        let Some(disk) = SmallDisk::mount_of(kib, root.path()) else {
            return;
        };
        let mut command = tresse("solve --workers 2 --grid 60x60 --tolerance 0.1 --out");
        let ended = run(command.arg(disk.path()));
        assert_eq!(ended.code, 1, "{kib} KiB: {}", ended.err);
        let lines: Vec<_> = ended.err.lines().collect();
        assert_eq!(lines.len(), 1, "{}", ended.err);
        assert!(lines[0].contains(disk.path().to_str().unwrap()), "{}", lines[0]);
        assert!(lines[0].contains("free some space"), "{}", lines[0]);
        // What was computed is shown all the same.
        assert!(ended.out.contains("converged to 1e-1"), "{}", ended.out);
        assert_whole(disk.path());
        let left = names(disk.path()).len();
        assert!((1..NAMES.len()).contains(&left), "{kib} KiB: {left} files");
    }
}

#[test]
fn no_half_of_a_recording() {
    let root = tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(root.path()) else {
        return;
    };
    let path = disk.path().join("run.tresse");
    let line = "solve --workers 2 --grid 60x60 --iterations 20000 --balance none --record";
    let ended = run(tresse(line).arg(&path));
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.err.contains(path.to_str().unwrap()), "{}", ended.err);
    assert!(
        ended.err.contains("free some space") && ended.err.contains("--record"),
        "{}",
        ended.err
    );
    // What was computed is shown all the same.
    assert!(ended.out.contains("iterations done"), "{}", ended.out);
    assert!(names(disk.path()).is_empty());
}
