//! Checkpoints of small runs, written by some ranks and read by others.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::{TempDir, tempdir};
use tresse_core::base::time::Duration;
use tresse_core::field::grid::Rectangle;
use tresse_core::multigrid::Gains;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_files::stored_cell::StoredCell;

use super::*;
use crate::files::output::OutputError;
use crate::files::problem::{CellValues, Problem};
use crate::solvers::{Method, MultigridChoices};

const GRID: GridSize = GridSize { rows: 11, columns: 6 };

fn config(precision: Precision) -> RunConfig {
    RunConfig {
        grid: GRID,
        workers: 3,
        split: 2,
        mode: Mode::Async,
        balance: Balance::Joint(Duration::from_millis(1)),
        help: true,
        always_help: false,
        plb: PlbParams { low: 1, ..PlbParams::default() },
        nodes: Nodes { number: 3, ..Nodes::ONE },
        imbalance: Imbalance::default(),
        stop: Stop { tolerance: Some(0.1 + 0.2), ..Stop::NEVER },
        precision,
        seed: u64::MAX,
        noise: heapless::Vec::new(),
    }
}

fn state(precision: Precision) -> CheckpointState {
    CheckpointState {
        config: config(precision),
        problem: ProblemHash::of(&Problem::paper(GRID)),
        initial_residual: 0.1 + 0.2,
        elapsed: Duration(1_234_567_890_123),
        multigrid: None,
    }
}

const fn part(first_row: usize, first_column: usize, rows: usize, columns: usize) -> Rectangle {
    Rectangle { first_row, first_column, size: GridSize { rows, columns } }
}

/// Returns the grid in bands of two columns of parts, as `ranks` have them.
fn cut(ranks: usize) -> Vec<Vec<Rectangle>> {
    let first = |rank: usize| GRID.rows * rank / ranks;
    let parts = |rank: usize| {
        let (row, rows) = (first(rank), first(rank + 1) - first(rank));
        vec![part(row, 0, rows, 2), part(row, 2, rows, 4)]
    };
    (0..ranks).map(parts).collect()
}

/// A cell with values for tests: no two cells are the same, and some are NaNs of different bits.
trait TestCell: StoredCell {
    fn sample(row: usize, column: usize, number: u64) -> Self;
}

impl TestCell for f32 {
    fn sample(row: usize, column: usize, number: u64) -> Self {
        let number =
            u32::try_from(100 * number).unwrap() + u32::try_from(10 * row + column).unwrap();
        Self::from_bits(0x7f80_0000 - 300 + number)
    }
}

impl TestCell for f64 {
    fn sample(row: usize, column: usize, number: u64) -> Self {
        Self::from_bits(0xfff0_0000_0000_0000 - 300 + 100 * number + (10 * row + column) as u64)
    }
}

fn write_piece<F: TestCell>(
    path: &Path,
    number: u64,
    rank: usize,
    parts: &[Rectangle],
) -> PieceSummary {
    let rank = u32::try_from(rank).unwrap();
    let mut piece = PieceWriter::<F>::create(path, number, rank, GRID).unwrap();
    for part in parts {
        let row = |row| {
            let cell = |column| F::sample(part.first_row + row, part.first_column + column, number);
            (0..part.size.columns).map(cell).collect::<Vec<_>>()
        };
        let rows: Vec<_> = (0..part.size.rows).map(row).collect();
        let updates = 100 * number + part.first_row as u64;
        piece.write_rows(*part, updates, rows.iter().map(Vec::as_slice)).unwrap();
    }
    PieceSummary::from_words(piece.finish().unwrap().to_words()).unwrap()
}

fn write<F: TestCell>(folder: &mut Folder, ranks: usize) -> Result<PathBuf, OutputError> {
    let number = folder.begin().unwrap();
    let cut = cut(ranks);
    let piece =
        |(rank, parts): (usize, &Vec<_>)| write_piece::<F>(folder.path(), number, rank, parts);
    // Rank 0 hears from the others in any order.
    let pieces = cut.iter().enumerate().rev().map(piece).collect();
    folder.complete(number, state(F::PRECISION), pieces)
}

/// Asserts that every rank of `ranks` reads its wanted cells, to the bit and once.
fn assert_reads<F: TestCell>(checkpoint: &Checkpoint, ranks: usize) {
    let number = checkpoint.manifest().number;
    for wanted in cut(ranks) {
        let empty = |part: &Rectangle| vec![None; part.size.rows * part.size.columns];
        let mut fields: Vec<Vec<Option<u64>>> = wanted.iter().map(empty).collect();
        let mut sink = |stretch: Stretch<'_, F>| {
            let columns = wanted[stretch.wanted].size.columns;
            let start = stretch.row * columns + stretch.column;
            for (place, cell) in fields[stretch.wanted][start..].iter_mut().zip(stretch.cells) {
                assert_eq!(place.replace(cell.bits()), None);
            }
        };
        checkpoint.read(&wanted, &mut sink).unwrap();
        for (part, field) in wanted.iter().zip(fields) {
            let cell = |index| {
                let (row, column) = (index / part.size.columns, index % part.size.columns);
                Some(F::sample(part.first_row + row, part.first_column + column, number).bits())
            };
            assert!(field.into_iter().eq((0..part.size.rows * part.size.columns).map(cell)));
        }
    }
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn folder() -> (TempDir, Folder) {
    let root = tempdir().unwrap();
    let folder = Folder::prepare(&root.path().join("a/checkpoints"), None).unwrap();
    (root, folder)
}

fn round_trip<F: TestCell>() {
    let (_root, mut folder) = folder();
    for written in [3, 1, 4] {
        let path = write::<F>(&mut folder, written).unwrap();
        let Opened { checkpoint, warning } = Checkpoint::open(folder.path()).unwrap();
        assert_eq!((checkpoint.path(), warning), (&*path, None));
        let manifest = checkpoint.manifest();
        assert_eq!(manifest.state, state(F::PRECISION));
        assert_eq!(manifest.subdomains, 2 * written as u64);
        let updates = checkpoint.records().map(|record| record.updates);
        assert_eq!(manifest.updates, updates.sum::<u64>());
        for ranks in [1, 2, 3, 7, 11] {
            assert_reads::<F>(&checkpoint, ranks);
            assert_reads::<F>(&Checkpoint::index(&path).unwrap(), ranks);
        }
    }
}

#[test]
fn what_some_ranks_write_others_read_to_the_bit() {
    round_trip::<f32>();
    round_trip::<f64>();
}

#[test]
fn update_counts_follow_the_cells() {
    let (_root, mut folder) = folder();
    write::<f64>(&mut folder, 3).unwrap();
    let checkpoint = Checkpoint::open(folder.path()).unwrap().checkpoint;
    for (part, rank) in cut(3).iter().flatten().zip([0, 0, 1, 1, 2, 2]) {
        assert_eq!(checkpoint.updates_of(part), 100 + [0, 3, 7][rank]);
    }
    // Three rows of 100, four of 103 and four of 107.
    assert_eq!(checkpoint.updates_of(&part(0, 0, 11, 6)), (3 * 100 + 4 * 103 + 4 * 107) / 11);
    assert_eq!(checkpoint.updates_of(&part(11, 0, 1, 1)), 0);
    assert!((checkpoint.manifest().iterations() - 620.0 / 6.0).abs() < 1e-12);
}

#[test]
fn the_last_two_are_kept_and_what_is_unfinished_goes() {
    let (_root, mut folder) = folder();
    assert_eq!(folder.newest(), None);
    for number in 1..=4 {
        fs::create_dir(folder.path().join("checkpoint-77.part")).unwrap();
        fs::write(folder.path().join("checkpoint-77.part/piece-0"), b"half").unwrap();
        fs::write(folder.path().join("notes.txt"), b"mine").unwrap();
        let path = write::<f64>(&mut folder, 2).unwrap();
        assert_eq!(path, folder.path().join(format!("checkpoint-{number}")));
        assert_eq!(folder.newest(), Some(path));
        let mut expected = vec![format!("checkpoint-{number}"), "notes.txt".into()];
        if number > 1 {
            expected.insert(0, format!("checkpoint-{}", number - 1));
        }
        assert_eq!(names(folder.path()), expected);
    }
    assert_eq!(names(&folder.newest().unwrap()), ["manifest.jsonl", "piece-0", "piece-1"]);
}

#[test]
fn a_folder_is_for_one_run() {
    let (_root, mut folder) = folder();
    let path = folder.path().to_owned();
    let refused = |resumed| {
        let error = Folder::prepare(&path, resumed).unwrap_err();
        assert!(matches!(error, OutputError::NotWritable { .. }));
        error.to_string()
    };
    assert!(refused(None).contains("another run is using it"), "{}", refused(None));
    for _ in 0..3 {
        write::<f64>(&mut folder, 2).unwrap();
    }
    // Killed while it wrote the fourth.
    folder.begin().unwrap();
    drop(folder);
    let message = refused(None);
    assert!(message.starts_with("--checkpoint ") && message.contains("--resume"), "{message}");

    let checkpoint = Checkpoint::open(&path).unwrap().checkpoint;
    let other = tempdir().unwrap();
    let elsewhere = Folder::prepare(other.path(), Some(&checkpoint)).unwrap();
    assert_eq!(elsewhere.newest(), Some(path.join("checkpoint-3")));
    let mut resumed = Folder::prepare(&path, Some(&checkpoint)).unwrap();
    assert_eq!(names(&path), ["checkpoint-2", "checkpoint-3"]);
    write::<f64>(&mut resumed, 5).unwrap();
    assert_eq!(names(&path), ["checkpoint-3", "checkpoint-5"]);
}

#[test]
fn a_damaged_checkpoint_does_not_push_the_whole_one_out() {
    let (_root, mut folder) = folder();
    for _ in 0..2 {
        write::<f64>(&mut folder, 2).unwrap();
    }
    let path = folder.path().to_owned();
    drop(folder);
    fs::write(path.join("checkpoint-2/piece-1"), b"").unwrap();
    let Opened { checkpoint, warning } = Checkpoint::open(&path).unwrap();
    assert_eq!(checkpoint.path(), path.join("checkpoint-1"));
    let warning = warning.unwrap();
    assert!(warning.contains("checkpoint-2/piece-1 is cut off after 0 bytes"), "{warning}");
    let mut resumed = Folder::prepare(&path, Some(&checkpoint)).unwrap();
    write::<f64>(&mut resumed, 2).unwrap();
    assert_eq!(names(&path), ["checkpoint-1", "checkpoint-3"]);
}

#[test]
fn pieces_that_do_not_make_up_the_grid_are_no_checkpoint() {
    let (_root, mut folder) = folder();
    write::<f64>(&mut folder, 2).unwrap();
    let whole = part(0, 0, 11, 6);
    for (pieces, word) in [
        (vec![], "lacks 66 cells"),
        (vec![vec![part(0, 0, 10, 6)], vec![]], "lacks 6 cells"),
        (vec![vec![whole], vec![part(4, 5, 1, 1)]], "row 4, column 5 twice"),
        (vec![vec![part(1, 0, 11, 6)]], "beyond the grid"),
        (vec![vec![whole, part(0, 0, 0, 6)]], "beyond the grid"),
    ] {
        let number = folder.begin().unwrap();
        let piece = |(rank, parts): (usize, &Vec<_>)| {
            write_piece::<f64>(folder.path(), number, rank, parts)
        };
        let pieces = pieces.iter().enumerate().map(piece).collect();
        let error = folder.complete(number, state(Precision::F64), pieces).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
        assert!(names(folder.path()).contains(&"checkpoint-1".to_owned()));
        assert_eq!(names(folder.path()).len(), 1);
    }
    // A rank that is missing, and one that wrote elsewhere.
    for (rank, word) in [(1, "no piece of rank 0"), (0, "all hosts must share")] {
        let number = folder.begin().unwrap();
        let piece = PieceSummary { rank, length: 9, checksum: 9 };
        let error = folder.complete(number, state(Precision::F64), vec![piece]).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    let error = PieceWriter::<f64>::create(folder.path(), 99, 0, GRID).unwrap_err().to_string();
    assert!(error.contains("all hosts must share"), "{error}");
}

#[test]
fn rows_of_another_size_are_refused() {
    let (_root, mut folder) = folder();
    let number = folder.begin().unwrap();
    let row = [0.0_f64; 6];
    for (lengths, rank) in [(&[6][..], 0), (&[6, 6, 6], 1), (&[6, 5], 2), (&[], 3)] {
        let mut piece = PieceWriter::<f64>::create(folder.path(), number, rank, GRID).unwrap();
        let rows = lengths.iter().map(|&length| &row[..length]);
        assert!(piece.write_rows(part(0, 0, 2, 6), 0, rows).is_err());
    }
    folder.abandon(number).unwrap();
    assert!(names(folder.path()).is_empty());
}

/// One whose next cycle starts from the cells, and one that has a direction as well, with cells in
/// single precision.
#[test]
fn what_multigrid_goes_on_from_comes_back_to_the_bit() {
    let gains = Gains { best: 0.1 + 0.2, without: 3 };
    let choices = MultigridChoices { smoothing: 2, coarsest: 9, coarse_cycles: 3 };
    for (cell_ratio, last_product, rows) in [(1.0, None, 11), (1.5, Some(0.7), 22)] {
        let (_root, mut folder) = folder();
        let problem = ProblemHash::of(&Problem { cell_ratio, ..Problem::paper(GRID) });
        let multigrid = Some(MultigridState { choices, gains, last_product });
        let precision = if last_product.is_some() { Precision::F32 } else { Precision::F64 };
        let state = CheckpointState { problem, multigrid, ..state(precision) };
        let stored = GridSize { rows, ..GRID };
        assert_eq!(state.stored(), (stored, Precision::F64));
        let number = folder.begin().unwrap();
        let mut piece = PieceWriter::<f64>::create(folder.path(), number, 0, stored).unwrap();
        let line = |row| (0..GRID.columns).map(|column| f64::sample(row, column, 0)).collect();
        let lines: Vec<Vec<f64>> = (0..rows).map(line).collect();
        for row in [0, 5] {
            // The rows of one field that a rank has, and then those of the other.
            for first in (row..rows).step_by(GRID.rows) {
                let height = if row == 0 { 5 } else { 6 };
                let rows = lines[first..first + height].iter().map(Vec::as_slice);
                piece.write_rows(part(first, 0, height, GRID.columns), 7, rows).unwrap();
            }
        }
        folder.complete(number, state.clone(), vec![piece.finish().unwrap()]).unwrap();
        let checkpoint = Checkpoint::open(folder.path()).unwrap().checkpoint;
        assert_eq!(checkpoint.manifest().state, state);
        assert!((checkpoint.manifest().iterations() - 7.0).abs() < 1e-12);
        checkpoint.check(Method::Multigrid(choices), &state.config, &problem).unwrap();
        let mut shown = 0;
        let all = part(0, 0, rows, GRID.columns);
        let mut sink = |stretch: Stretch<'_, f64>| {
            shown += 1;
            let bits = |cells: &[f64]| cells.iter().map(|cell| cell.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(stretch.cells), bits(&lines[stretch.row]));
        };
        checkpoint.read(&[all], &mut sink).unwrap();
        assert_eq!(shown, rows);
    }
}

#[test]
fn another_run_is_refused() {
    let (_root, mut folder) = folder();
    write::<f64>(&mut folder, 2).unwrap();
    let checkpoint = Checkpoint::open(folder.path()).unwrap().checkpoint;
    let paper = Problem::paper(GRID);
    let mut config = config(Precision::F64);
    let check = |config: &RunConfig, problem: &Problem| {
        let checked = checkpoint.check(Method::Jacobi, config, &ProblemHash::of(problem));
        checked.map_err(|error| error.to_string())
    };
    config.workers = 2;
    config.split = 4;
    config.nodes.number = 1;
    config.stop.tolerance = Some(0.5);
    assert_eq!(check(&config, &paper), Ok(()));
    // The same values, given otherwise.
    let values = vec![1.0; GRID.rows * GRID.columns];
    let initial = CellValues::Values { columns: GRID.columns, values };
    let same = Problem { initial, ..paper.clone() };
    assert_eq!(check(&config, &same), Ok(()));

    let (method, hash) = (Method::Multigrid(MultigridChoices::default()), ProblemHash::of(&paper));
    let message = checkpoint.check(method, &config, &hash).unwrap_err().to_string();
    assert!(message.contains("by jacobi") && message.contains("--method jacobi"), "{message}");
    let other = Problem { source: CellValues::Constant(2.0), ..paper.clone() };
    let message = check(&config, &other).unwrap_err();
    assert!(message.contains("source differs") && message.contains("--problem"), "{message}");
    let other = Problem { coefficient: CellValues::Constant(2.0), ..paper.clone() };
    let message = check(&config, &other).unwrap_err();
    assert!(message.contains("coefficient differs"), "{message}");
    let other = Problem { cell_ratio: 2.0, ..paper.clone() };
    let message = check(&config, &other).unwrap_err();
    assert!(message.contains("shape of the cells differs"), "{message}");
    config.precision = Precision::F32;
    let message = check(&config, &paper).unwrap_err();
    assert!(message.contains("give --precision f64"), "{message}");
    config.grid.rows += 1;
    let message = check(&config, &paper).unwrap_err();
    assert!(message.contains("give --grid 11x6"), "{message}");
    let message = checkpoint.read::<f32>(&[], &mut |_| {}).unwrap_err().to_string();
    assert!(message.contains("f64"), "{message}");
}
