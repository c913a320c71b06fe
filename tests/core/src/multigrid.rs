//! One V-cycle written naively, from the description of the scheme: whole grids, cell by cell, with the values
//! beyond the boundary in the same array. Shares no code with the core, and no order of cells but where sums
//! are rounded.

use std::f64::consts::PI;

use tresse_core::grid::Side;
use tresse_core::problem::Problem;

/// A grid with one value more all around.
type Ringed = Vec<Vec<f64>>;

/// One direction: cells, and the distances of the boundary from the first and the last centre.
#[derive(Clone, Copy)]
struct Direction {
    cells: usize,
    start: f64,
    end: f64,
}

impl Direction {
    /// Pairs of cells; an odd last one is completed where the boundary is at least ¾ away, else dropped.
    fn coarser(self) -> Self {
        let start = f64::midpoint(self.start, 0.5);
        if self.cells.is_multiple_of(2) {
            return Self { cells: self.cells / 2, start, end: f64::midpoint(self.end, 0.5) };
        }
        if self.end >= 0.75 {
            return Self { cells: self.cells.div_ceil(2), start, end: (self.end - 0.5) / 2.0 };
        }
        Self { cells: self.cells / 2, start, end: f64::midpoint(self.end, 1.5) }
    }

    fn alpha_start(self) -> f64 {
        1.0 / self.start - 1.0
    }

    fn alpha_end(self) -> f64 {
        1.0 / self.end - 1.0
    }

    fn excess(self, cell: usize) -> f64 {
        let mut sum = 0.0;
        if cell == 0 {
            sum += self.alpha_start();
        }
        if cell == self.cells - 1 {
            sum += self.alpha_end();
        }
        sum
    }
}

/// The solver: the finest level's cells within their boundary, and everything that a cycle takes.
pub struct NaiveMultigrid {
    levels: Vec<(Direction, Direction)>,
    steps: usize,
    /// The cells, within the boundary's values.
    pub cells: Ringed,
    source: Vec<Vec<f64>>,
}

impl NaiveMultigrid {
    /// Returns the problem before the first cycle.
    pub fn new(problem: &Problem, steps: usize, coarsest: usize) -> Self {
        let (rows, columns) = (problem.grid.rows, problem.grid.columns);
        let direction = |cells| Direction { cells, start: 1.0, end: 1.0 };
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
        Self { levels, steps, cells, source: (0..rows).map(of_row).collect() }
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
        // Down: sums of 2 x 2.
        let mut residual = self.residual();
        let mut sides = vec![];
        for &(rows, columns) in &self.levels[1..] {
            let mut sums = vec![vec![0.0; columns.cells]; rows.cells];
            for (row, sums) in sums.iter_mut().enumerate() {
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum = pair(&residual, 2 * row, 2 * column)
                        + pair(&residual, 2 * row + 1, 2 * column);
                }
            }
            residual.clone_from(&sums);
            sides.push(sums);
        }
        // The coarsest, to the end.
        let last = self.levels.len() - 1;
        let mut correction = solved(self.levels[last], &sides[last - 1]);
        for level in (1..last).rev() {
            let (rows, columns) = self.levels[level];
            let mut values = vec![vec![0.0; columns.cells + 2]; rows.cells + 2];
            interpolate(&mut values, &correction, (rows.cells, columns.cells));
            let levels = self.levels[level];
            for step in 0..self.steps {
                continue_beyond(&mut values, levels);
                values = smoothed(&values, &sides[level - 1], levels, self.weight(step));
            }
            continue_beyond(&mut values, levels);
            correction = values;
        }
        let (rows, columns) = self.levels[0];
        interpolate(&mut self.cells, &correction, (rows.cells, columns.cells));
        for step in 0..self.steps {
            self.cells = smoothed(&self.cells, &self.source, self.levels[0], self.weight(step));
        }
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

/// Sets what is beyond the boundary of a correction: −α times the cell at the end.
fn continue_beyond(values: &mut Ringed, (rows, columns): (Direction, Direction)) {
    for row in &mut values[1..=rows.cells] {
        row[0] = -columns.alpha_start() * row[1];
        row[columns.cells + 1] = -columns.alpha_end() * row[columns.cells];
    }
    let continued = |row: &[f64], alpha: f64| row.iter().map(|value| -alpha * value).collect();
    values[0] = continued(&values[1], rows.alpha_start());
    values[rows.cells + 1] = continued(&values[rows.cells], rows.alpha_end());
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
