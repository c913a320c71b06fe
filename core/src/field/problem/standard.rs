//! The problems that are solved where nobody asks for another: one of each paper.

use core::fmt;

use crate::field::grid::{Decomposition, Side};
use crate::run::GridSize;

use super::{Boundary, CellValues, Problem, Profile};

/// Height of the bell of the first paper's problem, where the grid starts from 1.
///
/// The paper gives none (Zarins & Weiland 2017, section 4.2). Only its ratio to the start counts,
/// since the equation is linear. It says, though, that the part of the grid beside the bell is the
/// one that is sensitive to stale values (section 4.3). With a bell of 1 that cannot be: its peak
/// and the start are alike, and what is left to do is along the three sides at zero. With 10 it is
/// so. `tresse reproduce plb-amplitudes` shows both, and what else depends on it.
pub const AMPLITUDE: f64 = 10.0;

impl Problem {
    /// Returns the standard problem, that of Zarins & Weiland 2017, section 4.2: a bell along the
    /// top side, zero along the other three, started from 1, no source term.
    pub fn paper(grid: GridSize) -> Self {
        Self::bell(Side::Top, AMPLITUDE, 1.0, grid)
    }

    /// Returns the problem of Zarins & Weiland 2020, sections 4 and 5: a bell along one side, zero
    /// along the other three, and nothing else in the grid.
    ///
    /// The nodes lie along this side, so that the bell is a "source in the middle of the problem
    /// domain", where updates contribute most. The bell's height changes nothing: without another
    /// value in the grid, residuals relative to the first one are the same with all heights.
    pub fn distributed(grid: GridSize) -> Self {
        Self::bell(Side::Left, 1.0, 0.0, grid)
    }

    /// Returns a problem with a Gaussian of height `amplitude` in the middle of a side, zero along
    /// the other sides, and `start` in every cell.
    pub fn bell(side: Side, amplitude: f64, start: f64, grid: GridSize) -> Self {
        Self {
            grid,
            boundary: Boundary::default().with(side, Profile::bell(amplitude)),
            initial: CellValues::Constant(start),
            source: CellValues::Constant(0.0),
            coefficient: CellValues::Constant(1.0),
            cell_ratio: 1.0,
        }
    }
}

/// Returns the worker whose block touches the middle of the top side, where the standard problem
/// has its bell: the part that is most sensitive to stale values (Zarins & Weiland 2017, section
/// 4.3).
///
/// Where two blocks touch it, the one to the right.
pub fn worker_beside_source(workers: u32) -> u32 {
    Decomposition::worker_arrangement(workers, 1).columns / 2
}

/// Writes a problem as in `Gaussian of height 10 on top, other sides 0, start 1`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut others = 0;
        for side in Side::ALL {
            match self.boundary.profile(side) {
                _ if !self.boundary.is_fixed(side) => write!(f, "flux {}, ", place(side))?,
                Profile::Constant(value) if *value == 0.0 => others += 1,
                profile => write!(f, "{profile} {}, ", place(side))?,
            }
        }
        match others {
            0 => {}
            4 => f.write_str("sides 0, ")?,
            1 => f.write_str("other side 0, ")?,
            _ => f.write_str("other sides 0, ")?,
        }
        write!(f, "start {}", self.initial)?;
        if !self.source.is_zero() {
            write!(f, ", source term times a cell's area {}", self.source)?;
        }
        if !self.has_square_cells() {
            write!(f, ", cells {} times as high as wide", self.cell_ratio)?;
        }
        if self.has_holes() {
            f.write_str(", cells left out")?;
        }
        let (least, most) = (self.coefficient.least_above_zero(), self.coefficient.range().most);
        if (least, most) != (1.0, 1.0) {
            write!(f, ", coefficient {}", self.coefficient)?;
            if least < most {
                write!(f, " of {least} to {most}")?;
            }
        }
        Ok(())
    }
}

/// Returns the words for a side in the description of a problem.
const fn place(side: Side) -> &'static str {
    match side {
        Side::Top => "on top",
        Side::Bottom => "at the bottom",
        Side::Left => "on the left",
        Side::Right => "on the right",
    }
}

/// Writes a profile as in `Gaussian of height 10`; its centre and width are named where they are
/// not those of the standard one.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Gaussian { amplitude, centre, width } => {
                write!(f, "Gaussian of height {amplitude}")?;
                if (*centre, *width) == (Self::CENTRE, Self::WIDTH) {
                    return Ok(());
                }
                write!(f, " (centre {centre}, width {width})")
            }
            Self::Values(_) => f.write_str("given values"),
        }
    }
}

impl fmt::Display for CellValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Values { .. } => f.write_str("a given field"),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString as _;
    use alloc::vec;

    use super::*;

    const GRID: GridSize = GridSize { rows: 3, columns: 5 };

    #[test]
    fn the_standard_problem_is_a_bell_on_the_top_only() {
        let problem = Problem::paper(GRID);
        assert!((problem.boundary.value(Side::Top, 2, 5) - 10.0).abs() < 1e-15);
        assert!(problem.boundary.value(Side::Top, 0, 5) < 1e-2);
        for side in [Side::Left, Side::Bottom, Side::Right] {
            assert!(problem.boundary.value(side, 1, 3).abs() < 1e-15);
        }
        assert!((problem.initial.at(2, 4) - 1.0).abs() < 1e-15);
        assert!(problem.source.is_zero());
    }

    #[test]
    fn problems_are_named() {
        assert_eq!(
            Problem::paper(GRID).to_string(),
            "Gaussian of height 10 on top, other sides 0, start 1"
        );
        let distributed = Problem::distributed(GRID).to_string();
        assert_eq!(distributed, "Gaussian of height 1 on the left, other sides 0, start 0");
        let uneven = Profile::Gaussian { amplitude: 2.0, centre: 0.25, width: 0.1 };
        let boundary = Boundary::default()
            .with(Side::Top, uneven)
            .with(Side::Left, Profile::Constant(0.5))
            .with(Side::Right, Profile::Values(vec![1.0; 3]));
        let source = CellValues::Constant(3.0);
        let problem = Problem { boundary, source, ..Problem::paper(GRID) };
        let name = problem.to_string();
        let expected = "Gaussian of height 2 (centre 0.25, width 0.1) on top, 0.5 on the left, given values on \
                        the right, other side 0, start 1, source term times a cell's area 3";
        assert_eq!(name, expected);
        let named = |coefficient| Problem { coefficient, ..problem.clone() }.to_string();
        assert_eq!(named(CellValues::Constant(0.5)), format!("{expected}, coefficient 0.5"));
        let field = CellValues::Values { columns: 5, values: (1..=15).map(f64::from).collect() };
        assert_eq!(named(field), format!("{expected}, coefficient a given field of 1 to 15"));
        let coefficient = CellValues::Constant(0.5);
        let flat = Problem { cell_ratio: 0.25, coefficient, ..problem };
        let expected = format!("{expected}, cells 0.25 times as high as wide, coefficient 0.5");
        assert_eq!(flat.to_string(), expected);
    }

    #[test]
    fn the_worker_beside_the_source_has_the_middle_of_the_top() {
        // Rows of blocks: 2 of 1, 2 of 2, 6 of 4, 6 of 6.
        assert_eq!([1, 2, 4, 24, 36].map(worker_beside_source), [0, 0, 1, 2, 3]);
    }
}
