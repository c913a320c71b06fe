//! Resolves the configuration of a run on several MPI ranks, each of which is a node.

use tresse_core::base::id::SocketId;
use tresse_core::field::paper::CELLS_PER_WORKER;
use tresse_core::run::NodeBalance;
use tresse_core::run::noise::{self, NoiseChoice, NoisePlaces};

use super::error::FrontError;
use super::nodes::NodeChoices;
use super::resolve::{Resolved, Stage, resolve_for};
use super::solve::SolveArgs;

/// The machine under the ranks, as one of them sees it and all have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home<'a> {
    /// Number of ranks.
    pub ranks: u32,
    /// Default number of workers of each rank.
    pub workers_per_rank: u32,
    /// Free memory in bytes for this rank.
    pub available: u64,
    /// Cores that this rank may use, and sockets of all ranks, for noise anywhere.
    pub cores: &'a [u32],
    /// Number of sockets that have workers.
    pub sockets: u32,
}

/// Resolves flags as [`resolve`](super::resolve) does for one process; a number of workers is that
/// of each rank.
pub fn resolve_on_ranks(
    args: &SolveArgs,
    nodes: &NodeChoices,
    home: Home<'_>,
) -> Result<Resolved, FrontError> {
    let (node_balance, node_flag) = (nodes.node_balance, nodes.flag());
    let nodes = nodes.nodes(home.ranks);
    let sockets: Vec<_> = (0..home.sockets).map(SocketId).collect();
    let places = NoisePlaces { cores: home.cores, sockets: &sockets, nodes: home.ranks };
    let place_noise = |choices: &[NoiseChoice], seed| Ok(noise::resolve(choices, seed, &places)?);
    let stage = Stage {
        workers: home.ranks.saturating_mul(home.workers_per_rank),
        process_count: home.ranks,
        nodes,
        node_balance,
        node_flag,
        cells_per_worker: CELLS_PER_WORKER,
        // What a run needs is counted for all ranks together.
        available: home.available.saturating_mul(u64::from(home.ranks)),
        noise: &place_noise,
        is_real: true,
        // Ranks refuse no run, and need no bytes besides cells.
        check: &|_, _| Ok(0),
    };
    let mut resolved = resolve_for(args, &stage)?;
    if nodes.number == 1 && nodes.balance != NodeBalance::None {
        let warning = "--node-balance has nobody to send to: there is one rank only";
        resolved.warnings.push(warning.into());
    }
    Ok(resolved)
}

#[cfg(test)]
mod tests {
    use tresse_core::base::time::Duration;
    use tresse_core::field::problem::CellSize;
    use tresse_core::run::NodeRule;

    use super::*;
    use crate::commands::args::{MethodChoice, RunFlags};

    /// Resolves a run of either method on two ranks.
    fn on_two(
        method: MethodChoice,
        cell_size: Option<CellSize>,
        nodes: &NodeChoices,
    ) -> Result<Resolved, FrontError> {
        let choices = RunFlags { method: Some(method), cell_size, ..RunFlags::default() };
        let args = SolveArgs { choices, ..SolveArgs::default() };
        let home =
            Home { ranks: 2, workers_per_rank: 1, available: u64::MAX, cores: &[0], sockets: 1 };
        resolve_on_ranks(&args, nodes, home)
    }

    #[test]
    fn rows_move_by_multigrid_where_that_is_asked_for() {
        let balance = |method, cell_size, balance| {
            let nodes = NodeChoices { node_balance: balance, ..NodeChoices::default() };
            on_two(method, cell_size, &nodes).map(|resolved| resolved.config.nodes.balance)
        };
        let (multigrid, jacobi) = (MethodChoice::Multigrid, MethodChoice::Jacobi);
        let (none, rows) = (NodeBalance::None, NodeBalance::Rows);
        assert_eq!(balance(multigrid, None, None).unwrap(), none);
        assert_eq!(balance(multigrid, None, Some(rows)).unwrap(), rows);
        assert_eq!(balance(multigrid, None, Some(none)).unwrap(), none);
        // By conjugate gradients they stay.
        let high = CellSize::parse("2x1").ok();
        assert_eq!(balance(multigrid, high, None).unwrap(), none);
        let refused = balance(multigrid, high, Some(rows)).unwrap_err().to_string();
        assert!(refused.contains("--node-balance rows"), "{refused}");
        assert_eq!(balance(jacobi, None, None).unwrap(), none);
        let refused = balance(jacobi, None, Some(rows)).unwrap_err().to_string();
        assert!(refused.contains("--node-balance rows"), "{refused}");
        assert!(refused.contains("--method multigrid"), "{refused}");
    }

    #[test]
    fn multigrid_moves_no_subdomains_between_ranks() {
        let on_two = |nodes: &NodeChoices| on_two(MethodChoice::Multigrid, None, nodes);
        let resolved = on_two(&NodeChoices::default()).unwrap();
        assert!(resolved.is_bulk_synchronous());
        let none = NodeChoices::default();
        for nodes in [
            NodeChoices { node_balance: Some(NodeBalance::Chaos { seed: 1 }), ..none.clone() },
            NodeChoices { node_rule: Some(NodeRule::Settled), ..none.clone() },
            NodeChoices { node_cooldown: Some(Duration::ZERO), ..none },
        ] {
            let error = on_two(&nodes).unwrap_err();
            assert!(error.to_string().starts_with("--node-"), "{error}");
        }
    }
}
