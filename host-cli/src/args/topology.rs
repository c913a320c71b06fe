//! `tresse topology`, and the topology that `--topology` puts in place of the machine's.

use clap::Args;
use tresse_core::grammar::count32;

/// The flags of `topology`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct TopologyArgs {
    /// Sockets x cores of each, in place of what the system says, such as 2x18
    #[arg(long, value_name = "SxC", value_parser = TopologyOverride::parse)]
    pub topology: Option<TopologyOverride>,

    /// Threads to pin [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub workers: Option<u32>,

    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Sockets with the same number of cores each: `2x18`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopologyOverride {
    /// Sockets, at least 1.
    pub sockets: u32,
    /// Cores of each socket, at least 1.
    pub cores_per_socket: u32,
}

impl TopologyOverride {
    /// Reads `SOCKETSxCORES`, both at least 1.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let count = |text| count32(text).ok().filter(|&count| count > 0);
        text.split_once(['x', 'X', '×'])
            .and_then(|(sockets, cores)| count(sockets).zip(count(cores)))
            .filter(|(sockets, cores)| sockets.checked_mul(*cores).is_some())
            .map(|(sockets, cores_per_socket)| Self { sockets, cores_per_socket })
            .ok_or("expected SOCKETSxCORES, such as 2x18, both at least 1")
    }

    /// Cores in all.
    pub const fn cores(self) -> u32 {
        self.sockets.saturating_mul(self.cores_per_socket)
    }
}

impl std::fmt::Display for TopologyOverride {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.sockets, self.cores_per_socket)
    }
}
