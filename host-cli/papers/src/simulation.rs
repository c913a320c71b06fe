//! Runs of the solver on the virtual machine.

use std::sync::atomic::AtomicBool;

use tresse_core::run::noise::Noise;
use tresse_core::run::{Balance, End, PlbParams, RunConfig};
use tresse_core::sim::machine::{Hardware, SimulationError};

use super::replicate::Replicate;
use tresse_console::files::machine_files::VirtualMachine;
use tresse_draw::history::History;
use tresse_engine::files::problem::Problem;
use tresse_engine::simulation::{VirtualJob, simulate, simulate_progress};
use tresse_engine::solution::RunRecord;
use tresse_engine::wording;

/// A run of the solver on a machine.
pub struct Simulation {
    /// Configuration of the method; the seed is the replicate's.
    pub config: RunConfig,
    /// The machine.
    pub hardware: Hardware,
    /// Problem to solve; `None` where only progress counts.
    pub problem: Option<Problem>,
    /// Noise that is drawn anew for each replicate, in place of the configuration's.
    pub noise: Option<DrawNoise>,
    /// Whether the update counts over time are kept.
    pub keeps_history: bool,
}

/// The noise of a replicate.
pub type DrawNoise = Box<dyn Fn(Replicate) -> Vec<Noise> + Send + Sync>;

/// The figures of the solver's run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solved {
    /// Description of the problem, in a few words.
    pub problem: String,
    /// Virtual time in seconds.
    pub seconds: f64,
    /// Mean iterations.
    pub iterations: f64,
    /// Iterations per virtual second.
    pub iteration_rate: f64,
    /// Highest minus lowest update count at the end.
    pub spread_end: u64,
    /// Largest spread of update counts that was seen.
    pub spread_max: u64,
    /// Spread that 99 % of the samples do not exceed.
    pub spread_p99: Option<u64>,
    /// Mean version gap of the halos.
    pub staleness_mean: f64,
    /// The largest version gap.
    pub staleness_max: u64,
    /// Number of subdomains that changed hands on a node.
    pub moves: u64,
    /// Number of subdomains that went to another node.
    pub transfers: u64,
    /// Verified residual, relative to the initial one.
    pub residual_relative: f64,
    /// Mean share that noise took of each core that it was on.
    pub noise_share: Option<f64>,
}

/// A run of the solver.
#[derive(Debug)]
pub struct Simulated {
    /// Whether the run ended as it should.
    pub ended: bool,
    /// Figures of the run.
    pub solved: Solved,
    /// Update counts over time, if they were kept.
    pub history: History,
}

impl Simulation {
    /// Returns the description of the problem and its grid.
    pub fn on_grid(&self) -> String {
        let RunConfig { grid, workers, .. } = self.config;
        let problem = self.problem.as_ref().map(Problem::to_string);
        let problem = problem.unwrap_or("none, only updates are counted".into());
        format!("{problem}, {grid} cells on {workers} cores")
    }

    /// Returns split and thresholds of a balanced run.
    pub fn balancing(&self) -> Option<String> {
        let RunConfig { balance, split, plb, .. } = self.config;
        let PlbParams { pairs, low, high, .. } = plb;
        (balance != Balance::None).then(|| {
            format!("{split} subdomains a worker, {pairs} pairs a round, low {low}, high {high}")
        })
    }

    /// Returns the warnings for a person to read before the run.
    pub fn warnings(&self) -> Vec<String> {
        let sockets: Vec<_> = self.hardware.sockets_of(self.config.workers_per_node()).collect();
        let warnings = self.config.warnings_on(sockets.into_iter());
        warnings.map(|warning| wording::warning(&warning)).collect()
    }

    /// Runs the simulation.
    pub fn run(
        &self,
        replicate: Replicate,
        end: &AtomicBool,
    ) -> Result<Simulated, SimulationError> {
        let mut config = RunConfig { seed: replicate.seed, ..self.config.clone() };
        if let Some(draw) = &self.noise {
            config.noise = draw(replicate).into_iter().collect();
        }
        let unused = Problem::paper(config.grid);
        let problem = self.problem.as_ref().unwrap_or(&unused);
        let (config, hardware) = (&config, &self.hardware);
        let job = VirtualJob { config, problem, hardware, traces: &[], interrupt: end };
        let record = match self.problem {
            // The papers' precision is not told; double is what ours defaults to.
            Some(_) => simulate::<f64>(job, &mut |_| {}, &mut ())?.record,
            None => simulate_progress(job)?,
        };
        let has_tolerance = config.stop.has_tolerance();
        let asked = if has_tolerance { End::Converged } else { End::Iterations };
        Ok(Simulated {
            ended: record.end == asked,
            solved: self.solved(&record),
            history: if self.keeps_history { record.history } else { History::default() },
        })
    }

    /// Returns the figures of a run; the share of noise is the mean of all its sources.
    fn solved(&self, record: &RunRecord) -> Solved {
        let shares: Vec<f64> = record.noise.iter().map(|noise| noise.share).collect();
        let mean = || shares.iter().sum::<f64>() / shares.len() as f64;
        Solved {
            problem: self.on_grid(),
            seconds: record.elapsed.seconds(),
            iterations: record.progress.mean(),
            iteration_rate: record.progress.iteration_rate(record.elapsed),
            spread_end: record.progress.spread(),
            spread_max: record.spread_max,
            spread_p99: record.spread_p99,
            staleness_mean: record.staleness.mean(),
            staleness_max: record.staleness.max,
            moves: record.moves,
            transfers: record.transfers,
            residual_relative: record.residual.relative,
            noise_share: (!shares.is_empty()).then(mean),
        }
    }
}

/// Returns a machine that is shipped with the program.
#[expect(clippy::expect_used, reason = "part of the program, and read by its tests")]
pub fn shipped(name: &str) -> Hardware {
    VirtualMachine::shipped(name).expect("shipped machine files are valid").hardware
}
