//! One file a subcommand.

pub mod noise;
pub mod topology;
