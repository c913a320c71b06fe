//! The flags of all commands that can have several nodes.

use clap::Args;
use tresse_core::base::time::Duration;
use tresse_core::run::{NodeBalance, NodeRule, Nodes};

/// Choices about the movement of work between nodes; a field is `None` where nothing was chosen.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeChoices {
    /// Balancer between nodes: none or dplb:F,THRESHOLD (F seconds between looks; nothing moves
    /// below a difference of THRESHOLD updates); with --method multigrid, none or rows, which gives
    /// a slow node fewer rows [default: none]
    #[arg(long, value_name = "POLICY", help_heading = "Method", value_parser = NodeBalance::parse)]
    pub node_balance: Option<NodeBalance>,

    /// What this balancer goes by: settled (counts in flight as well), boundary (the same, and it
    /// sends the least updated subdomain beside one of another node) or published (only what the
    /// paper names) [default: settled]
    #[arg(long, value_name = "RULE", help_heading = "Method", value_parser = NodeRule::parse)]
    pub node_rule: Option<NodeRule>,

    /// Time for which a node sends nothing after it has sent a subdomain [default: 0]
    #[arg(long, value_name = "TIME", help_heading = "Method", value_parser = Duration::parse_with_unit)]
    #[arg(allow_negative_numbers = true)]
    pub node_cooldown: Option<Duration>,
}

impl NodeChoices {
    /// Returns the first flag that was given and is about moves of subdomains between nodes.
    pub fn flag(&self) -> Option<&'static str> {
        let given = [
            ("--node-balance", self.node_balance.is_some_and(NodeBalance::moves_subdomains)),
            ("--node-rule", self.node_rule.is_some()),
            ("--node-cooldown", self.node_cooldown.is_some()),
        ];
        given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    /// Returns the effective choices for this number of nodes.
    pub fn nodes(&self, number: u32) -> Nodes {
        Nodes {
            number,
            balance: self.node_balance.unwrap_or_default(),
            rule: self.node_rule.unwrap_or_default(),
            cooldown: self.node_cooldown.unwrap_or_default(),
        }
    }
}
