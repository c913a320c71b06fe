//! The cut of the grid against what it promises, and against the even cut written once more.

use proptest::prelude::*;
use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::field::grid::{Arrangement, Decomposition, Rectangle, Side, arrangement};
use tresse_core::run::{Balance, GridSize, Imbalance, Mode, Nodes, RunConfig, RunConfigError};
use tresse_core_tests::configurations::{config, iterations};

#[derive(Clone, Copy, Debug)]
struct Case {
    grid: GridSize,
    nodes: u32,
    workers_per_node: u32,
    split: u32,
    imbalance: Imbalance,
}

impl Case {
    fn config(self) -> RunConfig {
        let workers = self.nodes * self.workers_per_node;
        let method = (Mode::Async, Balance::None);
        let nodes = Nodes { number: self.nodes, ..Nodes::ONE };
        let config = config(self.grid, (workers, self.split), method, iterations(1));
        RunConfig { nodes, imbalance: self.imbalance, ..config }
    }
}

prop_compose! {
    fn cases()(
        rows in 1_usize..200,
        columns in 1_usize..80,
        nodes in 1_u32..5,
        workers_per_node in 1_u32..7,
        split in 1_u32..9,
        millionths in prop_oneof![Just(0), 0_u32..1_000_000],
    ) -> Case {
        let grid = GridSize { rows, columns };
        Case { grid, nodes, workers_per_node, split, imbalance: Imbalance { millionths } }
    }
}

/// Rows of a worker's block, from the parts of its subdomains.
fn height(cut: &Decomposition, worker: WorkerId) -> usize {
    let owned = cut.ids().filter(|&id| cut.first_owner(id) == worker).map(|id| cut.rectangle(id));
    let (first, end) = owned.fold((usize::MAX, 0), |(first, end), part| {
        (first.min(part.first_row), end.max(part.first_row + part.size.rows))
    });
    end - first
}

/// Each cell in one subdomain, and each side of a subdomain at that of its neighbour.
fn check_cover(cut: &Decomposition) -> Result<(), TestCaseError> {
    let grid = cut.grid();
    let mut covered = vec![0_u8; grid.rows * grid.columns];
    for id in cut.ids() {
        let Rectangle { first_row, first_column, size } = cut.rectangle(id);
        prop_assert!(size.rows > 0 && size.columns > 0, "{id} is empty");
        for row in first_row..first_row + size.rows {
            for column in first_column..first_column + size.columns {
                covered[row * grid.columns + column] += 1;
            }
        }
        for (side, back) in [(Side::Bottom, Side::Top), (Side::Right, Side::Left)] {
            let Some(next) = cut.neighbour(id, side) else { continue };
            prop_assert_eq!(cut.neighbour(next, back), Some(id));
            let part = cut.rectangle(next);
            let expected = match side {
                Side::Bottom => (first_row + size.rows, first_column, size.columns),
                _ => (first_row, first_column + size.columns, part.size.columns),
            };
            let found = (part.first_row, part.first_column, part.size.columns);
            prop_assert_eq!(found, expected, "{} of {}", next, id);
        }
    }
    prop_assert!(covered.iter().all(|&times| times == 1), "a cell is in no subdomain, or in two");
    Ok(())
}

/// Heights lie within a cell of the line from 1 − x to 1 + x times the mean.
fn check_line(case: Case, cut: &Decomposition) -> Result<(), TestCaseError> {
    let workers = case.nodes * case.workers_per_node;
    let Arrangement { rows: down, columns: across } =
        Decomposition::worker_arrangement(workers, case.nodes);
    let x = f64::from(case.imbalance.millionths) / 1e6;
    for row in 0..down {
        let mean = case.grid.rows as f64 / f64::from(down);
        let place = if down > 1 { f64::from(row) / f64::from(down - 1) } else { 0.5 };
        let expected = mean * (1.0 - x + 2.0 * x * place);
        for column in 0..across {
            let height = height(cut, WorkerId(row * across + column)) as f64;
            prop_assert!((height - expected).abs() <= 1.0, "row {row}: {height}, not {expected}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn a_cut_covers_the_grid_and_lies_on_the_line(case in cases()) {
        let config = case.config();
        match Decomposition::new(&config) {
            Ok(cut) => {
                prop_assert_eq!(u64::from(cut.subdomains()), config.subdomains());
                prop_assert_eq!(cut.grid(), case.grid);
                check_cover(&cut)?;
                check_line(case, &cut)?;
            }
            Err(error) => {
                let refused = matches!(error, RunConfigError::TooManySubdomains { .. });
                prop_assert!(refused, "{}", error);
            }
        }
    }

    /// Checks one node without imbalance against the formula that there was before there were
    /// either.
    #[test]
    fn an_even_cut_on_one_node_is_the_plain_one(case in cases()) {
        let case = Case { nodes: 1, imbalance: Imbalance::default(), ..case };
        let Ok(cut) = Decomposition::new(&case.config()) else { return Ok(()) };
        let Arrangement { rows: down, columns: across } = arrangement(case.workers_per_node);
        let columns = cut.ids().take_while(|&id| cut.rectangle(id).first_row == 0).count();
        let rows = cut.subdomains() as usize / columns;
        let (block_rows, block_columns) = (rows / down as usize, columns / across as usize);
        for id in cut.ids() {
            let (row, column) = (id.index() / columns, id.index() % columns);
            let Rectangle { first_row, first_column, .. } = cut.rectangle(id);
            prop_assert_eq!(first_row, case.grid.rows * row / rows);
            prop_assert_eq!(first_column, case.grid.columns * column / columns);
            let owner = row / block_rows * across as usize + column / block_columns;
            prop_assert_eq!(cut.first_owner(id).index(), owner);
        }
    }

    /// A node's workers are consecutive and have a band of whole rows, each node as one alone.
    #[test]
    fn nodes_stand_below_each_other(case in cases()) {
        let Ok(cut) = Decomposition::new(&case.config()) else { return Ok(()) };
        let node = |id| cut.first_owner(id).0 / case.workers_per_node;
        for id in cut.ids() {
            if let Some(right) = cut.neighbour(id, Side::Right) {
                prop_assert_eq!(node(id), node(right));
            }
            if let Some(below) = cut.neighbour(id, Side::Bottom) {
                prop_assert!((node(id)..=node(id) + 1).contains(&node(below)));
            }
        }
        let last = SubdomainId(cut.subdomains() - 1);
        prop_assert_eq!((node(SubdomainId(0)), node(last)), (0, case.nodes - 1));
        let owned = |worker| cut.ids().filter(|&id| cut.first_owner(id) == worker).count();
        for worker in (0..case.nodes * case.workers_per_node).map(WorkerId) {
            prop_assert_eq!(owned(worker), case.split as usize);
        }
    }
}

#[test]
fn workers_that_the_nodes_cannot_share_are_refused() {
    let grid = GridSize { rows: 100, columns: 100 };
    let imbalance = Imbalance::default();
    let case = Case { grid, nodes: 2, workers_per_node: 3, split: 4, imbalance };
    let config = RunConfig { workers: 7, ..case.config() };
    let expected = RunConfigError::UnevenNodes { workers: 7, nodes: 2 };
    assert_eq!(Decomposition::new(&config), Err(expected));
    let of = |workers, nodes| {
        let all = Decomposition::worker_arrangement(workers, nodes);
        (all.rows, all.columns)
    };
    assert_eq!(of(6, 2), (6, 1));
    assert_eq!(of(8, 2), (4, 2));
    assert_eq!(of(8, 1), (4, 2));
    assert_eq!(of(36 * 15, 15), (90, 6));
    assert_eq!(of(8, 0), (0, 0));
}

#[test]
fn a_part_without_a_row_for_each_strip_is_refused() {
    let grid = GridSize { rows: 40, columns: 3 };
    let cut = |millionths| {
        let imbalance = Imbalance { millionths };
        let case = Case { grid, nodes: 1, workers_per_node: 2, split: 8, imbalance };
        Decomposition::new(&case.config())
    };
    // The block is 20 rows high on average. Eight strips need 8 rows; 7 rows are cut into 4 x 2; of
    // 2 rows and 3 columns there are no 8 parts.
    assert_eq!(cut(600_000).map(|cut| height(&cut, WorkerId(0))), Ok(8));
    assert!(matches!(cut(650_000), Ok(cut) if height(&cut, WorkerId(0)) == 7));
    assert!(matches!(cut(900_000), Err(RunConfigError::TooManySubdomains { subdomains: 16, .. })));
}
