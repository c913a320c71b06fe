//! A short run of each kind of waiting, for `ThreadSanitizer` to look at (and to pass without).

#![cfg(test)]

use std::sync::atomic::AtomicBool;

use tresse::Run;
use tresse::engine::pool::{self, Managing, PoolJob};
use tresse::engine::threads::End;
use tresse::matrix::subdomain::Subdomain;
use tresse::matrix::system::System;
use tresse_core::base::time::Duration;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::run::{Balance, GridSize, Mode, RunConfig};
use tresse_core::tasks::sharing::{Method, SharingConfig};
use tresse_core_tests::sharing::tasks::Numbered;
use tresse_tests::problems::{
    Failure, config, iterations, placement, random, record, run, tolerance,
};
use tresse_tests::systems;

const GRID: GridSize = GridSize { rows: 18, columns: 22 };
const PARTS: (u32, u32) = (3, 6);

#[test]
fn short_threaded_run() -> Result<(), Failure> {
    let balance = Balance::Joint(Duration::from_micros(20));
    let methods = [
        (Mode::Sync, Balance::None),
        (Mode::SemiSync(2), balance),
        (Mode::Async, Balance::None),
        (Mode::Async, balance),
        (Mode::Async, Balance::Pull(1)),
        (Mode::Exact, Balance::Pull(0)),
    ];
    for method in methods {
        let problem = random(4, GRID, true);
        let (solution, _) = record::<f64>(&problem, &config(GRID, PARTS, method, iterations(150)))?;
        assert_eq!(solution.record.end, End::Iterations);
        let (_, record) = run(&problem, &config(GRID, PARTS, method, tolerance(1e-3)))?;
        assert_eq!(record.end, End::Converged, "{} {}", method.0, method.1);
    }
    Ok(())
}

/// A subdomain that changes hands is what there is to look at: runs go on until some have.
#[test]
fn subdomains_change_hands_meanwhile() -> Result<(), Failure> {
    let problem = random(4, GRID, true);
    let method = (Mode::Async, Balance::Joint(Duration::from_micros(20)));
    let mut moves = 0;
    for _ in 0..1_000 {
        moves +=
            record::<f64>(&problem, &config(GRID, PARTS, method, iterations(150)))?.0.record.moves;
        if moves >= 10 {
            return Ok(());
        }
    }
    Err(format!("{moves} moves in 1000 runs").into())
}

/// Rows of 1 KiB and more, as those of all but small grids, are read in another way than short
/// ones.
#[test]
fn long_rows_are_read_while_they_are_written() -> Result<(), Failure> {
    let (grid, parts) = (GridSize { rows: 12, columns: 300 }, (3, 2));
    for mode in [Mode::Sync, Mode::SemiSync(2), Mode::Async] {
        let problem = random(5, grid, true);
        let config = config(grid, parts, (mode, Balance::None), iterations(60));
        let cut = Decomposition::new(&config)?;
        let mut bytes = cut.ids().filter_map(|id| {
            let above = cut.neighbour(id, Side::Top)?;
            let is_read = cut.first_owner(above) != cut.first_owner(id);
            is_read.then(|| cut.rectangle(above).size.columns * size_of::<f64>())
        });
        assert!(bytes.any(|bytes| bytes >= 1 << 10), "no worker reads a long row of another");
        let (solution, _) = record::<f64>(&problem, &config)?;
        assert_eq!(solution.record.end, End::Iterations);
    }
    Ok(())
}

/// Parts of one's own, which have up to 17 links, change hands, are helped with and are saved.
#[test]
fn parts_of_ones_own() -> Result<(), Failure> {
    let linear = systems::all().swap_remove(2);
    let start = vec![0.0; linear.rhs.len()];
    let system = System::new(&linear.matrix, &linear.rhs, &start, PARTS.0 * PARTS.1, 0)?;
    let graph = system.graph().lend::<17>()?;
    let (placement, folder) = (placement(PARTS.0)?, tempfile::tempdir()?);
    for (mode, balance) in [
        (Mode::Sync, Balance::None),
        (Mode::SemiSync(2), Balance::Joint(Duration::from_micros(20))),
        (Mode::Async, Balance::Pull(1)),
        (Mode::Exact, Balance::Pull(0)),
    ] {
        let (stop, saves) = (tolerance(1e-5), AtomicBool::new(true));
        let config = RunConfig { mode, balance, stop, split: PARTS.1, ..RunConfig::paper(PARTS.0) };
        let path = folder.path().join(mode.to_string());
        let run = Run::new(config, &graph, |id| Subdomain::new(&system, id)).placed(&placement);
        let hour = Duration::from_millis(3_600_000);
        let done = run.saved_in(&path, hour).saved_on(&saves).on_threads()?;
        assert_eq!(done.record.end, End::Converged, "{mode} {balance}");
        assert!(!saves.into_inner(), "nothing was saved");
        let found = system.assembled(&done.parts);
        let errors = found.iter().zip(&linear.solution).map(|(found, known)| (found - known).abs());
        assert!(errors.fold(0.0, f64::max) < 1e-2, "{mode} {balance}");
    }
    Ok(())
}

/// A pool of tasks whose managers are turns that workers take, or threads.
#[test]
fn pools_of_tasks() -> Result<(), Failure> {
    let placement = placement(3)?;
    for managing in [Managing::Turn, Managing::Dedicated] {
        for &method in Method::ALL {
            let config = SharingConfig { chunk: 2, interval: 3, ..SharingConfig::new(method) };
            let interrupt = AtomicBool::new(false);
            let job = PoolJob {
                config,
                placement: &placement,
                managing,
                most_tasks: 1 << 16,
                interrupt: &interrupt,
            };
            let work = |_| Numbered { number: 80, committed: vec![] };
            let pooled = pool::run(job, &[0], work, &mut |_| {})?;
            let mut done: Vec<_> = pooled.works.into_iter().flat_map(|it| it.committed).collect();
            done.sort_unstable();
            assert!(done.into_iter().eq(0..80), "{method}, {managing:?}");
        }
    }
    Ok(())
}
