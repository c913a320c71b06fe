//! Small systems of the shipped state machines, in every order of events.

mod alone;
mod asking;
mod grapevine;
mod halting;
mod handover;
mod lives;
mod migration;
mod sharing;
mod visits;
