//! Sparse systems, and their solutions by Gaussian elimination or in closed form.

use tresse::matrix::rows::{Entry, SparseRows};

/// A system A x = b.
#[derive(Clone, Debug)]
pub struct LinearSystem {
    /// Name for messages.
    pub name: &'static str,
    /// The matrix.
    pub matrix: SparseRows,
    /// The right-hand side.
    pub rhs: Vec<f64>,
    /// The solution; one of them where the matrix is singular.
    pub solution: Vec<f64>,
    /// Whether the matrix is singular: then constants may be added to the solution.
    pub is_singular: bool,
}

/// Returns ten systems of all kinds.
pub fn all() -> Vec<LinearSystem> {
    vec![
        solved("2D Laplacian", 256, laplacian(2, 16, [1.0; 2])),
        solved("3D Laplacian", 216, laplacian(3, 6, [1.0; 2])),
        solved("random graph", 200, random_graph(200)),
        solved("coefficient jumps", 144, jumps(12)),
        solved("convection", 196, laplacian(2, 14, [3.5, 1.0])),
        neumann(100),
        solved("diagonal", 50, (0..50).map(|row| (row, row, f64::from(row) - 24.5)).collect()),
        tridiagonal(60),
        solved("dense", 24, dense(24)),
        solved("arrow", 150, arrow(150)),
    ]
}

/// Returns a matrix in coordinate form.
pub fn market(matrix: &SparseRows) -> String {
    let (rows, entries) = (matrix.len(), matrix.entries());
    let lines =
        matrix.iter().map(|(row, column, value)| format!("{} {} {value:e}\n", row + 1, column + 1));
    let head =
        format!("%%MatrixMarket matrix coordinate real general\n% ours\n{rows} {rows} {entries}\n");
    head + &lines.collect::<String>()
}

/// Returns a system with a right-hand side of all kinds of numbers, solved densely.
fn solved(name: &'static str, rows: u32, entries: Vec<Entry>) -> LinearSystem {
    let matrix = SparseRows::new(rows, entries);
    let rhs: Vec<f64> = (0..rows).map(|row| f64::from(row % 7) - 2.5).collect();
    LinearSystem { name, solution: eliminated(&matrix, &rhs), matrix, rhs, is_singular: false }
}

/// Returns the solution by Gaussian elimination with partial pivoting.
pub fn eliminated(matrix: &SparseRows, rhs: &[f64]) -> Vec<f64> {
    let size = rhs.len();
    let mut rows: Vec<Vec<f64>> = rhs
        .iter()
        .map(|&rhs| {
            let mut row = vec![0.0; size];
            row.push(rhs);
            row
        })
        .collect();
    for (row, column, value) in matrix.iter() {
        rows[row as usize][column as usize] = value;
    }
    for column in 0..size {
        let largest =
            (column..size).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        rows.swap(column, largest.unwrap_or(column));
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = row[column] / pivot[column];
            for (to, from) in row.iter_mut().zip(pivot).skip(column) {
                *to -= factor * from;
            }
        }
    }
    let mut solution = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][size] - known) / rows[row][row];
    }
    solution
}

/// Returns the Laplacian of a cube of `side` cells along each of its axes, with zero around it.
/// `first` are the weights towards lower and higher neighbours along the first axis; they differ
/// where something flows.
fn laplacian(axes: u32, side: u32, first: [f64; 2]) -> Vec<Entry> {
    let of_row = |row: u32| {
        let (mut entries, mut diagonal, mut stride) = (Vec::new(), 0.0, 1);
        for axis in 0..axes {
            let place = row / stride % side;
            let [lower, higher] = if axis == 0 { first } else { [1.0; 2] };
            diagonal += lower + higher;
            entries.extend((place > 0).then(|| (row, row - stride, -lower)));
            entries.extend((place + 1 < side).then(|| (row, row + stride, -higher)));
            stride *= side;
        }
        entries.push((row, row, diagonal));
        entries
    };
    (0..side.pow(axes)).flat_map(of_row).collect()
}

/// Returns a diffusion whose coefficient is 1 on one side and 10⁴ on the other, with zero around it;
/// between two cells there is the harmonic mean.
fn jumps(side: u32) -> Vec<Entry> {
    let coefficient = |row: u32| if row % side < side / 2 { 1.0 } else { 1e4 };
    let of_row = |row: u32| {
        let (x, y) = (row % side, row / side);
        let right = (x + 1 < side).then(|| row + 1);
        let above = (y + 1 < side).then(|| row + side);
        let ends = [x == 0, x + 1 == side, y == 0, y + 1 == side].into_iter().filter(|&end| end);
        let wall = (row, row, coefficient(row) * ends.count() as f64);
        let edges = [right, above].into_iter().flatten().flat_map(move |to| {
            let [a, b] = [row, to].map(coefficient);
            let mean = 2.0 * a * b / (a + b);
            [(row, to, -mean), (to, row, -mean), (row, row, mean), (to, to, mean)]
        });
        edges.chain([wall]).collect::<Vec<_>>()
    };
    (0..side * side).flat_map(of_row).collect()
}

/// Returns the Laplacian of points that are near each other, with a little more on the diagonal.
fn random_graph(rows: u32) -> Vec<Entry> {
    // Weyl's sequences are even enough, and the same everywhere.
    let place = |row: u32| {
        [0.618_033_988_749_895, 0.414_213_562_373_095].map(|step| (f64::from(row) * step).fract())
    };
    let is_near = |a: u32, b: u32| {
        let ([x, y], [u, v]) = (place(a), place(b));
        (x - u).hypot(y - v) < 0.12
    };
    let mut entries: Vec<Entry> = (0..rows).map(|row| (row, row, 0.05)).collect();
    for row in 0..rows {
        for other in (0..rows).filter(|&other| other != row && is_near(row, other)) {
            entries.extend([(row, other, -1.0), (row, row, 1.0)]);
        }
    }
    entries
}

/// Returns the Laplacian of a ring with a chord, which has no boundary, and a right-hand side that
/// has solutions.
fn neumann(rows: u32) -> LinearSystem {
    let edges = (0..rows).map(|row| (row, (row + 1) % rows)).chain([(0, rows / 2)]);
    let entries = edges.flat_map(|(a, b)| [(a, b, -1.0), (b, a, -1.0), (a, a, 1.0), (b, b, 1.0)]);
    let matrix = SparseRows::new(rows, entries.collect());
    let solution: Vec<f64> = (0..rows).map(|row| f64::from(row * row % 11)).collect();
    let rhs = (0..rows).map(|row| matrix.product(row, &solution)).collect();
    LinearSystem { name: "no boundary", matrix, rhs, solution, is_singular: true }
}

/// Returns the second difference with 1 on the right, whose solution is a parabola.
fn tridiagonal(rows: u32) -> LinearSystem {
    let entries = laplacian(1, rows, [1.0; 2]);
    let parabola = |row: u32| f64::from((row + 1) * (rows - row)) / 2.0;
    LinearSystem {
        name: "tridiagonal",
        matrix: SparseRows::new(rows, entries),
        rhs: vec![1.0; rows as usize],
        solution: (0..rows).map(parabola).collect(),
        is_singular: false,
    }
}

/// Returns a matrix without zeros whose diagonal is dominant, with signs of both kinds.
fn dense(rows: u32) -> Vec<Entry> {
    let value = |row: u32, column: u32| f64::from((row * 5 + column * 3) % 9) / 8.0 - 0.45;
    let places = (0..rows).flat_map(|row| (0..rows).map(move |column| (row, column)));
    let entries = places.map(|(row, column)| {
        (row, column, if row == column { 0.6 * f64::from(rows) } else { value(row, column) })
    });
    entries.collect()
}

/// Returns a matrix whose first row and column are full, while the others have three entries.
fn arrow(rows: u32) -> Vec<Entry> {
    let of_row = |row: u32| {
        let beside = if row + 1 < rows { row + 1 } else { 1 };
        [(0, row, -1.0), (row, 0, -0.5), (row, beside, 0.25), (row, row, 1.0)]
    };
    let first = [(0, 0, f64::from(rows))];
    (1..rows).flat_map(of_row).chain(first).collect()
}
