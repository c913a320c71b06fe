//! The graph of a run's parts: which are neighbours, and how long the edges between them are.
//!
//! Each *link* of a part, counted from 0, leads to one of its neighbours or to nobody. The
//! [`Decomposition`](crate::field::grid::Decomposition) of a grid is one kind of graph.

use core::fmt;

use crate::base::id::{SubdomainId, WorkerId};
use crate::run::RunConfig;

/// The parts of a run and their neighbours; no part has more than `N` links.
pub trait Graph<const N: usize = 4> {
    /// Returns the number of parts, which are numbered from 0: those of the run's
    /// [`RunConfig::subdomains`].
    fn parts(&self) -> u32;

    /// Returns the neighbour on each link of a part; none for a link that leads nowhere, and for
    /// all links of a part that does not exist.
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; N];

    /// Returns the neighbour's own link that leads back from a part's `link`. The default is the
    /// first one that leads to the part, which is right where two parts share one link at most.
    /// Meaningless without a neighbour.
    #[inline]
    fn back(&self, part: SubdomainId, link: usize) -> usize {
        let neighbour = self.neighbours(part).get(link).copied().flatten();
        let links = neighbour.map(|neighbour| self.neighbours(neighbour));
        let back = links.and_then(|links| links.iter().position(|&there| there == Some(part)));
        back.unwrap_or(N)
    }

    /// Returns the size of a part: the two numbers from which [`Graph::cells`] and [`Graph::edge`]
    /// tell all lengths, so that a schedule keeps them at hand. The default functions take them as
    /// its cells, and the units of each of its edges.
    fn size(&self, part: SubdomainId) -> [u32; 2];

    /// Returns the number of cells that an update of a part of this size touches.
    #[inline]
    fn cells(&self, [cells, _]: [u32; 2]) -> u64 {
        cells.into()
    }

    /// Returns the number of units that a part of this size publishes on a link. The neighbour
    /// there may publish another number of them, or none.
    #[inline]
    fn edge(&self, [_, edge]: [u32; 2], link: usize) -> u32 {
        let _ = link;
        edge
    }

    /// Returns the largest number of links on a shortest path between two parts, or an upper bound
    /// of it. The default is that of parts in a row. Every part is reachable from every other.
    fn diameter(&self) -> u64 {
        u64::from(self.parts()).saturating_sub(1)
    }

    /// Returns the worker that a part starts with. By default, parts are dealt out in ascending
    /// order, [`RunConfig::split`] to each worker.
    fn first_owner(&self, part: SubdomainId, config: &RunConfig) -> WorkerId {
        WorkerId(part.0.checked_div(config.split).unwrap_or(0))
    }
}

impl<G: Graph<N>, const N: usize> Graph<N> for &G {
    #[inline]
    fn parts(&self) -> u32 {
        G::parts(self)
    }

    #[inline]
    fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; N] {
        G::neighbours(self, part)
    }

    #[inline]
    fn back(&self, part: SubdomainId, link: usize) -> usize {
        G::back(self, part, link)
    }

    #[inline]
    fn size(&self, part: SubdomainId) -> [u32; 2] {
        G::size(self, part)
    }

    #[inline]
    fn cells(&self, size: [u32; 2]) -> u64 {
        G::cells(self, size)
    }

    #[inline]
    fn edge(&self, size: [u32; 2], link: usize) -> u32 {
        G::edge(self, size, link)
    }

    fn diameter(&self) -> u64 {
        G::diameter(self)
    }

    fn first_owner(&self, part: SubdomainId, config: &RunConfig) -> WorkerId {
        G::first_owner(self, part, config)
    }
}

/// A graph, or parts lent, that do not match the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// More or fewer parts than the run's workers have together.
    Parts {
        /// Parts of the graph, or parts lent.
        parts: u64,
        /// Parts of the run.
        run: u64,
    },
    /// A link leads to no part, to the part itself, or to one that has none back.
    Link(SubdomainId, usize),
    /// A part has more links than the graph is made for.
    Degree {
        /// The part.
        part: SubdomainId,
        /// Its links.
        links: usize,
        /// The most that there may be.
        most: usize,
    },
    /// There are not as many rows as parts, or one is not within the links.
    Rows,
    /// An edge is of a part that there is not.
    NoPart(SubdomainId),
    /// An edge between two parts is given twice.
    Twice(SubdomainId, SubdomainId),
    /// A part that no path leads to from part 0.
    Unreachable(SubdomainId),
    /// A part is further from part 0 than the graph's diameter.
    Diameter {
        /// The part.
        part: SubdomainId,
        /// Links on a shortest path to it.
        links: u64,
        /// What [`Graph::diameter`] says.
        diameter: u64,
    },
    /// A part publishes another number of units than the graph says.
    Published {
        /// The part.
        part: SubdomainId,
        /// Its link.
        link: usize,
        /// Units that it publishes there; where these are one more than the graph says, or more.
        published: u32,
        /// Units that the graph says.
        units: u32,
    },
    /// A part is not unpacked as it was packed.
    Packed(SubdomainId),
    /// The edges of a process need more memory than there is.
    Memory {
        /// Bytes that they need.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
}

impl fmt::Display for GraphError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parts { parts, run } => {
                write!(f, "there are {parts} parts, and the workers have {run} together")
            }
            Self::Link(part, link) => {
                write!(
                    f,
                    "link {link} of part {part} leads to no other part whose link back leads here"
                )
            }
            Self::Degree { part, links, most } => {
                write!(f, "part {part} has {links} links, and the graph is made for at most {most}")
            }
            Self::Rows => f.write_str(
                "a graph in slices has one start more than parts, in ascending order, within its links",
            ),
            Self::NoPart(part) => write!(f, "there is an edge of part {part}, which does not exist"),
            Self::Twice(from, to) => write!(f, "the edge from part {from} to part {to} is there twice"),
            Self::Unreachable(part) => {
                write!(f, "no path leads from part 0 to part {part}: join them by edges of no units")
            }
            Self::Diameter { part, links, diameter } => write!(
                f,
                "part {part} is {links} links from part 0, and the graph's diameter is said to be {diameter}"
            ),
            Self::Published { part, link, published, units } => {
                let more = if published > units { " or more" } else { "" };
                write!(
                    f,
                    "part {part} publishes {published} units{more} on link {link}, and its graph says {units}"
                )
            }
            Self::Packed(part) => write!(
                f,
                "part {part} does not unpack what it has packed: `unpack` answers false, or the part then packs \
                 something else"
            ),
            Self::Memory { needed, available } => write!(
                f,
                "the edges of the parts need {needed} bytes of memory here, and {available} are free"
            ),
        }
    }
}

impl core::error::Error for GraphError {}

/// Checks that the graph has as many parts as the run, and that the host lends as many: `lent`.
pub fn check_number<G: Graph<N>, const N: usize>(
    graph: &G,
    lent: usize,
    config: &RunConfig,
) -> Result<(), GraphError> {
    let run = config.subdomains();
    let found = [u64::from(graph.parts()), lent as u64];
    found
        .into_iter()
        .find(|&parts| parts != run)
        .map_or(Ok(()), |parts| Err(GraphError::Parts { parts, run }))
}

/// Checks that the graph matches the run, as does `lent`, the number of parts that the host lends,
/// and that each link of the graph leads to another part with a link back.
pub fn check<G: Graph<N>, const N: usize>(
    graph: &G,
    lent: usize,
    config: &RunConfig,
) -> Result<(), GraphError> {
    check_number(graph, lent, config)?;
    let parts = graph.parts();
    for part in (0..parts).map(SubdomainId) {
        for (link, neighbour) in graph.neighbours(part).into_iter().enumerate() {
            let Some(neighbour) = neighbour else { continue };
            let is_good = neighbour != part && neighbour.0 < parts && {
                let back = graph.back(part, link);
                graph.neighbours(neighbour).get(back) == Some(&Some(part))
                    && graph.back(neighbour, back) == link
            };
            if !is_good {
                return Err(GraphError::Link(part, link));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts in a ring, of which one link may lead elsewhere.
    struct Ring {
        parts: u32,
        wrong: Option<(u32, u32)>,
    }

    impl Graph<2> for Ring {
        fn parts(&self) -> u32 {
            self.parts
        }

        fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 2] {
            let next = (part.0 + 1) % self.parts;
            let next = self.wrong.filter(|wrong| wrong.0 == part.0).map_or(next, |wrong| wrong.1);
            [(part.0 + self.parts - 1) % self.parts, next].map(|id| Some(SubdomainId(id)))
        }

        fn size(&self, _: SubdomainId) -> [u32; 2] {
            [10, 1]
        }
    }

    fn config() -> RunConfig {
        RunConfig { workers: 2, split: 4, ..RunConfig::default() }
    }

    #[test]
    fn links_lead_back_and_parts_are_dealt_out() {
        let ring = Ring { parts: 8, wrong: None };
        assert_eq!(check(&ring, 8, &config()), Ok(()));
        let other = Err(GraphError::Parts { parts: 9, run: 8 });
        assert_eq!(check(&ring, 9, &config()), other);
        assert_eq!((ring.back(SubdomainId(0), 0), ring.back(SubdomainId(7), 1)), (1, 0));
        let owners = [0, 3, 4, 7].map(|part| ring.first_owner(SubdomainId(part), &config()).0);
        assert_eq!(owners, [0, 0, 1, 1]);
        assert_eq!((ring.cells([10, 1]), ring.edge([10, 1], 0)), (10, 1));
    }

    #[test]
    fn graphs_that_are_none_are_refused() {
        let seven = Ring { parts: 7, wrong: None };
        assert_eq!(check(&seven, 8, &config()), Err(GraphError::Parts { parts: 7, run: 8 }));
        // Links to the part itself, to nobody, and to a part that leads elsewhere.
        for to in [5, 8, 2] {
            let wrong = Ring { parts: 8, wrong: Some((5, to)) };
            let found = check(&wrong, 8, &config());
            assert_eq!(found, Err(GraphError::Link(SubdomainId(5), 1)), "{to}");
        }
    }
}
