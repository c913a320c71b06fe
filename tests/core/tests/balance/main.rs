//! The balancers: every rule against its naive oracle.

mod dplb;
mod grapevine_lemma;
mod grapevine_protocol;
mod grapevine_sender;
mod plb_canary;
mod plb_exhaustive;
mod plb_policies;
mod plb_properties;
mod plb_stuck;
mod visitor;
