//! Checkpoints that were damaged on the disk, and disks that are full.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a panic fails the test")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::tempdir;
use tresse::files::checkpoint::{
    Checkpoint, CheckpointState, Folder, PieceSummary, PieceWriter, ProblemHash,
};
use tresse::files::problem::Problem;
use tresse::report::field::shared_npy::SharedNpy;
use tresse::report::output::{OutputError, Outputs};
use tresse_core::base::time::Duration;
use tresse_core::field::grid::Rectangle;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_tests::checkpoint_files::{cells, mended, names, store};
use tresse_tests::small_disk::SmallDisk;

const SMALL: GridSize = GridSize { rows: 3, columns: 2 };

fn state(grid: GridSize) -> CheckpointState {
    CheckpointState {
        config: RunConfig {
            grid,
            workers: 2,
            split: 1,
            mode: Mode::Async,
            balance: Balance::None,
            help: true,
            always_help: false,
            plb: PlbParams::default(),
            nodes: Nodes { number: 2, ..Nodes::ONE },
            imbalance: Imbalance::default(),
            stop: Stop { tolerance: Some(1e-4), ..Stop::NEVER },
            precision: Precision::F32,
            seed: 1,
            noise: std::iter::empty().collect(),
        },
        problem: ProblemHash::of(&Problem::paper(grid)),
        initial_residual: 17.5,
        elapsed: Duration(60_000_000_000),
        multigrid: None,
    }
}

/// Writes the piece of one of two ranks: the first row, or all others.
fn write_piece(
    folder: &Folder,
    number: u64,
    grid: GridSize,
    rank: u32,
) -> Result<PieceSummary, OutputError> {
    let rows = if rank == 0 { 0..1 } else { 1..grid.rows };
    let size = GridSize { rows: rows.len(), ..grid };
    let part = Rectangle { first_row: rows.start, first_column: 0, size };
    let row: Vec<f32> = (0..=200_u8).cycle().map(f32::from).take(grid.columns).collect();
    let mut piece = PieceWriter::create(folder.path(), number, rank, grid)?;
    piece.write_rows(part, 7 * number, rows.map(|_| row.as_slice()))?;
    piece.finish()
}

fn write(folder: &mut Folder, grid: GridSize) -> Result<PathBuf, OutputError> {
    let number = folder.begin()?;
    let pieces = [0, 1].map(|rank| write_piece(folder, number, grid, rank).unwrap());
    folder.complete(number, state(grid), pieces.to_vec())
}

/// Returns the files of a checkpoint, in the order of their names.
fn files(checkpoint: &Path) -> Vec<Vec<u8>> {
    names().map_while(|name| fs::read(checkpoint.join(name)).ok()).collect()
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Two small checkpoints, the second of which is to be damaged.
struct Pair {
    folder: Folder,
    first: PathBuf,
    second: PathBuf,
}

impl Pair {
    fn write(root: &Path) -> Self {
        let mut folder = Folder::prepare(root, None).unwrap();
        let first = write(&mut folder, SMALL).unwrap();
        let second = write(&mut folder, SMALL).unwrap();
        Self { folder, first, second }
    }

    /// The second is refused, and the folder falls back to the first with a warning.
    fn assert_falls_back(&self, what: &str) {
        let refusal = Checkpoint::open(&self.second).expect_err(what).to_string();
        assert!(refusal.starts_with("--resume "), "{what}: {refusal}");
        assert!(!refusal.contains('\n'), "{what}: {refusal}");
        let opened = Checkpoint::open(self.folder.path()).expect(what);
        assert_eq!(opened.checkpoint.path(), self.first, "{what}");
        let warning = opened.warning.expect(what);
        assert!(warning.contains("checkpoint-2") && warning.contains("checkpoint-1"), "{warning}");
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let root = tempdir().unwrap();
    let pair = Pair::write(root.path());
    let files = files(&pair.second);
    assert_eq!(files.len(), 3);
    for (name, bytes) in names().zip(&files) {
        let path = pair.second.join(&name);
        for place in 0..bytes.len() {
            for mask in [1 << (place % 8), 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] ^= mask;
                fs::write(&path, damaged).unwrap();
                pair.assert_falls_back(&format!("{name}, byte {place} ^ {mask:#x}"));
            }
        }
        fs::write(&path, bytes).unwrap();
    }
    let opened = Checkpoint::open(root.path()).unwrap();
    assert_eq!((opened.checkpoint.path(), opened.warning), (&*pair.second, None));
    assert_eq!(cells(&opened.checkpoint).unwrap(), SMALL.cells());
}

#[test]
fn every_other_length_is_noticed() {
    let root = tempdir().unwrap();
    let pair = Pair::write(root.path());
    for (name, mut bytes) in names().zip(files(&pair.second)) {
        let path = pair.second.join(&name);
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            pair.assert_falls_back(&format!("{name}, {length} bytes"));
        }
        let whole = bytes.clone();
        for more in [&b"\n"[..], b"\0", &whole] {
            bytes.truncate(whole.len());
            bytes.extend(more);
            fs::write(&path, &bytes).unwrap();
            pair.assert_falls_back(&format!("{name}, {} more bytes", more.len()));
        }
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn other_files_in_its_place_are_noticed() {
    let root = tempdir().unwrap();
    let pair = Pair::write(root.path());
    let whole = files(&pair.second);
    let others = files(&pair.first);
    for (file, name) in names().take(3).enumerate() {
        let path = pair.second.join(&name);
        fs::write(&path, &others[file]).unwrap();
        pair.assert_falls_back(&format!("{name} of the other checkpoint"));
        fs::write(&path, &whole[(file + 1) % 3]).unwrap();
        pair.assert_falls_back(&format!("another file as {name}"));
        fs::remove_file(&path).unwrap();
        if file > 0 {
            pair.assert_falls_back(&format!("no {name}"));
            fs::create_dir(&path).unwrap();
            pair.assert_falls_back(&format!("a folder as {name}"));
            fs::remove_dir(&path).unwrap();
            // Opened, it would wait for a writer.
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            pair.assert_falls_back(&format!("a pipe as {name}"));
            fs::remove_file(&path).unwrap();
        }
        fs::write(&path, &whole[file]).unwrap();
    }
}

#[test]
fn another_format_is_named_and_what_is_mended_is_read() {
    let root = tempdir().unwrap();
    let pair = Pair::write(root.path());
    let whole = files(&pair.second);
    assert_eq!(mended(&whole)[1..], whole[1..]);
    let with = |file: usize, from: &str, to: &str| {
        let mut files = whole.clone();
        let text = String::from_utf8(files[file].clone()).unwrap();
        assert!(text.contains(from), "{text}");
        files[file] = text.replace(from, to).into_bytes();
        store(&pair.second, &mended(&files)).unwrap();
        Checkpoint::open(&pair.second).map_err(|error| error.to_string())
    };
    assert_eq!(cells(&with(0, "1.", "1.").unwrap().checkpoint).unwrap(), SMALL.cells());
    for (from, to, word) in [
        ("\"format\":1", "\"format\":2", "with the version of tresse that wrote it"),
        ("\"updates\":28", "\"updates\":29", "do not add up"),
        ("\"grid\":[3,2]", "\"grid\":[3,0]", "sense"),
        ("\"mode\":\"async\"", "\"mode\":\"a\\nb\"", "its method"),
        ("\"seed\":1", "\"se\\ned\":1", "unknown field"),
        ("\"checkpoint\":2", "\"checkpoint\":3", "not the file that its manifest speaks of"),
        ("\"grid\":[3,2]", "\"grid\":[4000000000,4000000000]", "not the file that"),
    ] {
        let refusal = with(0, from, to).unwrap_err();
        assert!(refusal.contains(word) && !refusal.contains('\n'), "{to}: {refusal}");
    }
    let mut files = whole.clone();
    files[1][8] = 2;
    store(&pair.second, &mended(&files)).unwrap();
    let refusal = Checkpoint::open(&pair.second).unwrap_err().to_string();
    assert!(refusal.contains("is of format 2"), "{refusal}");
}

#[test]
fn nothing_to_resume_from_is_said() {
    let root = tempdir().unwrap();
    for path in [root.path().to_owned(), root.path().join("nowhere")] {
        let refusal = Checkpoint::open(&path).unwrap_err().to_string();
        assert!(refusal.starts_with(&format!("--resume {}: ", path.display())), "{refusal}");
        assert!(refusal.contains("name a folder that --checkpoint has filled"), "{refusal}");
    }
    let pair = Pair::write(root.path());
    for path in [&pair.first, &pair.second] {
        fs::write(path.join("piece-0"), b"").unwrap();
    }
    let refusal = Checkpoint::open(root.path()).unwrap_err().to_string();
    assert!(refusal.contains("checkpoint-2/piece-0: is cut off"), "{refusal}");
}

#[test]
fn a_full_disk_leaves_the_checkpoint_before() {
    let root = tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(root.path()) else {
        return;
    };
    // 32 KB of 64.
    let grid = GridSize { rows: 80, columns: 100 };
    let mut folder = Folder::prepare(&disk.path().join("checkpoints"), None).unwrap();
    let first = write(&mut folder, grid).unwrap();
    let assert_first = |folder: &Folder| {
        assert_eq!(folder.newest().as_deref(), Some(&*first));
        assert_eq!(entries(folder.path()), ["checkpoint-1"]);
        let opened = Checkpoint::open(folder.path()).unwrap();
        assert_eq!((opened.checkpoint.path(), opened.warning), (&*first, None));
        assert_eq!(cells(&opened.checkpoint).unwrap(), grid.cells());
    };
    let number = folder.begin().unwrap();
    write_piece(&folder, number, grid, 0).unwrap();
    let error = write_piece(&folder, number, grid, 1).unwrap_err().to_string();
    assert!(error.contains("free some space") && error.contains("--checkpoint"), "{error}");
    assert!(error.contains("checkpoint-2.part/piece-1"), "{error}");
    folder.abandon(number).unwrap();
    assert_first(&folder);
}

#[test]
fn a_manifest_that_does_not_fit_leaves_the_checkpoint_before() {
    let root = tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(root.path()) else {
        return;
    };
    let grid = GridSize { rows: 2, columns: 100 };
    let mut folder = Folder::prepare(&disk.path().join("checkpoints"), None).unwrap();
    let first = write(&mut folder, grid).unwrap();
    let number = folder.begin().unwrap();
    let pieces = [0, 1].map(|rank| write_piece(&folder, number, grid, rank).unwrap());
    let mut filler = fs::File::create(disk.path().join("filler")).unwrap();
    while filler.write_all(&[0; 4096]).is_ok() {}
    let error = folder.complete(number, state(grid), pieces.to_vec()).unwrap_err().to_string();
    assert!(error.contains("free some space") && error.contains("checkpoint-2"), "{error}");
    assert_eq!(folder.newest().as_deref(), Some(&*first));
    assert_eq!(entries(folder.path()), ["checkpoint-1"]);
    // Room at once: a file that is removed keeps its own while a program that another test has just
    // started still has it.
    filler.set_len(0).unwrap();
    assert_eq!(write(&mut folder, grid).unwrap(), folder.path().join("checkpoint-3"));
    assert_eq!(Checkpoint::open(folder.path()).unwrap().warning, None);
}

#[test]
fn a_field_that_does_not_fit_is_refused_before_it_is_written() {
    let root = tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(root.path()) else {
        return;
    };
    let out = Outputs::default().folder("--out", disk.path(), ["field.npy"]).unwrap();
    let grid = GridSize { rows: 100, columns: 100 };
    let error = SharedNpy::create(&out, "field.npy", grid, Precision::F64).unwrap_err().to_string();
    assert!(error.contains("field.npy") && error.contains("free some space"), "{error}");
    assert!(entries(disk.path()).is_empty());
}
