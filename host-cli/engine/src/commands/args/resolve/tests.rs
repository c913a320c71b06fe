//! Flags, files and defaults together, and what is refused of them.

use clap::Parser as _;

use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Stop};

use super::*;
use crate::commands::args::{Cli, Command};
use crate::files::problem::Problem;

const GIB: u64 = 1 << 30;

fn solve(line: &str) -> SolveArgs {
    let words = ["tresse", "solve"].into_iter().chain(line.split_whitespace());
    match Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).command {
        Command::Solve(args) => args.solve,
        other @ Command::Simulate(_) => panic!("{line}: {other:?}"),
    }
}

fn resolved(line: &str) -> Result<Resolved, FrontError> {
    resolve(&solve(line), 2, GIB)
}

#[test]
fn defaults_are_the_papers_but_for_the_balancer() {
    let Resolved { config, problem, warnings, .. } = resolved("").unwrap();
    assert_eq!(config.grid, GridSize { rows: 600, columns: 300 });
    assert_eq!((config.workers, config.split, config.seed), (2, 4, 1));
    assert_eq!(config.mode, Mode::Async);
    assert_eq!(config.balance, Balance::Auto);
    let of = |line| resolved(line).unwrap().config.balance;
    let split = Balance::Split(Duration::from_millis(1));
    assert_eq!(["--mode ssync:2", "--low 1", "--balance auto --dead-band 3"].map(of), [split; 3]);
    assert_eq!(["--split 1", "--mode sync --balance auto"].map(of), [Balance::None; 2]);
    assert_eq!(of("--mode exact --balance auto"), Balance::Pull(Balance::LAG));
    assert_eq!(config.stop, Stop { tolerance: Some(1e-4), ..Stop::NEVER });
    assert_eq!(problem, Problem::paper(config.grid));
    assert!(warnings.is_empty(), "{warnings:?}");
    let sync = resolved("--mode sync --iterations 5").unwrap().config;
    assert_eq!(sync.balance, Balance::None);
    assert_eq!(sync.stop, Stop { iterations: Some(5), ..Stop::NEVER });
}

#[test]
fn a_tolerance_that_leaves_nothing_to_do_is_questioned() {
    let warned = |line| resolved(line).unwrap().warnings.join("; ");
    assert!(warned("--tolerance 2").contains("--tolerance 2 leaves nothing to do"));
    assert!(warned("--tolerance 1").contains("1e-4"));
    assert_eq!(warned("--tolerance 0.99"), "");
}

#[test]
fn auto_does_without_help_where_there_is_no_room_for_copies() {
    let config = resolved("").unwrap().config;
    let cut = Decomposition::new(&config).unwrap();
    let bytes = |help| bytes_needed(&RunConfig { help, ..config.clone() }, &cut, Terms::NONE);
    let helps = |line, room| resolve(&solve(line), 2, room).map(|resolved| resolved.config.help);
    assert_eq!(
        [bytes(true), bytes(true) - 1, bytes(false)].map(|room| helps("", room).unwrap()),
        [true, false, false]
    );
    assert!(matches!(helps("", bytes(false) - 1), Err(FrontError::Memory { .. })));
    let pulls = helps("--balance pull", bytes(true) - 1);
    assert!(matches!(pulls, Err(FrontError::Memory { mend, .. }) if mend.contains("--no-help")));
}

#[test]
fn thresholds_are_half_and_one_and_a_half_of_the_split() {
    for (split, low, high) in [(1, 1, 2), (2, 1, 3), (3, 1, 5), (4, 2, 6), (16, 8, 24)] {
        let plb = resolved(&format!("--split {split}")).unwrap().config.plb;
        assert_eq!((plb.low, plb.high), (low, high), "--split {split}");
    }
    let given = resolved("--split 16 --low 3").unwrap().config.plb;
    assert_eq!((given.low, given.high), (3, 24));
}

#[test]
fn flags_go_over_the_file_and_the_file_over_the_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml");
    let run = "workers = 3\nsplit = 8\ntolerance = 1e-2\nmode = \"ssync:2\"\n\
               cells-per-worker = \"10x20\"\nnoise = [\"core=0,duty=0.5\"]";
    std::fs::write(&path, format!("initial = 0.5\n[run]\n{run}")).unwrap();
    let line = format!("--problem {} --split 4 --mode async --iterations 7", path.display());
    let Resolved { config, noise, problem, warnings, .. } = resolved(&line).unwrap();
    assert_eq!((config.workers, config.split), (3, 4));
    assert_eq!(config.mode, Mode::Async);
    assert_eq!(config.stop, Stop { tolerance: Some(1e-2), iterations: Some(7), ..Stop::NEVER });
    assert_eq!(config.grid, GridSize { rows: 30, columns: 20 });
    assert_eq!(noise, [NoiseChoice::parse("core=0,duty=0.5").unwrap()]);
    assert!((problem.initial.at(0, 0) - 0.5).abs() < 1e-15);
    assert!(warnings.is_empty(), "{warnings:?}");
    let grid = resolved(&format!("--problem {} --grid 9x12", path.display())).unwrap();
    assert_eq!(grid.config.grid, GridSize { rows: 9, columns: 12 });
    std::fs::write(&path, "[run]\ngrid = \"24x36\"\njson = true\nout = \"there\"").unwrap();
    let sized = |flags: &str| resolved(&format!("--problem {} {flags}", path.display()));
    let of_file = sized("").unwrap();
    assert_eq!(of_file.config.grid, GridSize { rows: 24, columns: 36 });
    assert_eq!((of_file.json, of_file.out), (true, Some("there".into())));
    let by_worker = sized("--cells-per-worker 10x10 --out here").unwrap();
    assert_eq!(by_worker.config.grid, GridSize { rows: 20, columns: 10 });
    assert_eq!(by_worker.out, Some("here".into()));
}

#[test]
fn what_cannot_run_names_the_flag_before_anything_is_allocated() {
    for (line, parts) in [
        ("--workers 0", &["--workers"][..]),
        ("--split 0", &["--split"]),
        ("--iterations 0", &["--iterations"]),
        ("--tolerance 0", &["--tolerance 0"]),
        ("--tolerance -1e-4", &["--tolerance -0.0001"]),
        ("--tolerance NaN", &["--tolerance NaN"]),
        ("--tolerance 1e999", &["--tolerance inf"]),
        ("--mode rayon --record run.tresse", &["--record", "--mode rayon"]),
        ("--method multigrid --mode sync", &["--mode", "--method multigrid"]),
        ("--method multigrid --balance none", &["--balance", "--method multigrid"]),
        ("--method multigrid --pairs 3", &["--pairs"]),
        ("--method multigrid --low 1", &["--low"]),
        ("--method multigrid --high 9", &["--high"]),
        ("--method multigrid --dead-band 1", &["--dead-band"]),
        ("--method multigrid --imbalance 0.5", &["--imbalance"]),
        ("--smoothing 3", &["--smoothing", "--method multigrid"]),
        ("--coarsest 64 --method jacobi", &["--coarsest", "--method multigrid"]),
        ("--low 0", &["--low 0"]),
        ("--low 6 --high 6", &["--low 6", "--high 6"]),
        ("--pairs 0", &["--pairs 0"]),
        ("--pairs 65", &["--pairs 65"]),
        ("--mode sync --balance split:1ms", &["--balance", "--mode sync"]),
        ("--grid 3x3 --workers 2", &["8 subdomains", "3x3", "--split"]),
        ("--grid 2x4 --split 9", &["2x4", "--split"]),
        ("--grid 20x20 --workers 2 --imbalance 0.999", &["8 subdomains", "20x20", "--grid"]),
        ("--grid 9x9 --workers 4294967295 --split 4294967295", &["--workers"]),
        ("--grid 4294967295x4294967295", &["--grid asks", "4294967295x4294967295", "1.0 GiB"]),
        ("--cells-per-worker 4294967295x4294967295", &["--cells-per-worker", "EiB"]),
        ("--workers 100000", &["--workers 100000", "GiB", "available"]),
        ("--grid 20000x20000 --split 100000000", &["--split", "GiB"]),
        ("--problem /nowhere.toml", &["--problem /nowhere.toml", "cannot be read"]),
        ("--problem /", &["--problem /", "name a file"]),
    ] {
        let error = resolved(line).expect_err(line).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{line}: {error}");
        assert!(!error.contains('\n'), "{line}: {error}");
    }
}

#[test]
fn file_and_flags_that_disagree_are_both_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml");
    for (text, flags, parts) in [
        (
            "grid = [5, 6]\n[run]\ncells-per-worker = \"9x9\"",
            "",
            &["`cells-per-worker` in", "p.toml", "5x6"][..],
        ),
        ("grid = [5, 6]\n[run]\ngrid = \"9x9\"", "", &["`grid` in [run]", "p.toml", "5x6"]),
        ("[run]\nrecord = \"r\"\nmode = \"rayon\"", "", &["--record", "--mode rayon"]),
        ("[run]\ntolerance = 0", "", &["--tolerance 0", "[run] of", "p.toml"]),
        ("grid = [100000, 100000]", "", &["--problem", "100000x100000", "GiB"]),
        ("gird = 1", "", &["--problem", "p.toml", "`gird`", "`grid`"]),
        ("initial = 1e200", "", &["1e200", "f64"]),
        ("source = 1e30", "--precision f32", &["1e30", "--precision f32"]),
        ("source = 1e300\nspacing = 1e10", "", &["`spacing`", "overflows"]),
        ("coefficient = 1e200", "", &["1e200", "f64"]),
        ("coefficient = 1e-16", "--precision f32", &["`coefficient`", "1e-16", "1e-15", "f32"]),
        ("source = 1e10\ncoefficient = 1e-10", "--precision f32", &["1e20", "f32"]),
    ] {
        std::fs::write(&path, text).unwrap();
        let line = format!("--problem {} {flags}", path.display());
        let error = resolved(&line).expect_err(text).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{text} {flags}: {error}");
    }
}

#[test]
fn what_has_no_effect_is_warned_of() {
    for (flags, part) in [
        ("--balance none --pairs 3", "--pairs has no effect with --balance none"),
        ("--mode exact --low 1", "--low has no effect with --balance pull"),
        ("--mode sync --dead-band 2", "--dead-band has no effect"),
        ("--mode rayon --split 4", "--split has no effect with --mode rayon"),
    ] {
        let warnings = resolved(flags).unwrap().warnings;
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{flags}: {warnings:?}");
    }
}

#[test]
fn a_split_that_leaves_nothing_to_move_is_warned_of() {
    for (flags, part) in [
        ("--split 1 --balance split:1ms", "--low 1"),
        ("--split 1 --balance borrow:1ms,8", "--low 1"),
        ("--split 2 --low 2", "--low 2"),
        ("--split 16 --high 16", "raise --high above --split"),
        ("--split 16 --low 1 --high 6 --balance joint:1ms", "--high 6"),
        ("--split 6 --high 6 --balance hybrid:1ms,2 --imbalance 0.5", "--high 6"),
    ] {
        let warnings = resolved(&format!("--grid 80x80 {flags}")).unwrap().warnings;
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{flags}: {warnings:?}");
    }
    for fine in ["--split 2", "--split 16", "--split 3 --low 2", "--split 16 --balance swap:1ms"] {
        let warnings = resolved(&format!("--grid 80x80 {fine}")).unwrap().warnings;
        assert!(warnings.is_empty(), "{fine}: {warnings:?}");
    }
    let alone = resolved("--workers 1 --imbalance 0.5").unwrap().warnings;
    assert!(alone.iter().any(|warning| warning.contains("--imbalance 0.5")), "{alone:?}");
    let crowded = resolved("--topology 2x2").unwrap();
    assert_eq!(crowded.config.workers, 4);
}
