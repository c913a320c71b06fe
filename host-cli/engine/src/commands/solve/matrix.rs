//! `--matrix FILE`: a sparse system in place of a grid, on threads and in virtual time. Hosts that
//! iterate elsewhere do what [`solve`] does, with a [`Runner`] of their own.

mod dispatch;
mod error;
mod report;
mod set_up;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_core::run::{End, GridSize, MachineReport, RunConfig};
use tresse_matrix::rows::residual_norm;
use tresse_matrix::vector::VectorForm;
use tresse_platform::{Placement, Platform};

use self::dispatch::{OnThreads, VirtualTime};
pub use self::dispatch::{Runner, Watch, dispatch};
pub use self::error::MatrixFailure;
use self::report::MatrixFigures;
pub use self::report::MatrixReport;
pub use self::set_up::Asked;
use self::set_up::{Linear, SetUp};
use super::progress::Progress;
use super::{exit, files, line, summary};
use crate::commands::args::describe::{balance, end};
use crate::commands::args::simulate::machine;
use crate::commands::args::{FrontError, MatrixArgs, SimulateArgs, SolveArgs};
use crate::commands::{CommandError, printed, warn};
use crate::iteration::Iterated;
use crate::report::RunReport;
use crate::report::history::HistorySample;
use crate::report::output::{OutputDir, OutputFile, Outputs};
use crate::report::summary::write_json;
use crate::simulation;
use crate::solvers::{Method, Solver};
use crate::threads::RunRecord;
use tresse_files::choices::place_noise;
use tresse_matrix::system::{OneProcess, Processes, System};

/// Solves the system of a matrix's file on threads, and prints and stores the result.
pub fn solve(args: &SolveArgs, matrix: &MatrixArgs, path: &Path) -> Result<Exit, CommandError> {
    let here = Platform::detect()?;
    let choices = &args.choices;
    let placement = Placement::plan(&here, choices.workers, choices.topology)?;
    let mut asked = Asked::new(args, matrix, path, placement.workers())?;
    asked.config.noise = placement
        .resolve_noise(&choices.noise.sources, asked.config.seed)
        .map_err(FrontError::from)?;
    for noise in &asked.config.noise {
        placement.noisy_cores(noise)?;
    }
    asked.check(None, &placement.sockets())?;
    asked.warnings.extend(placement.warning());
    let run = Opened::new(asked, &[])?.factorise(&mut OneProcess)?;
    run.announce()?;
    let Iterated { record, parts, .. } =
        run.watched(|watch| dispatch(run.system(), run.config(), OnThreads(&placement), watch))?;
    for core in &record.unpinned {
        warn(&format!("a worker could not be pinned to core {core}: its figures mean little"));
    }
    let solution = run.set_up.system.assembled(&parts);
    run.conclude(record, &solution, placement.socket_count(), here.report(), NOTHING)
}

/// Solves the system of a matrix's file in virtual time, and prints and stores the result.
pub fn simulate(args: &SimulateArgs, path: &Path) -> Result<Exit, CommandError> {
    let choices = &args.solve.choices;
    let (machine, nodes) = machine(args, choices.topology)?;
    let hardware = &machine.hardware;
    let cores = nodes.number.saturating_mul(hardware.node_cores());
    let mut asked = Asked::new(&args.solve, &args.matrix, path, choices.workers.unwrap_or(cores))?;
    if asked.solver == Solver::Rayon {
        return Err(FrontError::SimulationOfRayon.into());
    }
    asked.config.nodes = nodes;
    asked.config.noise =
        place_noise(&choices.noise.sources, asked.config.seed, hardware, nodes.number)
            .map_err(FrontError::from)?;
    let workers = asked.config.workers_per_node();
    let sockets: Vec<_> = hardware.sockets_of(workers).collect();
    asked.check(args.node_choices.flag(), &sockets)?;
    simulation::check(&asked.config, hardware, &machine.traces)?;
    let cpu = format!("virtual machine {machine}");
    asked.places = vec![("machine", cpu.clone())];
    let run = Opened::new(asked, &machine.files)?.factorise(&mut OneProcess)?;
    run.announce()?;
    let Iterated { record, parts, .. } =
        run.watched(|watch| dispatch(run.system(), run.config(), VirtualTime(&machine), watch))?;
    let solution = run.set_up.system.assembled(&parts);
    let sockets = hardware.used_sockets(run.asked.config.workers, nodes.number);
    let machine = MachineReport { cpu: &cpu, cores: hardware.all_cores(), cpu_quota: None };
    run.conclude(record, &solution, sockets, machine, NOTHING)
}

/// Advice where a run comes nowhere near the solution.
const DIVERGES: &str = "the iteration does not converge for this matrix with these subdomains: give more --overlap, \
     or a smaller --split or --workers; of a singular matrix, try --mode async, if there is a solution at all";
/// Advice where somebody has ended a run early.
const GOES_ON: &str = "run it again; what --out x.npy has written, --start x.npy goes on from";
/// Advice where the iterations are done, and the residual has risen.
const RISES: &str = "give more --iterations, or --tolerance: the residual may rise at first";
/// Relative residual below which rounding may keep a run from its tolerance.
const FLOOR: f64 = 1e-10;

/// A host that adds nothing to the report.
const NOTHING: Option<((), String)> = None;

/// The place of the results.
enum Out {
    /// A file for the solution alone.
    Solution(OutputFile, VectorForm),
    /// A folder for everything.
    Folder(OutputDir),
}

/// Names of the files of a folder: those of every run but the field's, and the solution.
const NAMES: [&str; 7] =
    ["summary.json", "history.csv", "braid.csv", "braid.svg", "braid.png", "x.mtx", "x.npy"];

/// A run whose files have been read.
pub struct Opened {
    asked: Asked,
    linear: Linear,
    out: Option<Out>,
}

/// A run that is about to begin.
pub struct Prepared {
    asked: Asked,
    set_up: SetUp,
    out: Option<Out>,
    seconds: f64,
}

impl Opened {
    /// Reads the files; `others` are further ones that the run reads.
    pub fn new(asked: Asked, others: &[PathBuf]) -> Result<Self, CommandError> {
        let inputs = asked.inputs().with_all("--machine", others);
        let out = asked.out.as_deref().map(|path| out(&Outputs::new(inputs), path)).transpose()?;
        let reading = line(asked.is_hidden(), "reading the matrix");
        let linear = asked.read()?;
        drop(reading);
        Ok(Self { asked, linear, out })
    }

    /// Returns a hash of the values of the matrix and of both vectors, the same in all processes
    /// that have read the same.
    pub fn values_hash(&self) -> u64 {
        self.linear.hash()
    }

    /// Factorises the blocks of the parts that start in this process. Collective.
    pub fn factorise(self, processes: &mut impl Processes) -> Result<Prepared, CommandError> {
        let Self { mut asked, linear, out } = self;
        let factorising = line(asked.is_hidden(), "factorising the blocks");
        let begin = Instant::now();
        let set_up = asked.set_up(linear, processes)?;
        let seconds = begin.elapsed().as_secs_f64();
        drop(factorising);
        Ok(Prepared { asked, set_up, out, seconds })
    }
}

impl Prepared {
    /// Returns the effective configuration.
    pub const fn config(&self) -> &RunConfig {
        &self.asked.config
    }

    /// Returns the system.
    pub const fn system(&self) -> &System {
        &self.set_up.system
    }

    /// Prints warnings, and the effective configuration unless that is not wanted.
    pub fn announce(&self) -> Result<(), CommandError> {
        self.asked.warnings.iter().for_each(|warning| warn(warning));
        if !self.set_up.is_known_to_converge {
            warn(
                "--matrix: neither its rows nor its columns are weakly chained diagonally dominant, so it is not \
                 known whether the iteration converges",
            );
        }
        if self.asked.is_hidden() {
            return Ok(());
        }
        let config = &self.asked.config;
        let mut lines = vec![
            ("problem", self.set_up.about.clone()),
            ("workers", format!("{}, {} subdomains each", config.workers, config.split)),
            ("method", format!("restricted additive Schwarz, overlap {}", self.asked.overlap)),
            ("mode", self.asked.solver.to_string()),
            ("balance", balance(config)),
            ("end", end(config.stop)),
            ("seed", config.seed.to_string()),
        ];
        lines.extend(config.noise.iter().map(|noise| ("noise", noise.to_string())));
        lines.extend(self.asked.places.iter().cloned());
        let lines = lines.into_iter().map(|(name, value)| format!("{name:<9}{value}\n"));
        printed(|to| writeln!(to, "{}", lines.collect::<String>())).map(drop)
    }

    /// Runs with a progress bar, unless that is not wanted.
    pub fn watched<T, E>(
        &self,
        run: impl FnOnce(&mut dyn FnMut(&HistorySample)) -> Result<T, E>,
    ) -> Result<T, E> {
        let hidden = self.asked.is_hidden();
        let config = &self.asked.config;
        let mut progress = Progress::new(config.grid, config.stop, hidden, false);
        let finished = run(&mut |sample| {
            interrupt::has_begun();
            progress.show(sample);
        });
        interrupt::has_begun();
        progress.finish();
        finished
    }

    /// Takes the residual of the solution afresh, and prints and stores the results; `added`
    /// is what the host adds to the report, and as lines for a person.
    pub fn conclude<A: Serialize>(
        &self,
        mut record: RunRecord,
        solution: &[f64],
        sockets: u32,
        machine: MachineReport<'_>,
        added: Option<(A, String)>,
    ) -> Result<Exit, CommandError> {
        self.verify(&mut record, solution);
        let figures = self.set_up.figures(&self.asked, self.seconds);
        let config = &self.asked.config;
        let mut report =
            record.report(self.asked.solver, config, &self.set_up.about, sockets, machine);
        let is_near = report.residual.relative < FLOOR;
        if record.end == End::Interrupted {
            report.advice = Some(GOES_ON);
        }
        if !is_near && matches!(record.end, End::Stagnated | End::NotFinite) {
            report.advice = Some(DIVERGES);
        }
        if record.end == End::Iterations && !record.is_valid() {
            report.advice = Some(RISES);
        }
        let (added, lines) = added.unzip();
        let json = MatrixReport { method: "schwarz", matrix: &figures, run: &report, added };
        let lines = lines.unwrap_or_default();
        let hidden = self.asked.is_hidden();
        let shown = self.show((&record, &report), (&figures, &lines), &json);
        match &self.out {
            Some(Out::Solution(file, form)) => file.write(|w| form.write(solution, w))?,
            Some(Out::Folder(folder)) => {
                files::store(folder, Method::Jacobi, &record, &report, &json)?;
                folder.write("x.mtx", |w| VectorForm::Market.write(solution, w))?;
                folder.write("x.npy", |w| VectorForm::Npy.write(solution, w))?;
            }
            None => {}
        }
        shown?;
        if let Some(path) = self.asked.out.as_deref().filter(|_| !hidden) {
            let names = match self.out {
                Some(Out::Folder(_)) => {
                    ": summary.json, history.csv, braid.{csv,svg,png}, x.{mtx,npy}"
                }
                _ => "",
            };
            printed(|to| writeln!(to, "written     {}{names}", path.display()))?;
        }
        Ok(exit(&record, &report))
    }

    /// Puts the residual of the solution into the record, calculated from the matrix as it was
    /// read. A run that ended by its own residual, and whose solution does not have it, has not
    /// converged.
    fn verify(&self, record: &mut RunRecord, solution: &[f64]) {
        let norm = residual_norm(&self.set_up.linear.matrix, &self.set_up.linear.rhs, solution);
        let residual = &mut record.residual;
        residual.verified = norm;
        residual.relative = if norm == 0.0 { 0.0 } else { norm / residual.reference };
        let target = self.asked.config.stop.target(residual.initial * residual.initial);
        let is_reached = target.is_some_and(|squares| norm <= squares.sqrt());
        match record.end {
            _ if !norm.is_finite() => record.end = End::NotFinite,
            End::Converged if !is_reached => record.end = End::Stagnated,
            _ => {}
        }
    }

    /// Prints the report, or `json`, where that is asked for.
    fn show(
        &self,
        (record, report): (&RunRecord, &RunReport<'_>),
        (figures, lines): (&MatrixFigures, &str),
        json: &impl Serialize,
    ) -> Result<(), CommandError> {
        if self.asked.json {
            printed(|out| write_json(json, out))?;
        } else if !self.asked.quiet {
            printed(|out| {
                report::write(record, report, figures, out)?;
                out.write_all(lines.as_bytes())
            })?;
        } else if exit(record, report) == Exit::NotReached {
            warn(&summary::warning(report));
        }
        Ok(())
    }
}

/// Opens the place of the results: a file where the name ends as one of a vector, otherwise a
/// folder.
fn out(outputs: &Outputs, path: &Path) -> Result<Out, CommandError> {
    Ok(match VectorForm::of(path) {
        Some(form) => Out::Solution(outputs.file("--out", path)?, form),
        None => Out::Folder(outputs.folder("--out", path, NAMES)?),
    })
}

/// Returns the unknowns as the grid of a configuration: one column.
const fn column(rows: u32) -> GridSize {
    GridSize { rows: rows as usize, columns: 1 }
}
