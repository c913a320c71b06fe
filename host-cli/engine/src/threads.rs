//! The engine on pinned threads.
//!
//! Everything that decides is in [`tresse_core`]; here are the threads, their memory and the clock.
//! [`solve`] is the way in, and [`iterate`] with parts of any kind.

mod baseline;
mod capacity;
mod drive;
mod error;
mod iterate;
mod job;
mod memory;
mod multigrid;
mod observer;
mod pinned_pool;
mod samples;
mod single;
mod solution;
mod solve;
mod task_pool;
mod task_tracks;
mod wait;
mod worker_host;
mod workers;

pub use crate::solution::{RunRecord, Solution, Visited};
pub use baseline::{BandExchange, Rows, Share, solve_with_rayon, solve_with_rayon_among};
pub use capacity::bytes_needed_with_rayon;
pub use drive::drive;
pub use error::EngineError;
pub use iterate::iterate;
pub use job::{Iteration, Job};
pub use memory::CopyWords;
pub use multigrid::{Among, Prepared, record_multigrid, solve_with_multigrid};
pub use observer::Observers;
pub(crate) use pinned_pool::on_pinned_threads;
pub use solve::solve;
pub use task_tracks::TaskTracks;
pub use tresse_core::node::executor::{
    Activity, Alone, Exchanged, Local, MissingHalo, Moment, Observer, Peers, RemoteProgress,
    SlotTable, Slots, Sweep,
};
pub use tresse_core::run::End;

use crate::kernel::Kernel;
use tresse_core::field::subdomain::StencilPart;

/// A subdomain under the stencil, as [`solve`] sweeps it.
pub type Cells<'m, F> = StencilPart<'m, F, Kernel<F>>;
