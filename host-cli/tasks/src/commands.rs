//! The commands of pools: their flags ([`args`]), one file a subcommand, and what they share
//! ([`pool`]).

pub mod args;
pub mod pool;
pub mod traverse;
pub mod uts;

mod error;

pub use error::SetUpError;
