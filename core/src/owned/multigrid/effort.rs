//! What work takes, for whoever keeps the time and whoever chooses what is next.

/// What a task takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Cells that are brought into cache.
    pub cells: u64,
    /// How often each of them is evaluated then, in sweeps by the 5-point stencil.
    pub sweeps: u32,
}

impl Effort {
    /// Returns the effort of evaluating rows of so many cells so often.
    pub(super) const fn of(rows: usize, columns: usize, sweeps: u32) -> Self {
        Self { cells: (rows as u64).saturating_mul(columns as u64), sweeps }
    }

    /// Returns the number of evaluations.
    pub const fn evaluations(self) -> u64 {
        self.cells.saturating_mul(self.sweeps as u64)
    }
}
