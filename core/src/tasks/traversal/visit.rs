//! The traversal as work for a pool.

use serde::Serialize;

use super::claims::Claims;
use super::digraph::Digraph;
use crate::base::rng;
use crate::tasks::sharing::{Full, Stack, Work};

/// Totals of the vertices that were reached, whoever came first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct Reached {
    /// Vertices, the first one included.
    pub vertices: u64,
    /// Arcs that lead from the vertices: to different ones, and none to itself.
    pub arcs: u64,
    /// Vertices from which no arc leads.
    pub sinks: u64,
    /// The sum, modulo 2⁶⁴, of a hash of each vertex's number: it hardly ever is equal for two
    /// different sets of as many vertices.
    pub fingerprint: u64,
}

impl Reached {
    /// Adds one more vertex, with this number of arcs.
    pub fn add(&mut self, vertex: u32, arcs: u32) {
        self.vertices += 1;
        self.arcs += u64::from(arcs);
        self.sinks += u64::from(arcs == 0);
        self.fingerprint = self.fingerprint.wrapping_add(rng::mix(u64::from(vertex)));
    }

    /// Returns the totals of two together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            vertices: self.vertices + other.vertices,
            arcs: self.arcs + other.arcs,
            sinks: self.sinks + other.sinks,
            fingerprint: self.fingerprint.wrapping_add(other.fingerprint),
        }
    }
}

/// Outcome of visiting a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visited {
    /// The number of its arcs.
    arcs: u32,
}

/// The work of a traversal: visits vertices, and claims those that come after them.
#[derive(Clone, Debug)]
pub struct Visit<G, C> {
    graph: G,
    claims: C,
    reached: Reached,
}

impl<G: Digraph, C: Claims> Visit<G, C> {
    /// Returns a traversal that has reached nothing yet. Somebody claims the vertex where it begins
    /// in its own name, before anybody visits it.
    pub const fn new(graph: G, claims: C) -> Self {
        let reached = Reached { vertices: 0, arcs: 0, sinks: 0, fingerprint: 0 };
        Self { graph, claims, reached }
    }

    /// Returns the totals so far.
    pub const fn reached(&self) -> Reached {
        self.reached
    }
}

impl<G: Digraph, C: Claims> Work for Visit<G, C> {
    type Task = u32;
    type Outcome = Visited;

    /// Visits a vertex. Where the children do not fit, those that are claimed stay so: in this
    /// vertex's name, which will claim them again.
    fn execute(&mut self, vertex: &u32, children: &mut Stack<'_, u32>) -> Result<Visited, Full> {
        let Self { graph, claims, .. } = self;
        let arcs = graph.successors(*vertex, |next| {
            if claims.claim(next, *vertex) { children.push(next) } else { Ok(()) }
        })?;
        Ok(Visited { arcs })
    }

    fn commit(&mut self, vertex: &u32, Visited { arcs }: Visited) {
        self.reached.add(*vertex, arcs);
    }
}
