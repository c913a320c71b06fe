//! Measures the costs of a run's pieces on this machine, as a machine to simulate.
//!
//! Nothing is measured by itself: the solver runs as it always does, for fractions of a second each
//! time, on pinned threads that all work at once, and stopwatches see when its workers do what. So
//! every figure is one of the very code that `solve` runs, under the load that it has there. Each
//! thing that costs something has a file of its own here, which says how its cost follows from the
//! times.

mod barrier;
mod figures;
mod halo;
mod hand_over;
mod machine_file;
mod parasite;
mod rest;
mod round;
mod run;
mod stopwatch;
mod sweep;
mod timeline;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bytesize::ByteSize;
use tresse_core::base::time::Duration as Length;
use tresse_core::run::noise::Parasite;
use tresse_core::run::{Balance, Mode, RunConfigError};

use self::halo::Cuts;
use self::rest::Rest;
use self::run::{Bench, Setting, Watched};
use self::stopwatch::Stopwatch;
use crate::threads::EngineError;
use tresse_platform::{Placement, Platform};

pub use figures::{CalibrationFigures, Figure};
pub use machine_file::Description;

/// Sizes of a part as in the paper's runs, and of one with as many cells and short sides.
const PART: (usize, usize) = (300, 300);
const TALL: (usize, usize) = (1_200, 75);
/// Sides of other square parts, from those that fit the nearest cache to those that fit none.
const SIDES: [usize; 5] = [40, 100, 600, 1_000, 2_000];
/// Side from which on sweeps take so long that a run needs more time to come to those without their
/// residual.
const LARGE: usize = 1_000;

/// Period of the balancer in the runs that need many moves.
const PERIOD: Length = Length::from_micros(200);

/// The paper's parasite (Zarins & Weiland 2017, section 4.3).
const SLEEP: Length = Length::from_micros(200);
const WORK: u64 = 10_000;

/// Share from which on the machine is too busy to be measured: the share of the cores taken at
/// rest, or the scatter of a sweep's figures.
const BUSY: f64 = 0.05;

/// An error of the calibration.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// The largest run does not fit the memory.
    #[error(
        "--workers {workers}: the largest run takes {} of memory, but {} are available: lower --workers",
        ByteSize(*needed), ByteSize(*available)
    )]
    Memory {
        /// Number of workers asked for.
        workers: u32,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are available.
        available: u64,
    },
    /// The configuration is not valid, which never happens with those made here.
    #[error(transparent)]
    Config(#[from] RunConfigError),
    /// A run did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There are not two workers with cores of their own, so that nothing crosses between cores.
    #[error(
        "--workers {workers}: what happens between cores takes at least two workers, each with a core \
         of its own, of which there are {cores} here"
    )]
    Workers {
        /// Number of workers asked for.
        workers: u32,
        /// Number of allowed cores.
        cores: usize,
    },
    /// Somebody interrupts the round.
    #[error("interrupted")]
    Interrupted,
    /// The calibration was interrupted, or sweeps take forever.
    #[error(
        "nothing was measured: let it run to its end, on a machine that has nothing else to do"
    )]
    Unmeasured,
}

/// The plan of a calibration.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// This machine.
    pub machine: &'a Platform,
    /// Placement of the workers.
    pub placement: &'a Placement,
    /// Number of times that everything is measured.
    pub rounds: u32,
    /// Duration of each run.
    pub window: Duration,
    /// Flag that another thread sets to end the calibration early.
    pub interrupt: &'a AtomicBool,
}

/// The result of a calibration.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    figures: CalibrationFigures,
    rest: Rest,
}

impl Plan<'_> {
    /// Returns the number of all runs.
    pub const fn runs(&self) -> usize {
        RUNS * self.rounds as usize
    }

    /// Measures everything in a number of rounds; `next` is called before each run with its name.
    /// An interrupt ends the calibration early, with the figures measured so far.
    pub fn calibrate(
        &self,
        next: &mut dyn FnMut(&'static str),
    ) -> Result<Calibration, CalibrationError> {
        let mut done = Calibration::default();
        for _ in 0..self.rounds {
            if !self.add_round(&mut done, next)? {
                break;
            }
        }
        done.checked()
    }

    /// Measures everything once more; returns false, and adds nothing, where the round was
    /// interrupted.
    pub fn add_round(
        &self,
        done: &mut Calibration,
        next: &mut dyn FnMut(&'static str),
    ) -> Result<bool, CalibrationError> {
        let workers = self.placement.workers();
        if workers < 2 || self.placement.oversubscribed {
            let cores = self.machine.cores.len();
            return Err(CalibrationError::Workers { workers, cores });
        }
        let Self { machine, placement, interrupt, window, .. } = *self;
        let bench = Bench { machine, placement, mark: Stopwatch::cost(), interrupt };
        match (Round { bench: &bench, window, next }).measure(done) {
            Err(CalibrationError::Interrupted) => Ok(false),
            measured => measured.map(|()| true),
        }
    }
}

/// Number of runs in a round.
const RUNS: usize = 9 + SIDES.len();

/// One measurement of everything.
struct Round<'a, 'b> {
    bench: &'a Bench<'b>,
    window: Duration,
    next: &'a mut dyn FnMut(&'static str),
}

impl Round<'_, '_> {
    /// Makes one run for the round's length of time; `what` names it in the progress.
    fn run(&mut self, what: &'static str, setting: Setting) -> Result<Watched, CalibrationError> {
        self.run_for(self.window, what, setting)
    }

    /// Makes one run for a length of time; `what` names it in the progress.
    fn run_for(
        &mut self,
        window: Duration,
        what: &'static str,
        setting: Setting,
    ) -> Result<Watched, CalibrationError> {
        (self.next)(what);
        let watched = self.bench.watch(setting, window)?;
        if self.bench.is_interrupted() { Err(CalibrationError::Interrupted) } else { Ok(watched) }
    }

    /// Makes all runs of one round, and adds the costs that follow from their times.
    fn measure(mut self, done: &mut Calibration) -> Result<(), CalibrationError> {
        let plain = |(rows, columns): (usize, usize), split| Setting::plain(rows, columns, split);
        let whole = self.run("sweeps", plain(PART, 1))?;
        let parts = self.run("sweeps", plain(PART, 4))?;
        let many = self.run("sweeps", plain(PART, 8))?;
        let tall_whole = self.run("halos", plain(TALL, 1))?;
        let tall_parts = self.run("halos", plain(TALL, 4))?;
        let sync = self.run("barrier", Setting { mode: Mode::Sync, ..plain(PART, 1) })?;
        let balance = Balance::Joint(PERIOD);
        let moving = self.run("hand-overs", Setting { balance, ..plain(PART, 4) })?;
        let moving_many = self.run("balancing rounds", Setting { balance, ..plain(PART, 16) })?;
        let parasite = Some(Parasite::Loop { sleep: SLEEP, work: WORK });
        let noisy = self.run("a parasite", Setting { parasite, ..plain(PART, 1) })?;
        let mut sizes = Vec::new();
        for side in SIDES {
            let window = self.window * if side > LARGE { 2 } else { 1 };
            sizes.push(self.run_for(window, "sizes", Setting::plain(side, side, 4))?);
        }

        let Calibration { figures, rest } = done;
        let mark = self.bench.mark;
        sweep::base(&[&whole, &parts, &many], sizes.first(), figures);
        sizes.iter().chain([&parts]).for_each(|run| sweep::cell(run, figures));
        sweep::residual(&parts, figures);
        for run in [&whole, &parts, &many] {
            sweep::paces(run, figures);
        }
        halo::measure(
            &Cuts { whole: &tall_whole, parts: &tall_parts },
            &Cuts { whole: &whole, parts: &parts },
            figures,
        );
        let between = halo::whole_iteration(&whole).unwrap_or(0.0);
        barrier::measure(&sync, between, mark, figures);
        hand_over::measure(&moving, figures);
        round::measure(&moving, &moving_many, mark, figures);
        // Long bursts are rare: all runs whose sweeps take much the same time.
        figures.add(Figure::Rest, rest.add(&[&whole, &parts, &many, &tall_whole, &tall_parts]));
        parasite::measure(&noisy, (SLEEP.0, WORK), figures);
        Ok(())
    }
}

impl Calibration {
    /// Returns the calibration, unless it has too few figures to simulate anything.
    pub fn checked(self) -> Result<Self, CalibrationError> {
        let halo =
            [Figure::SocketHalo, Figure::NodeHalo].into_iter().find_map(|f| self.figures.of(f));
        if halo.is_some() { Ok(self) } else { Err(CalibrationError::Unmeasured) }
    }

    /// Returns every figure.
    pub const fn figures(&self) -> &CalibrationFigures {
        &self.figures
    }

    /// Returns a warning about other work on the machine, where that was too much for the figures
    /// to mean much.
    pub fn warning(&self) -> Option<String> {
        let share = self.rest.share();
        let scatter = self.scatter();
        (share > BUSY || scatter > BUSY).then(|| {
            format!(
                "this machine is busy: others took {:.1} % of its cores, and sweeps differ by {:.1} % \
                 from one time to the next; calibrate again when nothing else runs",
                share * 100.0,
                scatter * 100.0
            )
        })
    }

    /// Returns the distance of the quartiles of the usual sweep, as a share of its median.
    fn scatter(&self) -> f64 {
        let cells = (PART.0 * PART.1) as u64;
        let quartiles = self.figures.of(Figure::Cell(cells));
        quartiles.map_or(0.0, |found| (found.high - found.low) / found.median.max(1e-9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the warning where others take so many thousandths of the cores, and the usual sweeps
    /// cost so much a cell.
    fn warning(taken: u64, cells: [f64; 5]) -> Option<String> {
        let mut done = Calibration { rest: rest::tests::taken(taken), ..Calibration::default() };
        for cell in cells {
            done.figures.add(Figure::Cell(90_000), Some(cell));
        }
        done.warning()
    }

    #[test]
    fn a_busy_machine_is_warned_of() {
        let (steady, scattered) = ([1.0; 5], [0.9, 0.9, 1.0, 1.1, 1.1]);
        assert_eq!(warning(50, steady), None);
        let says = |taken, scatter| {
            Some(format!(
                "this machine is busy: others took {taken} % of its cores, and sweeps differ by {scatter} % \
                 from one time to the next; calibrate again when nothing else runs"
            ))
        };
        assert_eq!(warning(51, steady), says("5.1", "0.0"));
        assert_eq!(warning(0, scattered), says("0.0", "20.0"));
    }
}
