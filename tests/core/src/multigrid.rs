//! One cycle written naively, from the description of the scheme: whole grids, cell by cell, with
//! the values beyond the boundary in the same array. Shares no code with the core, and no order of
//! cells but where sums are rounded.

use std::f64::consts::PI;

use tresse_core::field::grid::Side;
use tresse_core::field::problem::Problem;

/// A grid with one value more all around.
type Ringed = Vec<Vec<f64>>;

/// One direction: cells, and the distances of the boundary from the first and the last centre.
#[derive(Clone, Copy)]
struct Direction {
    cells: usize,
    start: f64,
    end: f64,
    /// The distance of the boundary from the last finer cell in finer widths, where that cell is
    /// alone in the last one.
    end_of_alone: Option<f64>,
}

impl Direction {
    /// Pairs of cells; an odd last one is completed where the boundary is at least ¾ away, else
    /// dropped.
    fn coarser(self) -> Self {
        let start = f64::midpoint(self.start, 0.5);
        if self.cells.is_multiple_of(2) {
            let (cells, end) = (self.cells / 2, f64::midpoint(self.end, 0.5));
            return Self { cells, start, end, end_of_alone: None };
        }
        if self.end >= 0.75 {
            let (cells, end) = (self.cells.div_ceil(2), (self.end - 0.5) / 2.0);
            return Self { cells, start, end, end_of_alone: (cells > 1).then_some(self.end) };
        }
        let (cells, end) = (self.cells / 2, f64::midpoint(self.end, 1.5));
        Self { cells, start, end, end_of_alone: None }
    }

    fn alpha_start(self) -> f64 {
        1.0 / self.start - 1.0
    }

    /// What is beyond the end: the shares of the last cell and of the one before.
    fn beyond_end(self) -> (f64, f64) {
        match self.end_of_alone {
            // Twice three quarters and twice one quarter flow over that distance.
            Some(distance) => (1.0 - 1.5 / distance, -0.5 / distance),
            None => (-(1.0 / self.end - 1.0), 0.0),
        }
    }

    fn excess(self, cell: usize) -> f64 {
        let mut sum = 0.0;
        if cell == 0 {
            sum += self.alpha_start();
        }
        if cell == self.cells - 1 {
            sum -= self.beyond_end().0;
        }
        sum
    }
}

/// The solver: the finest level's cells within their boundary, and everything that a cycle takes.
pub struct NaiveMultigrid {
    levels: Vec<(Direction, Direction)>,
    steps: usize,
    /// Cycles of the second level in each cycle of the first.
    coarse_cycles: usize,
    /// The cells, within the boundary's values.
    pub cells: Ringed,
    source: Vec<Vec<f64>>,
}

impl NaiveMultigrid {
    /// Returns the problem before the first cycle.
    pub fn new(problem: &Problem, steps: usize, coarsest: usize, coarse_cycles: usize) -> Self {
        let (rows, columns) = (problem.grid.rows, problem.grid.columns);
        let direction = |cells| Direction { cells, start: 1.0, end: 1.0, end_of_alone: None };
        let mut levels = vec![(direction(rows), direction(columns))];
        loop {
            let (rows, columns) = levels[levels.len() - 1];
            let next = (rows.coarser(), columns.coarser());
            levels.push(next);
            let (rows, columns) = (next.0.cells, next.1.cells);
            if rows * columns <= coarsest || rows == 1 || columns == 1 {
                break;
            }
        }
        let mut cells = vec![vec![0.0; columns + 2]; rows + 2];
        for row in 0..rows {
            for column in 0..columns {
                cells[row + 1][column + 1] = problem.initial.at(row, column);
            }
            cells[row + 1][0] = problem.boundary.value(Side::Left, row, rows);
            cells[row + 1][columns + 1] = problem.boundary.value(Side::Right, row, rows);
        }
        for column in 0..columns {
            cells[0][column + 1] = problem.boundary.value(Side::Top, column, columns);
            cells[rows + 1][column + 1] = problem.boundary.value(Side::Bottom, column, columns);
        }
        let of_row = |row| (0..columns).map(|column| problem.source.at(row, column)).collect();
        Self { levels, steps, coarse_cycles, cells, source: (0..rows).map(of_row).collect() }
    }

    /// Returns the residual of the cells.
    pub fn residual(&self) -> Vec<Vec<f64>> {
        let (rows, columns) = self.levels[0];
        let of_row = |row| {
            let of = |column| unscaled(&self.cells, &self.source, row, column);
            (0..columns.cells).map(of).collect()
        };
        (0..rows.cells).map(of_row).collect()
    }

    /// Makes one cycle.
    pub fn cycle(&mut self) {
        let residual = self.residual();
        let correction = self.correction(1, &summed(&residual, self.levels[1]));
        let (rows, columns) = self.levels[0];
        interpolate(&mut self.cells, &correction, (rows.cells, columns.cells));
        for step in 0..self.steps {
            self.cells = smoothed(&self.cells, &self.source, self.levels[0], self.weight(step));
        }
    }

    /// Solves the equation of a level as far as its cycles do.
    fn correction(&self, level: usize, side: &[Vec<f64>]) -> Ringed {
        let here = self.levels[level];
        if level == self.levels.len() - 1 {
            return solved(linear(here), side);
        }
        let (rows, columns) = (here.0.cells, here.1.cells);
        let mut values = vec![vec![0.0; columns + 2]; rows + 2];
        for _ in 0..if level == 1 { self.coarse_cycles } else { 1 } {
            let of_row = |row| {
                let of = |column| unscaled(&values, side, row, column);
                (0..columns).map(of).collect::<Vec<_>>()
            };
            let residual: Vec<_> = (0..rows).map(of_row).collect();
            let below = self.correction(level + 1, &summed(&residual, self.levels[level + 1]));
            interpolate(&mut values, &below, (rows, columns));
            for step in 0..self.steps {
                continue_beyond(&mut values, here);
                values = smoothed(&values, side, here, self.weight(step));
            }
            continue_beyond(&mut values, here);
        }
        values
    }

    fn weight(&self, step: usize) -> f64 {
        let angle = PI * (2 * step + 1) as f64 / (2 * self.steps) as f64;
        1.0 / (1.25 + 0.75 * libm::cos(angle))
    }
}

fn unscaled(values: &Ringed, side: &[Vec<f64>], row: usize, column: usize) -> f64 {
    let (i, j) = (row + 1, column + 1);
    let vertical = values[i - 1][j] + values[i + 1][j];
    let horizontal = values[i][j - 1] + values[i][j + 1];
    vertical + horizontal + side[row][column] - 4.0 * values[i][j]
}

fn smoothed(
    values: &Ringed,
    side: &[Vec<f64>],
    (rows, columns): (Direction, Direction),
    weight: f64,
) -> Ringed {
    let mut next = values.clone();
    for row in 0..rows.cells {
        for column in 0..columns.cells {
            let diagonal = 4.0 + rows.excess(row) + columns.excess(column);
            next[row + 1][column + 1] = values[row + 1][column + 1]
                + weight / diagonal * unscaled(values, side, row, column);
        }
    }
    next
}

/// The same level with nothing but the last cell in what is beyond the end.
fn linear((rows, columns): (Direction, Direction)) -> (Direction, Direction) {
    let linear = |direction| Direction { end_of_alone: None, ..direction };
    (linear(rows), linear(columns))
}

/// Sums of 2 x 2.
fn summed(residual: &[Vec<f64>], (rows, columns): (Direction, Direction)) -> Vec<Vec<f64>> {
    let sum =
        |row, column| pair(residual, 2 * row, 2 * column) + pair(residual, 2 * row + 1, 2 * column);
    (0..rows.cells).map(|row| (0..columns.cells).map(|column| sum(row, column)).collect()).collect()
}

/// Sets what is beyond the boundary of a correction.
fn continue_beyond(values: &mut Ringed, (rows, columns): (Direction, Direction)) {
    let beyond_end = |direction: Direction, last: f64, before: f64| {
        let (of_last, of_before) = direction.beyond_end();
        of_last * last + of_before * before
    };
    for row in &mut values[1..=rows.cells] {
        row[0] = -columns.alpha_start() * row[1];
        row[columns.cells + 1] = beyond_end(columns, row[columns.cells], row[columns.cells - 1]);
    }
    values[0] = values[1].iter().map(|value| -rows.alpha_start() * value).collect();
    let ends = values[rows.cells].iter().zip(&values[rows.cells - 1]);
    values[rows.cells + 1] = ends.map(|(last, before)| beyond_end(rows, *last, *before)).collect();
}

/// The sum of two cells of a row; what is not there is left out.
fn pair(values: &[Vec<f64>], row: usize, column: usize) -> f64 {
    let Some(row) = values.get(row) else { return 0.0 };
    let one = row.get(column).copied().unwrap_or(0.0);
    row.get(column + 1).map_or(one, |other| one + other)
}

/// Adds the bilinear interpolation of a correction.
fn interpolate(values: &mut Ringed, correction: &Ringed, (rows, columns): (usize, usize)) {
    let nearer_and_farther = |cell: usize| {
        let near = cell / 2 + 1;
        (near, if cell.is_multiple_of(2) { near - 1 } else { near + 1 })
    };
    for row in 0..rows {
        let (near_row, far_row) = nearer_and_farther(row);
        let blended = |column: usize| {
            0.75 * correction[near_row][column] + 0.25 * correction[far_row][column]
        };
        for column in 0..columns {
            let (near, far) = nearer_and_farther(column);
            values[row + 1][column + 1] += 0.75 * blended(near) + 0.25 * blended(far);
        }
    }
}

/// Solves the equation of the coarsest level by L·D·Lᵀ of the full matrix, row by row.
fn solved((rows, columns): (Direction, Direction), side: &[Vec<f64>]) -> Ringed {
    // Unknowns along the shorter direction first.
    let mut places: Vec<(usize, usize)> = (0..rows.cells)
        .flat_map(|row| (0..columns.cells).map(move |column| (row, column)))
        .collect();
    if rows.cells < columns.cells {
        places.sort_by_key(|&(row, column)| (column, row));
    }
    let number = places.len();
    let entry = |one: usize, other: usize| {
        let ((row, column), (to_row, to_column)) = (places[one], places[other]);
        match row.abs_diff(to_row) + column.abs_diff(to_column) {
            0 => 4.0 + rows.excess(row) + columns.excess(column),
            1 => -1.0,
            _ => 0.0,
        }
    };
    let (mut lower, mut diagonal) = (vec![vec![0.0; number]; number], vec![0.0; number]);
    for i in 0..number {
        let mut scaled = vec![0.0; i];
        for j in 0..i {
            scaled[j] = entry(i, j);
            for p in 0..j {
                scaled[j] -= scaled[p] * lower[j][p];
            }
        }
        diagonal[i] = entry(i, i);
        for j in 0..i {
            lower[i][j] = scaled[j] / diagonal[j];
            diagonal[i] -= scaled[j] * lower[i][j];
        }
    }
    let mut solution: Vec<f64> = places.iter().map(|&(row, column)| side[row][column]).collect();
    for i in 0..number {
        for j in (0..i).rev() {
            solution[i] -= lower[i][j] * solution[j];
        }
    }
    for i in 0..number {
        solution[i] /= diagonal[i];
    }
    for i in (0..number).rev() {
        for j in 0..i {
            solution[j] -= lower[i][j] * solution[i];
        }
    }
    let mut correction = vec![vec![0.0; columns.cells + 2]; rows.cells + 2];
    for (&(row, column), value) in places.iter().zip(solution) {
        correction[row + 1][column + 1] = value;
    }
    continue_beyond(&mut correction, (rows, columns));
    correction
}
