//! The report of a count, as one object and for a person.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::tasks::uts::Totals;

use crate::commands::args::Chosen;
use crate::commands::pool::PoolSummary;

/// The result of a count, with its settings.
#[derive(Clone, Debug, Serialize)]
pub struct UtsReport<'a> {
    /// Name of the tree, or the flags that make it.
    pub tree: &'a str,
    /// Number of nodes, number of leaves, and depth.
    #[serde(flatten)]
    pub totals: Totals,
    /// Whether the counts are the published ones, where there are such.
    pub as_published: Option<bool>,
    /// Nodes per second; `None` where the count is wrong.
    pub nodes_per_second: Option<f64>,
    /// Name of the nodes' hash.
    pub hash: &'static str,
    /// Summary of the pool.
    #[serde(flatten)]
    pub pool: PoolSummary<'a>,
}

impl<'a> UtsReport<'a> {
    /// Returns the report; there is no rate where the count disagrees with the published one.
    pub(super) fn new(
        chosen: &'a Chosen,
        hash: &'static str,
        totals: Totals,
        pool: PoolSummary<'a>,
    ) -> Self {
        let as_published = chosen.published.map(|published| published.agrees(&totals));
        let rate = totals.nodes as f64 / pool.seconds;
        Self {
            tree: &chosen.name,
            totals,
            as_published,
            nodes_per_second: (as_published != Some(false)).then_some(rate),
            hash,
            pool,
        }
    }

    /// Writes the report for a person, in aligned lines.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Totals { nodes, leaves, depth } = self.totals;
        let verdict = match self.as_published {
            Some(true) => "as published",
            Some(false) => "NOT as published",
            None => "nothing is published of this tree",
        };
        writeln!(out, "{nodes} nodes, {leaves} leaves, depth {depth} ({verdict})")?;
        let rate = self.nodes_per_second.map_or("-".into(), |rate| format!("{:.2}", rate * 1e-6));
        writeln!(out, "time        {}, {rate} million nodes per second", self.pool.time())?;
        writeln!(out, "hash        {}", self.hash)?;
        self.pool.write("nodes", out)
    }
}
