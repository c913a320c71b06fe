//! Errors of load traces that end a command.

use tresse_console::exit::{Exit, Failure};
use tresse_files::load_traces::LoadTraceError;
use tresse_files::load_traces::generate::SetupError;

use super::args::ChoiceError;
use super::balance::BalanceError;
use crate::load_traces::WriteError;
use crate::wording;

/// A load trace that cannot be used or made.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The trace cannot be read.
    #[error("{}", wording::load_trace(.0))]
    Unusable(#[from] LoadTraceError),
    /// The trace cannot be drawn.
    #[error("{}", wording::setup(*.0))]
    Setup(#[from] SetupError),
}

impl Failure for TraceError {}

impl Failure for ChoiceError {}

impl Failure for BalanceError {}

impl Failure for WriteError {
    fn exit(&self) -> Exit {
        match self {
            Self::Interrupted(_) => Exit::Interrupted,
            Self::Output(error) => error.exit(),
            Self::Inexpressible(_) | Self::Stale { .. } => Exit::BadInput,
        }
    }
}
