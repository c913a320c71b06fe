//! A graph of [`traversal`](crate::tasks::traversal) in memory, and the same traversal by one who
//! shares with nobody.
#![expect(
    clippy::cast_possible_truncation,
    reason = "vertices, and different arcs of one of them, are numbers of at most 32 bits"
)]

use alloc::vec;
use alloc::vec::Vec;

use crate::tasks::traversal::{Digraph, Reached};

/// Arcs of a graph, in ascending order of the vertices from which they lead, then of those to which
/// they lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedGraph {
    /// Place where the arcs of each vertex begin; and where the last ones end.
    begins: Vec<usize>,
    targets: Vec<u32>,
}

impl OwnedGraph {
    /// Returns the bytes of a graph with this number of vertices and arcs, and of the list that it
    /// is made of.
    pub const fn bytes(vertices: u64, arcs: u64) -> u64 {
        let each = (size_of::<(u32, u32)>() + size_of::<u32>()) as u64;
        vertices.saturating_mul(size_of::<usize>() as u64).saturating_add(arcs.saturating_mul(each))
    }

    /// Returns a graph with vertices from 0 on, and arcs from one to another. An arc that is there
    /// twice is one; arcs that lead back to their own vertex, or are of vertices that are not
    /// there, are left out.
    pub fn new(vertices: u32, mut arcs: Vec<(u32, u32)>) -> Self {
        arcs.retain(|(from, to)| from != to && *from.max(to) < vertices);
        arcs.sort_unstable();
        arcs.dedup();
        let mut begins = vec![0; vertices as usize + 1];
        for (from, _) in &arcs {
            if let Some(number) = begins.get_mut(*from as usize + 1) {
                *number += 1;
            }
        }
        let mut before = 0;
        for begin in &mut begins {
            before += *begin;
            *begin = before;
        }
        Self { begins, targets: arcs.into_iter().map(|(_, to)| to).collect() }
    }

    /// Returns the vertices that arcs of one lead to, in ascending order.
    fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        let (begin, end) = (self.begins.get(vertex), self.begins.get(vertex + 1));
        let range = begin.zip(end).map(|(begin, end)| *begin..*end);
        range.and_then(|range| self.targets.get(range)).unwrap_or_default()
    }

    /// Returns the number of arcs.
    pub fn arcs(&self) -> usize {
        self.targets.len()
    }
}

impl Digraph for OwnedGraph {
    fn vertices(&self) -> u32 {
        // It was made for a number of that type.
        self.begins.len().saturating_sub(1) as u32
    }

    #[inline]
    fn successors<E>(&self, of: u32, mut tell: impl FnMut(u32) -> Result<(), E>) -> Result<u32, E> {
        let all = self.of(of);
        all.iter().try_for_each(|next| tell(*next))?;
        Ok(all.len() as u32)
    }
}

/// Result of a traversal of a graph, and the length of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The totals of the vertices that are reached.
    pub reached: Reached,
    /// One more than the number of arcs to the vertex that is farthest from the first: the steps
    /// that a traversal takes with any number of workers.
    pub levels: u32,
}

/// Traverses a graph breadth first from the vertex `first`, on one thread and without a pool.
/// `goes_on` is asked at each level; none where it says no.
pub fn breadth_first<G: Digraph>(
    graph: &G,
    first: u32,
    mut goes_on: impl FnMut() -> bool,
) -> Option<Survey> {
    let mut seen = vec![0_u64; (graph.vertices() as usize).div_ceil(64)];
    let mut is_new = |vertex: u32| {
        let bit = 1 << (vertex % 64);
        seen.get_mut(vertex as usize / 64).is_some_and(|word| {
            let before = *word;
            *word |= bit;
            before & bit == 0
        })
    };
    let mut survey = Survey { reached: Reached::default(), levels: 0 };
    let (mut level, mut next_level) = (vec![], vec![]);
    if first < graph.vertices() && is_new(first) {
        level.push(first);
    }
    while !level.is_empty() {
        if !goes_on() {
            return None;
        }
        survey.levels += 1;
        for vertex in level.drain(..) {
            let told = graph.successors(vertex, |next| {
                if is_new(next) {
                    next_level.push(next);
                }
                Ok::<_, core::convert::Infallible>(())
            });
            let Ok(arcs) = told;
            survey.reached.add(vertex, arcs);
        }
        core::mem::swap(&mut level, &mut next_level);
    }
    Some(survey)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_are_kept_once_and_lead_elsewhere() {
        let arcs = vec![(2, 0), (0, 1), (0, 1), (1, 1), (0, 2), (3, 0), (0, 7)];
        let graph = OwnedGraph::new(4, arcs);
        assert_eq!((graph.vertices(), graph.arcs()), (4, 4));
        assert_eq!([0, 1, 2, 3].map(|vertex| graph.of(vertex)), [&[1, 2][..], &[], &[0], &[0]]);
        assert_eq!(graph.of(u32::MAX), []);
    }

    #[test]
    fn a_survey_counts_what_is_reached_and_how_far_it_is() {
        let graph = OwnedGraph::new(6, vec![(0, 1), (1, 2), (0, 2), (2, 3), (4, 0)]);
        let of = |first| breadth_first(&graph, first, || true).unwrap();
        let Survey { reached, levels } = of(0);
        assert_eq!((reached.vertices, reached.arcs, reached.sinks, levels), (4, 4, 1, 3));
        assert_eq!((of(4).reached.vertices, of(4).levels), (5, 4));
        assert_eq!((of(5).reached.vertices, of(5).levels), (1, 1));
        assert_ne!(of(5).reached.fingerprint, of(3).reached.fingerprint);
        assert_eq!(breadth_first(&graph, 6, || true).unwrap().levels, 0);
        assert_eq!(breadth_first(&graph, 0, || false), None);
    }
}
