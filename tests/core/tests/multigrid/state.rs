//! A solver that goes on from what another one has kept: the cycles of one that was never
//! interrupted, to the bit.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use tresse_core::multigrid::Portable;
use tresse_core::multigrid::owned::conjugate_gradients::ConjugateGradients;
use tresse_core::multigrid::owned::{InTurn, Multigrid, Scheme, SolverState};

use super::problems::{random, scheme, solver};
use super::processes::{Bits, among, bits, cycled, heterogeneous, stepped};

/// What was kept: the fields, row after row, and the product.
struct Saved {
    fields: Vec<Vec<f64>>,
    columns: usize,
    product: Option<f64>,
}

impl Saved {
    fn of<K: SolverState<Number = f64>>(state: &K) -> Self {
        let rows = |field| state.own().clone().flat_map(move |row| state.row(field, row)).copied();
        Self {
            fields: (0..K::FIELDS).map(|field| rows(field).collect()).collect(),
            columns: state.row(0, 0).len(),
            product: state.last_product(),
        }
    }

    /// Sets what a solver needs of it.
    fn set(&self, state: &mut impl SolverState<Number = f64>) {
        for (field, numbers) in self.fields.iter().enumerate() {
            for row in state.needed().clone() {
                let numbers = &numbers[row * self.columns..][..self.columns];
                state.row_mut(field, row).copy_from_slice(numbers);
            }
        }
        state.set_last_product(self.product);
    }
}

/// Returns what a solver without weights has kept after two cycles, and what three more come to.
fn geometric((rows, columns): (usize, usize)) -> (Saved, Bits) {
    let mut solver = solver(&random(rows, columns, 7), scheme(3));
    solver.begin(&Portable, &InTurn);
    solver.cycle(&Portable, &InTurn);
    let last = solver.cycle(&Portable, &InTurn);
    let saved = Saved::of(&solver);
    let (cells, sums) = cycled(solver);
    assert_eq!(sums[0].to_bits(), last.to_bits(), "what is begun with is what was left");
    (saved, (bits(&cells), bits(&sums)))
}

/// Does the same by conjugate gradients.
fn with_conjugate_gradients((rows, columns): (usize, usize)) -> (Saved, Bits) {
    let mut solver =
        ConjugateGradients::new(&heterogeneous(rows, columns), scheme(3), &InTurn).unwrap();
    solver.begin(&InTurn);
    solver.cycle(&InTurn);
    let last = solver.cycle(&InTurn);
    let saved = Saved::of(&solver);
    let (cells, sums) = stepped(solver);
    assert_eq!(sums[0].to_bits(), last.to_bits(), "what is begun with is what was left");
    (saved, (bits(&cells), bits(&sums)))
}

/// Goes on from it on this number of processes.
fn go_on(
    saved: &Saved,
    (rows, columns): (usize, usize),
    scheme: &Scheme,
    processes: usize,
) -> Bits {
    let problem = heterogeneous(rows, columns);
    among(processes, false, |process| {
        let mut solver =
            ConjugateGradients::among(&problem, scheme.clone(), process, &InTurn).unwrap();
        saved.set(&mut solver);
        stepped(solver)
    })
}

#[test]
fn the_next_cycles_are_those_of_a_solver_that_was_never_interrupted() {
    for size in [(64, 50), (49, 3), (9, 9), (2, 100)] {
        let (saved, expected) = geometric(size);
        let problem = random(size.0, size.1, 7);
        for processes in 1..=3 {
            let found = among(processes, false, |process| {
                let mut solver = Multigrid::among(&problem, scheme(6), process).unwrap();
                saved.set(&mut solver);
                cycled(solver)
            });
            assert!(found == expected, "{size:?} on {processes}");
        }
    }
    for size in [(64, 50), (37, 23), (5, 70), (2, 3), (1, 1)] {
        let (saved, expected) = with_conjugate_gradients(size);
        for shared_from in [1, usize::MAX] {
            let scheme = Scheme { shared_from, ..scheme(7) };
            for processes in 1..=3 {
                let found = go_on(&saved, size, &scheme, processes);
                assert!(found == expected, "{size:?} on {processes}, {shared_from}");
            }
        }
    }
}

#[test]
fn what_is_not_gone_on_with_is_noticed() {
    let size = (37, 23);
    let (mut saved, expected) = with_conjugate_gradients(size);
    let found = |saved: &Saved| go_on(saved, size, &scheme(3), 1);
    assert!(found(&saved) == expected);
    let product = saved.product.take();
    assert!(found(&saved) != expected, "without the product");
    saved.product = product;
    saved.fields.truncate(1);
    assert!(found(&saved) != expected, "without the direction");
}
