//! Who sweeps what on a node.
//!
//! A [`Keeper`] keeps its parts until the balancer gives them to others, and sweeps each of them once an
//! iteration; [`Keep`] says which is next.
//!
//! Or parts stay at home and are claimed for one sweep at a time. Each part has a home, the worker that it started with. A [`Visitor`] claims a part, reads its neighbours'
//! edges, sweeps it, publishes it and lets it go, one [`Visit`] command after the other; where [`Away`] allows
//! that, it may be a part of another home. So what a slow worker leaves behind is swept by others, nothing
//! moves for it, and it is back as soon as its own worker can keep up. A [`Choice`] is made by integers and with
//! explicit tie-breaks, from what the [`Board`] shows; since that may be old, whatever is chosen is verified
//! under the claim ([`Control::admits`](crate::worker::Control::admits),
//! [`Mode::admits`](crate::run::Mode::admits)).

mod board;
mod choice;
mod homes;
mod keeper;
mod opening;
mod pace;
mod visitor;
mod watch;

pub use board::Board;
pub use choice::{Away, Choice, Chosen, Next};
pub use homes::Homes;
pub use keeper::{Hands, Keep, Keeper};
pub use pace::Pace;
pub use visitor::{Around, Visit, Visitor};
