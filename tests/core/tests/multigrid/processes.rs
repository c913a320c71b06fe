//! A solver whose bands several processes share: threads that know no more of each other than what
//! they trade.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::ops::Range;
use std::sync::{Barrier, Mutex};
use std::thread;

use tresse_core::field::problem::{CellValues, Problem};
use tresse_core::multigrid::Portable;
use tresse_core::multigrid::owned::conjugate_gradients::ConjugateGradients;
use tresse_core::multigrid::owned::{InTurn, Multigrid, Processes, Scheme, bands_of};

use super::problems::{random, scheme, solver};

/// What all processes say to each other, each at its own place.
struct Meeting {
    said: Mutex<Vec<(Range<usize>, Vec<f64>)>>,
    barrier: Barrier,
}

/// One of several processes.
pub struct Process<'m> {
    rank: usize,
    meeting: &'m Meeting,
    /// Whether it keeps the rows beside its own as they are at first: a fault that must be caught.
    is_stale: bool,
}

impl Process<'_> {
    /// Says some numbers to all, and hears what all say, in the order of the processes.
    fn meet(&self, range: Range<usize>, numbers: &[f64]) -> Vec<(Range<usize>, Vec<f64>)> {
        self.meeting.said.lock().unwrap()[self.rank] = (range, numbers.to_vec());
        self.meeting.barrier.wait();
        let said = self.meeting.said.lock().unwrap().clone();
        self.meeting.barrier.wait();
        said
    }
}

impl Processes<f64> for Process<'_> {
    fn own(&self, bands: usize) -> Range<usize> {
        bands_of(self.rank, self.meeting.said.lock().unwrap().len(), bands)
    }

    fn trade(&mut self, all: &mut [f64], own: Range<usize>, reach: usize) {
        let said = self.meet(own.clone(), &all[own.clone()]);
        if own.is_empty() || self.is_stale {
            return;
        }
        for (range, numbers) in said {
            let read = own.start.saturating_sub(reach)..own.end + reach;
            let own = own.clone();
            let beside =
                range.zip(numbers).filter(|(at, _)| read.contains(at) && !own.contains(at));
            beside.for_each(|(at, number)| all[at] = number);
        }
    }

    fn gather(&mut self, all: &mut [f64], own: Range<usize>) {
        for (range, numbers) in self.meet(own.clone(), &all[own]) {
            all[range].copy_from_slice(&numbers);
        }
    }

    fn gather_sums(&mut self, all: &mut [f64], own: Range<usize>) {
        self.gather(all, own);
    }

    fn bring(&mut self, all: &mut [f64], own: Range<usize>, needed: Range<usize>) {
        let said = self.meet(own.clone(), &all[own.clone()]);
        for (at, number) in said.into_iter().flat_map(|(range, numbers)| range.zip(numbers)) {
            if needed.contains(&at) && !own.contains(&at) {
                all[at] = number;
            }
        }
    }

    fn gather_each(&mut self, said: u64) -> Vec<u64> {
        self.meet(0..1, &[f64::from_bits(said)]).iter().map(|(_, said)| said[0].to_bits()).collect()
    }

    fn any(&mut self, is: bool) -> bool {
        self.meet(0..1, &[f64::from(u8::from(is))]).iter().any(|(_, said)| said[0] > 0.0)
    }
}

/// Bits of the cells, and of the sums on the way.
pub type Bits = (Vec<u64>, Vec<u64>);

/// Returns the bits of all processes' cells, and of the sums that all of them have.
pub fn among(
    processes: usize,
    is_stale: bool,
    work: impl Fn(Process<'_>) -> (Vec<f64>, Vec<f64>) + Sync,
) -> Bits {
    let nothing = vec![(0..0, vec![]); processes];
    let meeting = Meeting { said: Mutex::new(nothing), barrier: Barrier::new(processes) };
    let work = |rank| {
        let (cells, sums) = work(Process { rank, meeting: &meeting, is_stale });
        (bits(&cells), bits(&sums))
    };
    let done: Vec<_> = thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..processes).map(|rank| scope.spawn(move || work(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(done.iter().all(|(_, sums)| *sums == done[0].1), "processes have other sums");
    let sums = done[0].1.clone();
    (done.into_iter().flat_map(|(cells, _)| cells).collect(), sums)
}

/// Returns the cells that a process has after three cycles, and the sums on the way.
pub fn cycled<P: Processes<f64>>(mut solver: Multigrid<f64, P>) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![solver.begin(&Portable, &InTurn)];
    sums.extend((0..3).map(|_| solver.cycle(&Portable, &InTurn)));
    sums.push(solver.residual_squares(&InTurn));
    assert!(solver.any(true) && !solver.any(false));
    let columns = solver.levels()[0].columns.cells();
    let own = solver.rows().start * columns..solver.rows().end * columns;
    (solver.cells()[own].to_vec(), sums)
}

pub fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn solve(size: (usize, usize), scheme: &Scheme, processes: usize, is_stale: bool) -> Bits {
    let problem = random(size.0, size.1, 7);
    among(processes, is_stale, |process| {
        cycled(Multigrid::among(&problem, scheme.clone(), process).unwrap())
    })
}

/// Returns the same of a single process.
fn alone(rows: usize, columns: usize) -> Bits {
    let (cells, sums) = cycled(solver(&random(rows, columns, 7), scheme(3)));
    (bits(&cells), bits(&sums))
}

/// Does the same as [`cycled`] by conjugate gradients.
pub fn stepped<P: Processes<f64>>(mut solver: ConjugateGradients<f64, P>) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![solver.begin(&InTurn)];
    sums.extend((0..3).map(|_| solver.cycle(&InTurn)));
    sums.push(solver.residual_squares(&InTurn));
    assert!(solver.any(true) && !solver.any(false));
    (solver.into_cells(), sums)
}

/// A random problem with a coefficient that jumps, and cells that are not square.
pub fn heterogeneous(rows: usize, columns: usize) -> Problem {
    let of = |row: usize, column: usize| {
        if (row / 5 + column / 7).is_multiple_of(2) { 80.0 } else { 0.1 }
    };
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| of(row, column)));
    let coefficient = CellValues::Values { columns, values: cells.collect() };
    Problem { coefficient, cell_ratio: 1.5, ..random(rows, columns, 8) }
}

fn solve_heterogeneous(
    problem: &Problem,
    scheme: &Scheme,
    processes: usize,
    is_stale: bool,
) -> Bits {
    among(processes, is_stale, |process| {
        stepped(ConjugateGradients::among(problem, scheme.clone(), process, &InTurn).unwrap())
    })
}

#[test]
fn the_field_is_the_same_on_any_number_of_processes() {
    // The last ones have too few rows for a band of every process.
    for (rows, columns) in [(64, 50), (75, 20), (49, 3), (24, 30), (9, 9), (2, 100)] {
        let expected = alone(rows, columns);
        for processes in 1..=4 {
            let found = solve((rows, columns), &scheme(6), processes, false);
            assert!(found == expected, "{rows}x{columns} on {processes}");
        }
    }
}

#[test]
fn rows_of_another_process_that_are_old_are_caught() {
    assert_ne!(solve((64, 50), &scheme(6), 2, true), alone(64, 50));
}

/// Levels that are shared down to a few rows of each process, or down to the one below the finest,
/// or not at all; with processes that have few rows, one, or none; coarsened in both directions,
/// first in rows only, and first in columns only.
#[test]
fn with_a_coefficient_it_is_the_same_as_well() {
    let sizes = [(131, 40), (64, 50), (37, 23), (13, 40), (5, 70), (2, 3), (1, 1)];
    for ((rows, columns), cell_ratio) in
        sizes.into_iter().flat_map(|size| [1.0, 0.2, 5.0].map(|ratio| (size, ratio)))
    {
        let problem = Problem { cell_ratio, ..heterogeneous(rows, columns) };
        let (cells, sums) = stepped(ConjugateGradients::new(&problem, scheme(3), &InTurn).unwrap());
        let expected = (bits(&cells), bits(&sums));
        for shared_from in [1, rows * columns / 5 + 1, usize::MAX] {
            let scheme = Scheme { shared_from, ..scheme(7) };
            for processes in 1..=4 {
                let found = solve_heterogeneous(&problem, &scheme, processes, false);
                let what = format!("{rows}x{columns}, {cell_ratio}, on {processes}, {shared_from}");
                assert!(found == expected, "{what}");
            }
        }
    }
}

#[test]
fn old_rows_of_another_process_are_caught_with_a_coefficient_too() {
    let problem = heterogeneous(64, 50);
    let of = |is_stale| solve_heterogeneous(&problem, &scheme(6), 2, is_stale);
    assert_ne!(of(true), of(false));
}

/// Bands that become lower and lower, with groups that are one process's, and others that two
/// share.
#[test]
fn bands_of_several_heights_change_no_cell() {
    // Enough rows for the lowest bands of three groups.
    let (rows, columns) = (367, 9);
    let problem = heterogeneous(rows, columns);
    let (cells, sums) = stepped(ConjugateGradients::new(&problem, scheme(3), &InTurn).unwrap());
    let [expected, weighted] = [alone(rows, columns), (bits(&cells), bits(&sums))];
    let whole = [2, 3].into_iter().flat_map(|processes| [2, 3, 4].map(|group| (processes, group)));
    let whole = whole.map(|(processes, group)| (processes, processes, group));
    for (processes, groups, group) in whole.chain([(2, 3, 2), (3, 2, 3), (3, 1, 4)]) {
        let scheme = Scheme { group, ..scheme(groups * group) };
        let what = format!("{groups} groups of {group} on {processes}");
        let found = solve((rows, columns), &scheme, processes, false);
        assert!(found == expected, "{what}");
        let found = solve_heterogeneous(&problem, &scheme, processes, false);
        assert!(found == weighted, "{what}, with a coefficient");
    }
    // The first process has the highest band and the next one, the last one the two lowest.
    let (problem, grouped) = (random(rows, columns, 7), Scheme { group: 3, ..scheme(6) });
    let (heights, _) = among(3, false, |process| {
        let solver = Multigrid::among(&problem, grouped.clone(), process).unwrap();
        (vec![solver.rows().len() as f64], vec![])
    });
    assert!(heights.is_sorted_by(|one, next| one > next), "bands have the same height");
}
