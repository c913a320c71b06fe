//! Requests for runs and their answers: plain data that every host shares.

mod balance;
mod config;
mod end;
mod nodes;
mod policy;
mod report;

pub use balance::{Balance, Chosen, Reach, Turned};
pub use config::{MAX_PAIRS, MAX_WORKERS, Quantity, RunConfig, RunConfigError, Stop};
pub use end::End;
pub use nodes::{CHAOS_PERIOD, NodeBalance, NodeRule, Nodes};
pub use policy::{GridSize, Imbalance, Mode, PlbParams, Precision};
pub use report::{
    AutoReport, ErrorEstimate, MachineReport, NoiseReport, RelativeTo, ResidualReport, RunReport,
    SpreadReport, StalenessReport, TurnedReport,
};
