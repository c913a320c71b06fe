//! Multigrid against one V-cycle written naively, and against what it promises.

mod convergence;
mod flow;
mod kept;
mod moves;
mod naive;
mod problems;
mod processes;
mod stale;
mod virtual_threads;
mod weighted;
