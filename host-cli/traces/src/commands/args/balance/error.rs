//! Errors of choices that do not go together.

use tresse_core::balance::grapevine::ConfigError;

use crate::wording;

/// An error of choices that do not go together, or are not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// The core refuses the parameters.
    #[error("{}", wording::grapevine(*error))]
    Config {
        /// The core's error.
        error: ConfigError,
    },
    /// The method does not have the parameter.
    #[error("{0}: --method {1} has no such parameter: leave it out, or use --method grapevine")]
    NotGrapevine(&'static str, &'static str),
    /// No receiver would enforce the bounds on memory.
    #[error(
        "--memory-limit with --tune knowledge=gossiped: the receiver must be able to refuse: give \
         --tune refuse=yes, or --tune knowledge=live"
    )]
    UnboundedGossip,
}
