//! A run that nobody drives: its state besides the memory that it was lent.

use core::cell::Cell;

use super::memory::SimulationNeeds;
use crate::progress::Staleness;
use crate::run::{End, Mode, RunConfig};
use crate::sim::queue::QueueState;
use crate::time::Instant;
use crate::worker::{Control, Detection, Halts, Residuals};

/// State of a [`Simulation`](super::Simulation) that has given its memory back, from which it goes on
/// ([`Simulation::resume`](super::Simulation::resume)): so a host that must return between two frames keeps a run, and a copy
/// of this, of the memory and of the parts is a moment of the run to come back to.
#[derive(Clone, Debug)]
pub struct Suspended {
    pub(super) needs: SimulationNeeds,
    pub(super) now: Instant,
    pub(super) queue: QueueState,
    pub(super) control: Control<Cell<u64>>,
    pub(super) halts: Halts<Cell<u64>>,
    pub(super) detection: Detection,
    pub(super) versions: Option<Residuals<Cell<u64>>>,
    pub(super) initial: f64,
    pub(super) verified: f64,
    pub(super) updates: u64,
    pub(super) away: u64,
    pub(super) helped: u64,
    pub(super) patrols: bool,
    pub(super) patrolled: (u64, u32),
    pub(super) staleness: Staleness,
    pub(super) transfers: u64,
    pub(super) interventions: u32,
    pub(super) arrived: u32,
    pub(super) has_begun: bool,
    pub(super) interrupted: bool,
    pub(super) end: Option<End>,
}

impl Suspended {
    /// Returns a run that has not started.
    pub(super) fn at_start(
        config: &RunConfig,
        diameter: u64,
        needs: SimulationNeeds,
        queue: QueueState,
    ) -> Self {
        Self {
            needs,
            now: Instant::ZERO,
            queue,
            control: Control::new(config, config.subdomains()),
            halts: Halts::new(config.mode),
            detection: Detection::new(config),
            versions: (config.mode == Mode::Exact).then(|| Residuals::new(diameter)),
            initial: 0.0,
            verified: 0.0,
            updates: 0,
            away: 0,
            helped: 0,
            patrols: false,
            patrolled: (0, 0),
            staleness: Staleness::default(),
            transfers: 0,
            interventions: 0,
            arrived: 0,
            has_begun: false,
            interrupted: false,
            end: None,
        }
    }
}
