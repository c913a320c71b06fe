//! Choices that do not go together.

use tresse_core::balance::grapevine::ConfigError;

/// Choices that do not go together, or make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// What the core refuses.
    #[error("{}: {error}{}", flags_of(*error), mend(*error))]
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

/// The flags that a parameter is given by.
const fn flags_of(error: ConfigError) -> &'static str {
    match error {
        ConfigError::Known => "--knowledge",
        ConfigError::Fanout => "--fanout",
        ConfigError::Rounds => "--rounds",
        ConfigError::Attempts => "--attempts",
        ConfigError::Trials => "--trials",
        ConfigError::LastOfTrials => "--trials with --keep last",
        ConfigError::Threshold => "--threshold",
        ConfigError::SenderLoad => "--sender-load at-turn with --knowledge gossiped",
        ConfigError::Exchange => "--exchange yes with --refuse no",
    }
}

const fn mend(error: ConfigError) -> &'static str {
    match error {
        ConfigError::LastOfTrials => ": leave one of them out",
        ConfigError::SenderLoad => ": leave it out, or use --knowledge live",
        ConfigError::Exchange => ", with --refuse yes",
        _ => "",
    }
}
