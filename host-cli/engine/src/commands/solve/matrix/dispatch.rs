//! Runs the engine that is compiled for as many links as the subdomains have.

use std::sync::atomic::AtomicBool;

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
    /// A reason for which there is none.
    type Error: From<MatrixFailure>;

    /// Iterates until the run has ended.
    fn run<'s, const N: usize>(
        self,
        system: &'s System,
        graph: &SliceGraph<'s, N>,
        watch: Watch<'_>,
    ) -> Result<Self::Left<'s>, Self::Error>;
}

/// Iterates with room for as many links as are needed.
pub fn dispatch<'s, R: Runner>(
    system: &'s System,
    runner: R,
    watch: Watch<'_>,
) -> Result<R::Left<'s>, R::Error> {
    let degree = system.degree();
    match degree {
        // Each of them compiles the engine again.
        0..=16 => with::<16, R>(system, runner, watch),
        17..=128 => with::<128, R>(system, runner, watch),
        _ => Err(MatrixFailure::Degree { degree, most: 128 }.into()),
    }
}

fn with<'s, const N: usize, R: Runner>(
    system: &'s System,
    runner: R,
    watch: Watch<'_>,
) -> Result<R::Left<'s>, R::Error> {
    let degree = MatrixFailure::Degree { degree: system.degree(), most: N };
    let graph = system.graph().lend::<N>().map_err(|_| degree)?;
    runner.run(system, &graph, watch)
}

/// Threads of this machine.
#[derive(Clone, Copy)]
pub(super) struct OnThreads<'a> {
    /// The effective configuration.
    pub config: &'a RunConfig,
    /// Cores of the workers.
    pub placement: &'a Placement,
    /// Ends the run early.
    pub interrupt: &'a AtomicBool,
}

impl Runner for OnThreads<'_> {
    type Left<'s> = Iterated<Subdomain<'s>>;
    type Error = CommandError;

    fn run<'s, const N: usize>(
        self,
        system: &'s System,
        graph: &SliceGraph<'s, N>,
        watch: Watch<'_>,
    ) -> Result<Iterated<Subdomain<'s>>, CommandError> {
        let make = |id: SubdomainId| Subdomain::new(system, id);
        let run = Run::new(self.config.clone(), graph, make).placed(self.placement);
        Ok(run.interrupted_by(self.interrupt).watched_on_threads(watch)?)
    }
}

/// A virtual machine.
#[derive(Clone, Copy)]
pub(super) struct VirtualTime<'a> {
    /// The effective configuration.
    pub config: &'a RunConfig,
    /// The machine.
    pub machine: &'a VirtualMachine,
    /// Ends the run early.
    pub interrupt: &'a AtomicBool,
}

impl Runner for VirtualTime<'_> {
    type Left<'s> = Iterated<Subdomain<'s>>;
    type Error = CommandError;

    fn run<'s, const N: usize>(
        self,
        system: &'s System,
        graph: &SliceGraph<'s, N>,
        watch: Watch<'_>,
    ) -> Result<Iterated<Subdomain<'s>>, CommandError> {
        let make = |id: SubdomainId| Subdomain::new(system, id);
        let run = Run::new(self.config.clone(), graph, make).interrupted_by(self.interrupt);
        Ok(run.watched_in_virtual_time(self.machine, watch)?)
    }
}
