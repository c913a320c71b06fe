//! The report of a traversal, as one object and for a person.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::tasks::owned::Survey;
use tresse_core::tasks::traversal::{Digraph as _, Reached};

use super::ReadGraph;
use crate::commands::pool::PoolSummary;

/// The result of a traversal by one worker alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    levels: u32,
    parallelism: f64,
    agrees: bool,
}

impl Check {
    /// Compares what the pool has reached with what a serial traversal reaches.
    pub(super) fn new(Survey { reached: alone, levels }: Survey, reached: Reached) -> Self {
        let parallelism = alone.vertices as f64 / f64::from(levels);
        Self { levels, parallelism, agrees: alone == reached }
    }
}

/// The result of a traversal, with its settings.
#[derive(Clone, Debug, Serialize)]
pub struct TraverseReport<'a> {
    /// Name of the graph.
    pub graph: &'a str,
    /// Kind of the graph.
    pub form: &'static str,
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// Number of the vertex where the traversal began.
    pub root: u64,
    /// Number of vertices that were reached.
    pub reached: u64,
    /// Number of arcs that lead from the vertices reached.
    pub arcs: u64,
    /// Number of the vertices reached from which no arc leads.
    pub sinks: u64,
    /// Hash of the numbers of the vertices reached.
    pub fingerprint: String,
    /// Whether a traversal by one worker alone, breadth first, reached the same vertices; `None`
    /// where none was made.
    pub as_serial: Option<bool>,
    /// Number of steps that any number of workers needs: one more than there are arcs to the
    /// farthest vertex.
    pub levels: Option<u32>,
    /// Mean number of vertices that can be visited at a time over these steps.
    pub parallelism: Option<f64>,
    /// Vertices per second; `None` where the result is wrong.
    pub vertices_per_second: Option<f64>,
    /// Name of the hash of the arcs, where they are hashed.
    pub hash: Option<&'static str>,
    /// Summary of the pool.
    #[serde(flatten)]
    pub pool: PoolSummary<'a>,
}

impl<'a> TraverseReport<'a> {
    /// Returns the report; there is no rate where the traversal disagrees with the serial one.
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

    /// Writes the report for a person, in aligned lines.
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
            let (steps, s) = (levels.saturating_sub(1), if levels == 2 { "" } else { "s" });
            writeln!(
                out,
                "shape       {steps} step{s} from the first to the farthest, {of_these}"
            )?;
        }
        let rate = self.vertices_per_second;
        let rate = rate.map_or("-".into(), |rate| format!("{:.2}", rate * 1e-6));
        writeln!(out, "time        {}, {rate} million vertices per second", self.pool.time())?;
        match self.hash {
            Some(hash) => writeln!(out, "hash        {hash}")?,
            None => writeln!(out, "file        read as {}", self.form)?,
        }
        self.pool.write("vertices", out)
    }
}
