//! An iteration of one's own: the parts of a graph, and where they are iterated.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use tresse_console::terminal;
use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Duration;
use tresse_core::parts::{Graph, Part};
use tresse_core::run::RunConfig;
use tresse_core::sim::machine::SimulationError;
use tresse_draw::history::HistorySample;
use tresse_files::machine_files::VirtualMachine;
use tresse_platform::{Placement, Platform};

use crate::checkpoints::{Checkpoints, Plan};
use crate::files::checkpoint::{Checkpoint, CheckpointError, Folder, ProblemHash};
use crate::files::output::{Inputs, OutputError, Outputs};
use crate::files::recording::{
    PartsHead, Recorder, ReplayedParts, graph_hash, open_parts, parts_hash,
};
use crate::simulation::{self, VirtualIteration};
use crate::solution::RunRecord;
use crate::threads::{self, EngineError, Iteration, Observers};

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
    saved: Saved<'a>,
    recorded: Option<&'a Path>,
}

/// The folders of a run's checkpoints.
#[derive(Clone, Copy, Debug)]
pub struct Saved<'a> {
    /// Folder that all parts are saved in, and the time between two checkpoints.
    pub into: Option<(&'a Path, Duration)>,
    /// Flag that is set to ask for a checkpoint now.
    pub request: &'a AtomicBool,
    /// Checkpoint to go on from, or the folder of several.
    pub from: Option<&'a Path>,
}

/// What a run has left.
#[derive(Debug)]
pub struct Iterated<T> {
    /// How it ended, and its figures.
    pub record: RunRecord,
    /// The parts, in the order of their numbers.
    pub parts: Vec<T>,
    /// Why there is no recording, where one was asked for and could not be written.
    pub unrecorded: Option<OutputError>,
}

impl<'a, G, M> Run<'a, G, M> {
    /// Returns the run of a graph whose parts `make` returns as the run begins with them. It may be
    /// asked for a part more than once: copies are what workers help each other with.
    pub const fn new(config: RunConfig, graph: &'a G, make: M) -> Self {
        Self {
            config,
            graph,
            make,
            placement: None,
            interrupt: &NEVER,
            saved: Saved { into: None, request: &NEVER, from: None },
            recorded: None,
        }
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

    /// Saves all parts in a folder whenever this time has passed, as they are packed; the last two
    /// checkpoints are kept. On threads and on ranks; nothing is saved in virtual time.
    #[must_use]
    pub const fn saved_in(mut self, folder: &'a Path, every: Duration) -> Self {
        self.saved.into = Some((folder, every));
        self
    }

    /// Saves all parts as well once somebody sets a flag, which is then taken back. They go to the
    /// folder of [`Run::saved_in`].
    #[must_use]
    pub const fn saved_on(mut self, request: &'a AtomicBool) -> Self {
        self.saved.request = request;
        self
    }

    /// Goes on from a checkpoint, or from the newest in a folder, with parts on the same graph, on
    /// any number of threads or ranks.
    #[must_use]
    pub const fn resumed_from(mut self, folder: &'a Path) -> Self {
        self.saved.from = Some(folder);
        self
    }

    /// Records the schedule in a file, for [`Run::replay`]: which worker swept what, with which
    /// halos. On threads and on ranks; nothing is recorded in virtual time.
    #[must_use]
    pub const fn recorded_in(mut self, file: &'a Path) -> Self {
        self.recorded = Some(file);
        self
    }

    /// Returns the file that is to be recorded.
    pub const fn recorded(&self) -> Option<&'a Path> {
        self.recorded
    }

    /// Returns the folders of the checkpoints.
    pub const fn saved(&self) -> Saved<'a> {
        self.saved
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
        let Self { config, graph, interrupt, saved, .. } = self;
        let problem = ProblemHash::of_graph(*graph);
        let resumed = saved.from.map(|path| open(path, &problem)).transpose()?;
        let resumed = resumed.as_ref();
        let folder = saved.into.map(|(path, _)| Folder::prepare(path, resumed)).transpose()?;
        let plan = saved.plan(folder, config, problem, resumed);
        let checkpoints = Checkpoints { plan, resumed };
        let iteration = Iteration { config, graph: *graph, placement, interrupt };
        let make = &self.make;
        let Some(path) = self.recorded else {
            let nobody = Observers::of_workers(vec![(); config.workers as usize]);
            let (record, parts) = threads::iterate(&iteration, checkpoints, nobody, make, watch)?;
            return Ok(Iterated { record, parts, unrecorded: None });
        };
        let (observers, unfinished) = self.recorder(path, placement.cores())?.into_parts();
        match threads::iterate(&iteration, checkpoints, observers, make, watch) {
            Ok((record, mut parts)) => {
                let finished = unfinished.finish(parts_hash(*graph, &mut parts), record.end);
                let unrecorded = finished.err();
                if let Some(error) = &unrecorded {
                    terminal::tell(&format!("warning: {error}"));
                }
                Ok(Iterated { record, parts, unrecorded })
            }
            Err(error) => {
                unfinished.abandon();
                Err(error)
            }
        }
    }

    /// Starts a recording of workers on these cores.
    fn recorder<const N: usize>(
        &self,
        path: &Path,
        cores: Vec<u32>,
    ) -> Result<Recorder, EngineError>
    where
        G: Graph<N>,
    {
        if self.saved.from.is_some() {
            return Err(EngineError::RecordOfResumed);
        }
        let file = Outputs::new(Inputs::default()).file("--record", path)?;
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let graph = Some(graph_hash(self.graph));
        let head = PartsHead { program, config: self.config.clone(), links: N, graph, cores };
        Ok(Recorder::start_parts(head, file)?)
    }

    /// Makes a run that [`Run::recorded_in`] has recorded once more, on one thread, to the bit, and
    /// says whether it came to the same. The graph and the parts are those of that run.
    pub fn replay<T, const N: usize>(&self, file: &Path) -> Result<ReplayedParts<T>, EngineError>
    where
        T: Part,
        G: Graph<N>,
        M: Fn(SubdomainId) -> T,
    {
        let of = |error| EngineError::Recording { path: file.to_owned(), error };
        let available = Platform::detect()?.available_memory;
        let mut recording = open_parts(file).map_err(of)?;
        let parts = (0..self.graph.parts()).map(SubdomainId).map(&self.make).collect();
        recording.replay(self.graph, parts, available).map_err(of)
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
        if self.saved.into.is_some() || self.saved.from.is_some() || self.recorded.is_some() {
            terminal::tell("warning: virtual time begins anew: nothing is saved or recorded there");
        }
        let Self { config, graph, interrupt, .. } = self;
        let (hardware, traces) = (&machine.hardware, &*machine.traces);
        let iteration = VirtualIteration { config, graph: *graph, hardware, traces, interrupt };
        let mut parts: Vec<_> = (0..graph.parts()).map(SubdomainId).map(&self.make).collect();
        let record = simulation::iterate(&iteration, &mut parts, watch, &mut ())?;
        Ok(Iterated { record, parts, unrecorded: None })
    }
}

impl<'a> Saved<'a> {
    /// Returns the plan of the checkpoints, if parts are saved; the first process has the `folder`.
    pub fn plan(
        self,
        folder: Option<Folder>,
        config: &'a RunConfig,
        problem: ProblemHash,
        resumed: Option<&'a Checkpoint>,
    ) -> Option<Plan<'a>> {
        let plan = |(path, every)| Plan {
            path,
            every,
            folder,
            request: self.request,
            config,
            problem,
            resumed,
        };
        self.into.map(plan)
    }
}

/// Opens the checkpoint to go on from, and says which it is where it is not the newest.
fn open(path: &Path, problem: &ProblemHash) -> Result<Checkpoint, CheckpointError> {
    let opened = Checkpoint::open(path)?;
    if let Some(warning) = &opened.warning {
        terminal::tell(&format!("warning: {warning}"));
    }
    opened.checkpoint.check_graph(problem)?;
    Ok(opened.checkpoint)
}
