//! Words the errors of pools and of trees for a person: which flag is meant, what is wrong, and
//! what to do.

use tresse_console::wording::simulation;
use tresse_core::sim::virtual_pool::{PoolCosts, PoolSimulationError};
use tresse_core::tasks::sharing::{Parameter, SharingError};
use tresse_core::tasks::uts::TreeError;

use crate::pool::PoolError;
use crate::virtual_pool::VirtualPoolError;

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

#[cfg(test)]
mod tests {
    use tresse_core::sim::machine::{HardwareError, SimulationError};
    use tresse_core::tasks::sharing::{Full, Method, SharingConfig};

    use super::*;

    #[test]
    fn only_the_host_names_flags() {
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
        let simulated = simulated.map(|error| (error.to_string(), virtual_pool(&error)));
        for (plain, host) in threads.into_iter().chain(simulated) {
            assert!(!plain.contains("--") && !plain.contains('\n'), "{plain}");
            assert!(host.contains("--") && !host.contains('\n'), "{host}");
        }
    }
}
