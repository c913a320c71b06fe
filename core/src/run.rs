//! What a run is asked for and what it answers: plain data that every host shares.

mod config;
mod policy;
mod report;

pub use config::{ConfigError, MAX_PAIRS, RunConfig, Stop, Warning};
pub use policy::{Balance, GridSize, Mode, PlbParams, Precision};
pub use report::{
    MachineReport, NoiseReport, Report, ResidualReport, SpreadReport, StalenessReport,
};
