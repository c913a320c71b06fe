//! `tresse topology`.

use clap::Args;
use tresse_core::base::grammar::count32;

use tresse_platform::TopologyOverride;

/// The flags of `topology`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct TopologyArgs {
    /// Sockets x cores of each, in place of what the system says, such as 2x18
    #[arg(long, value_name = "SxC", value_parser = TopologyOverride::parse)]
    pub topology: Option<TopologyOverride>,

    /// Threads to pin [default: one for each physical core, as far as affinity mask and CPU quota
    /// allow]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub workers: Option<u32>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
