//! Tresse on pinned threads: everything around [`tresse_core`] that waits, measures, allocates or
//! talks to a person.

pub mod args;
pub mod bench;
pub mod commands;
pub mod exit;
pub mod kernel;
pub mod machine;
pub mod noise;
pub mod problem;
pub mod recording;
pub mod report;
pub mod solver;
pub mod threads;
