//! A graph in slices: compressed sparse rows, each of which has the links of a part.

use super::graph::{Graph, GraphError};
use crate::base::id::SubdomainId;
use crate::base::table::At;

/// A link of a part in a [`SliceGraph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The neighbour.
    pub to: SubdomainId,
    /// The neighbour's own link that leads back.
    pub back: u32,
    /// Number of units that the part publishes for the neighbour, which may be none.
    pub units: u32,
}

/// A graph that lies in slices, of parts with at most `N` links: whoever has a sparse matrix by
/// rows, or an adjacency, has one. The links of a part are its row, in the order of the row.
#[derive(Clone, Copy, Debug)]
pub struct SliceGraph<'g, const N: usize> {
    starts: &'g [u32],
    links: &'g [Link],
    cells: &'g [u32],
}

impl<'g, const N: usize> SliceGraph<'g, N> {
    /// Returns the graph of parts with these numbers of cells. The row of part `p` is
    /// `links[starts[p]..starts[p + 1]]`. An error where `starts` has not one number more than
    /// there are parts, or a row is not within `links`, or has more than `N` links.
    pub fn new(starts: &'g [u32], links: &'g [Link], cells: &'g [u32]) -> Result<Self, GraphError> {
        if starts.len().checked_sub(1) != Some(cells.len()) {
            return Err(GraphError::Rows);
        }
        for (part, &[start, end]) in (0..).map(SubdomainId).zip(starts.array_windows()) {
            let row = links.get(start as usize..end as usize).ok_or(GraphError::Rows)?;
            if row.len() > N {
                return Err(GraphError::Degree { part, links: row.len(), most: N });
            }
        }
        Ok(Self { starts, links, cells })
    }

    /// Returns the links of a part; none of a part that does not exist.
    pub fn links(&self, part: SubdomainId) -> &'g [Link] {
        let place = part.index();
        let row = self.starts.get(place).zip(self.starts.get(place + 1));
        row.map_or(&[], |(&start, &end)| self.links.stretch(start as usize..end as usize))
    }
}

impl<const N: usize> Graph<N> for SliceGraph<'_, N> {
    fn parts(&self) -> u32 {
        u32::try_from(self.cells.len()).unwrap_or(u32::MAX)
    }

    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; N] {
        let mut neighbours = [None; N];
        for (neighbour, link) in neighbours.iter_mut().zip(self.links(part)) {
            *neighbour = Some(link.to);
        }
        neighbours
    }

    fn back(&self, part: SubdomainId, link: usize) -> usize {
        self.links(part).get(link).map_or(N, |link| link.back as usize)
    }

    /// The cells, and where the row begins.
    fn size(&self, part: SubdomainId) -> [u32; 2] {
        [self.cells, self.starts].map(|of| of.get(part.index()).copied().unwrap_or(0))
    }

    fn edge(&self, [_, start]: [u32; 2], link: usize) -> u32 {
        self.links.get(start as usize + link).map_or(0, |link| link.units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::check;
    use crate::run::RunConfig;

    /// Three parts in a row, of which the first publishes two units, and the others one or none.
    const STARTS: [u32; 4] = [0, 1, 3, 4];
    const LINKS: [Link; 4] = [link(1, 0, 2), link(0, 0, 1), link(2, 0, 0), link(1, 1, 1)];
    const CELLS: [u32; 3] = [5, 6, 7];

    const fn link(to: u32, back: u32, units: u32) -> Link {
        Link { to: SubdomainId(to), back, units }
    }

    fn config() -> RunConfig {
        RunConfig { workers: 1, split: 3, ..RunConfig::default() }
    }

    #[test]
    fn rows_are_links_with_lengths_of_their_own() {
        let graph = SliceGraph::<2>::new(&STARTS, &LINKS, &CELLS).unwrap();
        assert_eq!(check(&graph, 3, &config()), Ok(()));
        assert_eq!(graph.neighbours(SubdomainId(1)), [0, 2].map(|id| Some(SubdomainId(id))));
        assert_eq!(graph.neighbours(SubdomainId(2)), [Some(SubdomainId(1)), None]);
        assert_eq!(graph.neighbours(SubdomainId(3)), [None; 2]);
        let edges = |part| [0, 1].map(|link| graph.edge(graph.size(SubdomainId(part)), link));
        assert_eq!((edges(0)[0], edges(1), edges(2)[0]), (2, [1, 0], 1));
        assert_eq!(graph.cells(graph.size(SubdomainId(2))), 7);
        assert_eq!(graph.back(SubdomainId(2), 0), 1);
    }

    #[test]
    fn rows_that_are_none_are_refused() {
        let refused = |starts, links, cells| SliceGraph::<1>::new(starts, links, cells).err();
        assert_eq!(refused(&STARTS, &LINKS, &CELLS[1..]), Some(GraphError::Rows));
        assert_eq!(refused(&[], &[], &[]), Some(GraphError::Rows));
        assert_eq!(refused(&[0, 2], &LINKS[..1], &[1]), Some(GraphError::Rows));
        assert_eq!(refused(&[1, 0], &LINKS, &[1]), Some(GraphError::Rows));
        let degree = GraphError::Degree { part: SubdomainId(1), links: 2, most: 1 };
        assert_eq!(refused(&STARTS, &LINKS, &CELLS), Some(degree));
        let astray = [link(1, 1, 2), LINKS[1], LINKS[2], LINKS[3]];
        let graph = SliceGraph::<2>::new(&STARTS, &astray, &CELLS).unwrap();
        assert_eq!(check(&graph, 3, &config()), Err(GraphError::Link(SubdomainId(0), 0)));
    }
}
