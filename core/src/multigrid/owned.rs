//! The memory of a multigrid solver, and its cycles, shared out by whoever has threads.

mod accesses;
mod carry_out;
pub mod conjugate_gradients;
mod effort;
mod error_estimate;
mod fair_shares;
pub mod flow;
mod memory;
mod moving;
mod plan;
mod processes;
mod state;
mod workers;

use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

pub use error_estimate::{Numerics, error_estimate};
pub use fair_shares::FairShares;
pub use flow::Effort;
pub use processes::{Alone, Processes, bands_of};
pub use state::SolverState;
pub use workers::{InTurn, Workers};

use carry_out::Lent;
use memory::{OwnedCoarse, OwnedFixed, OwnedRows, filled};
use moving::{Sharing, read_around, shares_of};
use plan::{Exchange, Leg};

use crate::base::real::Real;
use crate::field::problem::Problem;
use crate::field::stencil::Terms;
use crate::multigrid::{
    Band, Coarsest, Hierarchy, Kernel, Level, Smoothing, bands_within, overlap, residual_squares,
    total, workspace_len,
};
use crate::run::GridSize;

/// How a multigrid solver makes a cycle; only the first three change what it computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Steps on each level of a cycle.
    pub smoothing: Smoothing,
    /// Unknowns of the coarsest level at most.
    pub coarsest: usize,
    /// Cycles on the level below the finest one in each cycle of that, 1 or more: 1 is a V-cycle.
    /// The levels below have one cycle each time, but in [`conjugate_gradients`] as many as this.
    pub coarse_cycles: usize,
    /// Bands of each level that is shared; fewer where it has few rows.
    pub bands: usize,
    /// Bands of each worker, of which `bands` is a multiple. They become lower and lower, as
    /// [`bands()`](crate::multigrid::bands) says.
    pub group: usize,
    /// Cells from which on a level is shared; the coarser ones are one task.
    pub shared_from: usize,
}

impl Scheme {
    /// Returns the number of ghost rows that a cycle of a band reads on each side.
    fn reach(&self) -> usize {
        overlap(self.smoothing.weights().len())
    }

    /// Returns the least number of rows of the level below the finest one that a process, or a
    /// band, has.
    fn least(&self) -> usize {
        self.reach() + 1
    }

    /// Cuts the finest level into bands, none so low that a cycle would evaluate more ghost rows
    /// than own ones. The cuts are where pairs of rows of the next coarser level end, so that those
    /// are bands of that level, too.
    fn cut(
        &self,
        [finest, coarser]: [Level; 2],
    ) -> impl ExactSizeIterator<Item = Band> + Clone + use<> {
        self.cut_within([finest, coarser], 0..coarser.rows.cells(), self.bands)
    }

    /// Cuts those rows of the finest level that restrict to the given rows of the next coarser one
    /// into `count` bands, in the same way as [`cut`](Self::cut).
    fn cut_within(
        &self,
        [finest, coarser]: [Level; 2],
        rows: Range<usize>,
        count: usize,
    ) -> impl ExactSizeIterator<Item = Band> + Clone + use<> {
        bands_within(rows, count, self.group, self.least()).map(move |band| {
            let is_last = band.end == coarser.rows.cells();
            let end = if is_last { finest.rows.cells() } else { 2 * band.end };
            Band { first: 2 * band.first, end }
        })
    }
}

/// A problem on its grid, and all levels below it; the finest one may be shared with other
/// processes, `P`.
///
/// A cycle is a [`flow`] of tasks, one for each band of each level: a band of a level is corrected
/// as soon as the rows of the next coarser one that it reads are, and so on up to the finest one,
/// whose bands are smoothed while others of the levels below are still on their way. Only the few
/// coarsest levels, which every cell has a part in, are one task that follows from all bands. Where
/// processes exchange rows, the flow is cut in two.
///
/// Of the finest level, and of the next coarser one where that is large, a process has its own rows
/// and their ghost rows: memory for the others is allocated, and never touched until they
/// [move](Self::balance) there. Each process has the levels below as a whole, and calculates
/// them for itself.
#[derive(Debug)]
pub struct Multigrid<F, P = Alone> {
    scheme: Scheme,
    processes: P,
    hierarchy: Hierarchy,
    cells: OwnedRows<F>,
    fixed: OwnedFixed<F>,
    /// Copies of the ghost rows of each band of the finest level.
    ghost_rows: OwnedRows<F>,
    /// The levels below the finest one.
    coarse: Vec<OwnedCoarse<F>>,
    /// The factors of the coarsest level.
    direct: OwnedRows<f64>,
    /// The sum of squares of the residual of each row of the finest level.
    squares: OwnedRows<f64>,
    /// What each worker has for itself.
    workspaces: OwnedRows<F>,
    sharing: Sharing,
    /// The bands of this process.
    bands: Vec<Band>,
    /// Rows of the finest level that this process has, and of the next coarser one whose right-hand
    /// side it has.
    rows: [Range<usize>; 2],
    /// The plan of the residual before the first cycle.
    beginning: Vec<Leg>,
    /// The plan of each cycle.
    cycle: Vec<Leg>,
}

/// Returns the rows of the bands numbered `own`, and the rows of the next coarser level that they
/// restrict to.
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

/// Returns the range of numbers that some rows of `each` numbers have in their array.
const fn scaled(rows: &Range<usize>, each: usize) -> Range<usize> {
    rows.start * each..rows.end * each
}

/// Returns how many numbers of a cell's type, and how many of double precision, a solver of this
/// grid and scheme holds, of all `processes` together. With `rows_move`, rows
/// [move](Multigrid::balance), and each process may come to hold all of them. A source that is the
/// same everywhere needs no numbers.
pub fn numbers_needed(
    grid: GridSize,
    scheme: &Scheme,
    terms: Terms<()>,
    processes: u64,
    rows_move: bool,
) -> [u64; 2] {
    let Some(hierarchy) = Hierarchy::new(grid.rows, grid.columns, scheme.coarsest) else {
        return [0, 0];
    };
    let number = |length: usize| length as u64;
    let holders = if rows_move { processes } else { 1 };
    let cells = grid.cells().saturating_mul(terms.numbers()).saturating_mul(holders);
    let coarse = hierarchy.levels().iter().skip(1).fold(0_u64, |sum, level| {
        sum.saturating_add(number(level.cells())).saturating_add(number(level.correction_len()))
    });
    let again = hierarchy.levels().get(1).filter(|_| scheme.coarse_cycles > 1);
    let again = again.map_or(0, |level| number(level.correction_len()));
    let coarse = coarse.saturating_add(again).saturating_mul(processes);
    let direct = hierarchy.levels().last().map_or(0, |level| Coarsest::memory_len(*level));
    let of_bands = hierarchy.levels().first_chunk().map_or(0, |levels: &[Level; 2]| {
        let bands = number(scheme.cut(*levels).len());
        let ghost_rows = number(2 * scheme.reach()).saturating_mul(number(grid.columns));
        let workspace = number(workspace_len(levels[0], levels[1], &scheme.smoothing));
        let workers = bands.div_ceil(number(scheme.group.max(1)));
        bands.saturating_mul(ghost_rows).saturating_add(workers.saturating_mul(workspace))
    });
    [
        cells.saturating_add(coarse).saturating_add(of_bands),
        number(direct).saturating_add(number(grid.rows)).saturating_mul(processes),
    ]
}

impl<F: Real + Send + Sync> Multigrid<F> {
    /// Returns the problem before the first cycle; none without a cell, or where faces have
    /// weights.
    pub fn new(problem: &Problem, scheme: Scheme) -> Option<Self> {
        Self::among(problem, scheme, Alone)
    }
}

impl<F: Real + Send + Sync, P: Processes<F>> Multigrid<F, P> {
    /// Returns the solver before its first cycle, with the bands that this process has of the
    /// finest level. None without a cell, or where faces have weights. Collective, as are all
    /// cycles.
    pub fn among(problem: &Problem, scheme: Scheme, mut processes: P) -> Option<Self> {
        if problem.terms().faces.is_some() {
            return None;
        }
        let GridSize { rows, columns } = problem.grid;
        let hierarchy = Hierarchy::new(rows, columns, scheme.coarsest)?;
        let [level, below @ ..] = hierarchy.levels() else { return None };
        let coarser = below.first()?;
        let cycles = core::iter::once(scheme.coarse_cycles).chain(core::iter::repeat(1));
        let coarse =
            below.iter().zip(cycles).map(|(level, cycles)| OwnedCoarse::new(*level, cycles));
        let cut = scheme.cut([*level, *coarser]);
        let own = processes.own(cut.len());
        let counts = processes.gather_each(own.len() as u64);
        let is_large = below.len() > 1 && coarser.cells() >= scheme.shared_from;
        let shares = shares_of(&cut, &counts, *coarser);
        let sharing = Sharing::new(&shares, &own, &counts, cut.len(), scheme.least(), is_large);
        let rows = rows_of(cut.clone(), own.clone(), *coarser);
        let read = read_around(&rows[0], scheme.reach(), problem.grid.rows);
        let coarsest = below.last()?;
        let mut direct = vec![0.0; Coarsest::memory_len(*coarsest)];
        Coarsest::new(*coarsest, &mut direct);
        let factors = direct.len();
        let cells = filled(problem.grid, read.clone(), |row, column| {
            F::from_f64(problem.initial.at(row, column))
        });
        let ghost_rows = 2 * scheme.reach() * columns;
        let workspace = workspace_len(*level, *coarser, &scheme.smoothing);
        let mut solver = Self {
            cells: OwnedRows::new(cells, columns),
            fixed: OwnedFixed::new(problem, read),
            ghost_rows: OwnedRows::new(Vec::new(), ghost_rows),
            coarse: coarse.collect(),
            direct: OwnedRows::new(direct, factors),
            squares: OwnedRows::new(vec![0.0; problem.grid.rows], 1),
            workspaces: OwnedRows::new(Vec::new(), workspace),
            sharing,
            scheme,
            processes,
            hierarchy,
            // Planned below.
            bands: Vec::new(),
            rows: [0..0, 0..0],
            beginning: Vec::new(),
            cycle: Vec::new(),
        };
        solver.count_unshared();
        solver.plan(cut.skip(own.start).take(own.len()).collect(), rows);
        Some(solver)
    }

    /// Returns the levels, the finest first.
    pub fn levels(&self) -> &[Level] {
        self.hierarchy.levels()
    }

    /// Returns the number of this process's bands of the finest level.
    pub const fn bands(&self) -> usize {
        self.bands.len()
    }

    /// Returns the number of bands that all processes have at first.
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
        &self.cells.values
    }

    /// Returns the cells, row by row, and gives everything else back.
    pub fn into_cells(self) -> Vec<F> {
        self.cells.values
    }

    /// Whether `is` holds for any process. Collective.
    pub fn any(&mut self, is: bool) -> bool {
        self.processes.any(is)
    }

    /// Returns the number `said` of each process, in their order. Collective.
    pub fn gather_each(&mut self, said: u64) -> Vec<u64> {
        self.processes.gather_each(said)
    }

    /// Computes the residual from which the first cycle starts, and returns its sum of squares;
    /// once before the first cycle.
    pub fn begin(&mut self, kernel: &(impl Kernel<F> + Sync), workers: &impl Workers) -> f64 {
        let plan = mem::take(&mut self.beginning);
        self.follow(&plan, kernel, workers);
        self.beginning = plan;
        self.total()
    }

    /// Makes a cycle, and returns the sum of squares of the residual that is left.
    pub fn cycle(&mut self, kernel: &(impl Kernel<F> + Sync), workers: &impl Workers) -> f64 {
        let plan = mem::take(&mut self.cycle);
        self.follow(&plan, kernel, workers);
        self.cycle = plan;
        self.total()
    }

    /// Returns the sum of squares of the residual of the cells as they are, calculated separately
    /// from the cycles.
    pub fn residual_squares(&mut self, workers: &impl Workers) -> f64 {
        self.exchange(Exchange::Cells);
        let Self { hierarchy, cells, fixed, squares, bands, rows: [rows, _], .. } = self;
        let (Some(level), fixed) = (hierarchy.levels().first(), fixed.lent()) else { return 0.0 };
        let cells = cells.values.as_slice();
        let mut rest = squares.values.get_mut(rows.clone()).unwrap_or_default();
        let cut = |band: &Band| Some((band.first, rest.split_off_mut(..band.rows())?));
        let columns = level.columns.cells();
        let effort = |(_, sums): &(usize, &mut [f64])| Effort::of(sums.len(), columns, 1);
        workers.each(bands.iter().filter_map(cut).collect(), effort, |(first, sums)| {
            for (row, sum) in (first..).zip(sums) {
                *sum = residual_squares(*level, row, cells, fixed);
            }
        });
        self.total()
    }

    /// Returns the sum of squares of the residual over all rows of all processes.
    fn total(&mut self) -> f64 {
        let Self { processes, squares, rows: [rows, _], .. } = self;
        processes.gather_sums(&mut squares.values, rows.clone());
        total(&squares.values)
    }

    /// Carries a plan out, leg by leg.
    fn follow(&mut self, plan: &[Leg], kernel: &(impl Kernel<F> + Sync), workers: &impl Workers) {
        self.workspaces.extend_to(workers.number(), F::ZERO);
        for leg in plan {
            match leg {
                Leg::Exchange(exchange) => self.exchange(*exchange),
                Leg::Tasks(tasks, flow) => {
                    let lent = self.lend();
                    workers.flow(flow, |worker, number| {
                        if let Some(task) = tasks.get(number) {
                            lent.carry_out(worker, *task, kernel);
                        }
                    });
                }
            }
        }
    }

    /// Lends all memory of the solver to the tasks of a flow.
    fn lend(&mut self) -> Lent<'_, F> {
        Lent {
            levels: self.hierarchy.levels(),
            scheme: &self.scheme,
            fixed: self.fixed.lent(),
            cells: self.cells.lend(),
            ghost_rows: self.ghost_rows.lend(),
            squares: self.squares.lend(),
            coarse: self.coarse.iter_mut().map(OwnedCoarse::lend).collect(),
            direct: self.direct.lend(),
            workspaces: self.workspaces.lend(),
        }
    }

    /// Exchanges rows with other processes. Collective.
    fn exchange(&mut self, exchange: Exchange) {
        let Self { hierarchy, processes, cells, coarse, scheme, rows: [own, of_second], .. } = self;
        let columns =
            |level: usize| hierarchy.levels().get(level).map_or(0, |level| level.columns.cells());
        let mut coarse = coarse.iter_mut();
        let (second, third) = (coarse.next(), coarse.next());
        match (exchange, second, third) {
            (Exchange::Cells, ..) => {
                let reach = scheme.reach() * columns(0);
                processes.trade(&mut cells.values, scaled(own, columns(0)), reach);
            }
            (Exchange::AllOfSecond, Some(second), _) => {
                processes.gather(&mut second.rhs.values, scaled(of_second, columns(1)));
            }
            (Exchange::SecondRhs, Some(second), _) => {
                let reach = scheme.reach() * columns(1);
                processes.trade(&mut second.rhs.values, scaled(of_second, columns(1)), reach);
            }
            (Exchange::SecondCorrection(cycle), Some(second), _) => {
                let stride = columns(1) + 2;
                // Without the rows beyond the boundary, which go with the first and the last band.
                let all = &mut second.written(cycle).values;
                let inner = all.len().saturating_sub(stride);
                let all = all.get_mut(stride.min(inner)..inner).unwrap_or_default();
                processes.trade(all, scaled(of_second, stride), scheme.reach() * stride);
            }
            (Exchange::AllOfThird, _, Some(third)) => {
                let band = Band { first: of_second.start, end: of_second.end };
                let level = hierarchy.levels().get(2).filter(|_| band.rows() > 0);
                let rows = level.map_or(0..0, |level| band.of_coarser(*level));
                processes.gather(&mut third.rhs.values, scaled(&rows, columns(2)));
            }
            _ => {}
        }
    }
}
