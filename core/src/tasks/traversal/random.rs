//! A random graph that is not in memory: its arcs are made by the hash of the trees
//! ([`uts`](crate::tasks::uts)) when they are asked for.

use core::fmt;

use heapless::Vec;
use serde::Serialize;

use super::digraph::Digraph;
use crate::base::grammar::{ParseError, count32, large_count};
use crate::tasks::uts::{Hash, LANES, Node, Spawned, Spawning};

/// The most arcs that lead from a vertex.
pub const MAX_DEGREE: usize = 64;

/// A random graph, which its parameters decide.
///
/// A vertex `v` has the SHA-1 state of the `v`-th child of the tree's root with this seed. Its
/// `i`-th arc leads to vertex `v + 1 + r`, where `r` is drawn from `0..span` by the state of its
/// own `i`-th child; after the last vertex comes the first. Arcs that lead to the same vertex are
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RandomGraph {
    /// Vertices, at least one.
    pub vertices: u32,
    /// Arcs of each vertex, as far as they lead to different ones; from 1 to [`MAX_DEGREE`].
    pub degree: u32,
    /// The farthest that arcs lead, from 1 to `vertices - 1`: the shorter, the longer is the way
    /// through the graph, and the fewer vertices can be visited at a time.
    pub span: u32,
    /// The seed of the hash.
    pub seed: u32,
}

impl RandomGraph {
    /// Error for a text that is no random graph.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected random:vertices=N with degree=N (1 to 64), span=N and seed=N as wanted, such as \
         random:vertices=1e6,degree=8,span=64,seed=1",
    );

    /// Error for too many vertices, or none.
    pub const EXPECTED_VERTICES: ParseError =
        ParseError::new("expected a number of vertices from 1 to 4294967295");

    /// Error for arcs that lead too far, or nowhere.
    pub const EXPECTED_SPAN: ParseError =
        ParseError::new("expected a span from 1 to one less than the number of vertices");

    /// Reads `vertices=N,degree=N,span=N,seed=N`, in any order: 8 arcs each, as long as can be, and
    /// seed 0, unless given. Numbers of vertices may have an exponent, as in `1e6`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (mut vertices, mut degree, mut span, mut seed) = (None, None, None, None);
        for part in text.split([',']) {
            let (key, value) = part.split_once(['=']).ok_or(Self::EXPECTED)?;
            let place = match key {
                "vertices" => &mut vertices,
                "degree" => &mut degree,
                "span" => &mut span,
                "seed" => &mut seed,
                _ => return Err(Self::EXPECTED),
            };
            let number = match key {
                "vertices" | "span" => large_count(value),
                _ => count32(value).map(u64::from),
            };
            if place.replace(number.map_err(|_| Self::EXPECTED)?).is_some() {
                return Err(Self::EXPECTED);
            }
        }
        let vertices = vertices.ok_or(Self::EXPECTED)?;
        let vertices = u32::try_from(vertices).map_err(|_| Self::EXPECTED_VERTICES)?;
        let longest = vertices.checked_sub(1).ok_or(Self::EXPECTED_VERTICES)?;
        let degree = degree.map_or(Some(8), |degree| u32::try_from(degree).ok());
        let degree = degree.filter(|degree| (1..=MAX_DEGREE).contains(&(*degree as usize)));
        let span = span.map_or(Some(longest), |span| u32::try_from(span).ok());
        let span = span.filter(|&span| span <= longest && (span > 0 || longest == 0));
        Ok(Self {
            vertices,
            degree: degree.ok_or(Self::EXPECTED)?,
            span: span.ok_or(Self::EXPECTED_SPAN)?,
            seed: seed.map_or(Some(0), |seed| u32::try_from(seed).ok()).ok_or(Self::EXPECTED)?,
        })
    }

    /// Returns its arcs, made by a hash.
    pub fn arcs<H: Hash>(self, hash: H) -> RandomArcs<H> {
        RandomArcs { graph: self, root: Node::root(self.seed), hash }
    }

    /// Returns the vertex to which an arc with this random number leads.
    #[inline]
    const fn target(&self, from: u32, random: u32) -> u32 {
        let ahead = (random as u64 * self.span as u64) >> 32;
        let to = from as u64 + 1 + ahead;
        let vertices = self.vertices as u64;
        let to = if to < vertices { to } else { to - vertices };
        // Below the number of vertices, since the span is.
        to as u32
    }
}

impl fmt::Display for RandomGraph {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { vertices, degree, span, seed } = self;
        write!(f, "random:vertices={vertices},degree={degree},span={span},seed={seed}")
    }
}

/// A random graph's arcs; the same ones by every hash.
#[derive(Clone, Copy, Debug)]
pub struct RandomArcs<H> {
    graph: RandomGraph,
    root: Node,
    hash: H,
}

impl<H: Hash> RandomArcs<H> {
    /// Makes the states of `len` children of a node, at most [`LANES`], from the one numbered
    /// `first` on.
    #[inline]
    fn spawn(&self, of: &Node, first: u32, len: usize, children: &mut Spawned) {
        let mut spawning: Spawning = [[0; LANES]; 6];
        for (words, word) in spawning.iter_mut().zip(of.state) {
            *words = [word; LANES];
        }
        let [.., numbers] = &mut spawning;
        for (place, number) in numbers.iter_mut().zip(first..).take(len) {
            *place = number;
        }
        self.hash.spawn(&spawning, len, children);
    }
}

impl<H: Hash> Digraph for RandomArcs<H> {
    fn vertices(&self) -> u32 {
        self.graph.vertices
    }

    fn successors<E>(&self, of: u32, mut tell: impl FnMut(u32) -> Result<(), E>) -> Result<u32, E> {
        let graph = &self.graph;
        if graph.span == 0 {
            return Ok(0);
        }
        let mut children: Spawned = [[0; LANES]; 5];
        self.spawn(&self.root, of, 1, &mut children);
        let mut own = Node::default();
        for (word, [first, ..]) in own.state.iter_mut().zip(&children) {
            *word = *first;
        }
        let mut told = Vec::<u32, MAX_DEGREE>::new();
        let mut made = 0;
        while made < graph.degree {
            let len = (graph.degree - made).min(LANES as u32);
            self.spawn(&own, made, len as usize, &mut children);
            let [.., randoms] = &children;
            for &random in randoms.iter().take(len as usize) {
                let next = graph.target(of, random);
                // There is a place for each arc.
                if !told.contains(&next) && told.push(next).is_ok() {
                    tell(next)?;
                }
            }
            made += len;
        }
        Ok(told.len() as u32)
    }
}

#[cfg(test)]
mod tests {
    use core::convert::Infallible;

    use super::*;
    use crate::tasks::uts::{Portable, child, root};

    fn successors(graph: RandomGraph, of: u32) -> Vec<u32, MAX_DEGREE> {
        let mut all = Vec::new();
        let told = graph.arcs(Portable).successors(of, |next| {
            all.push(next).unwrap();
            Ok::<_, Infallible>(())
        });
        assert_eq!(told, Ok(all.len() as u32));
        all
    }

    #[test]
    fn arcs_are_what_the_hash_says() {
        let graph = RandomGraph::parse("vertices=1000,degree=40,seed=5").unwrap();
        assert_eq!((graph.span, graph.seed), (999, 5));
        for of in [0, 1, 17, 999] {
            let state = child(root(5), of);
            let expected: Vec<u32, MAX_DEGREE> = (0..40)
                .map(|arc| {
                    let [.., random] = child(state, arc);
                    let ahead = ((u64::from(random) * 999) >> 32) as u32;
                    (of + 1 + ahead) % 1000
                })
                .fold(Vec::new(), |mut all, next| {
                    if !all.contains(&next) {
                        all.push(next).unwrap();
                    }
                    all
                });
            assert_eq!(successors(graph, of), expected);
            assert!(!expected.contains(&of));
        }
    }

    #[test]
    fn arcs_lead_no_further_than_the_span() {
        let graph = RandomGraph::parse("vertices=100,span=3,degree=16").unwrap();
        // Each is sixteen hashes, which Miri takes a second for.
        for of in (0..100).step_by(if cfg!(miri) { 49 } else { 1 }) {
            let mut all = successors(graph, of);
            all.sort_unstable();
            assert!(all.iter().all(|next| (1..=3).contains(&((next + 100 - of) % 100))), "{all:?}");
            assert!(all.len() <= 3);
        }
        assert_eq!(successors(RandomGraph::parse("vertices=1").unwrap(), 0), []);
    }

    #[test]
    fn texts_that_are_none_are_refused() {
        let text = "vertices=1e6,degree=8,span=64,seed=1";
        let graph = RandomGraph::parse(text).unwrap();
        assert_eq!(graph, RandomGraph { vertices: 1_000_000, degree: 8, span: 64, seed: 1 });
        for wrong in [
            "",
            "vertices",
            "degree=3",
            "vertices=0",
            "vertices=1e10",
            "vertices=1e",
            "vertices=-1",
            "vertices=5,degree=0",
            "vertices=5,degree=65",
            "vertices=5,span=0",
            "vertices=5,span=5",
            "vertices=5,vertices=6",
            "vertices=5,seed=4294967296",
            "vertices=5,size=3",
            "vertices=1.5",
            "vertices=1e99",
            "vertices=5,",
            "vertices=99999999999999999999",
        ] {
            assert!(RandomGraph::parse(wrong).is_err(), "{wrong}");
        }
    }
}
