//! Full disks, and places for results that a person should not have named.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use tempfile::tempdir;
use tresse_tests::output_files::{assert_whole, names};
use tresse_tests::small_disk::SmallDisk;

use crate::launcher::Mpi;

/// Checks, as for one process, that the result is shown, that one line says what is missing, and
/// that no missing file is said to be written.
#[test]
fn a_full_disk_is_told_and_leaves_whole_files_or_none() {
    let Some(mpi) = Mpi::find() else { return };
    // Each is full at another place: at the field, at a rank's image, at a picture.
    for (kib, ranks) in [(16, 2), (48, 2), (64, 3), (80, 2), (112, 1)] {
        let root = tempdir().unwrap();
        let Some(disk) = SmallDisk::mount_of(kib, root.path()) else { return };
        let line = "solve --workers 1 --grid 60x60 --tolerance 0.1 --out";
        let ended = mpi.job(ranks, line).arg(disk.path()).run();
        ended.codes(1);
        let (out, err) = (&ended.ranks[0].out, &ended.ranks[0].err);
        assert!(out.contains("converged to 1e-1"), "{ended:#?}");
        assert!(!out.contains("written"), "{ended:#?}");
        let errors: Vec<_> = err.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(!errors.is_empty(), "{ended:#?}");
        for error in errors {
            assert!(error.contains(disk.path().to_str().unwrap()), "{error}");
            assert!(error.contains("free some space"), "{error}");
        }
        assert!(ended.ranks[1..].iter().all(|it| it.out.is_empty() && it.err.is_empty()));
        assert_whole(disk.path());
        assert!(!names(disk.path()).iter().any(|name| name.ends_with(".part")), "{ended:#?}");
    }
}

#[test]
fn no_half_of_a_recording_and_none_that_is_said_to_be_there() {
    let Some(mpi) = Mpi::find() else { return };
    let root = tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(root.path()) else { return };
    let path = disk.path().join("run.tresse");
    let line = "solve --workers 1 --grid 60x60 --iterations 20000 --balance none --record";
    let ended = mpi.job(2, line).arg(&path).run();
    ended.codes(1);
    let (out, err) = (&ended.ranks[0].out, &ended.ranks[0].err);
    assert!(out.contains("iterations done") && !out.contains("recorded"), "{ended:#?}");
    assert!(err.contains("free some space") && err.contains("--record"), "{ended:#?}");
    assert_eq!(names(disk.path()), [""; 0]);
}

#[test]
fn what_ranks_read_is_not_replaced_and_results_are_not_one_file() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("p.toml"), "grid = [24, 20]\n").unwrap();
    symlink("p.toml", at("link")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let refused = |flags: &str, parts: &[&str]| {
        let line = format!("solve --workers 1 --iterations 9 --problem {} {flags}", at("p.toml"));
        mpi.job(2, &line).run().refused(2, parts);
    };
    for name in ["p.toml", "link"] {
        let flags = format!("--record {}", at(name));
        refused(&flags, &[&flags, "p.toml (--problem), which this run reads"]);
    }
    let flags = format!("--out {} --record {}", at("out"), at("out/field_1.vti"));
    refused(&flags, &["--record", "field_1.vti of --out", "different names"]);
    let flags = format!("--record {}", at("pipe"));
    refused(&flags, &[&flags, "beside it", "regular file"]);
    assert_eq!(fs::read(at("p.toml")).unwrap(), b"grid = [24, 20]\n");
    assert!(names(&folder.path().join("out")).is_empty());
}

/// Links stay: the field that all ranks write, each rank's image, and the recording with its parts.
#[test]
fn links_lead_to_the_results() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("out")).unwrap();
    fs::create_dir(at("disk")).unwrap();
    for name in ["field.npy", "field_1.vti", "R"] {
        symlink(format!("../disk/{name}"), at("out").join(name)).unwrap();
    }
    let line = format!(
        "solve --workers 1 --grid 24x20 --iterations 9 --quiet --out {} --record {}",
        at("out").display(),
        at("out/R").display()
    );
    mpi.job(2, &line).run().codes(0);
    assert_eq!(names(&at("disk")), ["R", "field.npy", "field_1.vti"]);
    for name in names(&at("disk")) {
        assert!(fs::symlink_metadata(at("out").join(name)).unwrap().is_symlink());
    }
}

/// The folder is for checkpoints: it is there with one, and the report says which, or it is gone.
#[test]
fn a_folder_of_checkpoints_is_not_left_empty() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let line = "solve --workers 1 --grid 24x20 --tolerance 1e-2 --checkpoint";
    let ended = mpi.job(2, line).arg(at("new/saved")).run();
    ended.codes(0);
    assert!(ended.ranks[0].err.contains("new/saved: none was left"), "{ended:#?}");
    assert_eq!(names(folder.path()), [""; 0]);
    // What a person has made stays.
    fs::create_dir(at("mine")).unwrap();
    mpi.job(2, line).arg(at("mine")).run().codes(0);
    assert_eq!(names(folder.path()), ["mine"]);
    // A run that has not reached what was asked leaves its last state.
    let line = "solve --workers 1 --grid 60x60 --tolerance 1e-9 --iterations 20 --checkpoint";
    let ended = mpi.job(2, line).arg(at("saved")).run();
    ended.codes(1);
    let newest = at("saved/checkpoint-1");
    assert!(ended.ranks[0].out.contains(&format!("checkpoint  {newest}")), "{ended:#?}");
    assert_eq!(names(folder.path()), ["mine", "saved"]);
}
