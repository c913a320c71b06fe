//! A solver whose bands several processes share: threads that know no more of each other than what they trade.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::ops::Range;
use std::sync::{Barrier, Mutex};
use std::thread;

use tresse_core::multigrid::Portable;
use tresse_core::owned::multigrid::{InTurn, Multigrid, Processes};

use super::problems::{random, scheme, solver};

/// What all processes say to each other, each at its own place.
struct Meeting {
    said: Mutex<Vec<(Range<usize>, Vec<f64>)>>,
    barrier: Barrier,
}

/// One of several processes.
struct Process<'m> {
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
        let each = bands.div_ceil(self.meeting.said.lock().unwrap().len());
        (self.rank * each).min(bands)..((self.rank + 1) * each).min(bands)
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

    fn any(&mut self, is: bool) -> bool {
        self.meet(0..1, &[f64::from(u8::from(is))]).iter().any(|(_, said)| said[0] > 0.0)
    }
}

/// Returns the bits of the cells that each process has after three visits, and of the sums on the way.
fn solve(rows: usize, columns: usize, processes: usize, is_stale: bool) -> (Vec<u64>, Vec<u64>) {
    let problem = &random(rows, columns, 7);
    let nothing = vec![(0..0, vec![]); processes];
    let meeting = Meeting { said: Mutex::new(nothing), barrier: Barrier::new(processes) };
    let work = |rank| {
        let process = Process { rank, meeting: &meeting, is_stale };
        let mut solver = Multigrid::among(problem, scheme(6), process).unwrap();
        let mut sums = vec![solver.begin(&Portable, &InTurn)];
        sums.extend((0..3).map(|_| solver.visit(&Portable, &InTurn)));
        sums.push(solver.verified(&InTurn));
        assert!(solver.any(rank == 0) && !solver.any(false));
        let own = solver.rows().start * columns..solver.rows().end * columns;
        (bits(&solver.cells()[own]), bits(&sums))
    };
    let done: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..processes).map(|rank| scope.spawn(move || work(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(done.iter().all(|(_, sums)| *sums == done[0].1), "processes have other sums");
    let sums = done[0].1.clone();
    (done.into_iter().flat_map(|(cells, _)| cells).collect(), sums)
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Returns the same of a single process.
fn alone(rows: usize, columns: usize) -> (Vec<u64>, Vec<u64>) {
    let mut solver = solver(&random(rows, columns, 7), scheme(3));
    let mut sums = vec![solver.begin(&Portable, &InTurn)];
    sums.extend((0..3).map(|_| solver.visit(&Portable, &InTurn)));
    sums.push(solver.verified(&InTurn));
    (bits(solver.cells()), bits(&sums))
}

#[test]
fn the_field_is_the_same_on_any_number_of_processes() {
    // The last ones have too few rows for a band of every process.
    for (rows, columns) in [(64, 50), (75, 20), (49, 3), (24, 30), (9, 9), (2, 100)] {
        let expected = alone(rows, columns);
        for processes in 1..=4 {
            let found = solve(rows, columns, processes, false);
            assert!(found == expected, "{rows}x{columns} on {processes}");
        }
    }
}

#[test]
fn rows_of_another_process_that_are_old_are_caught() {
    assert_ne!(solve(64, 50, 2, true), alone(64, 50));
}
