//! The memory of a run: allocated once, then lent.

use std::sync::atomic::{AtomicU32, Ordering};
use tresse_core::base::real::Real;

use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::{CellMemory, refit};
use tresse_core::field::stencil::Terms;
use tresse_core::node::shared::{Claim, Claims, Copies, Pairs};
use tresse_core::parts::halo::Publication;
use tresse_core::parts::owned::EdgeMemory;
use tresse_core::run::{GridSize, RunConfig};

use super::Cells;
use crate::kernel::Kernel;

/// Cells and edges of all subdomains, and of their copies where workers help each other.
pub(super) struct SubdomainMemory<'d, F: Real> {
    decomposition: &'d Decomposition,
    cells: CellMemory<F>,
    words: Option<CopyWords>,
    edges: EdgeMemory<F>,
}

/// The memory that tells the copies of parts apart.
#[derive(Debug)]
pub struct CopyWords {
    current: Vec<AtomicU32>,
    spare: Vec<AtomicU32>,
}

impl CopyWords {
    /// Allocates the memory for the copies of this many parts, where workers help each other; see
    /// [`Pairs`].
    pub fn new(parts: usize, workers: usize) -> Self {
        let words = |number| (0..number).map(|_| AtomicU32::new(0)).collect();
        Self { current: words(parts), spare: words(workers) }
    }

    /// Returns the number of all copies.
    pub const fn copies(&self) -> usize {
        2 * (self.current.len() + self.spare.len())
    }

    /// Returns the place of each part's current copy.
    pub fn current(&self) -> impl Iterator<Item = usize> {
        self.current.iter().map(|copy| copy.load(Ordering::Relaxed) as usize)
    }

    /// Returns the parts that these copies are of.
    pub fn of<'m, T>(&'m self, all: &'m [Claim<T>]) -> Copies<'m, T> {
        let Self { current, spare } = self;
        Copies::paired(all, Pairs { current, spare })
    }
}

/// The subdomains, to be taken, and the words that tell which of their copies is the current one.
pub(super) struct LentCells<'m, F: Real> {
    all: Vec<Claim<Cells<'m, F>>>,
    words: Option<&'m CopyWords>,
}

impl<'m, F: Real> LentCells<'m, F> {
    /// Returns the subdomains, and the claims of all their copies.
    pub(super) fn lend(&mut self) -> (Copies<'_, Cells<'m, F>>, Claims<'_, Cells<'m, F>>) {
        let claims = Claims::new(&mut self.all);
        let copies = match self.words {
            Some(words) => words.of(claims.all()),
            None => Copies::single(claims.all()),
        };
        (copies, claims)
    }
}

impl<'d, F: Real> SubdomainMemory<'d, F> {
    /// Allocates the memory of every subdomain, for these terms of the equation.
    pub(super) fn allocate(
        decomposition: &'d Decomposition,
        terms: Terms<()>,
        config: &RunConfig,
    ) -> Self {
        let edges = EdgeMemory::new(decomposition);
        if !config.helps() {
            let cells = CellMemory::allocate(decomposition, terms);
            return Self { decomposition, cells, words: None, edges };
        }
        let words = CopyWords::new(decomposition.ids().count(), config.workers as usize);
        // Each may become one of any subdomain.
        let sizes = decomposition.ids().map(|id| decomposition.rectangle(id).size);
        let largest = sizes.fold(GridSize { rows: 1, columns: 1 }, |most, size| GridSize {
            rows: size.rows.max(most.rows),
            columns: size.columns.max(most.columns),
        });
        let cells = CellMemory::of_size(largest, words.copies(), terms);
        Self { decomposition, cells, words: Some(words), edges }
    }

    /// Returns the memory that the workers share: each subdomain, to be taken, and its publication.
    pub(super) fn lend(&mut self) -> (LentCells<'_, F>, Vec<Publication<'_, F>>) {
        let Self { decomposition, cells, words, edges } = self;
        let mut all: Vec<_> = cells.parts(Kernel::best()).collect();
        let words = words.as_ref();
        if words.is_some() {
            for (id, part) in decomposition.ids().zip(all.iter_mut().step_by(2)) {
                refit(decomposition, id, part);
            }
        }
        (LentCells { all: all.into_iter().map(Claim::new).collect(), words }, edges.lend())
    }
}
