//! Setting a run up, watching it, and gathering what it leaves.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndarray::Array2;
use tresse_core::balance::Balancer;
use tresse_core::convergence::{Convergence, Detected, Verified, norm};
use tresse_core::grid::{Decomposition, Side};
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::ownership::{Holding, Link, Ownership};
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::{ConfigError, RunConfig};
use tresse_core::schedule::is_done;
use tresse_core::shared::{Assignment, DirtyMark, Handover, Held, Publication, SharedReal};
use tresse_core::subdomain::Subdomain;
use tresse_core::time::Instant;
use tresse_core::topology::Topology;

use super::clock::Clock;
use super::control::Control;
use super::duty::{Duty, Turn};
use super::history::{Recorder, sample};
use super::memory::Memory;
use super::observer::Observer;
use super::solution::{End, Solution};
use super::worker::{Sweeps, Worker};
use crate::kernel::Kernel;
use crate::machine::{self, Placement};
use crate::noise::{NoiseError, NoiseThreads};
use crate::problem::{Cells, Problem};
use crate::report::history::Sample;
