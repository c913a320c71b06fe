//! A run that nobody drives: its state besides the memory that it was lent.

use core::cell::Cell;

use super::memory::SimulationNeeds;
use super::moment::Moment;
use crate::base::time::Instant;
use crate::node::worker::{Control, Detection, Halts, Residuals};
use crate::run::progress::Staleness;
use crate::run::{End, Mode, RunConfig};
use crate::sim::queue::QueueState;

/// A [`Simulation`](super::Simulation) that has given its memory back, from which it goes on
/// ([`Simulation::resume`](super::Simulation::resume)): so a host that must return between two
/// frames keeps a run, and a copy of this, of the memory and of the parts is a moment of the run to
/// come back to.
#[derive(Clone, Debug)]
pub struct Suspended {
    pub(super) queue: QueueState,
    pub(super) state: State,
}

/// State of a run besides the memory that it is lent.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub needs: SimulationNeeds,
    pub now: Instant,
    /// Commands at the present time.
    pub moment: Moment,
    pub control: Control<Cell<u64>>,
    /// Halts of all nodes: their workers go through the same passes, so that all have made the
    /// same.
    pub halts: Halts<Cell<u64>>,
    pub detection: Detection,
    /// Residuals of versions, in the exact mode.
    pub versions: Option<Residuals<Cell<u64>>>,
    /// Sum of squares of the residual before the first sweep.
    pub initial: f64,
    /// Sum of squares on the last consistent state.
    pub verified: f64,
    /// Sweeps so far.
    pub updates: u64,
    /// Sweeps of subdomains at home with another worker.
    pub away: u64,
    /// Sweeps that another worker was stuck in.
    pub helped: u64,
    /// Whether somebody looks after what is stuck while workers wait.
    pub patrols: bool,
    /// Number of sweeps when somebody last did, and the looks since then.
    pub patrolled: (u64, u32),
    pub staleness: Staleness,
    /// Subdomains that have arrived on another node.
    pub transfers: u64,
    /// Interventions so far.
    pub interventions: u32,
    /// Workers at the barrier.
    pub arrived: u32,
    /// Whether the clock has started.
    pub has_begun: bool,
    /// Whether the run was asked to end.
    pub interrupted: bool,
    pub end: Option<End>,
}

impl State {
    /// Returns the state of a run that has not started.
    pub fn at_start(config: &RunConfig, diameter: u64, needs: SimulationNeeds) -> Self {
        Self {
            needs,
            now: Instant::ZERO,
            moment: Moment::default(),
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
