//! An iteration of one's own: the parts of a graph, and where they are iterated.

use std::sync::atomic::AtomicBool;

use tresse_core::base::id::SubdomainId;
use tresse_core::parts::{Graph, Part};
use tresse_core::run::RunConfig;
use tresse_core::sim::machine::SimulationError;
use tresse_draw::history::HistorySample;
use tresse_files::machine_files::VirtualMachine;
use tresse_platform::Placement;

use crate::simulation::{self, VirtualIteration};
use crate::solution::RunRecord;
use crate::threads::{self, EngineError, Iteration};

/// A run that is never interrupted.
static NEVER: AtomicBool = AtomicBool::new(false);

/// A run of parts of one's own, on threads or in virtual time.
///
/// Of its configuration the grid, the imbalance and the precision are the stencil's, and say
/// nothing here; [`RunConfig::workers`] times [`RunConfig::split`] are the parts of the graph.
#[derive(Clone, Debug)]
pub struct Run<'a, G, M> {
    config: RunConfig,
    graph: &'a G,
    make: M,
    placement: Option<&'a Placement>,
    interrupt: &'a AtomicBool,
}

/// What a run has left.
#[derive(Debug)]
pub struct Iterated<T> {
    /// How it ended, and its figures.
    pub record: RunRecord,
    /// The parts, in the order of their numbers.
    pub parts: Vec<T>,
}

impl<'a, G, M> Run<'a, G, M> {
    /// Returns the run of a graph whose parts `make` returns as the run begins with them. It may be
    /// asked for a part more than once: copies are what workers help each other with.
    pub const fn new(config: RunConfig, graph: &'a G, make: M) -> Self {
        Self { config, graph, make, placement: None, interrupt: &NEVER }
    }

    /// Places the workers, which by default are on the first physical cores of this process.
    #[must_use]
    pub const fn placed(mut self, placement: &'a Placement) -> Self {
        self.placement = Some(placement);
        self
    }

    /// Ends the run early once somebody sets a flag.
    #[must_use]
    pub const fn interrupted_by(mut self, interrupt: &'a AtomicBool) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Returns the configuration.
    pub const fn config(&self) -> &RunConfig {
        &self.config
    }

    /// Returns the graph of the parts.
    pub const fn graph(&self) -> &'a G {
        self.graph
    }

    /// Returns the function that makes parts.
    pub const fn make(&self) -> &M {
        &self.make
    }

    /// Returns the placement that was asked for.
    pub const fn placement(&self) -> Option<&'a Placement> {
        self.placement
    }

    /// Returns the flag that ends the run early.
    pub const fn interrupt(&self) -> &'a AtomicBool {
        self.interrupt
    }

    /// Iterates on pinned threads until the run has ended; an error comes before anything is
    /// updated.
    pub fn on_threads<T, const N: usize>(&self) -> Result<Iterated<T>, EngineError>
    where
        T: Part,
        G: Graph<N> + Sync,
        M: Fn(SubdomainId) -> T,
    {
        self.watched_on_threads(&mut |_| {})
    }

    /// Iterates as [`Run::on_threads`]; `watch` sees samples while the run goes.
    pub fn watched_on_threads<T, const N: usize>(
        &self,
        watch: &mut dyn FnMut(&HistorySample),
    ) -> Result<Iterated<T>, EngineError>
    where
        T: Part,
        G: Graph<N> + Sync,
        M: Fn(SubdomainId) -> T,
    {
        let here;
        let placement = if let Some(placement) = self.placement {
            placement
        } else {
            here = Placement::here(self.config.workers)?;
            &here
        };
        let Self { config, graph, interrupt, .. } = self;
        let iteration = Iteration { config, graph: *graph, placement, interrupt };
        let (record, parts) = threads::iterate(&iteration, &self.make, watch)?;
        Ok(Iterated { record, parts })
    }

    /// Iterates in virtual time until the run has ended; an error comes before anything is updated.
    pub fn in_virtual_time<T, const N: usize>(
        &self,
        machine: &VirtualMachine,
    ) -> Result<Iterated<T>, SimulationError>
    where
        T: Part,
        G: Graph<N>,
        M: Fn(SubdomainId) -> T,
    {
        self.watched_in_virtual_time(machine, &mut |_| {})
    }

    /// Iterates as [`Run::in_virtual_time`]; `watch` sees samples while the run goes.
    pub fn watched_in_virtual_time<T, const N: usize>(
        &self,
        machine: &VirtualMachine,
        watch: &mut dyn FnMut(&HistorySample),
    ) -> Result<Iterated<T>, SimulationError>
    where
        T: Part,
        G: Graph<N>,
        M: Fn(SubdomainId) -> T,
    {
        let Self { config, graph, interrupt, .. } = self;
        let (hardware, traces) = (&machine.hardware, &*machine.traces);
        let iteration = VirtualIteration { config, graph: *graph, hardware, traces, interrupt };
        let mut parts: Vec<_> = (0..graph.parts()).map(SubdomainId).map(&self.make).collect();
        let record = simulation::iterate(&iteration, &mut parts, watch, &mut ())?;
        Ok(Iterated { record, parts })
    }
}
