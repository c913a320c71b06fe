//! `tresse decide`.

use clap::{Args, Subcommand};

/// The flags of `decide`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct DecideArgs {
    /// The decision.
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
Output: {\"moves\":[{\"subdomain\":..,\"from\":..,\"to\":..}]}, and a \"warning\" where no counts could
        ever move anything

Example:
  echo '{\"counts\":[9,8,7,1,2,3],\"owners\":[0,0,0,1,1,1],\"sockets\":[0,0],
         \"policy\":\"joint\",\"pairs\":1,\"low\":2,\"high\":6,\"dead_band\":0}' | tresse decide plb")]
    Plb,
    /// The turn of one processor, or a whole run, of Grapevine (Pébaÿ & Lifflander 2019)
    #[command(after_help = "\
Loads are whole numbers. What is not given is as in `tresse balance`.

One processor, and what it knows:
Input:  {\"objects\":[loads],\"load\":sum of those and what stays,
         \"peers\":[{\"processor\":..,\"load\":..}],\"average\":{\"total\":..,\"processors\":..},
         \"criterion\":\"original\"|\"relaxed\",\"threshold\":1.0,\"order\":..,\"cmf\":..,\"cmf_update\":..,
         \"pass\":..,\"sender_load\":..,\"seed\":1}
Output: {\"moves\":[{\"object\":..,\"to\":..}],\"rejected\":..,\"load\":..}

All processors:
Input:  {\"loads\":[..],\"owners\":[..],\"processors\":..,\"fixed\":[false,..],
         \"preset\":\"slides\"|\"distributed\",\"iterations\":..,\"trials\":..,
         and the parameters above}
Output: {\"owners\":[..],\"moves\":[{\"object\":..,\"from\":..,\"to\":..}],
         \"initial_imbalance\":..,\"final_imbalance\":..,
         \"iterations\":[{\"transfers\":..,\"rejected\":..,\"imbalance\":..}]}

Example:
  echo '{\"objects\":[3,5,2],\"peers\":[{\"processor\":4,\"load\":1}],
         \"average\":{\"total\":12,\"processors\":3}}' | tresse decide grapevine")]
    Grapevine,
}
