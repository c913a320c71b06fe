//! The core's own code on loom's atomics, under every allowed reordering and every interleaving
//! with a bounded number of preemptions, which each model names (Musuvathi & Qadeer 2007: few
//! suffice to find most faults).
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test --release -p tresse-core-tests --test loom
//! --target-dir target/loom`.

#![cfg(all(loom, test))]

mod claim;
mod combiner;
mod copies;
mod fetched;
mod halo;
mod lent_rows;
mod residuals;
mod visits;
mod worker;

use loom::model::Builder;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::stencil::Layout;

/// Whose edges are read.
const OWN: SubdomainId = SubdomainId(7);

/// Returns one row of two cells.
fn layout() -> Layout {
    Layout::new(1, 2).unwrap()
}

/// Cells that are all of the same version.
fn cells(version: u16) -> Vec<f32> {
    vec![f32::from(version); layout().len()]
}

/// Explores everything with a bound on the involuntary switches between threads.
fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}
