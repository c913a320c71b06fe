//! The engine on pinned threads.
//!
//! Everything that decides is in [`tresse_core`]; here are the threads, their memory and the clock.
//! [`solve`] is the way in, and [`iterate`] with parts of any kind.

mod baseline;
mod board;
mod capacity;
mod drive;
mod error;
mod halt;
mod iterate;
mod job;
mod links;
mod members;
mod memory;
mod missing;
mod multigrid;
mod observer;
mod peers;
mod pinned_pool;
mod residuals;
mod run;
mod samples;
mod single;
mod slots;
mod solution;
mod solve;
mod task_pool;
mod task_tracks;
mod turn;
mod visits;
mod wait;
mod worker;
mod workers;

pub use crate::solution::{RunRecord, Solution, Visited};
pub use baseline::{BandExchange, Rows, Share, solve_with_rayon, solve_with_rayon_among};
pub use capacity::bytes_needed_with_rayon;
pub use error::EngineError;
pub use iterate::iterate;
pub use job::{Iteration, Job};
pub use memory::CopyWords;
pub use missing::MissingHalo;
pub use multigrid::{Among, Prepared, record_multigrid, solve_with_multigrid};
pub use observer::{Activity, Observer, Observers, Sweep};
pub use peers::{Alone, Exchanged, Local, Moment, Peers, RemoteProgress};
pub(crate) use pinned_pool::on_pinned_threads;
pub use slots::{SlotTable, Slots};
pub use solve::{solve, solve_among};
pub use task_tracks::TaskTracks;
pub use tresse_core::run::End;

use crate::kernel::Kernel;
use tresse_core::field::subdomain::StencilPart;

/// A subdomain under the stencil, as [`solve`] sweeps it.
pub type Cells<'m, F> = StencilPart<'m, F, Kernel<F>>;
