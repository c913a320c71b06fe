//! Words the errors and warnings of the core and of the readers of files for a person: which flag is
//! meant, what is wrong, and what to do.
//!
//! They name fields, values and bounds. Every such field is a flag, and a key of the same name in the
//! `[run]` table of a problem file.

use tresse_core::balance::advice::Warning;
use tresse_core::balance::grapevine;
use tresse_core::balance::plb::Stuck;
use tresse_core::multigrid::MAX_STEPS;
use tresse_core::run::noise::{MAX_NOISE, PlaceKind, ScatterError};
use tresse_core::run::{End, MAX_PAIRS, Mode, Precision, Quantity, RunConfigError, Stop};
use tresse_core::sim::machine::SimulationError;
use tresse_core::sim::virtual_pool::{PoolCosts, PoolSimulationError};
use tresse_core::tasks::sharing::{Parameter, SharingError};
use tresse_core::tasks::uts::TreeError;
use tresse_files::load_traces::generate::SetupError;
use tresse_files::load_traces::{Inexpressible, LoadTraceError};
use tresse_files::recording::RecordingError;

use crate::engine::pool::PoolError;
use crate::engine::solvers::Solver;
use crate::engine::virtual_pool::VirtualPoolError;

/// Returns the name that is most like a text, if any is like it at all.
pub fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let text = text.to_ascii_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&text, &name.to_ascii_lowercase());
    names.into_iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
}

/// Words the error about a parameter of sharing that is out of its bounds.
pub fn sharing(error: &SharingError) -> String {
    let SharingError { parameter, value, least, most } = error;
    let flag = match parameter {
        Parameter::Chunk => "--chunk",
        Parameter::Interval => "--interval",
        Parameter::Copies => "--copies",
        Parameter::Window => "--window",
    };
    format!("{flag} {value}: give a number from {least} to {most}")
}

const TOO_MANY_TASKS: &str = "there is no memory for the search in this order; use more --workers, or a smaller tree or graph";

/// Words the error of a pool.
pub fn pool(error: &PoolError) -> String {
    match error {
        PoolError::Config(error) => sharing(error),
        PoolError::TooManyTasks { most } => {
            format!("more than {most} tasks at a time: {TOO_MANY_TASKS}")
        }
        error => error.to_string(),
    }
}

/// Words the error about a pool that cannot be simulated.
pub fn virtual_pool(error: &VirtualPoolError) -> String {
    match error {
        VirtualPoolError::Simulation(PoolSimulationError::Cores { ranks, cores }) => format!(
            "--workers: {ranks} workers and managers are more than {cores} cores: lower --workers, or \
             raise --nodes"
        ),
        VirtualPoolError::Simulation(PoolSimulationError::StealingManagers { managers }) => format!(
            "--managers {managers}: with methods that steal there is one manager, which only finds \
             the end: leave it out"
        ),
        VirtualPoolError::Simulation(PoolSimulationError::NoWorkers) => {
            "--workers must be at least 1".into()
        }
        VirtualPoolError::Simulation(PoolSimulationError::Sharing(error)) => sharing(error),
        VirtualPoolError::Simulation(PoolSimulationError::Hardware(error)) => {
            format!("--machine: {error}")
        }
        VirtualPoolError::Simulation(PoolSimulationError::Noise(error)) => simulation(error),
        VirtualPoolError::Simulation(PoolSimulationError::Full(full)) => {
            format!("{full}: {TOO_MANY_TASKS}")
        }
        VirtualPoolError::Simulation(PoolSimulationError::Stalled) => {
            "--machine: everybody waits for ever: lessen --noise, or what a speed trace takes of a core".into()
        }
        error => error.to_string(),
    }
}

/// Words the costs in a pool in virtual time.
pub fn pool_costs(costs: &PoolCosts) -> String {
    let PoolCosts { task, message, service, moved, most_at_a_time } = costs;
    format!(
        "{} ns a task, {} ns a message, {} ns of the manager for each and {} ns for each task of it; \
         {most_at_a_time} at a time",
        task.0, message.0, service.0, moved.0
    )
}

/// Words the error about a tree that cannot be searched.
pub fn tree(error: &TreeError) -> String {
    let flag = match error {
        TreeError::Branching(_) => "-b",
        TreeError::Probability(_) => "-q",
        TreeError::Shift(_) => "-f",
        TreeError::Children(_) => "-m",
        TreeError::Infinite(_) => "-q and -m",
        TreeError::Depth(_) => "-d",
        TreeError::Granularity(_) => "-g",
    };
    format!("{flag}: {error}")
}

/// Words the error about a configuration that this solver cannot run.
pub fn config(error: &RunConfigError, solver: Solver) -> String {
    match error {
        RunConfigError::Zero(what) => format!("{} must be at least 1", quantity(*what)),
        RunConfigError::TooManySubdomains { subdomains, grid } => format!(
            "{subdomains} subdomains do not fit a grid of {grid} cells: lower --split or --workers, \
             or raise --grid or --cells-per-worker"
        ),
        RunConfigError::Tolerance(value) => {
            format!("--tolerance {value}: give a finite number above 0, such as 1e-4")
        }
        RunConfigError::Norm(value) => {
            format!("--absolute-tolerance {value}: give a finite number above 0, such as 1e-6")
        }
        RunConfigError::NoEnd => "the run would never end: give --tolerance or --iterations".into(),
        RunConfigError::Thresholds { low, high } => {
            format!("--low {low} and --high {high}: --low must be at least 1 and below --high")
        }
        RunConfigError::Pairs(pairs) => {
            format!("--pairs {pairs}: give a number from 1 to {MAX_PAIRS}")
        }
        RunConfigError::UnevenNodes { workers, nodes } => format!(
            "--workers {workers} cannot be spread evenly over --nodes {nodes}: give a multiple of \
             {nodes} workers"
        ),
        RunConfigError::BalanceOfSync => nothing_to_balance("--balance", solver),
        RunConfigError::NodeBalanceOfSync => nothing_to_balance("--node-balance", solver),
        RunConfigError::BalanceOfExact => {
            "--balance: in --mode exact subdomains do not move: use --balance pull \
                                           or none"
                .into()
        }
        RunConfigError::NodeBalanceOfVisits => {
            "--node-balance: with --mode exact or --balance pull subdomains stay on their node: \
                                          use --node-balance none, or another mode and balancer"
                .into()
        }
    }
}

const fn quantity(what: Quantity) -> &'static str {
    match what {
        Quantity::Workers => "--workers",
        Quantity::Split => "--split",
        Quantity::Nodes => "--nodes",
        Quantity::Grid => "--grid",
        Quantity::Iterations => "--iterations",
    }
}

fn nothing_to_balance(flag: &str, solver: Solver) -> String {
    format!(
        "{flag} has nothing to balance in --mode {solver}, where all counts are equal: use --mode \
         async or ssync:N, or {flag} none"
    )
}

/// Words the warning about a configuration that runs, but perhaps not as intended.
pub fn warning(warning: &Warning) -> String {
    match warning {
        Warning::NothingCanMove { stuck: Stuck::NobodyGives, split, low, .. } => format!(
            "with --split {split} and --low {low} no subdomain can ever move: raise --split above \
             --low"
        ),
        Warning::NothingCanMove { stuck: Stuck::NobodyTakes, split, high, .. } => format!(
            "with --split {split} and --high {high} no subdomain can ever move: raise --high above \
             --split, or leave it to be one and a half of that"
        ),
        Warning::NothingCanMove { stuck: Stuck::Alone, .. } => {
            "with one worker on each socket --balance split can never move a subdomain: use joint \
             or hybrid"
                .into()
        }
        Warning::NothingCanMoveBetweenNodes { split, low, high } => format!(
            "with --split {split}, --low {low} and --high {high} no subdomain can ever move between \
             nodes: choose --split above --low and below --high"
        ),
        Warning::NothingIsUneven(imbalance) => format!(
            "--imbalance {imbalance} has no effect with --workers 1, whose part is all of the grid: \
             use more workers"
        ),
    }
}

/// Words the error about a run that a virtual machine cannot simulate.
pub fn simulation(error: &SimulationError) -> String {
    match error {
        // Of the engine's modes, only this one has nothing to balance.
        SimulationError::Config(error) => config(error, Mode::Sync.into()),
        SimulationError::Nodes { nodes, available } => format!(
            "--nodes {nodes}: the machine has {available}; give no more, or a larger --machine"
        ),
        SimulationError::Cores { workers, cores } => format!(
            "--workers: {workers} on each node, which has {cores} cores; give no more than one for \
             each core"
        ),
        SimulationError::ThreadOfNode => {
            "--method multigrid takes a thread for each virtual node, which the system does not give: use fewer --nodes"
                .into()
        }
        SimulationError::Smoothing(steps) => {
            format!("--smoothing {steps}: multigrid smooths by 1 to {MAX_STEPS} steps")
        }
        SimulationError::NoSuchPlace(noise) => {
            format!("--noise {noise}: the machine has no such core, socket or node")
        }
        SimulationError::NoPlaceToIntervene(intervention) => {
            format!("--intervene {intervention}: the machine has no such core, socket or node")
        }
        SimulationError::NoTime => {
            "--noise leaves a core no time at all: give its parasite some sleep".into()
        }
        // Of machine files and of graphs, which have no flags.
        SimulationError::Hardware(_)
        | SimulationError::Graph(_)
        | SimulationError::Trace(_)
        | SimulationError::Memory => error.to_string(),
    }
}

/// Words the error about noise at more places than there are.
pub fn scatter(error: &ScatterError) -> String {
    match error {
        ScatterError::TooFewPlaces { asked, there } => {
            let kind = match asked.kind {
                PlaceKind::Core => "cores that this run may use",
                PlaceKind::Socket => "sockets with workers",
                PlaceKind::Node => "nodes of this run",
            };
            format!("--noise {asked}: choose at most {there}, the number of {kind}")
        }
        ScatterError::TooManySources(sources) => {
            format!("--noise asks for up to {sources} sources: ask for at most {MAX_NOISE} in all")
        }
    }
}

/// Words the error about parameters of Grapevine that are out of their bounds, or do not go together.
pub fn grapevine(error: grapevine::ConfigError) -> String {
    use grapevine::ConfigError as Error;
    let (flags, mend) = match error {
        Error::Known => ("--tune knowledge", ""),
        Error::Fanout => ("--tune fanout", ""),
        Error::Rounds => ("--tune rounds", ""),
        Error::Attempts => ("--tune attempts", ""),
        Error::Trials => ("--trials", ""),
        Error::LastOfTrials => ("--trials with --tune keep=last", ": leave one of them out"),
        Error::Threshold => ("--tune threshold", ""),
        Error::SenderLoad => (
            "--tune sender-load=at-turn with --tune knowledge=gossiped",
            ": leave it out, or use --tune knowledge=live",
        ),
        Error::Exchange => {
            ("--tune exchange=yes with --tune refuse=no", ", with --tune refuse=yes")
        }
    };
    format!("{flags}: {error}{mend}")
}

/// Words the error about a recording that cannot be used, without its path.
pub fn recording(error: &RecordingError) -> String {
    match error {
        RecordingError::Unreadable(_) | RecordingError::Foreign => {
            format!("{error}: name a file that --record has written")
        }
        RecordingError::OfPool => {
            format!("{error}: it can be shown, by export-trace FILE --perfetto OUT")
        }
        _ => error.to_string(),
    }
}

/// Words the error about a load trace that cannot be read.
pub fn load_trace(error: &LoadTraceError) -> String {
    match error {
        LoadTraceError::Stems { folder, stems } => {
            let stem = stems.first().map_or("", String::as_str);
            let files = folder.join(stem);
            format!(
                "{error}, as in `{} --stem {stem}`, or give its files, as in `{}.*`",
                folder.display(),
                files.display()
            )
        }
        LoadTraceError::NoSuchStem { .. } => format!("--stem {error}"),
        _ => error.to_string(),
    }
}

/// Words the error about a load trace that the comma-separated form cannot hold.
pub fn inexpressible(error: &Inexpressible) -> String {
    format!("--csv: {error}: write JSON instead")
}

/// Words the error about a load trace that cannot be drawn.
pub fn setup(error: SetupError) -> String {
    match error {
        SetupError::On { on, processors } => format!(
            "--on {on} is more than --processors {processors}: objects can be on as many at most; \
             lower --on"
        ),
        SetupError::Phases { phases, most } => {
            format!("--phases {phases} is more than {most} phases: lower it")
        }
        SetupError::Drift => "--drift must be a share from 0 to below 1, such as 0.1".into(),
    }
}

/// Returns advice for a person where a run did not end as it was asked to.
pub const fn advice(end: End, stop: &Stop, precision: Precision) -> Option<&'static str> {
    if end.is_asked(stop) {
        return None;
    }
    Some(match (end, precision) {
        (End::Converged | End::Iterations, _) => "give more --iterations or a larger --tolerance",
        (End::Stagnated, Precision::F32) => "use --precision f64 or a larger --tolerance",
        (End::Stagnated, Precision::F64) => "use a larger --tolerance",
        (End::Interrupted, _) => {
            "run it again; `tresse-mpi solve --checkpoint DIR` keeps what --resume goes on from"
        }
        (End::Stalled, _) => {
            "every worker waits for ever: lessen --noise, or what a speed trace takes of a core"
        }
        (End::Livelock, _) => {
            "this is a defect of this program: report it with the command, its seed and its version"
        }
        (End::NotFinite, _) => "scale the problem down",
    })
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use tresse_core::run::noise::NoiseChoice;
    use tresse_core::run::{GridSize, Imbalance};
    use tresse_core::sim::machine::HardwareError;
    use tresse_core::tasks::sharing::{Full, Method, SharingConfig};

    use super::*;

    #[test]
    fn only_the_host_names_flags() {
        let grid = GridSize { rows: 2, columns: 2 };
        let (split, low, high) = (4, 4, 4);
        let configs = [
            RunConfigError::Zero(Quantity::Split),
            RunConfigError::TooManySubdomains { subdomains: 8, grid },
            RunConfigError::Tolerance(0.0),
            RunConfigError::Norm(0.0),
            RunConfigError::NoEnd,
            RunConfigError::Thresholds { low, high },
            RunConfigError::Pairs(0),
            RunConfigError::UnevenNodes { workers: 3, nodes: 2 },
            RunConfigError::BalanceOfSync,
            RunConfigError::NodeBalanceOfSync,
            RunConfigError::BalanceOfExact,
            RunConfigError::NodeBalanceOfVisits,
        ];
        let stuck = [Stuck::NobodyGives, Stuck::NobodyTakes, Stuck::Alone];
        let stuck = stuck.map(|stuck| Warning::NothingCanMove { stuck, split, low, high });
        let warnings = stuck.into_iter().chain([
            Warning::NothingCanMoveBetweenNodes { split, low, high },
            Warning::NothingIsUneven(Imbalance { millionths: 500_000 }),
        ]);
        let machines = [
            SimulationError::Nodes { nodes: 2, available: 1 },
            SimulationError::Cores { workers: 2, cores: 1 },
            SimulationError::ThreadOfNode,
            SimulationError::Smoothing(9),
            SimulationError::NoTime,
        ];
        let places = match NoiseChoice::parse("any-node=3,duty=0.5") {
            Ok(NoiseChoice::Scattered(asked)) => ScatterError::TooFewPlaces { asked, there: 2 },
            other => panic!("{other:?}"),
        };
        let texts =
            configs.map(|error| (error.to_string(), config(&error, Solver::Rayon))).into_iter();
        let texts = texts
            .chain(warnings.map(|is| (is.to_string(), warning(&is))))
            .chain(machines.map(|error| (error.to_string(), simulation(&error))))
            .chain(
                [places, ScatterError::TooManySources(33)]
                    .map(|error| (error.to_string(), scatter(&error))),
            )
            .chain(of_pools())
            .chain(of_files());
        for (plain, host) in texts {
            assert!(!plain.contains("--") && !plain.contains('\n'), "{plain}");
            assert!(host.contains("--") && !host.contains('\n'), "{host}");
        }
    }

    /// Returns errors of pools, on threads and in virtual time, in both words.
    fn of_pools() -> impl Iterator<Item = (String, String)> {
        let chunk = SharingConfig { chunk: 0, ..SharingConfig::new(Method::Adaptive) };
        let chunk = chunk.validate().unwrap_err();
        let threads = [PoolError::TooManyTasks { most: 9 }, PoolError::Config(chunk)];
        let simulated = [
            PoolSimulationError::Sharing(chunk),
            PoolSimulationError::Hardware(HardwareError::TooManyCores),
            PoolSimulationError::Noise(SimulationError::NoTime),
            PoolSimulationError::Cores { ranks: 9, cores: 4 },
            PoolSimulationError::NoWorkers,
            PoolSimulationError::Full(Full { more: 9 }),
            PoolSimulationError::Stalled,
        ];
        let simulated = simulated.map(VirtualPoolError::from);
        let threads = threads.map(|error| (error.to_string(), pool(&error)));
        threads.into_iter().chain(simulated.map(|error| (error.to_string(), virtual_pool(&error))))
    }

    /// Returns errors of the readers of files, in their words and in those for a person.
    fn of_files() -> impl Iterator<Item = (String, String)> {
        let recordings = [
            RecordingError::Unreadable(io::Error::other("")),
            RecordingError::Foreign,
            RecordingError::OfPool,
        ];
        let (folder, stems) = (PathBuf::from("t"), vec!["a".to_owned(), "b".to_owned()]);
        let traces = [
            LoadTraceError::Stems { folder, stems: stems.clone() },
            LoadTraceError::NoSuchStem { stem: "c".into(), stems },
        ];
        let lines = [
            Inexpressible::NoObject { rank: 1, phase: 2 },
            Inexpressible::SameNumber { phase: 2, number: 3 },
        ];
        let setups = [
            SetupError::On { on: 5, processors: 4 },
            SetupError::Phases { phases: 9, most: 8 },
            SetupError::Drift,
        ];
        let recordings = recordings.map(|error| (error.to_string(), recording(&error))).into_iter();
        recordings
            .chain(traces.map(|error| (error.to_string(), load_trace(&error))))
            .chain(lines.map(|error| (error.to_string(), inexpressible(&error))))
            .chain(setups.map(|error| (error.to_string(), setup(error))))
    }

    #[test]
    fn load_traces_are_told_by_their_stems() {
        let stems = || vec!["a".to_owned(), "b".to_owned()];
        let several = LoadTraceError::Stems { folder: "t".into(), stems: stems() };
        assert_eq!(
            load_trace(&several),
            "t has files of 2 traces (a, b): choose one of them, as in `t --stem a`, or give its \
             files, as in `t/a.*`"
        );
        let none = LoadTraceError::NoSuchStem { stem: "c".into(), stems: stems() };
        assert_eq!(load_trace(&none), "--stem c: no such files are there; the stems are: a, b");
    }

    #[test]
    fn every_end_that_was_not_asked_for_says_what_to_do() {
        let to = |tolerance| Stop { tolerance, iterations: Some(9), ..Stop::NEVER };
        for end in End::ALL {
            for stop in [to(None), to(Some(1e-4))] {
                for precision in [Precision::F32, Precision::F64] {
                    let advice = advice(end, &stop, precision);
                    assert_eq!(advice.is_none(), end.is_asked(&stop), "{end} {stop:?}");
                }
            }
        }
        assert!(End::Iterations.is_asked(&to(None)) && !End::Iterations.is_asked(&to(Some(1.0))));
    }
}
