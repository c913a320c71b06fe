//! `tresse simulate`: makes one run in virtual time, with the report of a run on threads.

use tresse_core::run::MachineReport;

use super::CommandError;
use super::solve::{announce, conclude, estimate_error, files, matrix, watched};
use crate::commands::args::{
    ResolvedSimulation, SimulateArgs, describe_simulation, resolve_simulation,
};
use crate::report::MethodReport;
use crate::report::output::Outputs;
use crate::simulation::VirtualJob;
use crate::solver;
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::{Placement, Platform};

/// Simulates the run, and prints and stores the result.
pub fn run(args: &SimulateArgs) -> Result<Exit, CommandError> {
    if let Some(path) = &args.matrix.matrix {
        return matrix::simulate(args, path);
    }
    let available = Platform::detect()?.available_memory;
    let ResolvedSimulation { run, machine, description } = resolve_simulation(args, available)?;
    let outputs = Outputs::new(run.inputs.clone());
    let out = run.out.as_deref().map(|path| outputs.folder("--out", path, files::NAMES));
    let out = out.transpose()?;
    announce(&run, None, &describe_simulation(&run, &description))?;

    let (config, hardware) = (&run.config, &machine.hardware);
    let job = VirtualJob {
        config,
        problem: &run.problem,
        hardware,
        traces: &machine.traces,
        interrupt: interrupt::flag_of_a_run(),
    };
    let mut finished =
        watched(&run, false, |watch| solver::simulate_method(run.method, job, watch))?;

    let here = Platform::detect()?;
    estimate_error(&run, &Placement::plan(&here, None, None)?, &mut finished)?;
    let sockets = hardware.used_sockets(config.workers, config.nodes.number);
    let machine = MachineReport { cpu: &description, cores: hardware.all_cores(), cpu_quota: None };
    let problem = run.about();
    let report = finished.record.report(run.mode(), &run.config, &problem, sockets, machine);
    let json = MethodReport::new(run.method, &run.problem, &finished.record, &report);
    conclude(&run, out.as_ref(), Ok(()), &finished, &report, &json)
}
