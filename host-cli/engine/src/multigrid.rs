//! Multigrid, whoever makes its cycles and keeps the time: on pinned [`threads`](super::threads),
//! or [in virtual time](super::virtual_multigrid).

use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{Array2, ShapeError};
use tresse_core::base::real::Real;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::stencil::Terms;
use tresse_core::multigrid::owned::{
    Multigrid, Processes, Scheme, SolverState, Workers, conjugate_gradients,
    conjugate_gradients::ConjugateGradients, numbers_needed,
};
use tresse_core::multigrid::{Ending, Finding, Gains, Smoothing};
use tresse_core::run::{End, NodeBalance, RunConfig, Stop};

use crate::kernel::RowKernel;
use crate::recorder::Recorder;
use crate::solvers::MultigridChoices;
use crate::synchronous::{Count, Ended, record};
use tresse_draw::history::HistorySample;

/// Cells from which on a level is shared: fewer are done before another thread has woken up.
const SHARED_FROM: usize = 1 << 13;

/// Returns the scheme of a run; `None` for a number of smoothing steps that is not supported.
pub(super) fn scheme(config: &RunConfig, choices: MultigridChoices) -> Option<Scheme> {
    let bands = config.subdomains().try_into().unwrap_or(usize::MAX);
    let smoothing = Smoothing::chebyshev(choices.smoothing)?;
    let MultigridChoices { coarsest, coarse_cycles, .. } = choices;
    let group = config.split as usize;
    Some(Scheme { smoothing, coarsest, coarse_cycles, bands, group, shared_from: SHARED_FROM })
}

/// Returns the bytes that a run by multigrid allocates, for an equation with these terms and a grid
/// of cells of this ratio (height to width): all levels, and what the bands have of their own.
pub fn bytes_needed(
    config: &RunConfig,
    choices: MultigridChoices,
    terms: Terms<()>,
    cell_ratio: f64,
) -> u64 {
    let Some(scheme) = scheme(config, choices) else { return 0 };
    let nodes = u64::from(config.nodes.number);
    if terms.faces.is_some() {
        let cell_bytes = config.precision.bytes();
        let (grid, scheme) = (config.grid, &scheme);
        return conjugate_gradients::bytes_needed(grid, cell_ratio, cell_bytes, scheme, nodes);
    }
    let rows_move = config.nodes.balance == NodeBalance::Rows;
    let [numbers, doubles] = numbers_needed(config.grid, &scheme, terms, nodes, rows_move);
    let of_levels = numbers.saturating_mul(config.precision.bytes());
    of_levels.saturating_add(doubles.saturating_mul(8))
}

/// Returns whole rows of the grid as an array.
pub(super) fn shaped<F>(cells: Vec<F>, config: &RunConfig) -> Result<Array2<F>, ShapeError> {
    let columns = config.grid.columns;
    let rows = cells.len().checked_div(columns).unwrap_or_default();
    Array2::from_shape_vec((rows, columns), cells)
}

/// A method that makes one cycle after the other; residuals are sums of squares.
pub trait Cycles {
    /// Type of a cell.
    type Cell;
    /// What the next cycle starts from.
    type State: SolverState;
    /// Computes the residual from which the first cycle starts, and returns its sum of squares.
    fn begin(&mut self, threads: &impl Workers) -> f64;
    /// Makes a V-cycle, and returns the sum of squares of the residual after it.
    fn cycle(&mut self, threads: &impl Workers) -> f64;
    /// Returns the sum of squares of the residual of the cells as they are.
    fn residual_squares(&mut self, threads: &impl Workers) -> f64;
    /// Returns whether `is` holds for any process. Collective.
    fn any(&mut self, is: bool) -> bool;
    /// Moves rows between processes before the next cycle, where that pays by the time that each
    /// has worked in the last one. Returns the number of bands that this process has given to
    /// others. Collective.
    fn balance(&mut self, worked: Duration) -> usize;
    /// Returns the sum of squares below which rounding does not let the residual fall; infinity
    /// where every stop is one by rounding. Collective.
    fn rounding(&mut self, threads: &impl Workers) -> f64;
    /// Returns the conditions of the end, as the method needs them.
    fn ending(&self, ending: Ending) -> Ending;
    /// Returns what the next cycle starts from.
    fn state(&self) -> &Self::State;
    /// Returns what the next cycle starts from, to be set before the first cycle.
    fn state_mut(&mut self) -> &mut Self::State;
    /// Returns the cells of this process's rows, and gives everything else back.
    fn into_cells(self) -> Vec<Self::Cell>;
}

/// Multigrid where the faces have no weights.
pub struct Geometric<F, P> {
    pub(super) multigrid: Multigrid<F, P>,
    pub(super) kernel: RowKernel<F>,
}

impl<F: Real + Send + Sync, P: Processes<F>> Cycles for Geometric<F, P> {
    type Cell = F;
    type State = Multigrid<F, P>;

    fn begin(&mut self, threads: &impl Workers) -> f64 {
        self.multigrid.begin(&self.kernel, threads)
    }

    fn cycle(&mut self, threads: &impl Workers) -> f64 {
        self.multigrid.cycle(&self.kernel, threads)
    }

    fn residual_squares(&mut self, threads: &impl Workers) -> f64 {
        self.multigrid.residual_squares(threads)
    }

    fn any(&mut self, is: bool) -> bool {
        self.multigrid.any(is)
    }

    fn balance(&mut self, worked: Duration) -> usize {
        self.multigrid.balance(worked.0)
    }

    fn rounding(&mut self, _: &impl Workers) -> f64 {
        f64::INFINITY
    }

    fn ending(&self, ending: Ending) -> Ending {
        ending
    }

    fn state(&self) -> &Self::State {
        &self.multigrid
    }

    fn state_mut(&mut self) -> &mut Self::State {
        &mut self.multigrid
    }

    fn into_cells(self) -> Vec<F> {
        let rows = self.multigrid.rows().clone();
        let columns = self.multigrid.row(0, rows.start).len();
        let mut cells = self.multigrid.into_cells();
        cells.truncate(rows.end * columns);
        cells.drain(..rows.start * columns);
        cells
    }
}

impl<F: Real + Send + Sync, P: Processes<f64>> Cycles for ConjugateGradients<F, P> {
    type Cell = F;
    type State = Self;

    fn begin(&mut self, threads: &impl Workers) -> f64 {
        Self::begin(self, threads)
    }

    fn cycle(&mut self, threads: &impl Workers) -> f64 {
        Self::cycle(self, threads)
    }

    fn residual_squares(&mut self, threads: &impl Workers) -> f64 {
        Self::residual_squares(self, threads)
    }

    fn any(&mut self, is: bool) -> bool {
        Self::any(self, is)
    }

    /// The rows of all levels follow from those of the finest: they stay where they are.
    fn balance(&mut self, _: Duration) -> usize {
        0
    }

    fn rounding(&mut self, threads: &impl Workers) -> f64 {
        Self::rounding(self, threads)
    }

    fn ending(&self, ending: Ending) -> Ending {
        ending.of_conjugate_gradients()
    }

    fn state(&self) -> &Self {
        self
    }

    fn state_mut(&mut self) -> &mut Self {
        self
    }

    fn into_cells(self) -> Vec<F> {
        Self::into_cells(self)
    }
}

/// Threads that cycles are made on, with their clock.
pub(super) trait Threads {
    type Pool: Workers;
    /// Does some work on the threads.
    fn run<R: Send>(&self, work: impl FnOnce(&Self::Pool) -> R + Send) -> R;
    /// Returns the time.
    fn now(&self) -> Instant;
    /// Returns for how long the threads have done tasks that follow from each other, without the
    /// time for which they have waited for other processes.
    fn worked(&self) -> Duration;
}

/// How far a run has come, apart from its fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Sum of squares of the residual before the first cycle, to which all later ones are relative.
    pub initial: f64,
    /// Cycles so far.
    pub cycles: u64,
    /// What they have gained.
    pub gains: Gains,
}

impl Stage {
    /// Returns that before the first cycle.
    pub const fn first(initial: f64) -> Self {
        Self { initial, cycles: 0, gains: Gains { best: initial, without: 0 } }
    }
}

/// Keeps what cycles have come to, for another run to go on from.
pub trait Keeper<K> {
    /// Reports whether any process wants the state to be kept now. Collective.
    fn is_wanted(&self, now: Instant) -> bool;
    /// Keeps the state of the solver and how far the run has come. Collective.
    fn keep(&self, solver: &K, stage: Stage, now: Instant);
}

/// Keeps nothing where there is nobody to keep it.
impl<K, T: Keeper<K>> Keeper<K> for Option<T> {
    fn is_wanted(&self, now: Instant) -> bool {
        self.as_ref().is_some_and(|keeper| keeper.is_wanted(now))
    }

    fn keep(&self, solver: &K, stage: Stage, now: Instant) {
        if let Some(keeper) = self {
            keeper.keep(solver, stage, now);
        }
    }
}

/// Keeps nothing.
impl<K> Keeper<K> for () {
    fn is_wanted(&self, _: Instant) -> bool {
        false
    }

    fn keep(&self, _: &K, _: Stage, _: Instant) {}
}

/// The loop of a run by multigrid: what it goes on until, and what it records.
pub(super) struct CycleLoop<'a> {
    config: &'a RunConfig,
    interrupt: &'a AtomicBool,
    bands: u32,
    pub recorder: Recorder,
}

impl<'a> CycleLoop<'a> {
    /// Returns the loop of a run with this number of bands on the node, before its first cycle.
    pub fn new(config: &'a RunConfig, interrupt: &'a AtomicBool, bands: u32) -> Self {
        let workers = config.workers_per_node();
        let nearest = |band| {
            let share = u64::from(band) * u64::from(workers) / u64::from(bands.max(1));
            share.try_into().unwrap_or(0)
        };
        Self { config, interrupt, bands, recorder: Recorder::of_parts(bands, nearest) }
    }

    /// Makes cycles from stage `first` on, until a verified residual is within the tolerance, or
    /// there is another reason to end. `watch` sees a sample after each cycle, and at the end one
    /// with the verified residual. `keeper` is asked before each cycle, and keeps the state of a
    /// run that is interrupted.
    pub fn run<S: Cycles + Send>(
        &mut self,
        solver: &mut S,
        threads: &impl Threads,
        first: Stage,
        keeper: &impl Keeper<S::State>,
        watch: &mut dyn FnMut(&HistorySample),
    ) -> Ended {
        let Stop { iterations, .. } = self.config.stop;
        let Stage { initial, cycles: before, gains } = first;
        let reference = self.config.stop.reference_or(initial);
        let mut ending = solver.ending(Ending::new(initial, &self.config.stop).after(gains));
        let begun = threads.run(|pool| solver.begin(pool));
        let (mut sum, mut detected) = (if before == 0 { initial } else { begun }, None);
        let mut count = Count { all: before, before };
        let (mut worked, mut moved) = (Duration::ZERO, 0);
        loop {
            let stage = Stage { initial, cycles: count.all, gains: ending.gains() };
            let finding = ending.judge(sum, || threads.run(|pool| solver.rounding(pool)));
            if finding != Finding::GoOn {
                detected = Some(sum);
            }
            let is_interrupted = solver.any(self.interrupt.load(Ordering::Relaxed));
            let is_done = iterations.is_some_and(|iterations| count.all >= iterations);
            if is_interrupted || is_done || finding != Finding::GoOn {
                let verified = threads.run(|pool| solver.residual_squares(pool));
                let end = match finding {
                    _ if !verified.is_finite() => Some(End::NotFinite),
                    _ if ending.is_reached(verified) => Some(End::Converged),
                    Finding::Stagnates => Some(End::Stagnated),
                    _ if is_interrupted => Some(End::Interrupted),
                    _ => is_done.then_some(End::Iterations),
                };
                if let Some(end) = end {
                    let now = threads.now();
                    if !end.is_final(&self.config.stop) {
                        keeper.keep(solver.state(), stage, now);
                    }
                    watch(&self.sample(now, verified / reference, count));
                    return Ended { end, initial, detected, verified, count, moved, now };
                }
            }
            if count.all > before {
                watch(&self.sample(threads.now(), sum / reference, count));
            }
            let now = threads.now();
            if keeper.is_wanted(now) {
                keeper.keep(solver.state(), stage, now);
            }
            if count.all > before && self.config.nodes.balance == NodeBalance::Rows {
                let worked = Duration(threads.worked().0.saturating_sub(worked.0));
                moved += threads.run(|_| solver.balance(worked)) as u64;
            }
            worked = threads.worked();
            sum = threads.run(|pool| solver.cycle(pool));
            count.all += 1;
        }
    }

    /// Records a sample; `relative` is the residual's sum of squares over the initial one.
    fn sample(&mut self, now: Instant, relative: f64, count: Count) -> HistorySample {
        record(&mut self.recorder, now, relative, count, self.config, self.bands)
    }
}
