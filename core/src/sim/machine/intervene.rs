//! Intervening in a run that is under way.

use super::error::SimulationError;
use super::event::Watch;
use super::intervened::CoreThrottle;
use super::intervention::Intervention;
use super::memory::Actor;
use super::simulation::Simulation;
use crate::base::id::{NodeId, SocketId, WorkerId};
use crate::base::rng::Rng;
use crate::base::table::At;
use crate::base::time::Instant;
use crate::parts::{Graph, Part};
use crate::run::noise::NoisePlace;

/// The first of the streams of random numbers for interventions.
const STREAM: u64 = 1 << 43;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Lets every event happen that is due before a time, which is the machine's time afterwards;
    /// false once the run has ended. A driver that goes on like this waits for interventions that
    /// may yet release cores that stand still.
    pub fn advance(&mut self, until: Instant, watch: &mut impl Watch) -> bool {
        while self.state.end.is_none() {
            if self.next_at().is_none_or(|at| at >= until) {
                self.state.now = self.state.now.max(until);
                return true;
            }
            self.step(watch);
        }
        false
    }

    /// Refuses an intervention that this machine cannot make: at a place that is not there, without
    /// memory lent for interventions, or one that leaves a core no time.
    pub fn check_intervention(&self, intervention: &Intervention) -> Result<(), SimulationError> {
        let (config, hardware) = (self.config, self.hardware);
        let nodes = config.nodes.number;
        let is_there = match intervention.place {
            NoisePlace::Core(core) => core < nodes.saturating_mul(hardware.node_cores()),
            NoisePlace::Socket(SocketId(socket)) => socket < nodes.saturating_mul(hardware.sockets),
            NoisePlace::Node(NodeId(node)) => node < nodes,
        };
        if !is_there {
            return Err(SimulationError::NoPlaceToIntervene(*intervention));
        }
        if self.intervened.is_empty() {
            return Err(SimulationError::Memory);
        }
        let throttle =
            CoreThrottle::of(intervention.effect, hardware.costs.parasite(), Rng::new(0, 0));
        throttle.map(|_| ()).ok_or(SimulationError::NoTime)
    }

    /// Lets every event happen that is due before an intervention, and intervenes; an intervention
    /// whose time has passed is made now. Work under way ends when it would have, had the
    /// intervention been known.
    pub fn intervene(
        &mut self,
        intervention: &Intervention,
        watch: &mut impl Watch,
    ) -> Result<(), SimulationError> {
        self.check_intervention(intervention)?;
        if !self.advance(intervention.at, watch) {
            return Ok(());
        }
        let number = u64::from(self.state.interventions);
        self.state.interventions = self.state.interventions.saturating_add(1);
        for worker in (0..self.config.workers).map(WorkerId) {
            if !self.places.is_at(worker, intervention.place) {
                continue;
            }
            let stream = STREAM + (number << 24) + u64::from(self.places.core(worker));
            let rng = Rng::new(self.config.seed, stream);
            let throttle =
                CoreThrottle::of(intervention.effect, self.hardware.costs.parasite(), rng);
            let throttle = throttle.ok_or(SimulationError::NoTime)?;
            if let Some((was, is)) = self.intervened.at_mut(worker).change(self.state.now, throttle)
            {
                let actor = self.actors.number(Actor::Worker(worker));
                self.workers.queue.retime(actor, was, is.max(self.state.now));
            }
        }
        Ok(())
    }
}
