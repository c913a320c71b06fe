//! Prepares a run on all ranks, with everything that can be refused.

use std::collections::BTreeSet;

use tresse::commands::args::{Home, Resolved, resolve_on_ranks};
use tresse::commands::{CommandError, RunError, solve as one};
use tresse::engine::solvers::{Method, Solver};
use tresse::engine::threads::{Job, RunRecord};
use tresse::files::checkpoint::{Checkpoint, ProblemHash};
use tresse::interrupt;
use tresse::platform::{Placement, Platform};
use tresse::report::RunReport;
use tresse::report::output::Inputs;
use tresse_core::base::id::RankId;
use tresse_core::run::{MachineReport, RunConfig};

use super::error::SolveError;
use crate::commands::args::SolveRanksArgs;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, agree, together};
use crate::mpi::binding::Binding;
use crate::rank::{noise, open};

/// A rank that has everything that a run needs.
pub(super) struct Ready {
    pub(super) machine: Platform,
    pub(super) binding: Binding,
    pub(super) resolved: Resolved,
    pub(super) placement: Placement,
    /// The run as this rank sees it: with its own noise only.
    pub(super) own: RunConfig,
    pub(super) resumed: Option<Checkpoint>,
    pub(super) problem: ProblemHash,
    /// The problem in a few words.
    pub(super) about: String,
    /// Number of different sockets with workers of some rank; on the first rank.
    sockets: u32,
    /// Number of different cores that some rank may use.
    cores: u32,
}

impl Ready {
    /// Returns the machine of all ranks together; the processor is the first one's.
    pub(super) fn machine_report(&self) -> MachineReport<'_> {
        MachineReport { cores: self.cores, ..self.machine.report() }
    }

    /// Returns the report of a run of all ranks, whose record the first one has.
    pub(super) fn report<'a>(&'a self, record: &'a RunRecord) -> RunReport<'a> {
        record.report(
            self.resolved.mode(),
            &self.resolved.config,
            &self.about,
            self.sockets,
            self.machine_report(),
        )
    }

    /// Returns the files that the run reads.
    pub(super) fn inputs(&self) -> Inputs {
        let files = self.resumed.iter().flat_map(Checkpoint::files);
        self.resolved.inputs.clone().with_all("--resume", files)
    }

    /// Returns this rank's part of the run as a job of one process.
    pub(super) fn job(&self) -> Job<'_> {
        Job {
            config: &self.own,
            problem: &self.resolved.problem,
            placement: &self.placement,
            interrupt: interrupt::flag(),
        }
    }

    /// Returns a warning about the cores, for a person to read before the first run.
    pub(super) fn warning(&self, entry: &Entry) -> Option<String> {
        let shared = (0..entry.ranks())
            .map(RankId)
            .any(|rank| self.binding.is_shared(rank, entry.nodes().with(rank)));
        if shared {
            let text = "ranks share cores: rates are not those of as many cores; start fewer";
            return Some(text.to_owned());
        }
        self.placement.warning()
    }
}

/// Prepares a run, and refuses whatever can be refused before anything big is allocated.
/// Collective.
pub(super) fn prepare(entry: &mut Entry, args: &SolveRanksArgs) -> Result<Ready, Refused> {
    let machine = together(entry, Platform::detect().map_err(SolveError::from))?;
    let binding = Binding::find(entry, &machine);
    let from = args.checkpoints.resume.as_deref();
    let opened = from.map(|path| open(entry, path)).transpose();
    let resumed = together(entry, opened.map_err(SolveError::from))?;
    let mut args = args.clone();
    if let Some(checkpoint) = &resumed {
        one::resume::complete(&mut args.solve, checkpoint);
    }
    let resolved = resolve(entry, &args, &machine, &binding);
    let mut resolved = together(entry, resolved)?;
    let chosen = (format!("{:?}", resolved.method), resolved.solver, &resolved.config);
    let agreed = agree(entry, "the configuration", &chosen);
    together(entry, agreed)?;
    let problem = ProblemHash::of(&resolved.problem);
    let agreed = agree(entry, "the problem", &problem);
    together(entry, agreed)?;
    let is_both = resumed.is_some() && resolved.record.is_some();
    together(entry, if is_both { Err(RunError::RecordOfResumed) } else { Ok(()) })?;
    let workers = resolved.config.workers_per_node();
    let placed = binding.place(entry, &machine, workers, resolved.topology);
    let placed = placed.map_err(SolveError::from);
    let placement = together(entry, placed)?;
    resolved.warn_of(&placement.sockets());
    let own = noise::own_config(entry, &resolved.config, &placement);
    let own = together(entry, own.map_err(SolveError::Nowhere))?;
    let fits = resumed.as_ref().map_or(Ok(()), |checkpoint| {
        one::resume::check(checkpoint, resolved.method, &own, &problem)
    });
    together(entry, fits.map_err(SolveError::from))?;
    let checked = own.noise.iter().try_for_each(|noise| placement.noisy_cores(noise).map(drop));
    together(entry, checked.map_err(SolveError::from))?;
    let (sockets, cores) = (sockets(entry, &placement), binding.total(entry.nodes()));
    let about = resolved.about();
    Ok(Ready {
        machine,
        binding,
        resolved,
        placement,
        own,
        resumed,
        problem,
        about,
        sockets,
        cores,
    })
}

/// Completes the arguments with what this rank's node offers: cores, sockets and its share of the
/// memory.
fn resolve(
    entry: &Entry,
    args: &SolveRanksArgs,
    machine: &Platform,
    binding: &Binding,
) -> Result<Resolved, SolveError> {
    let cores: Vec<u32> = machine.cores.iter().map(|core| core.id).collect();
    let sockets = machine.cores.iter().map(|core| core.socket.0 + 1).max().unwrap_or(1);
    let home = Home {
        ranks: entry.ranks(),
        workers_per_rank: binding.workers(),
        available: machine.available_memory / u64::from(entry.node_ranks().max(1)),
        cores: &cores,
        sockets,
    };
    let resolved = resolve_on_ranks(&args.solve, &args.nodes, home)?;
    check_bulk_synchronous(&resolved, args)?;
    Ok(resolved)
}

/// Refuses features that a solver does not have which waits for messages.
fn check_bulk_synchronous(resolved: &Resolved, args: &SolveRanksArgs) -> Result<(), SolveError> {
    let (method, is_multigrid, instead) = match (resolved.method, resolved.solver) {
        (Method::Multigrid(_), _) => ("--method multigrid", true, "--method jacobi"),
        (Method::Jacobi, Solver::Rayon) => ("--mode rayon", false, "--mode sync, ssync:N or async"),
        (Method::Jacobi, Solver::Engine(_)) => return Ok(()),
    };
    let (saved, reach) = (&args.checkpoints, args.reach);
    let refused = [
        ("--checkpoint", !is_multigrid && saved.checkpoint.is_some(), "saves nothing"),
        (
            "--resume",
            !is_multigrid && saved.resume.is_some(),
            "goes on from nothing that was saved",
        ),
        ("--record", !is_multigrid && resolved.record.is_some(), "records nothing"),
        ("--halo", reach.halo.is_some(), "has one way to read halos, by messages"),
        ("--progress", reach.progress.is_some(), "has no gets to look after"),
    ];
    match refused.into_iter().find(|(_, is_asked, _)| *is_asked) {
        Some((flag, _, why)) => {
            Err(CommandError::from(RunError::OfBulkSynchronous { method, flag, why, instead })
                .into())
        }
        None => Ok(()),
    }
}

/// Returns the number of different sockets with workers of some rank, on the first rank.
/// Collective.
fn sockets(entry: &mut Entry, placement: &Placement) -> u32 {
    let used = placement.used_sockets();
    let bytes = used.iter().flat_map(|socket| socket.0.to_le_bytes()).collect();
    let all = entry.gather_bytes(bytes).unwrap_or_default();
    let places = (0..).map(RankId).zip(&all).flat_map(|(rank, used)| {
        let place = entry.nodes().place(rank);
        used.as_chunks::<4>().0.iter().map(move |socket| (place, *socket))
    });
    u32::try_from(places.collect::<BTreeSet<_>>().len()).unwrap_or(u32::MAX)
}
