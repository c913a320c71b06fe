//! One node: the lives of its workers, and who of them sweeps what.
//!
//! Nothing here waits, computes a cell or sends a message. A driver asks a
//! [`Worker`](worker::Worker) for its next [`Command`](worker::Command), carries it out and asks
//! again: read these first.
//!
//! A [`Keeper`] keeps its parts until the balancer gives them to others, and sweeps each of them
//! once an iteration; [`Keep`] says which is next.
//!
//! Or parts stay at home and are claimed for one sweep at a time. Each part has a home, the worker
//! that it started with. A [`Visitor`] claims a part, reads its neighbours' edges, sweeps it,
//! publishes it and lets it go, one [`Visit`] command after the other; where [`Away`] allows that,
//! it may be a part of another home. So what a slow worker leaves behind is swept by others,
//! nothing moves for it, and it is back as soon as its own worker can keep up. A [`Choice`] is made
//! by integers and with explicit tie-breaks, from what the [`Board`] shows; since that may be old,
//! whatever is chosen is verified under the claim ([`Control::admits`](worker::Control::admits),
//! [`Mode::admits`](crate::run::Mode::admits)).
//!
//! | file | what is in it |
//! |---|---|
//! | [`worker`] | a worker's life, turns, halts and detection |
//! | `keeper`, `pace` | parts that are kept |
//! | `visitor`, `choice`, `opening`, `homes`, `board`, `watch` | parts that are claimed for one sweep |
//! | `shared` | who has a part, in memory that threads touch together |
//! | `executor` | the one that threads and ranks run: a node, and its workers |
//! | `owned` | the memory that a run will need (with `alloc`) |

mod board;
mod choice;
#[cfg(target_has_atomic = "64")]
pub mod executor;
mod homes;
mod keeper;
mod opening;
#[cfg(feature = "alloc")]
pub mod owned;
mod pace;
#[cfg(target_has_atomic = "64")]
pub mod shared;
mod visitor;
mod watch;
pub mod worker;

pub use board::Board;
pub use choice::{Away, Choice, Chosen, Next};
pub use homes::Homes;
pub use keeper::{Hands, Keep, Keeper};
pub use pace::Pace;
pub use visitor::{Around, Visit, Visitor};
