//! The deciding half of Tresse.
//!
//! # Purity
//!
//! This crate takes counts, owners, time, seeds and memory as arguments and returns decisions as
//! plain values. It never reads a clock, spawns, allocates, prints or panics on input, and it has
//! no `unsafe` outside [`shared`]. The same functions are driven by pinned threads, by the fuzzers
//! and by the model checker, and their decisions are integer arithmetic with explicit tie-breaks,
//! so that every driver agrees to the bit. Floats live in [`stencil`], in [`convergence`] and in
//! reports.
//!
//! # Map
//!
//! A worker finishes a [`stencil`] sweep of a [`subdomain`]; the edges go out with their version
//! ([`shared::Publication`]), which is the subdomain's update count ([`progress`]). Every period
//! one worker lends the counts and the [`ownership`] to a [`balance`]r, which makes moves; each is
//! announced ([`shared::Assignment`]), and the subdomain changes hands ([`shared::Handover`]).
//! [`schedule`] says whether a subdomain may be swept yet, [`convergence`] when the run may end.
//! [`run`] has what a run is asked for and what it answers, in the [`grammar`] of every host.
//!
//! # Sources
//!
//! Sections without another source are those of J. Zarins and M. Weiland, *Progressive load
//! balancing of asynchronous algorithms*, IA³ 2017. "Rule n" is a rule of this project where the
//! papers leave a choice; each is spelled out where it is used.

#![no_std]
#![warn(clippy::std_instead_of_core, clippy::indexing_slicing, clippy::panic)]

pub mod balance;
pub mod convergence;
pub mod grammar;
pub mod grid;
pub mod id;
pub mod noise;
pub mod ownership;
pub mod progress;
pub mod rng;
pub mod run;
pub mod schedule;
#[cfg(target_has_atomic = "64")]
pub mod shared;
pub mod stencil;
#[cfg(target_has_atomic = "64")]
pub mod subdomain;
pub mod time;
pub mod topology;
