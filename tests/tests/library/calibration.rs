//! Checks that `calibrate` measures a machine that can be simulated.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tresse::engine::simulation::VirtualJob;
use tresse::engine::solver;
use tresse::experiments::calibrate::{CalibrationError, Description, Figure, Plan};
use tresse::files::machine_files;
use tresse::files::problem::Problem;
use tresse::platform::{Placement, Platform};
use tresse_core::run::{
    Balance, End, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_tests::problems::Failure;
use tresse_tests::skip::note;

/// Long enough for some hundred sweeps, where nobody else wants the cores.
const WINDOW: Duration = Duration::from_millis(250);

fn about(cpu: &str) -> Description<'_> {
    Description { name: "here", cpu, sockets: 1, cores: 2, date: "today", rounds: 1 }
}

/// Measures everything once.
fn once<'a>(
    machine: &'a Platform,
    placement: &'a Placement,
    interrupt: &'a AtomicBool,
) -> Plan<'a> {
    Plan { machine, placement, rounds: 1, window: WINDOW, interrupt }
}

#[test]
fn a_calibrated_machine_can_be_read_and_simulated() -> Result<(), Failure> {
    let machine = Platform::detect()?;
    if machine.cores.len() < 2 {
        note("there is only one core", "run the tests where two are allowed");
        return Ok(());
    }
    let placement = Placement::plan(&machine, Some(2), None)?;
    let interrupt = AtomicBool::new(false);
    let mut plan = once(&machine, &placement, &interrupt);
    let calibration = loop {
        let mut runs = 0;
        match plan.calibrate(&mut |_| runs += 1) {
            // Somebody else had the cores: what is needed takes longer.
            Err(CalibrationError::Unmeasured) => plan.window *= 2,
            measured => {
                assert_eq!(runs, plan.runs());
                break measured?;
            }
        }
    };

    let figures = calibration.figures();
    for (figure, found) in figures.iter() {
        assert!(found.median.is_finite() && found.median >= 0.0, "{figure}: {found:?}");
    }
    let text = calibration.machine_file(&about(&machine.cpu));
    let read = machine_files::parse(&text, Path::new(""))?;
    assert_eq!(read.to_string(), "here: 1 node x 1 socket x 2 cores");
    let costs = read.hardware.costs;
    let cells: Vec<_> = costs.cells.points().iter().map(|point| point.cells).collect();
    assert!(cells.contains(&90_000) && costs.cells.at(90_000) > Some(0), "{text}");
    let picoseconds = |figure| (figures.median(figure) * 1e3).round();
    let cell = costs.cells.at(90_000).unwrap_or_default() as f64;
    assert!((cell - picoseconds(Figure::Cell(90_000))).abs() < 1.5, "{text}");

    let config = RunConfig {
        grid: GridSize { rows: 24, columns: 12 },
        workers: 2,
        split: 4,
        mode: Mode::Async,
        balance: Balance::Split(tresse_core::base::time::Duration::from_millis(1)),
        help: true,
        always_help: false,
        plb: PlbParams::default(),
        nodes: Nodes::ONE,
        imbalance: Imbalance::default(),
        stop: Stop { tolerance: Some(1e-2), ..Stop::NEVER },
        precision: Precision::F64,
        seed: 1,
        noise: std::iter::empty().collect(),
    };
    let problem = Problem::paper(config.grid);
    let job = VirtualJob {
        config: &config,
        problem: &problem,
        hardware: &read.hardware,
        traces: &read.traces,
        interrupt: &interrupt,
    };
    assert_eq!(solver::simulate(job, &mut |_| {})?.record.end, End::Converged);
    Ok(())
}

#[test]
fn an_interrupted_calibration_measures_nothing() -> Result<(), Failure> {
    let machine = Platform::detect()?;
    let placement = Placement::plan(&machine, Some(1), None)?;
    let interrupt = AtomicBool::new(true);
    let plan = once(&machine, &placement, &interrupt);
    let alone = plan.calibrate(&mut |_| {}).map(drop).unwrap_err().to_string();
    assert!(alone.starts_with("--workers 1: "), "{alone}");
    if machine.cores.len() < 2 {
        note("there is only one core", "run the tests where two are allowed");
        return Ok(());
    }
    let placement = Placement::plan(&machine, Some(2), None)?;
    let none = Plan { placement: &placement, ..plan }.calibrate(&mut |_| {}).map(drop).unwrap_err();
    assert!(none.to_string().starts_with("nothing was measured"), "{none}");
    Ok(())
}
