//! What a traversal reached, as one object and for a person.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::owned::Survey;
use tresse_core::traversal::{Digraph as _, Reached};

use super::ReadGraph;
use crate::commands::pool::PoolSummary;

/// What one alone found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    levels: u32,
    parallelism: f64,
    agrees: bool,
}

impl Check {
    pub(super) fn new(Survey { reached: alone, levels }: Survey, reached: Reached) -> Self {
        let parallelism = alone.vertices as f64 / f64::from(levels);
        Self { levels, parallelism, agrees: alone == reached }
    }
}

/// What a traversal reached, and how.
#[derive(Clone, Debug, Serialize)]
pub struct TraverseReport<'a> {
    /// The graph's name.
    pub graph: &'a str,
    /// What kind it is.
    pub form: &'static str,
    /// Vertices that the graph has.
    pub vertices: u32,
    /// Where it began.
    pub root: u64,
    /// Vertices that were reached.
    pub reached: u64,
    /// Arcs that lead from them.
    pub arcs: u64,
    /// Vertices of them from which none leads.
    pub sinks: u64,
    /// A hash of their numbers.
    pub fingerprint: String,
    /// Whether one alone, breadth first, reached the same; none where nobody did.
    pub as_serial: Option<bool>,
    /// Steps that any number of workers takes: one more than there are arcs to the vertex that is farthest.
    pub levels: Option<u32>,
    /// Vertices that can be visited at a time, in the mean over these steps.
    pub parallelism: Option<f64>,
    /// Vertices a second; none where the result is wrong.
    pub vertices_per_second: Option<f64>,
    /// How the arcs were hashed, if they were.
    pub hash: Option<&'static str>,
    /// What the pool did.
    #[serde(flatten)]
    pub pool: PoolSummary<'a>,
}

impl<'a> TraverseReport<'a> {
    pub(super) fn new(
        read: &'a ReadGraph,
        reached: Reached,
        check: Option<Check>,
        pool: PoolSummary<'a>,
    ) -> Self {
        let Reached { vertices, arcs, sinks, fingerprint } = reached;
        let as_serial = check.map(|check| check.agrees);
        let rate = vertices as f64 / pool.seconds;
        Self {
            graph: &read.name,
            form: read.form,
            vertices: read.graph.vertices(),
            root: read.root_number(),
            reached: vertices,
            arcs,
            sinks,
            fingerprint: format!("{fingerprint:016x}"),
            as_serial,
            levels: check.map(|check| check.levels),
            parallelism: check.map(|check| check.parallelism),
            vertices_per_second: (as_serial != Some(false)).then_some(rate),
            hash: read.hash,
            pool,
        }
    }

    /// Several aligned lines.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { vertices, root, reached, arcs, sinks, fingerprint, .. } = self;
        let verdict = match self.as_serial {
            Some(true) => "as one alone reaches them",
            Some(false) => "NOT as one alone reaches them",
            None => "not compared",
        };
        writeln!(
            out,
            "{reached} of {vertices} vertices reached from {root}, {arcs} arcs ({verdict})"
        )?;
        writeln!(out, "fingerprint {fingerprint}; no arc leads from {sinks} of them")?;
        if let (Some(levels), Some(parallelism)) = (self.levels, self.parallelism) {
            let of_these = format!("{parallelism:.1} vertices at a time in the mean");
            writeln!(out, "shape       {levels} steps from the first to the farthest, {of_these}")?;
        }
        let rate = self.vertices_per_second;
        let rate = rate.map_or("-".into(), |rate| format!("{:.2}", rate * 1e-6));
        writeln!(out, "time        {}, {rate} million vertices per second", self.pool.time())?;
        if let Some(hash) = self.hash {
            writeln!(out, "hash        {hash}")?;
        }
        self.pool.write("vertices", out)
    }
}
