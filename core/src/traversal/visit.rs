//! The traversal as work for a pool.

use serde::Serialize;

use super::claims::Claims;
use super::digraph::Digraph;
use crate::rng;
use crate::sharing::{Full, Stack, Work};

/// What was reached, whoever came first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct Reached {
    /// Vertices, that where it began included.
    pub vertices: u64,
    /// Arcs that lead from them: to different vertices, and none to itself.
    pub arcs: u64,
    /// Vertices from which none leads.
    pub sinks: u64,
    /// The sum, modulo 2⁶⁴, of a hash of each vertex's number: of two sets of as many vertices it is hardly
    /// ever the same.
    pub fingerprint: u64,
}

impl Reached {
    /// One more vertex, with this number of arcs.
    pub fn add(&mut self, vertex: u32, arcs: u32) {
        self.vertices += 1;
        self.arcs += u64::from(arcs);
        self.sinks += u64::from(arcs == 0);
        self.fingerprint = self.fingerprint.wrapping_add(rng::mix(u64::from(vertex)));
    }

    /// What two have reached.
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

/// What visiting a vertex finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visited {
    /// The number of its arcs.
    arcs: u32,
}

/// Visits vertices that it has got, and claims what comes after them.
#[derive(Clone, Debug)]
pub struct Visit<G, C> {
    graph: G,
    claims: C,
    reached: Reached,
}

impl<G: Digraph, C: Claims> Visit<G, C> {
    /// Nothing is reached yet. Somebody claims the vertex where it begins in its own name, before anybody
    /// visits it.
    pub const fn new(graph: G, claims: C) -> Self {
        let reached = Reached { vertices: 0, arcs: 0, sinks: 0, fingerprint: 0 };
        Self { graph, claims, reached }
    }

    /// What is reached so far.
    pub const fn reached(&self) -> Reached {
        self.reached
    }
}

impl<G: Digraph, C: Claims> Work for Visit<G, C> {
    type Task = u32;
    type Outcome = Visited;

    /// Where the children do not fit, those that are claimed stay so: in this vertex's name, which will
    /// claim them again.
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
