//! Multigrid against one V-cycle written naively, and against what it promises.

mod convergence;
mod flow;
mod moves;
mod naive;
mod problems;
mod processes;
mod stale;
mod state;
mod virtual_threads;
mod weighted;
