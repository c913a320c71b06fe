//! Describes the places of ranks and the traffic between them, in a few lines.

use std::io::{self, Write};

use tresse::commands::args::Resolved;
use tresse::platform::CoreList;
use tresse_core::id::RankId;
use tresse_core::run::NodeBalance;

use crate::commands::report::RanksReport;
use crate::mpi::Entry;
use crate::mpi::binding::Binding;

/// Greatest number of ranks that are named one by one.
const NAMED: usize = 16;

/// Returns a description of the MPI library, the ranks with their cores, and the balancer between them.
pub fn describe(entry: &Entry, binding: &Binding, resolved: &Resolved, only_gets: bool) -> String {
    let nodes = resolved.config.nodes;
    let balance = match nodes.balance {
        balance @ (NodeBalance::None | NodeBalance::Rows) => balance.to_string(),
        balance => format!("{balance} ({} rule, cooldown {} s)", nodes.rule, nodes.cooldown),
    };
    let memory = match (entry.nodes().number(), resolved.is_bulk_synchronous()) {
        (1, true) => "one node".into(),
        (1, false) if only_gets => "one node, edges fetched by gets".into(),
        (1, false) => "one node, edges read from shared memory".into(),
        (number, true) => format!("{number} nodes"),
        (number, false) => format!("{number} nodes, edges fetched between them"),
    };
    let mut lines = vec![
        format!("mpi      {}", entry.library()),
        format!("ranks    {}, {memory}, balance {balance}", entry.ranks()),
    ];
    lines.extend(ranks(binding));
    lines.join("\n")
}

/// Returns lines with the cores of the ranks, one for each of the first.
pub fn ranks(binding: &Binding) -> Vec<String> {
    let mut lines = vec![];
    for (rank, cores) in (0..).map(RankId).zip(&binding.cores).take(NAMED) {
        let how = if binding.is_bound(rank) { "" } else { " (its share of those allowed)" };
        lines.push(format!("         rank {rank}: cores {}{how}", CoreList(cores.clone())));
    }
    if binding.cores.len() > NAMED {
        lines.push(format!("         and {} ranks more", binding.cores.len() - NAMED));
    }
    lines
}

/// Writes the traffic between ranks.
pub fn summary(report: &RanksReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let RanksReport { ranks, node_moves, halo_retries, forwards_followed, .. } = *report;
    writeln!(
        out,
        "ranks       {ranks}: {node_moves} subdomains moved, {forwards_followed} forwards followed, \
         {halo_retries} halos fetched again"
    )
}
