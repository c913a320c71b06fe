//! The executor: what a node's workers share, and what each of them does with it.
//!
//! A [`Node`] is the state of one process, in memory that it is lent ([`NodeMemory`]); a [`Worker`]
//! carries out the commands of its [life](crate::node::worker::Worker), sweeps
//! [parts](crate::parts::Part) and takes its turns. Time, waiting and whoever looks on are
//! its [`Host`]'s; other processes are [`Peers`]. There is no other executor for threads and ranks.
//!
//! It never blocks by itself, reads no clock, and knows nothing of cells.
//!
//! Read [`Node`] first, then [`Worker::step`].
//!
//! | file | what is in it |
//! |---|---|
//! | `node`, `turn`, `halt`, `turnstile` | what workers share; what one of them does for all |
//! | `worker`, `members`, `links` | a worker, the parts in its hands, their neighbours |
//! | `visits`, `board` | parts that stay at home, and what a worker sees of all |
//! | `slots`, `residuals` | where parts lie; their shares of the residual |
//! | `host`, `observer`, `peers`, `missing` | interfaces to host, observer and other processes |
//! | `memory`, `owned` | the memory of all of it, lent, and (with `alloc`) owned |

mod board;
mod halt;
mod host;
mod links;
mod members;
mod memory;
mod missing;
mod node;
mod observer;
#[cfg(feature = "alloc")]
mod owned;
mod peers;
mod residuals;
mod slots;
#[cfg(test)]
mod tests;
mod turn;
mod turnstile;
mod visits;
mod worker;

pub use host::{Host, Outcome, Wait};
pub use links::{Links, Neighbour};
pub use members::Member;
pub use memory::{NodeMemory, WorkerMemory};
pub use missing::MissingHalo;
pub use node::{Node, Setup, Sweeps, Totals};
pub use observer::{Activity, Observer, Sweep};
#[cfg(feature = "alloc")]
pub use owned::{OwnedNodeMemory, OwnedWorkerMemory};
pub use peers::{Alone, Exchanged, Local, Moment, Peers, RemoteProgress};
pub use slots::{SlotTable, Slots};
pub use visits::{Seen, VisitsMemory};
pub use worker::{Done, Step, Visited, Worker};
