//! Makes short runs of the solver under stopwatches.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tresse_core::base::id::{SocketId, SubdomainId, WorkerId};
use tresse_core::field::choices::RunChoices;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::stencil::Terms;
use tresse_core::node::owned::bytes_needed;
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};
use tresse_core::run::{Balance, GridSize, Mode, RunConfig};
use tresse_files::choices::grid_of_all;

use super::CalibrationError;
use super::stopwatch::{Burst, BurstWatch, Mark, Stopwatch};
use super::timeline::{Swept, sweeps};
use crate::checkpoints::Checkpoints;
use crate::files::problem::Problem;
use crate::files::recording::Since;
use crate::threads::{self, Job, Observers};
use tresse_platform::noise::Bursts;
use tresse_platform::{Placement, Platform};

/// The setting of a run of the paper's problem, asynchronous where nothing else is said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// Size of each worker's part.
    pub cells: GridSize,
    pub split: u32,
    pub mode: Mode,
    pub balance: Balance,
    /// Parasite on the first worker's core.
    pub parasite: Option<Parasite>,
}

impl Setting {
    /// Returns the setting of an asynchronous run without a balancer.
    pub const fn plain(rows: usize, columns: usize, split: u32) -> Self {
        let cells = GridSize { rows, columns };
        Self { cells, split, mode: Mode::Async, balance: Balance::None, parasite: None }
    }
}

/// The machine that is measured.
pub(super) struct Bench<'a> {
    pub machine: &'a Platform,
    pub placement: &'a Placement,
    /// Time of a stopwatch's mark, in nanoseconds.
    pub mark: u64,
    /// Flag that another thread sets to end the run early.
    pub interrupt: &'a AtomicBool,
}

/// A run with the marks of its stopwatches.
#[derive(Debug)]
pub(super) struct Watched {
    pub decomposition: Decomposition,
    pub sockets: Vec<SocketId>,
    /// Marks of each worker.
    pub marks: Vec<Vec<Mark>>,
    pub sweeps: Vec<Vec<Swept>>,
    pub bursts: Vec<Burst>,
}

/// The sides on which a worker without moves exchanges its edges, and the cells along them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    pub number: u64,
    pub cells: u64,
}

impl Bench<'_> {
    pub fn workers(&self) -> u32 {
        self.placement.workers()
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Makes a run of this setting for this duration, and returns what the stopwatches have seen.
    pub fn watch(&self, setting: Setting, window: Duration) -> Result<Watched, CalibrationError> {
        let config = &self.config(setting)?;
        let problem = &Problem::paper(config.grid);
        let (stop, since) = (AtomicBool::new(false), Since::start());
        let workers = (0..self.workers()).map(|_| Stopwatch::new(since.clone())).collect();
        let burst_watch = BurstWatch::new(since);
        let bursts = burst_watch.bursts();
        let noise: Vec<Box<dyn Bursts>> = match setting.parasite {
            Some(_) => vec![Box::new(burst_watch)],
            None => Vec::new(),
        };
        let job = Job { config, problem, placement: self.placement, interrupt: &stop };
        let observers = Observers { workers, noise };
        let (_, seen) =
            threads::solve::<f64, _>(job, Checkpoints::default(), observers, &mut |sample| {
                if sample.seconds >= window.as_secs_f64() || self.is_interrupted() {
                    stop.store(true, Ordering::Relaxed);
                }
            })?;
        let marks: Vec<_> = seen.into_iter().map(Stopwatch::into_marks).collect();
        let bursts = std::mem::take(&mut *bursts.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Watched {
            decomposition: Decomposition::new(config)?,
            sockets: self.placement.sockets(),
            sweeps: marks.iter().map(|marks| sweeps(marks, self.mark)).collect(),
            marks,
            bursts,
        })
    }

    /// Returns the configuration of a setting, if it fits the memory.
    fn config(&self, setting: Setting) -> Result<RunConfig, CalibrationError> {
        let choices = RunChoices {
            mode: Some(setting.mode),
            split: Some(setting.split),
            balance: Some(setting.balance),
            // Never reached in so short a time, so that looking for the end costs what it does.
            tolerance: Some(1e-12),
            ..RunChoices::default()
        };
        let workers = self.workers();
        let mut config = choices.resolve(workers, grid_of_all(setting.cells, workers, 1));
        let core = self.placement.seats.first().map_or(0, |seat| seat.core);
        let noise =
            setting.parasite.map(|parasite| Noise { place: NoisePlace::Core(core), parasite });
        config.noise.extend(noise);
        config.validate()?;
        let needed = bytes_needed(&config, &Decomposition::new(&config)?, Terms::NONE);
        let available = self.machine.available_memory;
        if needed > available {
            return Err(CalibrationError::Memory { workers, needed, available });
        }
        Ok(config)
    }
}

impl Watched {
    /// Returns the subdomains that a worker has at the start.
    pub fn members(&self, worker: WorkerId) -> Vec<SubdomainId> {
        let is_own = |id: &SubdomainId| self.decomposition.first_owner(*id) == worker;
        self.decomposition.ids().filter(is_own).collect()
    }

    /// Returns the mean number of cells of the subdomains.
    pub fn cells_of_subdomain(&self) -> f64 {
        self.decomposition.grid().cells() as f64 / f64::from(self.decomposition.subdomains().max(1))
    }

    /// Returns the mean number of cells that a worker holds.
    pub fn cells_in_hand(&self) -> u64 {
        self.decomposition.grid().cells() / (self.sweeps.len().max(1) as u64)
    }

    /// Returns the sides between the subdomains of a worker and neighbours for whose owners
    /// `is_other` holds.
    pub fn sides(&self, worker: WorkerId, is_other: impl Fn(WorkerId) -> bool) -> Sides {
        let mut sides = Sides::default();
        for id in self.members(worker) {
            let size = self.decomposition.rectangle(id).size;
            for side in Side::ALL {
                let owner = self
                    .decomposition
                    .neighbour(id, side)
                    .map(|neighbour| self.decomposition.first_owner(neighbour));
                if owner.is_some_and(&is_other) {
                    let is_row = matches!(side, Side::Top | Side::Bottom);
                    sides.number += 1;
                    sides.cells += (if is_row { size.columns } else { size.rows }) as u64;
                }
            }
        }
        sides
    }
}
