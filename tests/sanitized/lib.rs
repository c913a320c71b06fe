//! A short run of each kind of waiting, for `ThreadSanitizer` to look at (and to pass without).

#![cfg(test)]

use tresse::threads::End;
use tresse_core::run::{Balance, GridSize, Mode};
use tresse_core::time::Duration;
use tresse_tests::problems::{Failure, config, iterations, random, record, run, tolerance};

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
