//! Tresse on pinned threads: everything around [`tresse_core`] that waits, measures, allocates or
//! talks to a person.

pub mod args;
pub mod balancing;
pub mod bench;
pub mod cells;
pub mod checkpoint;
pub mod commands;
pub mod comparison;
mod config_form;
pub mod document;
pub mod exit;
pub mod hardware;
pub mod kernel;
pub mod machine;
mod methods;
pub mod noise;
pub mod problem;
pub mod recording;
pub mod report;
pub mod reproduce;
pub mod simulation;
pub mod solution;
pub mod solver;
pub mod stored_cell;
pub mod terminal;
pub mod threads;
pub mod traces;
