//! The slides' tables of Grapevine (Pébaÿ & Lifflander 2019), also with gossiped loads, and with
//! our best parameters.

mod case;
mod experiment;
mod parameters;
mod statements;
mod tables;
mod twin;
mod way;

use super::published::grapevine as published;

pub(super) use experiment::TABLES;
pub(super) use parameters::PARAMETERS;
