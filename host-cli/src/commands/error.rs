//! Everything that can end a subcommand, as one line for a person.

use std::io;

use tresse_core::run::ConfigError;

use crate::args::FrontError;
use crate::exit::{Exit, Failure};
use crate::machine::MachineError;
use crate::noise::NoiseError;
use crate::report::output::OutputError;
use crate::threads::EngineError;

/// Why a subcommand did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum CommandError {
    /// Flags or files that cannot be run.
    Front(#[from] FrontError),
    /// A configuration that makes no sense.
    Config(#[from] ConfigError),
    /// Not on this machine.
    Machine(#[from] MachineError),
    /// The engine did not start.
    Engine(#[from] EngineError),
    /// A parasite did not start.
    Noise(#[from] NoiseError),
    /// Files that cannot be written.
    Output(#[from] OutputError),
    /// Standard output cannot be written.
    #[error("standard output: {0}")]
    Print(#[from] io::Error),
}

impl Failure for CommandError {
    fn exit(&self) -> Exit {
        match self {
            Self::Output(OutputError::Write { .. })
            | Self::Print(_)
            | Self::Noise(NoiseError::Output(_) | NoiseError::Lost(_)) => Exit::NotReached,
            _ => Exit::BadInput,
        }
    }
}
