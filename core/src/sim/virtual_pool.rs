//! A pool of tasks in virtual time: the workers and managers of [`sharing`](crate::tasks::sharing),
//! with real tasks, on the cores of a machine.
//!
//! Everybody is a rank on a core of its own, workers first, then managers. A worker looks at what
//! has arrived, then executes up to [`PoolCosts::most_at_a_time`] tasks; what it sends leaves when
//! these are done, a claim when its task begins. A manager does one thing after the other. All of
//! that takes as long as the rank's core needs at that time, with its pace and its noise. A message
//! takes what a halo of its length takes between two places, and those that a rank sends over one
//! distance do not overtake each other. What happens at one time happens in the order of the
//! queue's actors: messages arrive first. So a configuration gives the same run everywhere.
//!
//! [`PoolSimulation::run`] makes a run, [`PoolSimulation::start`] one that is gone through step by
//! step, and looked at in between.
//!
//! | file | what is in it |
//! |---|---|
//! | `config`, `costs`, `error` | what is simulated, what it costs, what cannot be |
//! | `run` | one event after the other |
//! | `worker`, `manager` | what a rank does at its event |
//! | `network` | messages on their way |
//! | `rank` | the ranks' numbers, cores and unread messages |
//! | `view` | what can be looked at |

mod config;
mod costs;
mod error;
mod manager;
mod network;
mod rank;
mod run;
mod view;
mod worker;

pub use config::PoolSimulation;
pub use costs::PoolCosts;
pub use error::PoolSimulationError;
pub use rank::Doing;
pub use run::{PoolOutcome, PoolRun};
pub use view::MessageView;
