//! Words the errors of the core that several commands meet for a person: which flag is meant, what
//! is wrong, and what to do.
//!
//! They name fields, values and bounds. Every such field is a flag, and a key of the same name in
//! the `[run]` table of a problem file.

use std::fmt::Display;

use tresse_core::multigrid::MAX_STEPS;
use tresse_core::run::noise::{MAX_NOISE, PlaceKind, ScatterError};
use tresse_core::run::{MAX_PAIRS, Mode, Quantity, RunConfigError};
use tresse_core::sim::machine::SimulationError;

/// Returns the name that is most like a text, if any is like it at all.
pub fn nearest<'n>(text: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let text = text.to_ascii_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&text, &name.to_ascii_lowercase());
    names.into_iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
}

/// Words the error about a configuration that a run of this mode cannot have.
pub fn config(error: &RunConfigError, mode: impl Display) -> String {
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
        RunConfigError::BalanceOfSync => nothing_to_balance("--balance", mode),
        RunConfigError::NodeBalanceOfSync => nothing_to_balance("--node-balance", mode),
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

/// Returns the flag of a quantity.
const fn quantity(what: Quantity) -> &'static str {
    match what {
        Quantity::Workers => "--workers",
        Quantity::Split => "--split",
        Quantity::Nodes => "--nodes",
        Quantity::Grid => "--grid",
        Quantity::Iterations => "--iterations",
    }
}

/// Words the error of a balancer in a mode that keeps all counts equal.
fn nothing_to_balance(flag: &str, mode: impl Display) -> String {
    format!(
        "{flag} has nothing to balance in --mode {mode}, where all counts are equal: use --mode \
         async or ssync:N, or {flag} none"
    )
}

/// Words the error about a run that a virtual machine cannot simulate.
pub fn simulation(error: &SimulationError) -> String {
    match error {
        // Of the engine's modes, only this one has nothing to balance.
        SimulationError::Config(error) => config(error, Mode::Sync),
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

#[cfg(test)]
mod tests {
    use tresse_core::run::GridSize;
    use tresse_core::run::noise::NoiseChoice;

    use super::*;

    #[test]
    fn only_the_host_names_flags() {
        let grid = GridSize { rows: 2, columns: 2 };
        let (low, high) = (4, 4);
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
        let scattered = [places, ScatterError::TooManySources(33)];
        let texts = configs.map(|error| (error.to_string(), config(&error, "rayon"))).into_iter();
        let texts = texts
            .chain(machines.map(|error| (error.to_string(), simulation(&error))))
            .chain(scattered.map(|error| (error.to_string(), scatter(&error))));
        for (plain, host) in texts {
            assert!(!plain.contains("--") && !plain.contains('\n'), "{plain}");
            assert!(host.contains("--") && !host.contains('\n'), "{host}");
        }
    }
}
