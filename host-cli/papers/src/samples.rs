//! Writes `samples.csv`: a line for each run of the solver or of a pool, and for each iteration of
//! a balancer or its end.

use std::io::{self, Write};

use serde::Serialize;

use super::balancing::{Balancing, Step};
use super::plan::Job;
use super::pooling::PoolFigures;
use super::replicate::Replicate;
use super::run::Run;
use super::runs::Runs;
use super::simulation::Solved;

const OF_SOLVER: &str = "setting,problem,replicate,seed,ended,seconds,iterations,iteration_rate,\
                         spread_end,spread_max,staleness_mean,staleness_max,moves,transfers,\
                         residual_relative,noise_share";
const OF_ITERATIONS: &str = "setting,replicate,seed,iteration,transfers,exchanges,rejected,refused,\
                             rejection_rate,imbalance,gossip_messages,gossip_loads";
const OF_POOLS: &str = "setting,replicate,seed,ended,workers,managers,tasks,seconds,ideal_seconds,\
                        idle,speculating,asked,failed,rolled_back,steals,failed_steals,messages,\
                        manager_busy";
const OF_ENDS: &str = "setting,replicate,seed,imbalance,gossip_messages";

/// Writes the runs as CSV.
pub fn write(runs: &Runs, to: impl Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(to);
    // All settings of an experiment are of one kind.
    let Some(job) = runs.plan.settings.first().map(|setting| &setting.job) else { return Ok(()) };
    let header = match job {
        Job::Simulation(_) => OF_SOLVER,
        Job::Balancing(Balancing { is_told_whole: true, .. }) => OF_ITERATIONS,
        Job::Balancing(_) => OF_ENDS,
        Job::Pooling(_) => OF_POOLS,
    };
    table.write_record(header.split(','))?;
    for run in &runs.all {
        match job {
            Job::Simulation(_) => table.serialize(of_solver(run))?,
            Job::Balancing(Balancing { is_told_whole: true, .. }) => {
                let steps = run.balanced.steps.iter().enumerate();
                steps.map(|step| of_iteration(run, step)).try_for_each(|it| table.serialize(it))?;
            }
            Job::Balancing(_) => table.serialize(of_end(run))?,
            Job::Pooling(_) => table.serialize(of_pool(run))?,
        }
    }
    table.flush()
}

/// Returns the columns of a run of the solver, in the order of their head.
fn of_solver(run: &Run) -> impl Serialize {
    let Run { setting, replicate: Replicate { number, seed }, ended, solved, .. } = run;
    let Solved { problem, seconds, iterations, iteration_rate, spread_end, spread_max, .. } =
        solved;
    let staleness = (solved.staleness_mean, solved.staleness_max);
    let ends = (solved.residual_relative, solved.noise_share);
    let times = (seconds, iterations, iteration_rate);
    let counts = (spread_end, spread_max, staleness, solved.moves, solved.transfers);
    (setting, problem, number, seed, ended, times, counts, ends)
}

/// Returns the columns of one iteration of a balancer, in the order of their head.
fn of_iteration(run: &Run, (iteration, step): (usize, &Step)) -> impl Serialize {
    let Run { setting, replicate: Replicate { number, seed }, .. } = run;
    let Step { tally, imbalance, told, .. } = step;
    let moved = (tally.transfers, tally.exchanges);
    let not_moved = (tally.rejected, tally.refused, step.rejection_rate());
    (setting, number, seed, iteration, moved, not_moved, imbalance, told)
}

/// Returns the columns of the end of a balancer's run, in the order of their head.
fn of_end(run: &Run) -> impl Serialize {
    let Run { setting, replicate: Replicate { number, seed }, balanced, .. } = run;
    (setting, number, seed, balanced.taken, balanced.step(1).told[0])
}

/// Returns the columns of a run of a pool, in the order of their head.
fn of_pool(run: &Run) -> impl Serialize {
    let Run { setting, replicate: Replicate { number, seed }, ended, pool, .. } = run;
    let PoolFigures { workers, managers, tasks, seconds, ideal_seconds, .. } = *pool;
    let size = (workers, managers, tasks);
    let shares = (seconds, ideal_seconds, pool.idle, pool.speculating);
    let claims = (pool.asked, pool.failed, pool.rolled_back, pool.steals, pool.failed_steals);
    (setting, number, seed, ended, size, shares, claims, pool.messages, pool.manager_busy)
}
