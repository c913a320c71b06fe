//! `tresse decide`.

use clap::{Args, Subcommand};

/// The flags of `decide`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct DecideArgs {
    /// Which decision.
    #[command(subcommand)]
    pub command: DecideCommand,
}

/// The decisions that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum DecideCommand {
    /// One round of progressive load balancing (Zarins & Weiland 2017, Algorithm 1)
    #[command(after_help = "\
Input:  {\"counts\":[..],\"owners\":[..],\"sockets\":[socket of each worker],
         \"policy\":\"joint\"|\"split\",\"pairs\":6,\"low\":2,\"high\":6,\"dead_band\":0}
Output: {\"moves\":[{\"subdomain\":..,\"from\":..,\"to\":..}]}

Example:
  echo '{\"counts\":[9,8,7,1,2,3],\"owners\":[0,0,0,1,1,1],\"sockets\":[0,0],
         \"policy\":\"joint\",\"pairs\":1,\"low\":2,\"high\":6,\"dead_band\":0}' | tresse decide plb")]
    Plb,
}
