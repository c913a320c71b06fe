//! The memory of a multigrid solver, and its visits, shared out by whoever has threads.

mod fork_join;
pub mod gradients;
mod kept;
mod processes;
mod virtual_threads;

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

pub use fork_join::{Effort, ForkJoin, InTurn};
pub use kept::Kept;
pub use processes::{Alone, Processes};
pub use virtual_threads::VirtualThreads;

use crate::bug::OrBug;
use crate::grid::Side;
use crate::multigrid::{
    Band, Coarse, Coarsest, Correction, Finest, Fixed, Hierarchy, Kernel, Level, Smoothing, ascend,
    bands, descend, overlap, residual_squares, restrict_residual, solve_coarse, total,
    visit_finest, workspace_len,
};
use crate::problem::{Problem, side_length};
use crate::real::Real;
use crate::run::GridSize;
use crate::stencil::Terms;

/// How a multigrid solver visits; only the first two change what it computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Steps on each level of a visit.
    pub smoothing: Smoothing,
    /// Unknowns of the coarsest level at most.
    pub coarsest: usize,
    /// Bands of each level that is shared; fewer where it has few rows.
    pub bands: usize,
    /// Cells from which on a level is shared; the coarser ones are one task.
    pub shared_from: usize,
}

impl Scheme {
    /// Returns the rows beside a band that a visit of it reads.
    fn reach(&self) -> usize {
        overlap(self.smoothing.weights().len())
    }

    /// Cuts the finest level into bands, none so low that a visit would evaluate more rows beside it than in it.
    fn cut(&self, finest: Level) -> impl ExactSizeIterator<Item = Band> + Clone + use<> {
        bands(finest, self.bands, 2 * self.reach())
    }
}

/// A problem on its grid, and all levels below it; the finest one may be shared with other processes, `P`.
///
/// Each process has the coarser levels as a whole, and calculates them for itself. Of the finest level it has its
/// own rows and those that it reads beside them: memory for the others is allocated, and never touched.
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
}

#[derive(Debug)]
struct OwnedFixed<F> {
    source: Option<Vec<F>>,
    /// In the order of [`Side::ALL`].
    sides: [Vec<F>; 4],
}

#[derive(Debug)]
struct OwnedCoarse<F> {
    rhs: Vec<F>,
    correction: Vec<F>,
}

/// What one task has of its own.
#[derive(Debug)]
struct OwnedBand<F> {
    /// Band of the finest level.
    band: Band,
    above: Vec<F>,
    below: Vec<F>,
    workspace: Vec<F>,
}

impl<F: Real> OwnedFixed<F> {
    fn new(problem: &Problem, own: Range<usize>) -> Self {
        let GridSize { rows, columns } = problem.grid;
        let source = (!problem.source.is_zero()).then(|| {
            filled(problem.grid, own, |row, column| F::from_f64(problem.source.at(row, column)))
        });
        let sides = Side::ALL.map(|side| {
            let length = side_length(side, GridSize { rows, columns });
            let value = |index| F::from_f64(problem.boundary.value(side, index, length));
            (0..length).map(value).collect()
        });
        Self { source, sides }
    }

    fn lent(&self) -> Fixed<'_, F> {
        let side = |side: Side| self.sides.get(side.index()).map(Vec::as_slice).unwrap_or_default();
        Fixed {
            source: self.source.as_deref(),
            top_and_bottom: [side(Side::Top), side(Side::Bottom)],
            left_and_right: [side(Side::Left), side(Side::Right)],
        }
    }
}

impl<F: Real> OwnedBand<F> {
    fn new(band: Band, level: Level, coarser: Level, smoothing: &Smoothing) -> Self {
        let (columns, overlap) = (level.columns.cells(), overlap(smoothing.weights().len()));
        let above = overlap.min(band.first);
        let below = overlap.min(level.rows.cells() - band.end);
        Self {
            band,
            above: vec![F::ZERO; above * columns],
            below: vec![F::ZERO; below * columns],
            workspace: vec![F::ZERO; workspace_len(level, coarser, smoothing)],
        }
    }

    /// Copies the rows beside the band.
    fn refresh(&mut self, cells: &[F], columns: usize) {
        let (first, end) = (self.band.first * columns, self.band.end * columns);
        let rows = [first - self.above.len()..first, end..end + self.below.len()];
        for (target, rows) in [&mut self.above, &mut self.below].into_iter().zip(rows) {
            let rows = cells.get(rows).or_bug("a band ends beyond the grid").unwrap_or_default();
            target.iter_mut().zip(rows).for_each(|(target, cell)| *target = *cell);
        }
    }
}

/// Returns the cells of a grid, of which these rows have a value.
fn filled<F: Real>(
    grid: GridSize,
    rows: Range<usize>,
    value: impl Fn(usize, usize) -> F,
) -> Vec<F> {
    // Zeros come from the system without being written, where the memory for them does.
    let mut cells = vec![F::ZERO; grid.rows * grid.columns];
    let own = cells.chunks_exact_mut(grid.columns.max(1)).enumerate();
    for (row, cells) in own.skip(rows.start).take(rows.len()) {
        cells.iter_mut().enumerate().for_each(|(column, cell)| *cell = value(row, column));
    }
    cells
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
    let coarse = coarse.saturating_mul(processes);
    let direct = hierarchy.levels().last().map_or(0, |level| Coarsest::memory_len(*level));
    let rows = 4 * (scheme.smoothing.weights().len() + 2);
    let bands = hierarchy.levels().first().map_or(0, |finest| scheme.cut(*finest).len());
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
    /// where faces have weights.
    pub fn among(problem: &Problem, scheme: Scheme, processes: P) -> Option<Self> {
        if problem.terms().faces.is_some() {
            return None;
        }
        let GridSize { rows, columns } = problem.grid;
        let hierarchy = Hierarchy::new(rows, columns, scheme.coarsest)?;
        let [level, below @ ..] = hierarchy.levels() else { return None };
        let coarser = below.first()?;
        let coarse = below.iter().map(|level| OwnedCoarse {
            rhs: vec![F::ZERO; level.cells()],
            correction: vec![F::ZERO; level.correction_len()],
        });
        let cut = scheme.cut(*level);
        let own = processes.own(cut.len());
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

    /// Calculates the correction of the level below the finest one from its right-hand side.
    fn correct(&mut self, kernel: &(impl Kernel<F> + Sync), threads: &impl ForkJoin) {
        let levels = self.hierarchy.levels().get(1..).unwrap_or_default();
        let last = levels.len().saturating_sub(1);
        let is_shared = |level: &&Level| level.cells() >= self.scheme.shared_from;
        let shared = levels.iter().take(last).take_while(is_shared).count();
        let tasks = &mut self.bands;
        for index in 0..shared {
            let (Some([level, coarser, ..]), Some([fine, coarse, ..])) =
                (levels.get(index..), self.coarse.get_mut(index..))
            else {
                return;
            };
            descend_shared([*level, *coarser], &fine.rhs, &mut coarse.rhs, tasks, kernel, threads);
        }
        threads.alone(self.effort_of_rest(shared), || self.solve_rest(shared, kernel));
        let (levels, tasks) =
            (self.hierarchy.levels().get(1..).unwrap_or_default(), &mut self.bands);
        for index in (0..shared).rev() {
            let (Some([level, coarser, ..]), Some([fine, coarse, ..])) =
                (levels.get(index..), self.coarse.get_mut(index..))
            else {
                return;
            };
            let below = Correction { values: &coarse.correction, stride: coarser.stride() };
            let smoothing = &self.scheme.smoothing;
            ascend_shared([*level, *coarser], below, fine, smoothing, tasks, kernel, threads);
        }
    }

    /// Returns the effort of the levels that are one task: sums down, interpolation and smoothing up, and the direct
    /// solution, which goes through its factors twice.
    fn effort_of_rest(&self, first: usize) -> Effort {
        let levels = self.hierarchy.levels().get(1 + first..).unwrap_or_default();
        let cells: u64 = levels.iter().map(|level| level.cells() as u64).sum();
        let evaluated = cells.saturating_mul((evaluations(&self.scheme.smoothing) + 1).into());
        Effort { cells: evaluated.saturating_add(2 * self.direct.len() as u64), sweeps: 1 }
    }

    /// Solves for the levels that are one task, those from `first` below the finest on.
    fn solve_rest(&mut self, first: usize, kernel: &impl Kernel<F>) {
        let levels = self.hierarchy.levels().get(1 + first..).unwrap_or_default();
        let rest = self.coarse.get_mut(first..).unwrap_or_default();
        let mut memory: Vec<_> = rest
            .iter_mut()
            .map(|OwnedCoarse { rhs, correction }| Coarse { rhs, correction })
            .collect();
        let (Some(last), Some(task)) = (levels.last(), self.bands.first_mut()) else { return };
        let mut coarsest = Coarsest::resume(*last, &mut self.direct);
        let smoothing = &self.scheme.smoothing;
        solve_coarse(levels, &mut memory, &mut coarsest, smoothing, kernel, &mut task.workspace);
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
        processes.gather(&mut first.rhs, restricted);
        processes.gather_sums(squares, rows.clone());
        total(squares)
    }
}

/// Returns how often a level's cells are evaluated on the way up: by interpolation, and by each step.
fn evaluations(smoothing: &Smoothing) -> u32 {
    u32::try_from(smoothing.weights().len() + 1).unwrap_or(u32::MAX)
}

fn descend_shared<F: Real + Send + Sync>(
    levels: [Level; 2],
    fine: &[F],
    mut coarse: &mut [F],
    tasks: &[OwnedBand<F>],
    kernel: &(impl Kernel<F> + Sync),
    threads: &impl ForkJoin,
) {
    let [level, coarser] = levels;
    let (columns, of_coarse) = (level.columns.cells(), coarser.columns.cells());
    let tasks = bands(level, tasks.len(), 1).filter_map(|band| {
        Some((band, coarse.split_off_mut(..band.coarse_rows(coarser) * of_coarse)?))
    });
    let effort = |(band, _): &(Band, &mut [F])| Effort::of(band.rows(), columns, 1);
    threads.each(tasks.collect(), effort, |(band, coarse)| {
        let fine = fine.get(band.first * columns..band.end * columns).unwrap_or_default();
        descend(levels, band, fine, coarse, kernel);
    });
}

fn ascend_shared<F: Real + Send + Sync>(
    levels: [Level; 2],
    below: Correction<'_, F>,
    fine: &mut OwnedCoarse<F>,
    smoothing: &Smoothing,
    tasks: &mut [OwnedBand<F>],
    kernel: &(impl Kernel<F> + Sync),
    threads: &impl ForkJoin,
) {
    let [level, _] = levels;
    let OwnedCoarse { rhs, correction } = fine;
    let (mut rest, rhs) = (correction.as_mut_slice(), rhs.as_slice());
    let tasks = bands(level, tasks.len(), 1).zip(tasks).filter_map(|(band, task)| {
        let target = rest.split_off_mut(..band.correction_rows(level) * level.stride())?;
        Some((band, target, &mut task.workspace))
    });
    let effort = |task: &(Band, &mut [F], &mut Vec<F>)| {
        let beside = 2 * smoothing.weights().len();
        Effort::of(task.0.rows() + beside, level.columns.cells(), evaluations(smoothing))
    };
    threads.each(tasks.collect(), effort, |(band, target, workspace)| {
        ascend(levels, band, smoothing, below, rhs, target, kernel, workspace);
    });
}
