//! Describes the places of ranks and the traffic between them, in a few lines.

use tresse::commands::args::Resolved;
use tresse::platform::CoreList;
use tresse_core::base::id::RankId;
use tresse_core::run::{NodeBalance, Nodes};

use crate::commands::report::RanksFigures;
use crate::mpi::Entry;
use crate::mpi::binding::Binding;

/// Greatest number of ranks that are named one by one.
const NAMED: usize = 16;

/// Returns a description of the MPI library, the ranks with their cores, and the balancer between
/// them.
pub fn describe(entry: &Entry, binding: &Binding, resolved: &Resolved, only_gets: bool) -> String {
    let edges = (!resolved.is_bulk_synchronous()).then_some(only_gets);
    let places = ranks(entry, binding, resolved.config.nodes, edges);
    let lines = places.into_iter().map(|(name, value)| format!("{name:<9}{value}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the same as pairs of a name and a value; edges are read always by gets or not, unless
/// ranks send each other rows.
pub fn ranks(
    entry: &Entry,
    binding: &Binding,
    nodes: Nodes,
    edges: Option<bool>,
) -> Vec<(&'static str, String)> {
    let balance = match nodes.balance {
        balance @ (NodeBalance::None | NodeBalance::Rows) => balance.to_string(),
        balance => format!("{balance} ({} rule, cooldown {} s)", nodes.rule, nodes.cooldown),
    };
    let places = on(entry.nodes().number(), edges);
    let mut lines = vec![
        ("mpi", entry.library().to_owned()),
        ("ranks", format!("{}, {places}, balance {balance}", entry.ranks())),
    ];
    lines.extend(cores(binding).into_iter().map(|line| ("", line)));
    lines
}

/// Returns the number of nodes and, unless ranks send each other rows, the way that edges are read:
/// always by gets or not.
fn on(nodes: u32, only_gets: Option<bool>) -> String {
    match (nodes, only_gets) {
        (1, None) => "one node".into(),
        (1, Some(true)) => "one node, edges fetched by gets".into(),
        (1, Some(false)) => "one node, edges read from shared memory".into(),
        (number, None) => format!("{number} nodes"),
        (number, Some(_)) => format!("{number} nodes, edges fetched between them"),
    }
}

/// Returns lines with the cores of the ranks, one for each of the first.
pub fn cores(binding: &Binding) -> Vec<String> {
    let mut lines = vec![];
    for (rank, cores) in (0..).map(RankId).zip(&binding.cores).take(NAMED) {
        let how = if binding.is_bound(rank) { "" } else { " (its share of those allowed)" };
        lines.push(format!("rank {rank}: cores {}{how}", CoreList(cores.clone())));
    }
    if binding.cores.len() > NAMED {
        lines.push(format!("and {} ranks more", binding.cores.len() - NAMED));
    }
    lines
}

/// Returns a line about the traffic between ranks.
pub fn summary(ranks: &RanksFigures<'_>, transfers: u64) -> String {
    let RanksFigures { ranks, halo_retries, forwards_followed, .. } = ranks;
    format!(
        "ranks       {ranks}: {transfers} subdomains moved, {forwards_followed} forwards followed, \
         {halo_retries} halos fetched again\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_that_edges_are_read_is_said() {
        for (nodes, only_gets, said) in [
            (1, None, "one node"),
            (1, Some(false), "one node, edges read from shared memory"),
            (1, Some(true), "one node, edges fetched by gets"),
            (2, None, "2 nodes"),
            (2, Some(false), "2 nodes, edges fetched between them"),
            (2, Some(true), "2 nodes, edges fetched between them"),
        ] {
            assert_eq!(on(nodes, only_gets), said);
        }
    }
}
