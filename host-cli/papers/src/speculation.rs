//! The slides on speculative load balancing (Eslami & Gropp): trees counted, and graphs traversed,
//! by workers that share their nodes, in virtual time.

mod choice;
mod optimum;
mod scaling;
mod stealing;
mod traversal;
mod tuning;
mod way;

use super::published::speculation as published;

pub(super) use optimum::OPTIMUM;
pub(super) use scaling::SCALING;
pub(super) use stealing::STEALING;
pub(super) use tuning::TUNING;
