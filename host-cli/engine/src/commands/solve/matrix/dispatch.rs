//! Runs the engine that is compiled for as many links as the subdomains have.

use tresse_console::interrupt;
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::SliceGraph;
use tresse_core::run::RunConfig;
use tresse_files::machine_files::VirtualMachine;
use tresse_matrix::subdomain::Subdomain;
use tresse_matrix::system::System;
use tresse_platform::Placement;

use super::error::MatrixFailure;
use crate::commands::CommandError;
use crate::iteration::{Iterated, Run};
use crate::report::history::HistorySample;

/// Sees samples of a run.
pub type Watch<'a> = &'a mut dyn FnMut(&HistorySample);

/// Where a system is iterated.
pub trait Runner {
    /// What is left of a run.
    type Left<'s>;

    /// Iterates until the run has ended.
    fn run<'s, M: Fn(SubdomainId) -> Subdomain<'s>, const N: usize>(
        self,
        run: Run<'_, SliceGraph<'s, N>, M>,
        watch: Watch<'_>,
    ) -> Result<Self::Left<'s>, CommandError>;
}

/// Iterates with room for as many links as are needed; a person may interrupt it.
pub fn dispatch<'s, R: Runner>(
    system: &'s System,
    config: &RunConfig,
    runner: R,
    watch: Watch<'_>,
) -> Result<R::Left<'s>, CommandError> {
    let degree = system.degree();
    match degree {
        // Each of them compiles the engine again.
        0..=16 => with::<16, R>(system, config, runner, watch),
        17..=128 => with::<128, R>(system, config, runner, watch),
        _ => Err(MatrixFailure::Degree { degree, most: 128 }.into()),
    }
}

fn with<'s, const N: usize, R: Runner>(
    system: &'s System,
    config: &RunConfig,
    runner: R,
    watch: Watch<'_>,
) -> Result<R::Left<'s>, CommandError> {
    let degree = MatrixFailure::Degree { degree: system.degree(), most: N };
    let graph = system.graph().lend::<N>().map_err(|_| degree)?;
    let run = Run::new(config.clone(), &graph, |id| Subdomain::new(system, id));
    runner.run(run.interrupted_by(interrupt::flag_of_a_run()), watch)
}

/// Threads of this machine, on these cores.
pub(super) struct OnThreads<'a>(pub &'a Placement);

impl Runner for OnThreads<'_> {
    type Left<'s> = Iterated<Subdomain<'s>>;

    fn run<'s, M: Fn(SubdomainId) -> Subdomain<'s>, const N: usize>(
        self,
        run: Run<'_, SliceGraph<'s, N>, M>,
        watch: Watch<'_>,
    ) -> Result<Self::Left<'s>, CommandError> {
        Ok(run.placed(self.0).watched_on_threads(watch)?)
    }
}

/// A virtual machine.
pub(super) struct VirtualTime<'a>(pub &'a VirtualMachine);

impl Runner for VirtualTime<'_> {
    type Left<'s> = Iterated<Subdomain<'s>>;

    fn run<'s, M: Fn(SubdomainId) -> Subdomain<'s>, const N: usize>(
        self,
        run: Run<'_, SliceGraph<'s, N>, M>,
        watch: Watch<'_>,
    ) -> Result<Self::Left<'s>, CommandError> {
        Ok(run.watched_in_virtual_time(self.0, watch)?)
    }
}
