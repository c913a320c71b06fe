//! `tresse-mpi solve --matrix FILE`: a sparse system on all ranks. Each of them reads the files,
//! and factorises the blocks of the parts that start there; those of others when they come to it.

use std::path::Path;

use tresse::commands::CommandError;
use tresse::commands::args::FrontError;
use tresse::commands::solve::matrix::{Asked, Opened, Runner, Watch, dispatch};
use tresse::exit::Exit;
use tresse::matrix::subdomain::Subdomain;
use tresse::matrix::system::{Processes, System};
use tresse::platform::{Placement, Platform};
use tresse::{Run, commands};
use tresse_core::base::id::{RankId, SocketId, SubdomainId};
use tresse_core::parts::SliceGraph;
use tresse_core::run::noise::{self, NoisePlaces};

use super::map;
use super::reach::Reach;
use crate::commands::args::SolveRanksArgs;
use crate::commands::report::RanksFigures;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, agree, as_first, together};
use crate::mpi::binding::Binding;
use crate::run::{Access, Iterated, run_over};

/// Solves the system of a matrix's file. Collective.
pub(super) fn run(entry: &mut Entry, args: &SolveRanksArgs, path: &Path) -> Result<Exit, Refused> {
    let machine = together(entry, Platform::detect())?;
    let binding = Binding::find(entry, &machine);
    let mut asked = together(entry, asked(entry, args, path, &machine, &binding))?;
    let workers = asked.config.workers_per_node();
    let placed = binding.place(entry, &machine, workers, args.solve.choices.topology);
    let placement = together(entry, placed)?;
    let checked = asked.check(args.nodes.flag(), &placement.sockets());
    together(entry, checked)?;
    let reach = Reach::find(entry, args.reach, true)?;
    let nodes = asked.config.nodes;
    asked.places = map::ranks(entry, &binding, nodes, Some(reach.only_gets));
    asked.places.push(("reach", reach.to_string()));
    let starts = asked.config.split * workers;
    let opened = together(entry, Opened::new(asked, &[]))?;
    let agreed = agree(entry, "the system in its files", &opened.values_hash());
    together(entry, agreed)?;
    let prepared = opened.factorise(&mut Starts { entry: &mut *entry, each: starts });
    let prepared = together(entry, prepared)?;
    let is_first = entry.rank() == RankId(0);
    together(entry, if is_first { prepared.announce() } else { Ok(()) })?;

    let access = Access { entering: reach.entering, only_gets: reach.only_gets };
    let (config, system) = (prepared.config(), prepared.system());
    let mut iterated = |watch: Watch<'_>| {
        let on = OnRanks { entry: &mut *entry, placement: &placement, access };
        dispatch(system, config, on, watch)
    };
    let iterated = if is_first { prepared.watched(iterated) } else { iterated(&mut |_| {}) };
    let Iterated { record, parts, per_rank, .. } = together(entry, iterated)?;
    let solution = gathered(entry, system, &parts);
    let sockets = u32::try_from(placement.used_sockets().len()).unwrap_or(u32::MAX);
    let mut report = machine.report();
    report.cores = binding.total(entry.nodes());
    let concluded = if is_first {
        for core in per_rank.iter().flat_map(|rank| &rank.unpinned) {
            commands::warn(&format!("a worker could not be pinned to core {core}"));
        }
        let ranks = RanksFigures::new(entry.library(), &per_rank);
        let line = map::summary(&ranks, record.transfers);
        prepared.conclude(record, &solution, sockets, report, Some((ranks, line)))
    } else {
        Ok(Exit::Done)
    };
    let exit = together(entry, concluded)?;
    Ok(as_first(entry, exit))
}

/// Merges flags and defaults; the first rank alone speaks, and writes files.
fn asked(
    entry: &Entry,
    args: &SolveRanksArgs,
    path: &Path,
    machine: &Platform,
    binding: &Binding,
) -> Result<Asked, CommandError> {
    let mut solve = args.solve.clone();
    if entry.rank() != RankId(0) {
        solve.quiet = true;
        solve.out = None;
    }
    let each = solve.choices.workers.unwrap_or(binding.workers());
    let workers = entry.ranks().saturating_mul(each);
    let mut asked = Asked::new(&solve, &args.matrix, path, workers)?;
    asked.config.nodes = args.nodes.nodes(entry.ranks());
    let cores: Vec<u32> = machine.cores.iter().map(|core| core.id).collect();
    let sockets = machine.cores.iter().map(|core| core.socket.0 + 1).max().unwrap_or(1);
    let sockets: Vec<_> = (0..sockets).map(SocketId).collect();
    let places = NoisePlaces { cores: &cores, sockets: &sockets, nodes: entry.ranks() };
    let (sources, seed) = (&solve.choices.noise.sources, asked.config.seed);
    asked.config.noise = noise::resolve(sources, seed, &places).map_err(FrontError::from)?;
    Ok(asked)
}

/// Ranks with as many parts each at the start, in the order of their numbers.
struct Starts<'a> {
    entry: &'a mut Entry,
    each: u32,
}

impl Processes for Starts<'_> {
    fn starts_here(&self, part: SubdomainId) -> bool {
        part.0.checked_div(self.each) == Some(self.entry.rank().0)
    }

    fn sum(&mut self, numbers: &mut [u64]) {
        self.entry.sum_all(numbers);
    }
}

/// The ranks of the job.
struct OnRanks<'a> {
    entry: &'a mut Entry,
    placement: &'a Placement,
    access: Access,
}

impl Runner for OnRanks<'_> {
    type Left<'s> = Iterated<Subdomain<'s>>;

    fn run<'s, M: Fn(SubdomainId) -> Subdomain<'s>, const N: usize>(
        self,
        run: Run<'_, SliceGraph<'s, N>, M>,
        watch: Watch<'_>,
    ) -> Result<Self::Left<'s>, CommandError> {
        Ok(run_over(self.entry, &run.placed(self.placement), self.access, watch)?)
    }
}

/// Returns the whole solution on the first rank. Collective.
fn gathered(
    entry: &mut Entry,
    system: &System,
    parts: &[(SubdomainId, Subdomain<'_>)],
) -> Vec<f64> {
    let own = system.values(parts.iter().map(|(id, part)| (*id, part)));
    let bytes = own
        .flat_map(|(row, value)| [u64::from(row), value.to_bits()].map(u64::to_le_bytes).concat());
    let mut solution = vec![0.0; system.rows() as usize];
    for bytes in entry.gather_bytes(bytes.collect()).unwrap_or_default() {
        let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let words: Vec<_> = words.collect();
        for [row, value] in words.as_chunks::<2>().0 {
            let place = usize::try_from(*row).ok().and_then(|row| solution.get_mut(row));
            if let Some(place) = place {
                *place = f64::from_bits(*value);
            }
        }
    }
    solution
}
