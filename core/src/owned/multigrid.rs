//! The memory of a multigrid solver, and its visits, shared out by whoever has threads.

mod coarse;
mod fork_join;
pub mod gradients;
mod kept;
mod memory;
mod processes;
mod virtual_threads;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

pub use fork_join::{Effort, ForkJoin, InTurn};
pub use kept::Kept;
pub use processes::{Alone, Processes, bands_of};
pub use virtual_threads::{VirtualClock, VirtualThreads};

use memory::{OwnedBand, OwnedCoarse, OwnedFixed, filled};

use crate::multigrid::{
    Band, Coarsest, Correction, Finest, Fixed, Hierarchy, Kernel, Level, Smoothing, bands, overlap,
    residual_squares, restrict_residual, total, visit_finest,
};
use crate::problem::Problem;
use crate::real::Real;
use crate::run::GridSize;
use crate::stencil::Terms;

/// How a multigrid solver visits; only the first three change what it computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Steps on each level of a visit.
    pub smoothing: Smoothing,
    /// Unknowns of the coarsest level at most.
    pub coarsest: usize,
    /// Visits of the level below the finest one in each visit of that, 1 or more: 1 is a V-cycle. The levels below have one
    /// visit each time, but in [`gradients`] as many as this.
    pub coarse_visits: usize,
    /// Bands of each level that is shared; fewer where it has few rows.
    pub bands: usize,
    /// Bands of each worker, which become lower and lower.
    pub group: usize,
    /// Cells from which on a level is shared; the coarser ones are one task.
    pub shared_from: usize,
}

impl Scheme {
    /// Returns the rows beside a band that a visit of it reads.
    fn reach(&self) -> usize {
        overlap(self.smoothing.weights().len())
    }

    /// Cuts the finest level into bands, none so low that a visit would evaluate more rows beside it than in it: where
    /// pairs of rows of the next coarser level are, so that those are bands of that level, too.
    fn cut(
        &self,
        [finest, coarser]: [Level; 2],
    ) -> impl ExactSizeIterator<Item = Band> + Clone + use<> {
        bands(coarser, (self.bands, self.group), self.reach() + 1).map(move |band| {
            let is_last = band.end == coarser.rows.cells();
            let end = if is_last { finest.rows.cells() } else { 2 * band.end };
            Band { first: 2 * band.first, end }
        })
    }
}

/// A problem on its grid, and all levels below it; the finest one may be shared with other processes, `P`.
///
/// Of the finest level, and of the next coarser one where that is large, a process has its own rows and those that it reads
/// beside them: memory for the others is allocated, and never touched. Each process has the levels below as a whole, and
/// calculates them for itself.
#[derive(Debug)]
pub struct Multigrid<F, P = Alone> {
    scheme: Scheme,
    processes: P,
    hierarchy: Hierarchy,
    cells: Vec<F>,
    fixed: OwnedFixed<F>,
    /// The levels below the finest one.
    coarse: Vec<OwnedCoarse<F>>,
    direct: Vec<f64>,
    squares: Vec<f64>,
    /// The bands of this process.
    bands: Vec<OwnedBand<F>>,
    /// Rows of the finest level that this process has, and of the next coarser one whose right-hand side it has.
    rows: [Range<usize>; 2],
    /// Whether processes share the next coarser level as well.
    shares_second: bool,
}

/// Returns the rows of those bands that `own` are, and the rows of the next coarser level that they restrict to.
fn rows_of(
    bands: impl Iterator<Item = Band> + Clone,
    own: Range<usize>,
    coarser: Level,
) -> [Range<usize>; 2] {
    let rows = |bands: &mut dyn Iterator<Item = Band>| {
        bands.fold([0, 0], |[rows, coarse], band| {
            [rows + band.rows(), coarse + band.coarse_rows(coarser)]
        })
    };
    let before = rows(&mut bands.clone().take(own.start));
    let own = rows(&mut bands.skip(own.start).take(own.len()));
    [before[0]..before[0] + own[0], before[1]..before[1] + own[1]]
}

/// Returns these numbers of each row, in place of the rows.
const fn scaled(rows: &Range<usize>, each: usize) -> Range<usize> {
    rows.start * each..rows.end * each
}

/// Returns the numbers of a cell's type that a solver of this grid and scheme holds, and those of double
/// precision, of all `processes` together.
pub fn numbers_needed(
    grid: GridSize,
    scheme: &Scheme,
    terms: Terms<()>,
    processes: u64,
) -> [u64; 2] {
    let Some(hierarchy) = Hierarchy::new(grid.rows, grid.columns, scheme.coarsest) else {
        return [0, 0];
    };
    let number = |length: usize| length as u64;
    let cells = grid.cells().saturating_mul(terms.numbers());
    let coarse = hierarchy.levels().iter().skip(1).fold(0_u64, |sum, level| {
        sum.saturating_add(number(level.cells())).saturating_add(number(level.correction_len()))
    });
    let again = hierarchy.levels().get(1).filter(|_| scheme.coarse_visits > 1);
    let again = again.map_or(0, |level| number(level.correction_len()));
    let coarse = coarse.saturating_add(again).saturating_mul(processes);
    let direct = hierarchy.levels().last().map_or(0, |level| Coarsest::memory_len(*level));
    let rows = 4 * (scheme.smoothing.weights().len() + 2);
    let bands = hierarchy.levels().first_chunk().map_or(0, |levels| scheme.cut(*levels).len());
    let bands = number(bands).saturating_mul(number(rows)).saturating_mul(number(grid.columns));
    [
        cells.saturating_add(coarse).saturating_add(bands),
        number(direct).saturating_add(number(grid.rows)).saturating_mul(processes),
    ]
}

impl<F: Real + Send + Sync> Multigrid<F> {
    /// Returns the problem before the first visit; none without a cell, or where faces have weights.
    pub fn new(problem: &Problem, scheme: Scheme) -> Option<Self> {
        Self::among(problem, scheme, Alone)
    }
}

impl<F: Real + Send + Sync, P: Processes<F>> Multigrid<F, P> {
    /// Returns the problem before the first visit, with those bands that this process has; none without a cell, or
    /// where faces have weights. Collective, as are all visits.
    pub fn among(problem: &Problem, scheme: Scheme, mut processes: P) -> Option<Self> {
        if problem.terms().faces.is_some() {
            return None;
        }
        let GridSize { rows, columns } = problem.grid;
        let hierarchy = Hierarchy::new(rows, columns, scheme.coarsest)?;
        let [level, below @ ..] = hierarchy.levels() else { return None };
        let coarser = below.first()?;
        let visits = core::iter::once(scheme.coarse_visits).chain(core::iter::repeat(1));
        let coarse =
            below.iter().zip(visits).map(|(level, visits)| OwnedCoarse::new(*level, visits));
        let cut = scheme.cut([*level, *coarser]);
        let own = processes.own(cut.len());
        let is_large = below.len() > 1 && coarser.cells() >= scheme.shared_from;
        let shares_second = processes.any(!own.is_empty() && own.len() < cut.len()) && is_large;
        let rows = rows_of(cut.clone(), own.clone(), *coarser);
        let bands = cut
            .skip(own.start)
            .take(own.len())
            .map(|band| OwnedBand::new(band, *level, *coarser, &scheme.smoothing));
        let [Range { start, end }, _] = &rows;
        let read =
            start.saturating_sub(scheme.reach())..problem.grid.rows.min(end + scheme.reach());
        let solved = below.last()?;
        let mut direct = vec![0.0; Coarsest::memory_len(*solved)];
        Coarsest::new(*solved, &mut direct);
        Some(Self {
            cells: filled(problem.grid, read.clone(), |row, column| {
                F::from_f64(problem.initial.at(row, column))
            }),
            fixed: OwnedFixed::new(problem, read),
            coarse: coarse.collect(),
            direct,
            squares: vec![0.0; problem.grid.rows],
            bands: bands.collect(),
            rows,
            shares_second,
            scheme,
            processes,
            hierarchy,
        })
    }

    /// Returns the levels, the finest first.
    pub fn levels(&self) -> &[Level] {
        self.hierarchy.levels()
    }

    /// Returns the number of this process's bands of the finest level.
    pub const fn bands(&self) -> usize {
        self.bands.len()
    }

    /// Returns the number of bands of all processes.
    pub fn all_bands(&self) -> usize {
        let levels = self.hierarchy.levels().first_chunk();
        levels.map_or(0, |levels| self.scheme.cut(*levels).len())
    }

    /// Returns the rows that this process has.
    pub const fn rows(&self) -> &Range<usize> {
        let [rows, _] = &self.rows;
        rows
    }

    /// Returns the cells, row by row; those are right that this process has.
    pub fn cells(&self) -> &[F] {
        &self.cells
    }

    /// Returns the cells, row by row, and gives everything else back.
    pub fn into_cells(self) -> Vec<F> {
        self.cells
    }

    /// Whether `is` holds for any process.
    pub fn any(&mut self, is: bool) -> bool {
        self.processes.any(is)
    }

    /// Takes the residual of the cells as they are, from which the next visit starts, and returns its sum of
    /// squares; once before the first visit.
    pub fn begin(&mut self, kernel: &(impl Kernel<F> + Sync), threads: &impl ForkJoin) -> f64 {
        self.pass(1, threads, |levels, band, _, fixed, finest, workspace| {
            restrict_residual(levels, band, fixed, finest, kernel, workspace);
        })
    }

    /// Visits every cell, and returns the sum of squares of the residual that is left.
    pub fn visit(&mut self, kernel: &(impl Kernel<F> + Sync), threads: &impl ForkJoin) -> f64 {
        self.correct(kernel, threads);
        let smoothing = self.scheme.smoothing.clone();
        self.pass(
            evaluations(&smoothing) + 1,
            threads,
            |levels, band, correction, fixed, finest, workspace| {
                visit_finest(
                    levels, band, &smoothing, correction, fixed, finest, kernel, workspace,
                );
            },
        )
    }

    /// Returns the sum of squares of the residual of the cells as they are, apart from what visits have found.
    pub fn verified(&mut self, threads: &impl ForkJoin) -> f64 {
        let Self { hierarchy, processes, cells, fixed, squares, bands, rows: [rows, _], .. } = self;
        let (Some(level), fixed) = (hierarchy.levels().first(), fixed.lent()) else { return 0.0 };
        let columns = level.columns.cells();
        processes.trade(cells, scaled(rows, columns), columns);
        let cells = &*cells;
        let mut rest = squares.get_mut(rows.clone()).unwrap_or_default();
        let cut = |OwnedBand { band, .. }: &OwnedBand<F>| {
            Some((band.first, rest.split_off_mut(..band.rows())?))
        };
        let effort = |(_, sums): &(usize, &mut [f64])| Effort::of(sums.len(), columns, 1);
        threads.each(bands.iter().filter_map(cut).collect(), effort, |(first, sums)| {
            for (row, sum) in (first..).zip(sums) {
                *sum = residual_squares(*level, row, cells, fixed);
            }
        });
        processes.gather_sums(squares, rows.clone());
        total(squares)
    }

    /// Passes over the bands of the finest level, with so many evaluations of each cell, and returns the sum of squares
    /// of the residual.
    fn pass(
        &mut self,
        sweeps: u32,
        threads: &impl ForkJoin,
        over: impl Fn([Level; 2], Band, Correction<'_, F>, Fixed<'_, F>, &mut Finest<'_, F>, &mut [F])
        + Sync,
    ) -> f64 {
        let Self { hierarchy, processes, cells, fixed, coarse, squares, bands, scheme, .. } = self;
        let [rows, coarse_rows] = &self.rows;
        let (Some(levels), Some(first)) =
            (hierarchy.levels().first_chunk::<2>(), coarse.first_mut())
        else {
            return 0.0;
        };
        let [level, coarser] = *levels;
        let (columns, coarse_columns) = (level.columns.cells(), coarser.columns.cells());
        processes.trade(cells, scaled(rows, columns), scheme.reach() * columns);
        let stored = cells.as_slice();
        let copied = |band: &&mut OwnedBand<F>| Effort {
            cells: (band.above.len() + band.below.len()) as u64,
            sweeps: 1,
        };
        threads.each(bands.iter_mut().collect(), copied, |band| band.refresh(stored, columns));
        let correction = Correction { values: &first.correction, stride: coarser.stride() };
        let restricted = scaled(coarse_rows, coarse_columns);
        let mut cells = cells.get_mut(scaled(rows, columns)).unwrap_or_default();
        let mut rhs = first.rhs.get_mut(restricted.clone()).unwrap_or_default();
        let mut rest = squares.get_mut(rows.clone()).unwrap_or_default();
        let tasks = bands.iter_mut().filter_map(|OwnedBand { band, above, below, workspace }| {
            let restricted = band.coarse_rows(coarser) * coarse_columns;
            let finest = Finest {
                cells: cells.split_off_mut(..band.rows() * columns)?,
                above,
                below,
                restricted: rhs.split_off_mut(..restricted)?,
                squares: rest.split_off_mut(..band.rows())?,
            };
            Some((*band, finest, workspace))
        });
        let fixed = fixed.lent();
        let effort = |task: &(Band, Finest<'_, F>, &mut Vec<F>)| {
            Effort::of(task.0.rows() + 2 * scheme.reach(), columns, sweeps)
        };
        threads.each(tasks.collect(), effort, |(band, mut finest, workspace)| {
            over(*levels, band, correction, fixed, &mut finest, workspace);
        });
        if !self.shares_second {
            processes.gather(&mut first.rhs, restricted);
        }
        processes.gather_sums(squares, rows.clone());
        total(squares)
    }
}

/// Returns how often a level's cells are evaluated on the way up: by interpolation, and by each step.
fn evaluations(smoothing: &Smoothing) -> u32 {
    u32::try_from(smoothing.weights().len() + 1).unwrap_or(u32::MAX)
}
