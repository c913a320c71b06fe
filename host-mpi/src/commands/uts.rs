//! `tresse-mpi uts`: counts an unbalanced tree on all ranks.

use tresse::commands::CommandError;
use tresse::commands::pool::{Place, Results};
use tresse::commands::uts::Search;
use tresse::commands::warn;
use tresse::engine::pool::Managing;
use tresse::exit::{Exit, Failure};
use tresse::interrupt;
use tresse::platform::Platform;
use tresse::report::output::Inputs;
use tresse_core::base::id::RankId;
use tresse_core::tasks::uts::{Node, Totals};

use super::map;
use crate::commands::args::UtsRanksArgs;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, agree, as_first, together};
use crate::mpi::binding::Binding;
use crate::rank::pool::{PlaceError, Places, RankPool, RankPooled};

/// An error that keeps ranks from counting.
#[derive(Debug, thiserror::Error)]
enum UtsError {
    /// An error that a single process would report as well.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// There are too few ranks.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The number of workers is given, although each rank is a worker.
    #[error("--workers: each rank is a worker; say how many there are to mpirun, by -n")]
    Workers,
}

impl Failure for UtsError {
    fn exit(&self) -> Exit {
        match self {
            Self::Command(error) => error.exit(),
            Self::Place(_) | Self::Workers => Exit::BadInput,
        }
    }
}

/// Counts on all ranks. Collective.
pub fn run(entry: &mut Entry, args: &UtsRanksArgs) -> Result<Exit, Refused> {
    let agreed = agree(entry, "the command line", args);
    together(entry, agreed)?;
    let platform = Platform::detect().map_err(|error| UtsError::from(CommandError::from(error)));
    let platform = together(entry, platform)?;
    let prepared = prepare(entry, args, &platform);
    let (search, places) = together(entry, prepared)?;
    let binding = Binding::find(entry, &platform);
    let is_first = entry.rank() == RankId(0);
    let inputs = Inputs::default();
    let results = if is_first { search.pool.results(inputs) } else { Ok(Results::default()) };
    let results = together(entry, results)?;
    let announced =
        if is_first { announce(entry, args, &search, &places, &binding) } else { Ok(()) };
    together(entry, announced)?;
    let mut line = search.pool.line_of_ranks(!is_first);
    let is_watched = entry.first_u8(u8::from(line.is_watched())) > 0;
    let pool = RankPool {
        config: search.pool.config,
        places,
        is_watched,
        most_tasks: search.pool.most_tasks::<Node>(entry.node_ranks()),
        // From here on a signal asks for an orderly end.
        interrupt: interrupt::flag(),
    };
    let count = |_| search.tree.count(search.hash);
    let pooled = pool.run(entry, &search.root(), count, &mut |progress| line.say(progress));
    line.finish();
    let own =
        pooled.work.as_ref().map_or(Totals::default(), tresse_core::tasks::uts::Count::totals);
    let totals = sum(entry, own);
    let place = Place {
        managing: args.pool.manager,
        machine: platform.report().cpu.to_owned(),
        cores: binding.total(entry.nodes()),
        cpu_quota: platform.report().cpu_quota,
        worker_cores: vec![],
        simulated: None,
    };
    let concluded = if is_first {
        conclude(&search, pooled, pool.most_tasks, totals, (&place, &results))
    } else {
        Ok(Exit::Done)
    };
    let exit = together(entry, concluded)?;
    Ok(as_first(entry, exit))
}

/// Checks all arguments, and returns the search and which ranks are workers and managers.
fn prepare(
    entry: &Entry,
    args: &UtsRanksArgs,
    platform: &Platform,
) -> Result<(Search, Places), UtsError> {
    if args.pool.workers.is_some() {
        return Err(UtsError::Workers);
    }
    let search = Search::prepare(&args.tree, &args.pool, platform, &args.output)?;
    let steals = search.pool.config.method.steals();
    let places = Places::new(entry.ranks(), args.pool.manager, steals)?;
    Ok((search, places))
}

/// Warns of what may disturb the measurement, and announces which ranks work and which manage.
fn announce(
    entry: &Entry,
    args: &UtsRanksArgs,
    search: &Search,
    places: &Places,
    binding: &Binding,
) -> Result<(), UtsError> {
    if binding.total(entry.nodes()) < entry.ranks() {
        warn("there are more ranks than cores: they take turns, and times mean little");
    }
    args.tree.warnings().chain(args.pool.warnings(false)).for_each(|warning| warn(&warning));
    let (workers, managers) = (places.managers.workers(), places.managers.number());
    let which = match (args.pool.manager, managers) {
        (Managing::Turn, 1) => "the first is the manager as well".to_owned(),
        (Managing::Turn, _) => format!("the first {managers} are managers as well"),
        (Managing::Dedicated, 1) => "after one that is the manager".to_owned(),
        (Managing::Dedicated, _) => format!("after {managers} that are managers"),
    };
    let ranks = map::cores(binding).into_iter().map(|line| format!("         {line}"));
    let ranks = ranks.collect::<Vec<_>>().join("\n");
    Ok(search.pool.announce(&format!("{workers} ranks, {which}\n{ranks}"))?)
}

/// Returns the totals of all ranks together. Collective.
fn sum(entry: &mut Entry, own: Totals) -> Totals {
    let [nodes, leaves] = [own.nodes, own.leaves].map(|number| entry.sum_u64(number));
    let depth = entry.max_u64(u64::from(own.depth));
    Totals { nodes, leaves, depth: u32::try_from(depth).unwrap_or(u32::MAX) }
}

/// Reports the pool on the first rank; `most_tasks` is the room of each worker's stack, in tasks.
fn conclude<W>(
    search: &Search,
    pooled: RankPooled<W>,
    most_tasks: usize,
    totals: Totals,
    (place, results): (&Place, &Results),
) -> Result<Exit, UtsError> {
    let pool = pooled.report(most_tasks).map_err(CommandError::from)?;
    Ok(search.conclude(totals, &pool, place, results)?)
}
