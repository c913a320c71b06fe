//! What a part knows of the system: its rows, those of the overlap, and the factors of their block.

use std::collections::HashMap;
use std::sync::OnceLock;

use tresse_core::base::bug::stop;

use crate::factors::{Factors, Singular};
use crate::rows::SparseRows;

/// Multiply-adds that count as one cell: as many as the 5-point stencil makes of a cell.
const A_CELL: usize = 5;

/// The block of a part. Its values are numbered from 0: first those of its own rows, then those of
/// the overlap, then those that the rows of both read beyond.
#[derive(Debug)]
pub struct Block {
    /// The row of the matrix that each value belongs to.
    globals: Vec<u32>,
    own: usize,
    /// The own rows and those of the overlap, in the numbers of the part's values.
    rows: SparseRows,
    /// The right-hand side of those rows.
    rhs: Vec<f64>,
    start: Vec<f64>,
    /// The factors, since they were first needed in this process.
    factors: OnceLock<Factors>,
    /// Nonzeros of the factors.
    factor_entries: usize,
}

impl Block {
    /// Extends a part's own rows by layers of the matrix's `graph`.
    pub fn new(
        matrix: &SparseRows,
        graph: &SparseRows,
        rhs: &[f64],
        start: &[f64],
        own: &[u32],
        layers: u32,
    ) -> Self {
        let mut globals = own.to_vec();
        let mut numbers = HashMap::new();
        number(&globals, &mut numbers);
        let mut last = 0;
        for _ in 0..layers {
            let layer = beyond(graph, globals.get(last..).unwrap_or_default(), &numbers);
            if layer.is_empty() {
                break;
            }
            last = globals.len();
            globals.extend(layer);
            number(&globals, &mut numbers);
        }
        let extended = globals.len();
        globals.extend(beyond(matrix, &globals, &numbers));
        number(&globals, &mut numbers);
        let local = |global: u32| numbers.get(&global).copied();
        // A row is summed as in the whole matrix, so that residuals are the same to the bit.
        let rows = SparseRows::in_order(globals.iter().take(extended).map(|&global| {
            matrix.row(global).filter_map(|(to, value)| Some((local(to)?, value))).collect()
        }));
        let of = |values: &[f64], globals: &[u32]| {
            let value = |&global: &u32| values.get(global as usize).copied().unwrap_or(0.0);
            globals.iter().map(value).collect()
        };
        Self {
            factors: OnceLock::new(),
            factor_entries: 0,
            rhs: of(rhs, globals.get(..extended).unwrap_or_default()),
            start: of(start, &globals),
            rows,
            own: own.len(),
            globals,
        }
    }

    /// Factorises the block.
    pub fn factorise(&mut self) -> Result<(), Singular> {
        let factors = self.factorised()?;
        self.factor_entries = factors.entries();
        self.factors = factors.into();
        Ok(())
    }

    fn factorised(&self) -> Result<Factors, Singular> {
        // What is beyond the block is left out.
        Factors::new(&SparseRows::new(self.rows.len(), self.rows.iter().collect()))
    }

    /// Says how many nonzeros the factors have, where another process has factorised the block.
    pub(crate) const fn set_factor_entries(&mut self, entries: usize) {
        self.factor_entries = entries;
    }

    /// Returns the row of the matrix that each value belongs to.
    pub fn globals(&self) -> &[u32] {
        &self.globals
    }

    /// Returns the number of own rows.
    pub const fn own(&self) -> usize {
        self.own
    }

    /// Returns the number of own rows and those of the overlap.
    pub const fn extended(&self) -> usize {
        self.rhs.len()
    }

    /// Returns the values at the start.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Returns the factors; where the block has come from another process, that has factorised it,
    /// it is done once more.
    pub fn factors(&self) -> &Factors {
        self.factors.get_or_init(|| {
            self.factorised().unwrap_or_else(|Singular| stop("a block was not factorised"))
        })
    }

    /// Returns the number of nonzeros of the factors.
    pub const fn factor_entries(&self) -> usize {
        self.factor_entries
    }

    /// Returns the residual of each of the own rows and those of the overlap.
    pub fn residuals(&self, values: &[f64]) -> impl Iterator<Item = f64> {
        (0..).zip(&self.rhs).map(|(row, rhs)| rhs - self.rows.product(row, values))
    }

    /// Returns the work of an update, in cells under the stencil.
    pub fn cells(&self) -> u32 {
        let work = (self.rows.entries() + self.factor_entries) / A_CELL;
        u32::try_from(work).unwrap_or(u32::MAX).max(1)
    }
}

/// Numbers rows by their places in the list.
fn number(globals: &[u32], numbers: &mut HashMap<u32, u32>) {
    let new = (0..).zip(globals).skip(numbers.len());
    numbers.extend(new.map(|(number, &global)| (global, number)));
}

/// Returns the columns of some rows that have no number, in ascending order.
fn beyond(matrix: &SparseRows, rows: &[u32], numbers: &HashMap<u32, u32>) -> Vec<u32> {
    let columns = rows.iter().flat_map(|&row| matrix.columns(row)).copied();
    let mut new: Vec<u32> = columns.filter(|column| !numbers.contains_key(column)).collect();
    new.sort_unstable();
    new.dedup();
    new
}
