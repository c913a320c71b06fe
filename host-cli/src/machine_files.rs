//! Virtual machines: those that are shipped, and those of machine files.

mod costs;
mod error;
mod parse;
mod shipped;
mod speed_trace;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use tresse_core::machine::{self, Hardware};
use tresse_files::document::Limit;

use crate::document;
use crate::platform::TopologyOverride;
use crate::simulation::SpeedTrace;

pub use error::MachineFileError;
pub use shipped::NAMES;

/// The longest machine file that is read.
const LONGEST: Limit = Limit { bytes: 1 << 20, mend: "over 1 MiB; put traces into .csv files" };

/// A machine to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualMachine {
    /// What it is called.
    pub name: String,
    /// Its cores and costs.
    pub hardware: Hardware,
    /// Speeds of single cores over time.
    pub traces: Vec<SpeedTrace>,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
}

impl VirtualMachine {
    /// A shipped machine by its name, or that of a file, whose path ends in `.toml`.
    pub fn load(name: &Path) -> Result<Self, MachineFileError> {
        if name.extension().is_some_and(|extension| extension == "toml") {
            return Self::read(name).map_err(|error| MachineFileError::InFile {
                file: name.into(),
                error: error.into(),
            });
        }
        let text = name.to_str().and_then(shipped::text);
        let text =
            text.ok_or_else(|| MachineFileError::Unknown { name: name.display().to_string() })?;
        Self::parse(text, Path::new(""))
    }

    /// Reads the text of a machine file; speed traces are looked for in `folder`.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, MachineFileError> {
        parse::machine(text, folder)
    }

    /// The machine with `nodes` in use, and the speed traces of these only: the first ones, or, where
    /// it has fewer, all of them again and again, each with its traces.
    pub fn on_nodes(mut self, nodes: u32) -> Result<Self, machine::HardwareError> {
        let (own, cores) = (self.hardware.nodes.max(1), self.hardware.node_cores());
        if nodes > own {
            self.hardware = Hardware { nodes, ..self.hardware };
            self.hardware.validate()?;
        }
        self.traces = repeated(self.traces, (own, nodes), cores);
        Ok(self)
    }

    /// The same on nodes of other sockets and cores; speed traces of others are left out.
    pub fn of_topology(
        mut self,
        topology: TopologyOverride,
    ) -> Result<Self, machine::HardwareError> {
        let TopologyOverride { sockets, cores_per_socket } = topology;
        self.hardware = Hardware { sockets, cores: cores_per_socket, ..self.hardware };
        self.hardware.validate()?;
        let nodes = self.hardware.nodes;
        self.on_nodes(nodes)
    }

    fn read(path: &Path) -> Result<Self, MachineFileError> {
        let text = document::read(path, LONGEST)?;
        let mut machine = Self::parse(&text, path.parent().unwrap_or(Path::new("")))?;
        machine.files.push(path.to_owned());
        Ok(machine)
    }
}

/// The speed traces of nodes of `cores` each on `nodes`, where after the machine's `own` ones its
/// first follows again.
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

/// As in `cirrus: 15 nodes x 2 sockets x 18 cores`.
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
