//! Choices that do not go together.

use tresse_core::balance::grapevine::ConfigError;

use crate::wording;

/// Choices that do not go together, or make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// What the core refuses.
    #[error("{}", wording::grapevine(*error))]
    Config {
        /// What is wrong.
        error: ConfigError,
    },
    /// A parameter that the method has not.
    #[error("{0}: --method {1} has no such parameter: leave it out, or use --method grapevine")]
    NotGrapevine(&'static str, &'static str),
    /// Bounds on memory that the method does not know.
    #[error("--memory-limit: --method {0} knows no bounds on memory: use --method grapevine")]
    Unbounded(&'static str),
    /// Bounds on memory that nobody would keep.
    #[error(
        "--memory-limit with --knowledge gossiped: the receiver must be able to refuse: give \
         --refuse yes, or --knowledge live"
    )]
    UnboundedGossip,
}
