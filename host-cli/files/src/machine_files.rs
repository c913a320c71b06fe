//! Virtual machines: the shipped ones, and those that machine files describe.

mod costs;
mod error;
mod parse;
mod shipped;
mod speed_trace;

use std::fmt;
use std::path::{Path, PathBuf};

use tresse_core::sim::machine::{self, Hardware};

use crate::document::{DocumentError, Limit};

pub use error::MachineFileError;
pub use shipped::{NAMES, shipped_text};
pub use tresse_core::sim::owned::SpeedTrace;

/// A function that reads a file named in a machine file.
pub type ReadText<'a> = dyn FnMut(&Path, Limit) -> Result<String, DocumentError> + 'a;

/// A machine to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualMachine {
    /// Name of the machine.
    pub name: String,
    /// Cores and costs of the machine.
    pub hardware: Hardware,
    /// Speeds of single cores over time.
    pub traces: Vec<SpeedTrace>,
    /// Files that the machine was read from.
    pub files: Vec<PathBuf>,
}

impl VirtualMachine {
    /// The longest machine file that is read.
    pub const LIMIT: Limit =
        Limit { bytes: 1 << 20, mend: "over 1 MiB; put traces into .csv files" };

    /// Returns a shipped machine by its name, one of [`NAMES`].
    pub fn shipped(name: &str) -> Result<Self, MachineFileError> {
        let text = shipped_text(name);
        let text = text.ok_or_else(|| MachineFileError::Unknown { name: name.into() })?;
        Self::parse(text, Path::new(""), &mut |_, _| {
            Err(DocumentError::Unusable("a shipped machine needs no other file"))
        })
    }

    /// Reads the text of a machine file; the files of its speed traces, whose paths are relative to
    /// `folder`, are read by `read`.
    pub fn parse(
        text: &str,
        folder: &Path,
        read: &mut ReadText<'_>,
    ) -> Result<Self, MachineFileError> {
        parse::machine(text, folder, read)
    }

    /// Returns the machine with `nodes` in use, and the speed traces of these only: the first ones,
    /// or, where it has fewer, all of them again and again, each with its traces.
    pub fn on_nodes(mut self, nodes: u32) -> Result<Self, machine::HardwareError> {
        let (own, cores) = (self.hardware.nodes.max(1), self.hardware.node_cores());
        if nodes > own {
            self.hardware = Hardware { nodes, ..self.hardware };
            self.hardware.validate()?;
        }
        self.traces = repeated(self.traces, (own, nodes), cores);
        Ok(self)
    }

    /// Returns the machine with this number of sockets in a node and of cores in a socket; speed
    /// traces of other cores are left out.
    pub fn of_sockets(mut self, sockets: u32, cores: u32) -> Result<Self, machine::HardwareError> {
        self.hardware = Hardware { sockets, cores, ..self.hardware };
        self.hardware.validate()?;
        let nodes = self.hardware.nodes;
        self.on_nodes(nodes)
    }
}

/// Returns the speed traces of nodes of `cores` each on `nodes`; where these are more than the
/// machine's `own` nodes, its nodes are repeated from the first.
fn repeated(traces: Vec<SpeedTrace>, (own, nodes): (u32, u32), cores: u32) -> Vec<SpeedTrace> {
    let on_all = |trace: SpeedTrace| {
        let first = trace.core.checked_div(cores).unwrap_or(0);
        (first..nodes).step_by(own as usize).map(move |node| SpeedTrace {
            core: trace.core + (node - first) * cores,
            pieces: trace.pieces.clone(),
        })
    };
    let mut all: Vec<_> = traces.into_iter().flat_map(on_all).collect();
    all.sort_by_key(|trace| trace.core);
    all
}

/// Writes the machine as in `cirrus: 15 nodes x 2 sockets x 18 cores`.
impl fmt::Display for VirtualMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hardware { nodes, sockets, cores, .. } = self.hardware;
        let some = |number: u32, what: &str| {
            format!("{number} {what}{}", if number == 1 { "" } else { "s" })
        };
        let (nodes, sockets) = (some(nodes, "node"), some(sockets, "socket"));
        write!(f, "{}: {nodes} x {sockets} x {}", self.name, some(cores, "core"))
    }
}
