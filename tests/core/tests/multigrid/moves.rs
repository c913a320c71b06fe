//! Rows that move between processes: no cell becomes another, and who is slow has fewer.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::sync::Mutex;

use tresse_core::base::rng::Rng;
use tresse_core::field::problem::{CellValues, Problem};
use tresse_core::multigrid::Portable;
use tresse_core::multigrid::owned::{InTurn, Multigrid, Processes, Scheme, SolverState};

use super::problems::{random, scheme, solver};
use super::processes::{Bits, among, bits};

/// Cycles of each run.
const CYCLES: usize = 5;

/// Returns what a process has after cycles before each of which rows move, and the sums on the way.
fn cycled_with_moves<P: Processes<f64>>(
    mut solver: Multigrid<f64, P>,
    mut moves: impl FnMut(&mut Multigrid<f64, P>),
) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![solver.begin(&Portable, &InTurn)];
    for _ in 0..CYCLES {
        moves(&mut solver);
        sums.push(solver.cycle(&Portable, &InTurn));
    }
    moves(&mut solver);
    sums.push(solver.residual_squares(&InTurn));
    let rows = solver.own().clone();
    assert!(rows == *solver.needed() && rows == *solver.rows());
    (rows.flat_map(|row| solver.row(0, row).to_vec()).collect(), sums)
}

/// Returns the same of one process, which moves nothing.
fn alone((rows, columns): (usize, usize)) -> Bits {
    let solver = solver(&random(rows, columns, 7), scheme(3));
    let (cells, sums) = cycled_with_moves(solver, |_| {});
    (bits(&cells), bits(&sums))
}

/// Returns random ends of shares of which each has one piece at least.
fn random_ends(pieces: usize, processes: usize, rng: &mut Rng) -> Vec<usize> {
    let mut places: Vec<_> = (1..pieces).collect();
    let chosen = (1..processes).map(|_| {
        let place = rng.below(places.len().try_into().unwrap());
        places.swap_remove(place as usize)
    });
    let mut ends: Vec<_> = chosen.collect();
    ends.sort_unstable();
    ends.push(pieces);
    ends
}

/// With the second level shared and not, and with bands of several heights.
#[test]
fn the_field_is_the_same_wherever_rows_move_between_cycles() {
    let mut given = 0;
    for (seed, (rows, columns)) in (0..).zip([(200, 13), (131, 40), (123, 9)]) {
        let expected = alone((rows, columns));
        for (shared_from, group) in [(1, 1), (usize::MAX, 1), (1, 3)] {
            let scheme = Scheme { shared_from, group, ..scheme(6) };
            for processes in 2..=4 {
                let of_process = Mutex::new(0);
                let found = among(processes, false, |process| {
                    // The same on all processes.
                    let mut rng = Rng::new(seed, processes as u64);
                    let problem = random(rows, columns, 7);
                    let solver = Multigrid::among(&problem, scheme.clone(), process).unwrap();
                    cycled_with_moves(solver, |solver| {
                        let ends = random_ends(solver.shares().pieces(), processes, &mut rng);
                        *of_process.lock().unwrap() += solver.move_rows(&ends);
                    })
                });
                let what = format!("{rows}x{columns} on {processes}, {shared_from}, {group}");
                assert!(found == expected, "{what}");
                given += of_process.into_inner().unwrap();
            }
        }
    }
    assert!(given > 1_000, "{given} rows have moved");
}

/// A source that is the same everywhere, or not there, is not brought, and where a process has no
/// row, nothing moves.
#[test]
fn what_all_know_is_not_moved() {
    for source in [0.0, 0.3] {
        let problem = Problem { source: CellValues::Constant(source), ..random(123, 20, 3) };
        let (cells, sums) = cycled_with_moves(solver(&problem, scheme(3)), |_| {});
        let found = among(2, false, |process| {
            let solver = Multigrid::among(&problem, scheme(6), process).unwrap();
            let all = solver.shares().pieces();
            let mut ends = [1, all - 1, 3].into_iter().cycle();
            cycled_with_moves(solver, |solver| {
                solver.move_rows(&[ends.next().unwrap(), all]);
            })
        });
        assert!(found == (bits(&cells), bits(&sums)));
    }
    let expected = alone((49, 30));
    let found = among(4, false, |process| {
        let solver = Multigrid::among(&random(49, 30, 7), scheme(8), process).unwrap();
        let all = solver.shares().pieces();
        cycled_with_moves(solver, |solver| {
            assert_eq!(solver.move_rows(&[1, 2, 3, all]), 0);
            assert_eq!(solver.balance(1 + solver.bands() as u64), 0);
        })
    });
    assert!(found == expected);
}

/// The last process needs three times as long as the others for each of its rows, and for what
/// nobody shares.
#[test]
fn who_is_slow_has_fewer_rows_from_the_third_cycle_on() {
    let expected = alone((400, 9));
    let heights = Mutex::new(vec![]);
    let found = among(3, false, |process| {
        let problem = random(400, 9, 7);
        let solver = Multigrid::among(&problem, scheme(18), process).unwrap();
        let is_last = solver.rows().end == 400;
        let mut of_cycles = vec![];
        let done = cycled_with_moves(solver, |solver| {
            let each = if is_last { 3_000 } else { 1_000 };
            let rows = solver.rows().len();
            of_cycles.push(rows);
            let work = rows / 2 + solver.shares().unshared();
            solver.balance(each * work as u64);
        });
        if is_last {
            *heights.lock().unwrap() = of_cycles;
        }
        done
    });
    assert!(found == expected);
    let heights = heights.into_inner().unwrap();
    // An eighth part of 400 rows or less takes as long there as what is left for each of the
    // others.
    assert!(heights[..2].iter().all(|rows| *rows > 110), "{heights:?}");
    assert!(heights[2..].iter().all(|rows| *rows == heights[2] && *rows < 60), "{heights:?}");
}
