//! The parts at home with each worker.

use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sort::sort_by_key;
use crate::base::table::At;
use crate::parts::Graph;

/// The parts at home with each worker, in the order in which it sweeps them: first those with a
/// neighbour at another home, so that the other worker has most of an iteration before it waits for
/// them, and each group in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Homes<'m> {
    parts: &'m [SubdomainId],
    starts: &'m [u32],
}

impl<'m> Homes<'m> {
    /// Sorts the parts of `graph` by their home workers, and those with a neighbour at another home
    /// first. `parts` has an element for each part; `starts`, the places where the parts of each
    /// worker of the node begin, has one for each worker and one more. A part on another node has a
    /// home beyond the last worker.
    pub fn new<G: Graph<N>, const N: usize>(
        graph: &G,
        home: impl Fn(SubdomainId) -> WorkerId,
        parts: &'m mut [SubdomainId],
        starts: &'m mut [u32],
    ) -> Self {
        let is_at_border = |part| {
            let mut neighbours = graph.neighbours(part).into_iter().flatten();
            neighbours.any(|neighbour| home(neighbour) != home(part))
        };
        for (part, place) in (0..).map(SubdomainId).zip(parts.iter_mut()) {
            *place = part;
        }
        // Mostly they are at home in the order of their numbers.
        if !parts.is_sorted_by_key(|&part| home(part)) {
            sort_by_key(parts, |&part| (home(part), part));
        }
        let (mut next, mut rest) = (0, &mut *parts);
        for (worker, start) in (0..).zip(starts.iter_mut()) {
            // Those of the worker before this one.
            let before = rest.iter().take_while(|&&part| home(part).0 < worker).count();
            let (own, others) = rest.cut_mut(before);
            sort_by_key(own, |&part| (!is_at_border(part), part));
            (next, rest) = (next + before, others);
            *start = u32::try_from(next).unwrap_or(u32::MAX);
        }
        Self { parts, starts }
    }

    /// Goes on with memory that an earlier [`Homes::new`] has filled.
    pub(crate) const fn resume(parts: &'m [SubdomainId], starts: &'m [u32]) -> Self {
        Self { parts, starts }
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> u32 {
        u32::try_from(self.starts.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Returns all parts with their home workers.
    pub fn all(self) -> impl Iterator<Item = (SubdomainId, WorkerId)> {
        let workers = (0..self.workers()).map(WorkerId);
        workers.flat_map(move |worker| self.of(worker).iter().map(move |&part| (part, worker)))
    }

    /// Returns the parts at home with a worker.
    #[inline]
    pub fn of(&self, worker: WorkerId) -> &'m [SubdomainId] {
        let start = |index: usize| *self.starts.at(index) as usize;
        let (first, end) = (start(worker.index()), start(worker.index() + 1));
        self.parts.stretch(first..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::grid::Decomposition;
    use crate::run::{GridSize, RunConfig};

    #[test]
    fn the_border_to_other_homes_comes_first() {
        let grid = GridSize { rows: 30, columns: 10 };
        let config = RunConfig { workers: 3, split: 4, grid, ..RunConfig::default() };
        let graph = Decomposition::new(&config).unwrap();
        let (mut parts, mut starts) = ([SubdomainId(0); 12], [0; 4]);
        let home = |part| graph.first_owner(part);
        let homes = Homes::new(&graph, home, &mut parts, &mut starts);
        let of = |worker| homes.of(WorkerId(worker)).iter().map(|part| part.0);
        assert!(of(0).eq([3, 0, 1, 2]));
        assert!(of(1).eq([4, 7, 5, 6]));
        assert!(of(2).eq([8, 9, 10, 11]));
        assert_eq!(homes.workers(), 3);

        // The second of three nodes of a worker each.
        let (mut parts, mut starts) = ([SubdomainId(0); 12], [0; 2]);
        let home = |part: SubdomainId| WorkerId(u32::from(part.0 / 4 != 1));
        let homes = Homes::new(&graph, home, &mut parts, &mut starts);
        assert!(homes.of(WorkerId(0)).iter().map(|part| part.0).eq([4, 7, 5, 6]));
        assert_eq!(homes.workers(), 1);
    }
}
