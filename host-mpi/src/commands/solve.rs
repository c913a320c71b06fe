//! `tresse-mpi solve`: one run on all ranks.

use std::{fmt, io};

use tresse::args::{FrontError, Home, Resolved, describe, resolve_on_ranks};
use tresse::checkpoint::{Checkpoint, CheckpointError, Folder, ProblemHash};
use tresse::commands::solve as one;
use tresse::commands::{CommandError, interrupt, printed, warn};
use tresse::exit::{Exit, Failure};
use tresse::machine::{Machine, Placement};
use tresse::report::history::Sample;
use tresse::report::output::OutputDir;
use tresse::stored_cell::StoredCell;
use tresse::threads::Record;
use tresse_core::id::NodeId;
use tresse_core::noise::Noise;
use tresse_core::run::{Mode, Precision, RunConfig};
use tresse_core::shared::SharedReal;

use crate::agreement::{Refused, agree, together};
use crate::args::{HaloChoice, ProgressChoice, ReachChoices, SolveRanksArgs};
use crate::bands::Band;
use crate::binding::Binding;
use crate::commands::output::Fields;
use crate::node::{self, NodeError, NodeJob, Solved};
use crate::probe::Passive;
use crate::ranks::Entering;
use crate::report::{RankReport, RanksReport};
use crate::saving::Plan;
use crate::window::Word;
use crate::{Entry, noise, signals};

use super::resume;

/// Why ranks do not solve.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// What one process would refuse as well.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// For one process only.
    #[error("{0}: this is for one process: use `tresse solve`")]
    OneProcess(&'static str),
    /// A place that no rank has.
    #[error(
        "--noise {0}: no rank has that place; `tresse-mpi` prints the cores of all when it starts"
    )]
    Nowhere(Noise),
    /// A checkpoint that cannot be gone on from.
    #[error(transparent)]
    Checkpoint(CheckpointError),
    /// Nothing is left to do.
    #[error(
        "--iterations {asked}: the checkpoint of --resume has made {made} already; ask for more"
    )]
    Made {
        /// Iterations asked for.
        asked: u64,
        /// Those that are made.
        made: u64,
    },
    /// Nothing to compare.
    #[error(
        "--node-balance none: `compare` sets runs with a balancer between ranks beside runs without; \
         name one, such as dplb:0.5,10"
    )]
    Unbalanced,
    /// Signals cannot be waited for.
    #[error("SIGUSR1 cannot be waited for: {0}")]
    Signal(io::Error),
    /// The run itself.
    #[error(transparent)]
    Node(#[from] NodeError),
}

impl Failure for SolveError {
    fn exit(&self) -> Exit {
        match self {
            Self::Command(error) => error.exit(),
            Self::OneProcess(_)
            | Self::Nowhere(_)
            | Self::Unbalanced
            | Self::Made { .. }
            | Self::Checkpoint(_)
            | Self::Node(NodeError::Checkpoint(_)) => Exit::BadInput,
            Self::Node(_) | Self::Signal(_) => Exit::NotReached,
        }
    }
}

macro_rules! from_command {
    ($($error:ty),*) => {$(
        impl From<$error> for SolveError {
            fn from(error: $error) -> Self {
                Self::Command(error.into())
            }
        }
    )*};
}
from_command!(FrontError, tresse::machine::MachineError, tresse::report::output::OutputError);

/// One rank with everything that a run needs.
pub(super) struct Ready {
    pub(super) machine: Machine,
    pub(super) binding: Binding,
    pub(super) resolved: Resolved,
    pub(super) placement: Placement,
    /// The run as this rank sees it: with its own noise only, and without the iterations that an
    /// earlier run has made.
    own: RunConfig,
    resumed: Option<Checkpoint>,
    problem: ProblemHash,
}

/// A run that all ranks have made.
pub(super) struct Measured<F> {
    /// On the first rank that of the whole run.
    pub(super) record: Record,
    /// Every rank's figures, on the first one.
    pub(super) per_rank: Option<Vec<RankReport>>,
    /// This rank's band of the field.
    pub(super) band: Band<F>,
}

/// Solves on all ranks. Collective.
pub fn run(entry: &mut Entry, args: &SolveRanksArgs) -> Result<Exit, Refused> {
    let agreed = agree(entry, "the command line", args);
    together(entry, agreed)?;
    let ready = prepare(entry, args)?;
    let out = ready.resolved.out.as_deref().map(OutputDir::prepare).transpose();
    let out = together(entry, out.map_err(SolveError::from))?;
    let reach = Reach::find(entry, args.reach)?;
    let announced =
        if entry.rank() == NodeId(0) { announce(entry, &ready, &reach) } else { Ok(()) };
    together(entry, announced)?;
    match ready.resolved.config.precision {
        Precision::F32 => solve::<f32>(entry, args, &ready, reach, out.as_ref()),
        Precision::F64 => solve::<f64>(entry, args, &ready, reach, out.as_ref()),
    }
}

/// How ranks reach each other, as it was asked for and measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    entering: Entering,
    only_gets: bool,
    passive: Passive,
}

impl Reach {
    /// Collective.
    pub(super) fn find(entry: &mut Entry, choices: ReachChoices) -> Result<Self, Refused> {
        let only_gets = choices.halo == Some(HaloChoice::Get);
        let measured = Passive::measure(entry, only_gets);
        let passive = together(entry, measured.map_err(|error| SolveError::Node(error.into())))?;
        let entering = match choices.progress {
            None | Some(ProgressChoice::Poll) => Entering::Workers,
            Some(ProgressChoice::Thread) => Entering::Watcher,
            Some(ProgressChoice::None) => Entering::Nobody,
        };
        Ok(Self { entering, only_gets, passive })
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.passive.fmt(f)?;
        match self.entering {
            _ if self.passive.median.is_none() => Ok(()),
            Entering::Workers => f.write_str("; workers look after gets after every sweep"),
            Entering::Watcher => f.write_str("; a thread looks after gets"),
            Entering::Nobody => f.write_str("; nobody looks after gets but the balancers"),
        }
    }
}

/// Everything that can be refused before anything big is allocated.
pub(super) fn prepare(entry: &mut Entry, args: &SolveRanksArgs) -> Result<Ready, Refused> {
    let machine = together(entry, Machine::detect().map_err(SolveError::from))?;
    let binding = Binding::find(entry, &machine);
    let from = args.checkpoints.resume.as_deref();
    let resumed = from.map(|path| resume::open(entry, path)).transpose()?;
    let mut args = args.clone();
    if let Some(checkpoint) = &resumed {
        resume::complete(&mut args.solve, checkpoint);
    }
    let resolved = resolve(entry, &args, &machine, &binding);
    let resolved = together(entry, resolved)?;
    let agreed = agree(entry, "the configuration", &resolved.config);
    together(entry, agreed)?;
    let problem = ProblemHash::of(&resolved.problem);
    let agreed = agree(entry, "the problem", &problem);
    together(entry, agreed)?;
    let placed = place(entry, &machine, &binding, &resolved);
    let placement = together(entry, placed)?;
    let mut own = own_config(entry, &resolved.config, &placement)?;
    let fits = resumed.as_ref().map_or(Ok(()), |checkpoint| {
        checkpoint.check(&resolved.config, &problem)?;
        resume::reduce(&mut own, checkpoint)
    });
    together(entry, fits)?;
    let checked = own.noise.iter().try_for_each(|noise| placement.noisy_cores(noise).map(drop));
    together(entry, checked.map_err(SolveError::from))?;
    Ok(Ready { machine, binding, resolved, placement, own, resumed, problem })
}

fn resolve(
    entry: &Entry,
    args: &SolveRanksArgs,
    machine: &Machine,
    binding: &Binding,
) -> Result<Resolved, SolveError> {
    if args.solve.record.is_some() {
        return Err(SolveError::OneProcess("--record"));
    }
    let cores: Vec<u32> = machine.cores.iter().map(|core| core.id).collect();
    let sockets = machine.cores.iter().map(|core| core.socket.0 + 1).max().unwrap_or(1);
    let home = Home {
        ranks: entry.ranks(),
        cores_per_rank: binding.least(),
        available: machine.available_memory / u64::from(entry.node_ranks().max(1)),
        cores: &cores,
        sockets,
    };
    let resolved = resolve_on_ranks(&args.solve, &args.nodes, home)?;
    if resolved.config.mode == Mode::Rayon {
        return Err(SolveError::OneProcess("--mode rayon"));
    }
    Ok(resolved)
}

/// The seats of this rank's workers.
fn place(
    entry: &Entry,
    machine: &Machine,
    binding: &Binding,
    resolved: &Resolved,
) -> Result<Placement, SolveError> {
    let mut own = machine.clone();
    let cores = binding.cores.get(entry.rank().index());
    own.cores.retain(|core| cores.is_some_and(|cores| cores.contains(&core.id)));
    let workers = resolved.config.workers_per_node();
    let mut placement = Placement::plan(&own, Some(workers), resolved.topology)?;
    let together = entry.nodes().with(entry.rank());
    placement.oversubscribed |= binding.is_shared(entry.rank(), together);
    Ok(placement)
}

/// The run as this rank sees it; refused where a source of noise is on no rank.
fn own_config(
    entry: &mut Entry,
    config: &RunConfig,
    placement: &Placement,
) -> Result<RunConfig, Refused> {
    let (rank, mut own) = (entry.rank(), config.clone());
    own.noise.clear();
    for source in &config.noise {
        let concerned = noise::concerns(source, rank, placement);
        // Ranks that share a core do not both make noise on it.
        let first = entry.all_gather_u64(u64::from(concerned));
        let has = |rank: &NodeId| first.get(rank.index()) == Some(&1);
        let is_first = entry.nodes().with(rank).find(has) == Some(rank);
        let is_node = noise::on_rank(source, rank).as_ref() != Some(source);
        let found = if first.contains(&1) { Ok(()) } else { Err(SolveError::Nowhere(*source)) };
        together(entry, found)?;
        if concerned
            && (is_first || is_node)
            && let Some(source) = noise::on_rank(source, rank)
        {
            // There is room for all of them.
            let _ = own.noise.push(source);
        }
    }
    Ok(own)
}

/// The configuration, and where ranks are.
fn announce(entry: &Entry, ready: &Ready, reach: &Reach) -> Result<(), SolveError> {
    let Ready { resolved, binding, .. } = ready;
    let map = super::map::describe(entry, binding, &resolved.config);
    let text = format!("{}\n{map}\nreach    {reach}", describe(&resolved.config));
    Ok(one::announce(resolved, ready.warning(entry).as_deref(), &text)?)
}

impl Ready {
    /// What is to be said of the cores before the first run.
    pub(super) fn warning(&self, entry: &Entry) -> Option<String> {
        let shared = (0..entry.ranks())
            .map(NodeId)
            .any(|rank| self.binding.is_shared(rank, entry.nodes().with(rank)));
        if shared {
            let text = "ranks share cores: rates are not those of as many cores; start fewer";
            return Some(text.to_owned());
        }
        self.placement.warning()
    }

    /// Makes the run; `watch` sees samples of all of it on the first rank. Collective.
    pub(super) fn measure<F>(
        &self,
        entry: &mut Entry,
        reach: Reach,
        plan: Option<Plan<'_>>,
        watch: &mut dyn FnMut(&Sample),
    ) -> Result<Measured<F>, Refused>
    where
        F: SharedReal<Shared: Word> + StoredCell,
    {
        let job = NodeJob {
            config: &self.own,
            problem: &self.resolved.problem,
            placement: &self.placement,
            interrupt: interrupt::flag(),
            entering: reach.entering,
            only_gets: reach.only_gets,
            plan,
            resumed: self.resumed.as_ref(),
        };
        let solved = node::solve::<F>(entry, job, watch).map_err(SolveError::from);
        let Solved { mut record, counted, band } = together(entry, solved)?;
        let cores = self.placement.seats.iter().map(|seat| seat.core).collect();
        let sources = &self.resolved.config.noise;
        let cpu = self.machine.report().cpu;
        let figures = RankReport::new(entry.rank(), (cpu, cores), &record, counted, sources);
        let per_rank = figures.gather(entry);
        if let Some(all) = &per_rank {
            RankReport::complete(all, &mut record, sources);
        }
        Ok(Measured { record, per_rank, band })
    }
}

fn solve<F>(
    entry: &mut Entry,
    args: &SolveRanksArgs,
    ready: &Ready,
    reach: Reach,
    out: Option<&OutputDir>,
) -> Result<Exit, Refused>
where
    F: SharedReal<Shared: Word> + StoredCell,
{
    let Ready { machine, resolved, placement, .. } = ready;
    let plan = plan(entry, args, ready)?;
    let measured = if entry.rank() == NodeId(0) {
        one::watched(resolved, true, |watch| ready.measure::<F>(entry, reach, plan, watch))
    } else {
        ready.measure::<F>(entry, reach, plan, &mut |_| {})
    };
    let Measured { record, per_rank, band } = measured?;
    let stored =
        out.map_or(Ok(()), |out| Fields { out, config: &resolved.config }.store(entry, &band));
    let concluded = per_rank.map_or(Ok(Exit::Done), |all| {
        let report = record.report(&resolved.config, placement.socket_count(), machine.report());
        conclude(resolved, out, &record, &RanksReport::new(&report, entry.library(), &all))
    });
    stored?;
    let exit = together(entry, concluded)?;
    Ok(as_first(entry, exit))
}

/// The exit status of the first rank, which has seen everything. Collective.
pub(super) fn as_first(entry: &mut Entry, own: Exit) -> Exit {
    let mut bytes = vec![own as u8];
    entry.broadcast(&mut bytes);
    crate::agreement::decode(bytes.first().copied().unwrap_or(0))
}

/// What is saved, if that is asked for. Collective.
fn plan<'a>(
    entry: &mut Entry,
    args: &'a SolveRanksArgs,
    ready: &'a Ready,
) -> Result<Option<Plan<'a>>, Refused> {
    let Some(path) = args.checkpoints.checkpoint.as_deref() else { return Ok(None) };
    let prepared = (entry.rank() == NodeId(0))
        .then(|| Folder::prepare(path, ready.resumed.as_ref()))
        .transpose();
    let folder = together(entry, prepared.map_err(SolveError::from))?;
    let request = together(entry, signals::request().map_err(SolveError::Signal))?;
    let before = ready.resumed.as_ref().map(|checkpoint| checkpoint.manifest().state.elapsed);
    Ok(Some(Plan {
        path,
        every: args.checkpoints.every(),
        folder,
        request,
        config: &ready.resolved.config,
        problem: ready.problem,
        elapsed: before.unwrap_or_default(),
    }))
}

/// Prints and stores what there is besides the field; on the first rank.
fn conclude(
    resolved: &Resolved,
    out: Option<&OutputDir>,
    record: &Record,
    report: &RanksReport<'_>,
) -> Result<Exit, SolveError> {
    for rank in report.per_rank {
        for core in &rank.unpinned {
            let rank = rank.rank;
            warn(&format!("a worker of rank {rank} could not be pinned to core {core}"));
        }
    }
    let shown = one::show(resolved, record, report.report, report);
    if let Some(out) = out {
        one::files::store(out, record, report.report, report)?;
    }
    shown?;
    if !resolved.json && !resolved.quiet {
        printed(|to| super::map::summary(report, to))?;
        if let Some(out) = out {
            let names = super::output::NAMES;
            printed(|to| writeln!(to, "written     {}: {names}", out.path().display()))?;
        }
    }
    Ok(one::exit(record, report.report))
}
