//! Conjugate gradients, preconditioned by the cycle of [`weighted`](crate::multigrid::weighted), on
//! memory of its own.

mod equation;
mod level;
mod share;
mod state;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Alone, Processes, Scheme, Workers};
use crate::base::real::Real;
use crate::field::problem::Problem;
use crate::multigrid::total;
use crate::multigrid::weighted::{Direct, Size, row_of, sizes};
use crate::run::GridSize;
use equation::Equation;
use level::{Coarse, OwnedLevel, cycle, find_residual};
use share::{GHOST_ROWS, Share, Team, wider};

/// Error of a cell's residual, over its solution.
const LAST_PLACES: f64 = 8.0 * f64::EPSILON;

/// A problem on its grid with any coefficient, and all levels below it; the finer levels may be
/// shared with other processes, `P`.
///
/// [`Self::cycle`] makes one step of conjugate gradients: a cycle from the residual, in which a
/// cycle on a level makes [`Scheme::coarse_cycles`] on the next coarser one, and the best step in
/// the direction that follows from it.
///
/// Each process has consecutive rows of the finest level, and of every coarser one that is worth
/// sharing, and trades the rows beside them; the levels below are calculated by each process for
/// itself. What is added up over all cells is added in the order of the rows, so that everything is
/// the same to the bit for any number of processes.
#[derive(Debug)]
pub struct ConjugateGradients<F, P = Alone> {
    problem: Equation,
    scheme: Scheme,
    processes: P,
    /// Rows of the finest level that this process has.
    rows: Range<usize>,
    /// The share of the finest level that this process works on.
    share: Share,
    finest: OwnedLevel<F>,
    /// The levels below the finest one.
    coarse: Vec<Coarse>,
    /// The factors of the coarsest level.
    direct: Vec<f64>,
    /// The direction of the last step.
    direction: Vec<f64>,
    /// The residual of the level that is worked on; after a cycle, minus the operator's product
    /// with the direction.
    level_residual: Vec<f64>,
    /// Product of residual and correction before the last step; none before the first one.
    last: Option<f64>,
    squares: Vec<f64>,
}

impl<F: Real + Send + Sync> ConjugateGradients<F> {
    /// Returns the problem before the first cycle; none without a cell.
    pub fn new(problem: &Problem, scheme: Scheme, threads: &impl Workers) -> Option<Self> {
        Self::among(problem, scheme, Alone, threads)
    }
}

impl<F: Real + Send + Sync, P: Processes<f64>> ConjugateGradients<F, P> {
    /// Returns the solver before its first cycle, with the rows that this process has. None without
    /// a cell. Collective, as are all cycles.
    pub fn among(
        problem: &Problem,
        scheme: Scheme,
        mut processes: P,
        threads: &impl Workers,
    ) -> Option<Self> {
        if problem.grid.cells() == 0 {
            return None;
        }
        let size = Size { rows: problem.grid.rows, columns: problem.grid.columns };
        let ((rows, bands), share) = Share::finest(size, &scheme, &processes);
        // From here on those of this process.
        let scheme = Scheme { bands: bands.max(1), ..scheme };
        let read = wider(&share.rows, GHOST_ROWS, size.rows);
        let (equation, operator) = Equation::new::<F>(problem, read);
        let mut team = Team { threads, processes: &mut processes, scheme: &scheme };
        let mut finest = OwnedLevel::new(share.clone(), operator, &team);
        let mut coarse: Vec<Coarse> = Vec::new();
        for coarser in sizes(size, problem.cell_ratio, scheme.coarsest).skip(1) {
            let level = match coarse.last_mut() {
                None => finest.coarser(coarser, &mut team),
                Some((level, _)) => level.coarser(coarser, &mut team),
            };
            coarse.push((level, vec![0.0; coarser.len()]));
        }
        let direct = match coarse.last() {
            None => finest.factored(),
            Some((coarsest, _)) => coarsest.factored(),
        };
        Some(Self {
            problem: equation,
            scheme,
            processes,
            rows,
            share,
            finest,
            coarse,
            direct,
            direction: vec![0.0; size.len()],
            level_residual: vec![0.0; size.len()],
            last: None,
            squares: vec![0.0; size.rows],
        })
    }

    /// Returns the rows that this process has.
    pub const fn rows(&self) -> &Range<usize> {
        &self.rows
    }

    /// Whether `is` holds for any process. Collective.
    pub fn any(&mut self, is: bool) -> bool {
        self.processes.any(is)
    }

    /// Returns the number `said` of each process, in their order. Collective.
    pub fn gather_each(&mut self, said: u64) -> Vec<u64> {
        self.processes.gather_each(said)
    }

    /// Returns the dot product of the two arrays that `of` names, summed row by row and then in the
    /// order of the rows.
    fn product(&mut self, of: fn(&Self) -> [&[f64]; 2], threads: &impl Workers) -> f64 {
        let mut sums = core::mem::take(&mut self.squares);
        let (Share { size, rows, is_part }, [one, other]) = (&self.share, of(self));
        let own = sums.get_mut(rows.clone()).unwrap_or_default();
        let team = Team { threads, processes: &mut (), scheme: &self.scheme };
        team.each_row(self.share.rows(1), own, 1, |row, sum| {
            // Beyond the ends other levels may have left something.
            let cells = |array| row_of(array, *size, row).get(1..=size.columns).unwrap_or_default();
            sum.fill(cells(one).iter().zip(cells(other)).map(|(one, other)| one * other).sum());
        });
        if *is_part {
            self.processes.gather_sums(&mut sums, rows.clone());
        }
        self.squares = sums;
        total(&self.squares)
    }

    /// Computes the residual, from which the next cycle starts, and returns its sum of squares.
    pub fn begin(&mut self, threads: &impl Workers) -> f64 {
        let Self { problem, scheme, processes, finest, share, .. } = self;
        let Equation { rhs, solution, residual, .. } = problem;
        let mut team = Team { threads, processes, scheme };
        find_residual(share, &finest.operator.lent(), (solution, Some(rhs)), residual, &mut team);
        let squares = self.product(|own| [&own.problem.residual, &own.problem.residual], threads);
        self.problem.of_square(squares)
    }

    /// Returns the sum of squares of a residual that rounding may leave of the exact solution:
    /// weights are at most two units, so that each of the few terms of a cell's residual has an
    /// error of as many last places of the solution.
    pub fn rounding(&mut self, threads: &impl Workers) -> f64 {
        let squares = self.product(|own| [&own.problem.solution, &own.problem.solution], threads);
        self.problem.of_square(squares * (LAST_PLACES * LAST_PLACES))
    }

    /// Makes one step of conjugate gradients, with one cycle as the preconditioner. Returns the sum
    /// of squares of the residual that is left.
    pub fn cycle(&mut self, threads: &impl Workers) -> f64 {
        self.precondition(threads);
        let now = self.product(|own| [&own.problem.residual, &own.finest.correction], threads);
        // Nothing is left where the solution is exact.
        let of_last = self.last.replace(now).map_or(0.0, |last| now / last);
        self.set_direction(if of_last.is_finite() { of_last } else { 0.0 }, threads);
        let curvature = -self.product(|own| [&own.direction, &own.level_residual], threads);
        // The best step in this direction, also where rounding has made another direction of it
        // than the theory's: so nothing is ever lost. A solution that is exact has no direction to
        // go on in.
        let slope = self.product(|own| [&own.problem.residual, &own.direction], threads);
        let step = if curvature > 0.0 { slope / curvature } else { 0.0 };
        let Self { problem, direction, scheme, processes, share, .. } = self;
        let (size, solution) = (share.size, share.part(&mut problem.solution));
        let team = Team { threads, processes, scheme };
        team.each_row(share.rows(1), solution, size.stride(), |row, target| {
            for (target, direction) in target.iter_mut().zip(row_of(direction, size, row)) {
                *target += step * direction;
            }
        });
        self.begin(threads)
    }

    /// Finds the correction of the finest level by a cycle from the residual.
    fn precondition(&mut self, threads: &impl Workers) {
        let Self { problem, scheme, processes, finest, coarse, direct, level_residual, .. } = self;
        let mut team = Team { threads, processes, scheme };
        cycle((finest, &problem.residual), coarse, 1, (direct, level_residual), &mut team);
    }

    /// Sets the direction to the correction plus `of_last` times the last direction, and
    /// `level_residual` to minus the operator's product with it.
    fn set_direction(&mut self, of_last: f64, threads: &impl Workers) {
        let Self { direction, scheme, processes, finest, level_residual, share, .. } = self;
        let OwnedLevel { operator, correction, .. } = finest;
        let size = share.size;
        let target = share.part(direction);
        let mut team = Team { threads, processes, scheme };
        team.each_row(share.rows(1), target, size.stride(), |row, target| {
            for (target, own) in target.iter_mut().zip(row_of(correction, size, row)) {
                *target = own + of_last * *target;
            }
        });
        find_residual(share, &operator.lent(), (direction, None), level_residual, &mut team);
    }

    /// Returns the sum of squares of the residual of the cells as they are handed out, rounded to
    /// their own type.
    pub fn residual_squares(&mut self, threads: &impl Workers) -> f64 {
        let Self { problem, scheme, processes, finest, level_residual, share, .. } = self;
        // What a cycle has left there is of no use any more.
        let OwnedLevel { operator, correction: rounded, .. } = finest;
        for (rounded, cell) in share.part(rounded).iter_mut().zip(share.part(&mut problem.solution))
        {
            *rounded = F::from_f64(*cell).to_f64();
        }
        let mut team = Team { threads, processes, scheme };
        let field = (&mut **rounded, Some(&*problem.rhs));
        find_residual(share, &operator.lent(), field, level_residual, &mut team);
        let squares = self.product(|own| [&own.level_residual, &own.level_residual], threads);
        self.problem.of_square(squares)
    }

    /// Returns the solution so far in this process's rows, row by row.
    pub fn cells(&self) -> impl Iterator<Item = f64> + Clone {
        let Self { rows, share: Share { size, .. }, problem: Equation { solution, .. }, .. } = self;
        let row = |row| row_of(solution, *size, row + 1).get(1..=size.columns).unwrap_or_default();
        rows.clone().flat_map(row).copied()
    }

    /// Returns the solution in this process's rows, row by row, and frees all other memory.
    pub fn into_cells(self) -> Vec<F> {
        let Self { rows, share: Share { size, .. }, problem: Equation { solution, .. }, .. } = self;
        drop((self.finest, self.coarse, self.direction, self.level_residual));
        let row = |row| row_of(&solution, size, row + 1).get(1..=size.columns).unwrap_or_default();
        rows.flat_map(row).map(|cell| F::from_f64(*cell)).collect()
    }
}

/// Returns the bytes that a solver of this grid and scheme holds, of all `processes` together.
/// Cells are `cell_ratio` times as high as wide, and a number of their type takes `cell_bytes`.
pub fn bytes_needed(
    grid: GridSize,
    cell_ratio: f64,
    cell_bytes: u64,
    scheme: &Scheme,
    processes: u64,
) -> u64 {
    let number = |length: usize| length as u64;
    // The equation with its solution and residual, the direction, what is left, and the correction;
    // then the operator, and what smoothing multiplies by.
    let of_finest = 6 * 8 + 2 * cell_bytes + 4;
    // Right-hand side and correction; then the operator, what smoothing multiplies by, and the
    // weights.
    let of_coarser = 2 * 8 + (5 + 1 + 9) * 4;
    let (mut sum, mut last) = (0_u64, 0);
    let finest = Size { rows: grid.rows, columns: grid.columns };
    for (level, size) in sizes(finest, cell_ratio, scheme.coarsest).enumerate() {
        let each = if level == 0 { of_finest } else { of_coarser };
        let times = if size.cells() < scheme.shared_from { processes } else { 1 };
        let bytes = number(size.len()).saturating_mul(each).saturating_mul(times);
        (sum, last) = (sum.saturating_add(bytes), Direct::memory_len(size));
    }
    let of_process = number(last).saturating_add(number(grid.rows));
    sum.saturating_add(of_process.saturating_mul(8).saturating_mul(processes))
}
