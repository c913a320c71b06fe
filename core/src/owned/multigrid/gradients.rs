//! Conjugate gradients, preconditioned by the cycle of [`weighted`](crate::multigrid::weighted), on memory of its own.

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{ForkJoin, Scheme};
use crate::bug::OrBug;
use crate::grid::Side;
use crate::multigrid::total;
use crate::multigrid::weighted::{
    Direct, Operator, Size, Weights, coarse_row, interpolate_row, restrict_row, row_of, weights,
};
use crate::problem::{Problem, side_length};
use crate::real::Real;
use crate::run::GridSize;

/// A problem on its grid with any coefficient, and all levels below it.
///
/// A visit is one step of conjugate gradients: a cycle from the residual, which visits each level below the finest one
/// twice as often as the one above it, and the best step in the direction that follows from it.
#[derive(Debug)]
pub struct Gradients<F> {
    problem: Equation,
    scheme: Scheme,
    levels: Vec<OwnedLevel>,
    direct: Vec<f64>,
    direction: Vec<f64>,
    /// Product of residual and correction before the last step; none before the first one.
    last: Option<f64>,
    squares: Vec<f64>,
    cells: PhantomData<F>,
}

/// The equation of the finest level.
#[derive(Debug)]
struct Equation {
    size: Size,
    /// h²·f, and what the boundary adds to it.
    rhs: Vec<f64>,
    solution: Vec<f64>,
    residual: Vec<f64>,
}

/// A level: its operator, and what a cycle needs on it.
#[derive(Debug)]
struct OwnedLevel {
    size: Size,
    operator: Operator<Vec<f64>>,
    /// What smoothing multiplies residuals by.
    scale: Vec<f64>,
    /// Of the cells of the next coarser level.
    weights: Vec<Weights>,
    rhs: Vec<f64>,
    correction: Vec<f64>,
    residual: Vec<f64>,
}

impl Operator<Vec<f64>> {
    fn zero(size: Size) -> Self {
        let array = || vec![0.0; size.len()];
        Self {
            centre: array(),
            right: array(),
            below_left: array(),
            below: array(),
            below_right: array(),
        }
    }

    fn lent(&self) -> Operator<&[f64]> {
        let Self { centre, right, below_left, below, below_right } = self;
        Operator { centre, right, below_left, below, below_right }
    }
}

/// Does `work` on each row of an array but those of the ring, in as many tasks as the scheme has bands.
fn each_row<T: Send>(
    threads: &impl ForkJoin,
    scheme: &Scheme,
    size: Size,
    array: &mut [T],
    stride: usize,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let bands = if size.cells() < scheme.shared_from { 1 } else { scheme.bands };
    let height = size.rows.div_ceil(bands.max(1)).max(1);
    let tasks = array.chunks_mut(height * stride.max(1)).zip((1..).step_by(height));
    threads.each(tasks.collect(), |(rows, first): (&mut [T], usize)| {
        for (row, values) in (first..).zip(rows.chunks_mut(stride.max(1))) {
            work(row, values);
        }
    });
}

/// Returns the rows of an array without those of the ring.
fn inner(size: Size, array: &mut [f64]) -> &mut [f64] {
    let rows = size.stride()..size.stride() * (size.rows + 1);
    array.get_mut(rows).or_bug("an array is shorter than its level").unwrap_or_default()
}

impl OwnedLevel {
    fn new(
        size: Size,
        operator: Operator<Vec<f64>>,
        scheme: &Scheme,
        threads: &impl ForkJoin,
    ) -> Self {
        let array = || vec![0.0; size.len()];
        let mut level = Self {
            size,
            operator,
            scale: array(),
            weights: Vec::new(),
            rhs: array(),
            correction: array(),
            residual: array(),
        };
        let lent = level.operator.lent();
        each_row(
            threads,
            scheme,
            size,
            inner(size, &mut level.scale),
            size.stride(),
            |row, scale| {
                lent.scale_row(size, row, scale);
            },
        );
        level
    }

    /// Sets the weights of the cells of the next coarser level, and returns that.
    fn coarser(&mut self, coarser: Size, scheme: &Scheme, threads: &impl ForkJoin) -> Self {
        let (size, lent) = (self.size, self.operator.lent());
        let mut of_cells = vec![Weights::default(); coarser.cells()];
        each_row(threads, scheme, coarser, &mut of_cells, coarser.columns, |row, of_row| {
            for (column, place) in (1..).zip(of_row) {
                *place = weights(&lent, size, row, column);
            }
        });
        let mut operator = Operator::zero(coarser);
        for row in 1..=coarser.rows {
            let part = row * coarser.stride()..(row + 1) * coarser.stride();
            let part = || part.clone();
            let Operator { centre, right, below_left, below, below_right } = &mut operator;
            let mut target = Operator {
                centre: centre.get_mut(part()).unwrap_or_default(),
                right: right.get_mut(part()).unwrap_or_default(),
                below_left: below_left.get_mut(part()).unwrap_or_default(),
                below: below.get_mut(part()).unwrap_or_default(),
                below_right: below_right.get_mut(part()).unwrap_or_default(),
            };
            coarse_row(&lent, [size, coarser], &of_cells, row, &mut target);
        }
        self.weights = of_cells;
        Self::new(coarser, operator, scheme, threads)
    }

    /// Writes the residual of the correction.
    fn find_residual(&mut self, scheme: &Scheme, threads: &impl ForkJoin) {
        let Self { size, operator, rhs, correction, residual, .. } = self;
        let (size, lent) = (*size, operator.lent());
        each_row(threads, scheme, size, inner(size, residual), size.stride(), |row, target| {
            lent.residual_row(size, row, correction, rhs, target);
        });
    }

    /// Makes the smoothing steps; those before the cycle below begin with a correction of zero.
    fn smooth(&mut self, from_zero: bool, scheme: &Scheme, threads: &impl ForkJoin) {
        for (step, weight) in scheme.smoothing.weights().iter().enumerate() {
            let is_first = from_zero && step == 0;
            if !is_first {
                self.find_residual(scheme, threads);
            }
            let Self { size, scale, rhs, correction, residual, .. } = self;
            let (size, residual) = (*size, if is_first { &*rhs } else { &*residual });
            each_row(
                threads,
                scheme,
                size,
                inner(size, correction),
                size.stride(),
                |row, target| {
                    let changes = row_of(scale, size, row).iter().zip(row_of(residual, size, row));
                    for (target, (scale, residual)) in target.iter_mut().zip(changes) {
                        let change = weight * (scale * residual);
                        *target = if is_first { change } else { *target + change };
                    }
                },
            );
        }
    }
}

/// Writes the correction of the first of these levels for its right-hand side, by `times` cycles of those below it.
fn cycle(
    levels: &mut [OwnedLevel],
    times: usize,
    direct: &mut [f64],
    scheme: &Scheme,
    threads: &impl ForkJoin,
) {
    let [fine, below @ ..] = levels else { return };
    if below.is_empty() {
        return Direct::resume(fine.size, direct).solve(&fine.rhs, &mut fine.correction);
    }
    fine.smooth(true, scheme, threads);
    for _ in 0..times {
        fine.find_residual(scheme, threads);
        let (size, residual, of_cells) = (fine.size, &fine.residual, &fine.weights);
        let Some(coarse) = below.first_mut() else { return };
        let coarser = coarse.size;
        let of_row = |row: usize| of_cells.get((row - 1) * coarser.columns..).unwrap_or_default();
        let rhs = inner(coarser, &mut coarse.rhs);
        each_row(threads, scheme, coarser, rhs, coarser.stride(), |row, target| {
            let of_row = of_row(row).get(..coarser.columns).unwrap_or_default();
            restrict_row(residual, size, of_row, row, target);
        });
        cycle(below, 2, direct, scheme, threads);
        let Some(coarse) = below.first() else { return };
        let correction = inner(size, &mut fine.correction);
        each_row(threads, scheme, size, correction, size.stride(), |row, target| {
            interpolate_row(&coarse.correction, coarser, of_cells, row, target);
        });
    }
    fine.smooth(false, scheme, threads);
}

impl Equation {
    /// Returns the equation with all numbers rounded to `F`, as Jacobi iteration has it, and its operator.
    fn new<F: Real>(problem: &Problem) -> (Self, Operator<Vec<f64>>) {
        let size = Size { rows: problem.grid.rows, columns: problem.grid.columns };
        let rounded = |value| F::from_f64(value).to_f64();
        let mut operator = Operator::zero(size);
        let array = || vec![0.0; size.len()];
        let (mut rhs, mut solution) = (array(), array());
        for row in 0..size.rows {
            for column in 0..size.columns {
                let faces = problem.faces(row, column).map(rounded);
                let [up, down, left, right] = faces;
                let place = (row + 1) * size.stride() + column + 1;
                let is_last = [row + 1 == size.rows, column + 1 == size.columns];
                for (array, value) in [
                    (&mut operator.centre, (up + down) + (left + right)),
                    (&mut operator.below, if is_last[0] { 0.0 } else { down }),
                    (&mut operator.right, if is_last[1] { 0.0 } else { right }),
                    (&mut rhs, rounded(problem.source.at(row, column))),
                    (&mut solution, rounded(problem.initial.at(row, column))),
                ] {
                    if let Some(entry) = array.get_mut(place) {
                        *entry = value;
                    }
                }
            }
        }
        for side in Side::ALL {
            let length = side_length(side, problem.grid);
            for index in 0..length {
                let [row, column] = match side {
                    Side::Top => [0, index],
                    Side::Bottom => [size.rows - 1, index],
                    Side::Left => [index, 0],
                    Side::Right => [index, size.columns - 1],
                };
                let value = rounded(problem.boundary.value(side, index, length));
                // The faces of a cell are in the order of the sides.
                let faces = problem.faces(row, column).map(rounded);
                let weight = faces.get(side.index()).copied().unwrap_or_default();
                let place = (row + 1) * size.stride() + column + 1;
                if let Some(entry) = rhs.get_mut(place) {
                    *entry += weight * value;
                }
            }
        }
        (Self { size, rhs, solution, residual: array() }, operator)
    }

    /// Writes the residual of a field.
    fn residual_of(
        (size, operator): (Size, &Operator<&[f64]>),
        (field, rhs): (&[f64], &[f64]),
        target: &mut [f64],
        scheme: &Scheme,
        threads: &impl ForkJoin,
    ) {
        each_row(threads, scheme, size, inner(size, target), size.stride(), |row, target| {
            operator.residual_row(size, row, field, rhs, target);
        });
    }
}

impl<F: Real + Send + Sync> Gradients<F> {
    /// Returns the problem before the first visit; none without a cell.
    pub fn new(problem: &Problem, scheme: Scheme, threads: &impl ForkJoin) -> Option<Self> {
        if problem.grid.cells() == 0 {
            return None;
        }
        let (equation, operator) = Equation::new::<F>(problem);
        let mut levels = Vec::new();
        let mut level = OwnedLevel::new(equation.size, operator, &scheme, threads);
        for coarser in sizes(problem.grid, scheme.coarsest).skip(1) {
            let below = level.coarser(coarser, &scheme, threads);
            levels.push(level);
            level = below;
        }
        let mut direct = vec![0.0; Direct::memory_len(level.size)];
        Direct::factor(level.size, &level.operator.lent(), &mut direct);
        levels.push(level);
        let (len, rows) = (equation.size.len(), equation.size.rows);
        Some(Self {
            problem: equation,
            scheme,
            levels,
            direct,
            direction: vec![0.0; len],
            last: None,
            squares: vec![0.0; rows],
            cells: PhantomData,
        })
    }

    /// Returns the sum of the products of two arrays, row by row and then in the order of the rows.
    fn product(&mut self, of: fn(&Self) -> [&[f64]; 2], threads: &impl ForkJoin) -> f64 {
        let mut sums = core::mem::take(&mut self.squares);
        let (size, [one, other]) = (self.problem.size, of(self));
        each_row(threads, &self.scheme, size, &mut sums, 1, |row, sum| {
            let products = row_of(one, size, row).iter().zip(row_of(other, size, row));
            sum.fill(products.map(|(one, other)| one * other).sum());
        });
        self.squares = sums;
        total(&self.squares)
    }

    /// Returns the correction of the finest level.
    fn found(&self) -> &[f64] {
        self.levels.first().map_or(&[], |finest| &finest.correction)
    }

    /// Returns the residual of the finest level.
    fn left(&self) -> &[f64] {
        self.levels.first().map_or(&[], |finest| &finest.residual)
    }

    /// Takes the residual, from which the next visit starts, and returns its sum of squares.
    pub fn begin(&mut self, threads: &impl ForkJoin) -> f64 {
        let Self { problem, scheme, levels, .. } = self;
        let Some(finest) = levels.first() else { return 0.0 };
        let Equation { size, rhs, solution, residual } = problem;
        let operator = (*size, &finest.operator.lent());
        Equation::residual_of(operator, (solution, rhs), residual, scheme, threads);
        self.product(|own| [&own.problem.residual, &own.problem.residual], threads)
    }

    /// Makes a step, and returns the sum of squares of the residual that is left.
    pub fn visit(&mut self, threads: &impl ForkJoin) -> f64 {
        let size = self.problem.size;
        let Some(finest) = self.levels.first_mut() else { return 0.0 };
        finest.rhs.copy_from_slice(&self.problem.residual);
        cycle(&mut self.levels, 1, &mut self.direct, &self.scheme, threads);
        let now = self.product(|own| [&own.problem.residual, own.found()], threads);
        // Nothing is left where the solution is exact.
        let share = self.last.replace(now).map_or(0.0, |last| now / last);
        let share = if share.is_finite() { share } else { 0.0 };
        let Self { levels, direction, scheme, .. } = self;
        let Some(finest) = levels.first_mut() else { return 0.0 };
        let correction = &finest.correction;
        each_row(threads, scheme, size, inner(size, direction), size.stride(), |row, target| {
            for (target, own) in target.iter_mut().zip(row_of(correction, size, row)) {
                *target = own + share * *target;
            }
        });
        // The residual of zero and the direction is minus the operator's product with it.
        finest.rhs.fill(0.0);
        let (operator, field) = ((size, &finest.operator.lent()), (&**direction, &*finest.rhs));
        Equation::residual_of(operator, field, &mut finest.residual, scheme, threads);
        let curvature = -self.product(|own| [&own.direction, own.left()], threads);
        // The best step in this direction, also where rounding has made another direction of it than the theory's:
        // so nothing is ever lost. A solution that is exact has no direction to go on in.
        let slope = self.product(|own| [&own.problem.residual, &own.direction], threads);
        let step = if curvature > 0.0 { slope / curvature } else { 0.0 };
        let Self { problem, direction, scheme, .. } = self;
        let solution = inner(size, &mut problem.solution);
        each_row(threads, scheme, size, solution, size.stride(), |row, target| {
            for (target, direction) in target.iter_mut().zip(row_of(direction, size, row)) {
                *target += step * direction;
            }
        });
        self.begin(threads)
    }

    /// Returns the sum of squares of the residual of the cells as [`Gradients::cells`] rounds them.
    pub fn verified(&mut self, threads: &impl ForkJoin) -> f64 {
        let Self { problem, scheme, levels, .. } = self;
        let Some(finest) = levels.first_mut() else { return 0.0 };
        let Equation { size, rhs, solution, .. } = problem;
        // What a cycle has left there is of no use any more.
        let rounded = &mut finest.correction;
        for (rounded, cell) in rounded.iter_mut().zip(&*solution) {
            *rounded = F::from_f64(*cell).to_f64();
        }
        let (operator, field) = ((*size, &finest.operator.lent()), (&**rounded, &**rhs));
        Equation::residual_of(operator, field, &mut finest.residual, scheme, threads);
        self.product(|own| [own.left(), own.left()], threads)
    }

    /// Returns the cells, row by row.
    pub fn cells(&self) -> Vec<F> {
        let Equation { size, solution, .. } = &self.problem;
        let rows = (1..=size.rows).map(|row| row_of(solution, *size, row));
        let cells = rows.flat_map(|row| row.iter().skip(1).take(size.columns));
        cells.map(|cell| F::from_f64(*cell)).collect()
    }
}

/// Returns the numbers of double precision that a solver of this grid and scheme holds.
pub fn numbers_needed(grid: GridSize, scheme: &Scheme) -> u64 {
    /// The equation, the direction, and the field at the end; then what each level has.
    const OF_GRID: u64 = 5;
    const OF_LEVEL: u64 = 9;
    const OF_COARSER: u64 = 9;
    let number = |length: usize| length as u64;
    let (mut sum, mut last) = (0_u64, 0);
    for (level, size) in sizes(grid, scheme.coarsest).enumerate() {
        let of_grid = if level == 0 { OF_GRID } else { OF_COARSER };
        let numbers = number(size.len()).saturating_mul(of_grid + OF_LEVEL);
        (sum, last) = (sum.saturating_add(numbers), Direct::memory_len(size));
    }
    sum.saturating_add(number(last))
}

/// Returns the levels of a grid, the finest first, down to one of at most `coarsest` cells, or of one row or column.
pub fn sizes(grid: GridSize, coarsest: usize) -> impl Iterator<Item = Size> {
    let finest = Size { rows: grid.rows, columns: grid.columns };
    core::iter::successors(Some(finest), move |size| size.coarser(coarsest))
}
