//! One run: what is asked for, what came of it, and the rules that every driver of it goes by.
//!
//! It is plain data and functions of it: no cell, no part and no worker is in here, and nothing
//! waits. A configuration names a balancer, but how one decides is in [`balance`](crate::balance).
//!
//! Read [`RunConfig`] first, then [`Mode`]. [`End`] says how a run has ended.
//!
//! | file | what is in it |
//! |---|---|
//! | `config`, `policy`, `balance`, `nodes` | the configuration, and its values as text |
//! | `end`, `report` | the answers that hosts give |
//! | [`noise`] | the cores that are slowed, as data |
//! | [`progress`] | update counts: spread, staleness, iterations |
//! | [`schedule`] | whether a part may be swept yet |
//! | [`convergence`] | when the residual is small enough |

mod balance;
mod config;
pub mod convergence;
mod end;
mod nodes;
pub mod noise;
mod policy;
pub mod progress;
mod report;
pub mod schedule;

pub use balance::{Balance, Chosen, Reach, Switched};
pub use config::{MAX_PAIRS, MAX_WORKERS, Quantity, RunConfig, RunConfigError, Stop};
pub use end::End;
pub use nodes::{CHAOS_PERIOD, NodeBalance, NodeRule, Nodes};
pub use policy::{GridSize, Imbalance, Mode, PlbParams, Precision};
pub use report::{
    AutoReport, ErrorEstimate, MachineReport, NoiseReport, RelativeTo, ResidualReport, RunReport,
    SpreadReport, StalenessReport, TurnedReport,
};
