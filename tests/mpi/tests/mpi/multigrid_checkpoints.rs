//! Checkpoints of `--method multigrid`: a run that goes on from one is to the bit the run that was
//! never interrupted, and so is the run that leaves them.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;
use tresse_core::run::Precision;
use tresse_tests::checkpoint_files::{mended, store};
use tresse_tests::problems::Failure;

use crate::baseline::alone;
use crate::checkpoints::{asked, complete, endless, interrupted, iterations};
use crate::launcher::Mpi;
use crate::oracles::{Posed, assert_same};

/// What the report has that depends on nothing but the problem and the end that was asked for.
const SAME: [&str; 7] =
    ["method", "cycles", "levels", "residual", "iterations", "converged", "end"];

/// Runs to `--iterations first` with a checkpoint before each cycle, and goes on from the last of
/// them to the end that `flags` ask for, on other ranks of other numbers of workers; the method is
/// that of the checkpoint.
fn go_on(
    mpi: &Mpi,
    posed: &Posed,
    (from, to): ((u32, u32), (u32, u32)),
    (method, first, end): (&str, u32, &str),
    precision: Precision,
) -> Result<Value, Failure> {
    let folder = posed.folder.path().join(format!("from-{}-{}-{first}", from.0, to.0));
    let (whole, expected) = alone(posed, &format!("{method} {end} --workers 1"), precision)?;
    let line = format!("{method} --workers {} --precision {precision}", from.1);
    let line = format!("{line} --iterations {first} --every 1ns --checkpoint {}", folder.display());
    posed.job(mpi, from.0, &line).object(0);
    let kept = posed.field(precision);
    let (_, at_first) = alone(posed, &format!("{method} --iterations {first}"), precision)?;
    assert_same(&kept, &at_first, &format!("with checkpoints: {line}"));
    assert_eq!(complete(&folder).len(), if first > 1 { 2 } else { 1 }, "{line}");

    let line = format!("--workers {} {end} --resume {}", to.1, folder.display());
    let report = posed.job(mpi, to.0, &line).object(0);
    assert_same(&posed.field(precision), &expected, &line);
    for key in SAME {
        assert_eq!(report[key], whole[key], "{key} of {line}: {report:#}");
    }
    Ok(report)
}

#[test]
fn runs_go_on_to_the_bit_on_other_ranks() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let plain = Posed::random(61, (99, 70))?;
    // Ranks share several levels of the first, and none of the second.
    let large = Posed::heterogeneous(62, (150, 140))?;
    let small = Posed::heterogeneous(63, (43, 30))?;
    let method = "--method multigrid";
    let other = "--method multigrid --smoothing 2 --coarsest 9";
    for (posed, ranks, (method, first, end), precision) in [
        (&plain, ((1, 2), (3, 1)), (method, 4, "--iterations 8"), Precision::F64),
        (&plain, ((3, 1), (1, 2)), (other, 2, "--tolerance 1e-9"), Precision::F64),
        (&plain, ((2, 1), (2, 2)), (method, 1, "--tolerance 1e-3"), Precision::F32),
        (&large, ((2, 2), (3, 1)), (method, 5, "--iterations 9"), Precision::F64),
        (&large, ((3, 1), (1, 2)), (method, 3, "--iterations 8"), Precision::F32),
        (&small, ((1, 2), (3, 1)), (other, 4, "--tolerance 1e-8"), Precision::F64),
        (&small, ((3, 1), (2, 1)), (method, 2, "--tolerance 1e-3"), Precision::F32),
    ] {
        go_on(&mpi, posed, ranks, (method, first, end), precision)?;
    }
    // What rounding keeps from its tolerance stagnates at the same cycle.
    let (from, to) = ((2, 1), (1, 1));
    let flags = "--method multigrid --tolerance 1e-12 --precision f32";
    let whole = plain.job(&mpi, 1, &format!("{flags} --workers 1")).object(1);
    let last = whole["cycles"].as_u64().unwrap_or(0);
    let folder = plain.folder.path().join("stagnating");
    let line = format!("{flags} --iterations {} --every 1ns --checkpoint", last - 1);
    plain.job(&mpi, from.0, &format!("{line} {}", folder.display())).object(1);
    let line = format!("--tolerance 1e-12 --workers {} --resume {}", to.1, folder.display());
    let report = plain.job(&mpi, to.0, &line).object(1);
    for key in SAME {
        assert_eq!(report[key], whole[key], "{key}: {report:#}");
    }
    Ok(())
}

/// A direction that is not gone on with is noticed: the comparison above is of all that a step
/// starts from.
#[test]
fn a_checkpoint_without_its_last_product_leads_elsewhere() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::heterogeneous(64, (60, 50))?;
    let folder = posed.folder.path().join("checkpoints");
    let line = "--method multigrid --workers 1 --iterations 4 --every 1ns --checkpoint";
    posed.job(&mpi, 2, &format!("{line} {}", folder.display())).object(0);
    let newest = complete(&folder).pop().unwrap();
    let line = format!("--workers 1 --iterations 7 --resume {}", newest.display());
    posed.job(&mpi, 1, &line).object(0);
    let expected = posed.field(Precision::F64);
    let manifest = newest.join("manifest.jsonl");
    let text = fs::read_to_string(&manifest)?;
    let mut state: Value = serde_json::from_str(text.lines().next().unwrap())?;
    let product = state["multigrid"].as_object_mut().unwrap().remove("last_product");
    assert!(product.is_some(), "{text}");
    let mut files = vec![state.to_string().into_bytes()];
    for piece in ["piece-0", "piece-1"] {
        files.push(fs::read(newest.join(piece))?);
    }
    store(&newest, &mended(&files))?;
    posed.job(&mpi, 1, &line).object(0);
    assert_ne!(posed.field(Precision::F64), expected);
    Ok(())
}

/// One that is asked to end leaves a last checkpoint, and is gone on with; any rank can be asked
/// for one before.
#[test]
fn an_interrupted_run_goes_on_to_the_bit() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (posed, ranks, precision) in [
        (Posed::random(65, (120, 60))?, (2, 3), Precision::F64),
        (Posed::heterogeneous(66, (120, 110))?, (3, 2), Precision::F32),
    ] {
        let flags = format!("--method multigrid --workers 1 --precision {precision}");
        let (ended, folder) = interrupted(&mpi, &posed, (ranks.0, &flags), 3);
        let newest = complete(&folder).pop().unwrap();
        let told = newest.to_str().unwrap();
        assert!(ended.ranks[0].err.contains(told), "no {told} in {ended:#?}");
        assert_eq!(complete(&folder).len(), 2, "{ended:#?}");
        let last = iterations(&posed.out()) + 3;
        let line = format!("--workers 2 --iterations {last} --resume {}", folder.display());
        posed.job(&mpi, ranks.1, &line).object(0);
        let line = format!("--method multigrid --workers 1 --iterations {last}");
        let (_, expected) = alone(&posed, &line, precision)?;
        assert_same(&posed.field(precision), &expected, &line);
    }
    Ok(())
}

/// Fields, counts and tolerances are those of one method.
#[test]
fn the_checkpoint_of_another_method_is_refused() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(67, (30, 26))?;
    for [method, other] in [["jacobi", "multigrid"], ["multigrid", "jacobi"]] {
        let folder = posed.folder.path().join(method);
        let mut job = posed
            .job(&mpi, 1, &format!("--method {method} --workers 1 {}", endless(&folder)))
            .start();
        job.until_it_works();
        asked(&mut job, 0, &folder);
        job.signal(0, Signal::TERM);
        job.end().codes(130);
        let line = format!("--workers 1 --method {other} --resume {}", folder.display());
        let refused = posed.job(&mpi, 2, &line).run();
        refused.refused(2, &["--resume", &format!("by {method}"), &format!("--method {method}")]);
    }
    let folder = posed.folder.path().join("jacobi");
    let line = format!("--workers 1 --smoothing 2 --resume {}", folder.display());
    posed.job(&mpi, 1, &line).run().refused(2, &["--smoothing", "--method multigrid"]);
    Ok(())
}
