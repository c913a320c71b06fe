//! Any pool traverses any random graph: each vertex that can be reached is visited once.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering};

use tresse_core::sim::machine::CoreNoise;
use tresse_core::sim::owned::lent;
use tresse_core::sim::virtual_pool::PoolSimulation;
use tresse_core::tasks::traversal::{Claims, Digraph, Marks, RandomGraph, Reached, Visit};
use tresse_core::tasks::uts::Portable;

use super::virtual_pool::{VirtualPool, compare};
use crate::Failure;

/// Rules for claiming vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claiming {
    /// In the name of the vertex that the claimed one is reached from.
    #[default]
    ByVertex,
    /// For good by the worker that comes first, wrongly: the second of two workers that visit a
    /// vertex finds none of the vertices after it.
    ByWhoComesFirst,
}

/// Claims of one kind or the other.
struct Claimed<'m> {
    marks: &'m [AtomicU32],
    claiming: Claiming,
}

impl Claims for Claimed<'_> {
    fn claim(&mut self, vertex: u32, by: u32) -> bool {
        match self.claiming {
            Claiming::ByVertex => Marks(self.marks).claim(vertex, by),
            Claiming::ByWhoComesFirst => {
                self.marks[vertex as usize].swap(1, Ordering::Relaxed) == 0
            }
        }
    }
}

/// Returns what can be reached, by sets of numbers.
fn alone(graph: &impl Digraph) -> Reached {
    let (mut seen, mut to_visit, mut reached) = (BTreeSet::from([0]), vec![0], Reached::default());
    while let Some(vertex) = to_visit.pop() {
        let mut next = vec![];
        let told = graph.successors(vertex, |to| {
            next.push(to);
            Ok::<_, Infallible>(())
        });
        let Ok(arcs) = told;
        reached.add(vertex, arcs);
        to_visit.extend(next.into_iter().filter(|to| seen.insert(*to)));
    }
    reached
}

impl VirtualPool {
    /// Returns a random graph in place of its tree: longer and thinner, or shorter and thicker.
    pub fn graph(&self) -> RandomGraph {
        let (number, depth) = self.root;
        let vertices = 1 + u32::try_from(number % 700).unwrap_or(0);
        let span = (1 + u32::from(depth) * 3).min(vertices - 1);
        RandomGraph { vertices, degree: self.branches + 1, span, seed: u32::from(depth) }
    }

    /// Traverses its graph to the end, and compares what was reached.
    pub fn check_traversal(&self, claiming: Claiming) -> Result<(), Failure> {
        let traces = lent(&self.traces);
        let noise = CoreNoise { noise: &self.noise, traces: &traces, seed: self.config.seed };
        let Self { config, managers, hardware, costs, .. } = self;
        let (config, managers, costs) = (*config, *managers, *costs);
        let simulation =
            PoolSimulation { config, managers, hardware, noise, costs, most_tasks: 1 << 16 };
        let graph = self.graph().arcs(Portable);
        let marks: Vec<_> = (0..graph.vertices()).map(|_| AtomicU32::new(0)).collect();
        Marks(&marks).claim(0, 0);
        let visit = |_| Visit::new(graph, Claimed { marks: &marks, claiming });
        let outcome = simulation.run(&[0], visit, |_| true).map_err(|error| format!("{error}"))?;
        let outcome = outcome.ok_or("it was called off")?;
        let reached = outcome.works.iter().map(Visit::reached);
        compare("what was reached", reached.fold(Reached::default(), Reached::and), alone(&graph))
    }
}
