//! A web of pages that link to each other, cut into eight ranges of pages.

#![expect(
    clippy::cast_possible_truncation,
    reason = "the pages and links that fit have short numbers"
)]

use std::{collections::BTreeSet, error::Error, ops, path::Path};

use tresse::files::graph_files;
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::owned::{Edge, GraphMemory};
use tresse_core::{parts::GraphError, tasks::traversal::Digraph};

/// The number of ranges.
const RANGES: usize = 8;

/// The links of all pages.
#[derive(Default)]
pub struct Web {
    /// How many links each page has.
    pub degrees: Vec<u32>,
    /// Who links to each page.
    pub sources: Vec<Vec<usize>>,
    /// Of two ranges, the pages of the first that link to the second.
    pub between: Vec<Vec<BTreeSet<usize>>>,
}

impl Web {
    /// Reads an edge list or a matrix, as `tresse::files::graph_files` has them.
    pub fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        let graph = graph_files::read(path, false, 1 << 30)?.graph;
        let sources = vec![Vec::new(); graph.vertices() as usize];
        let mut web = Self { sources, ..Self::default() };
        for page in 0..graph.vertices() {
            web.degrees.push(graph.successors(page, |to| {
                web.sources[to as usize].push(page as usize);
                Ok::<_, GraphError>(())
            })?);
        }
        let read = |from, to| {
            let (theirs, sources) = (web.pages(from), web.sources[web.pages(to)].iter().flatten());
            sources.copied().filter(|page| from != to && theirs.contains(page)).collect()
        };
        web.between =
            (0..RANGES).map(|from| (0..RANGES).map(|to| read(from, to)).collect()).collect();
        Ok(web)
    }

    /// Returns the pages of a range.
    pub fn pages(&self, range: usize) -> ops::Range<usize> {
        let [start, end] = [range, range + 1].map(|range| range * self.degrees.len() / RANGES);
        start..end
    }

    /// Returns the graph of the ranges, in which each has a link to every other one. The cells of a
    /// range are its pages and the links to them.
    pub fn graph(&self) -> Result<GraphMemory, GraphError> {
        let mut edges = Vec::new();
        for (from, to) in (0..).map(SubdomainId).zip(&self.between) {
            let units = (0..).map(SubdomainId).zip(to.iter().map(|pages| pages.len() as u32));
            let others = units.filter(|(to, _)| *to != from);
            edges.extend(others.map(|(to, units)| Edge { from, to, units }));
        }
        let of_page = |from: &Vec<_>| 1 + from.len() as u32;
        let cells = |range| self.sources[self.pages(range)].iter().map(of_page).sum();
        GraphMemory::new((0..RANGES).map(cells).collect(), edges)
    }
}
