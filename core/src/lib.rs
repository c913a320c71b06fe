//! The deciding half of Tresse.
//!
//! # Purity
//!
//! This crate takes counts, owners, time, seeds and memory as arguments and returns decisions as
//! plain values. It never reads a clock, spawns, allocates, prints or panics on input, and it has
//! no `unsafe` outside [`shared`]. The same functions are driven by pinned threads, by the fuzzers
//! and by the model checker, and their decisions are integer arithmetic with explicit tie-breaks,
//! so that every driver agrees to the bit. Floats live in [`stencil`] and in reports.

#![no_std]
#![warn(clippy::std_instead_of_core, clippy::indexing_slicing, clippy::panic)]

pub mod grammar;
pub mod grid;
pub mod id;
pub mod noise;
pub mod rng;
pub mod run;
pub mod time;
