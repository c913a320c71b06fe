//! The commands of load traces: their flags ([`args`]), and one file a subcommand.

pub mod args;
pub mod balance;
pub mod decide;
pub mod traces;

mod error;

pub use error::TraceError;
