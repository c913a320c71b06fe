//! The run itself: the only module that knows the type of its cells.

use tresse_core::base::time::Instant;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::problem::Problem;
use tresse_core::field::stencil::{Portable, Real};
use tresse_core::run::{Precision, RunConfig};
use tresse_core::sim::machine::{Hardware, Intervention, SimulationError};
use tresse_core::sim::owned::{OwnedRun, Snapshot};

use super::activity_log::ActivityLog;
use super::frame::{Look, Scene};
use super::look::{self, Seen};
use super::track::Track;

/// Approximate number of sweeps between two looks at the clock.
const SWEEPS: u64 = 64;
/// Approximate time of a short sweep, in nanoseconds.
const SWEEP: u64 = 10_000;

/// A run with cells of either type.
pub enum Run {
    /// `f32`.
    Single(OwnedRun<'static, f32, Portable>),
    /// `f64`.
    Double(OwnedRun<'static, f64, Portable>),
}

/// A moment of a run to come back to.
pub enum Moment {
    /// A moment of a run with `f32`.
    Single(Snapshot<'static, f32>),
    /// A moment of a run with `f64`.
    Double(Snapshot<'static, f64>),
}

/// The notes of a run, which belong to a moment of it.
#[derive(Clone, Debug)]
pub struct Notes {
    /// Present waits, and moves.
    pub log: ActivityLog,
    /// History of the run.
    pub track: Track,
    /// Number of interventions that were made.
    pub made: usize,
    /// Time that the run has come to.
    pub now: Instant,
    /// Whether the run has come to its end.
    pub has_ended: bool,
}

/// Does the same with the run, whatever the type of its cells.
macro_rules! either {
    ($run:expr, $own:ident => $does:expr) => {
        match $run {
            Run::Single($own) => $does,
            Run::Double($own) => $does,
        }
    };
}

impl Run {
    /// Returns the run at its beginning.
    pub fn new(config: RunConfig, hardware: Hardware) -> Result<Self, SimulationError> {
        let problem = Problem::paper(config.grid);
        Ok(match config.precision {
            Precision::F32 => {
                Self::Single(OwnedRun::new(config, hardware, &[], &problem, Portable)?)
            }
            Precision::F64 => {
                Self::Double(OwnedRun::new(config, hardware, &[], &problem, Portable)?)
            }
        })
    }

    /// Returns the configuration.
    pub const fn config(&self) -> &RunConfig {
        either!(self, run => run.config())
    }

    /// Returns the machine that the run is on.
    pub const fn hardware(&self) -> &Hardware {
        either!(self, run => run.hardware())
    }

    /// Returns the cut of the grid.
    pub const fn decomposition(&self) -> &Decomposition {
        either!(self, run => run.decomposition())
    }

    /// Refuses interventions that are not possible on this machine.
    pub fn check(&mut self, interventions: &[Intervention]) -> Result<(), SimulationError> {
        let mut each = interventions.iter();
        either!(self, run => {
            run.with(|machine| each.try_for_each(|intervention| machine.check_intervention(intervention)))
        })?
    }

    /// Advances the run to a time, sampling the lines and intervening on the way. Returns whether
    /// the run came to that time, or `pause` stopped it before.
    pub fn advance(
        &mut self,
        until: Instant,
        (notes, interventions, lines): (&mut Notes, &[Intervention], &[u32]),
        pause: &mut dyn FnMut() -> bool,
    ) -> Result<bool, SimulationError> {
        let told = (notes, interventions, lines);
        either!(self, run => advance(run, until, told, pause))
    }

    /// Returns the present moment of the run.
    pub fn snapshot(&mut self) -> Result<Moment, SimulationError> {
        Ok(match self {
            Self::Single(run) => Moment::Single(run.snapshot()?),
            Self::Double(run) => Moment::Double(run.snapshot()?),
        })
    }

    /// Restores the run to one of its moments.
    pub fn restore(&mut self, moment: &Moment) {
        match (self, moment) {
            (Self::Single(run), Moment::Single(snapshot)) => run.restore(snapshot),
            (Self::Double(run), Moment::Double(snapshot)) => run.restore(snapshot),
            (Self::Single(_), Moment::Double(_)) | (Self::Double(_), Moment::Single(_)) => {}
        }
    }

    /// Returns the number of all sweeps.
    pub fn updates(&mut self) -> u64 {
        either!(self, run => run.with(|machine| machine.updates())).unwrap_or(0)
    }

    /// Returns the observed state of the run.
    pub fn see(&mut self, scene: &Scene, look: Look) -> Seen {
        either!(self, run => run.with(|machine| Seen::of(machine, scene, look))).unwrap_or_default()
    }

    /// Returns the value of a cell of a subdomain, by its row and column there.
    pub fn cell(&mut self, subdomain: usize, at: (usize, usize)) -> Option<f64> {
        either!(self, run => run.with(|machine| look::cell(machine, subdomain, at))).ok()?
    }

    /// Returns a text of everything that the run decides, which is the same on every platform.
    pub fn hash(&mut self) -> Option<String> {
        let decomposition = *self.decomposition();
        either!(self, run => run.with(|machine| look::hash(machine, &decomposition))).ok()
    }
}

/// Advances the machine until a time, takes the samples and makes the interventions that are due.
/// Returns `false` where `pause` asks to stop before.
fn advance<F: Real>(
    run: &mut OwnedRun<'static, F, Portable>,
    until: Instant,
    (notes, interventions, lines): (&mut Notes, &[Intervention], &[u32]),
    pause: &mut dyn FnMut() -> bool,
) -> Result<bool, SimulationError> {
    let slice = (SWEEPS * SWEEP / u64::from(run.config().workers)).max(1_000);
    run.with(|machine| {
        loop {
            let now = notes.now;
            if now.0 >= notes.track.due() {
                notes.track.add(look::sample(machine, lines));
            }
            while let Some(next) = interventions.get(notes.made).filter(|next| next.at <= now) {
                machine.intervene(next, &mut notes.log)?;
                notes.made += 1;
            }
            if now >= until || notes.has_ended {
                return Ok(true);
            }
            let next = interventions.get(notes.made).map_or(Instant::NEVER, |next| next.at);
            let due = Instant(notes.track.due().min(now.0.saturating_add(slice)));
            notes.has_ended = !machine.advance(until.min(next).min(due), &mut notes.log);
            notes.now = machine.now();
            if pause() {
                return Ok(false);
            }
        }
    })?
}
