//! Virtual machines ([`tresse_files::machine_files`]), as they are read from the disk.

#[cfg(test)]
mod tests;

use std::path::Path;

pub use tresse_files::machine_files::{MachineFileError, NAMES, SpeedTrace, VirtualMachine};

use crate::files::document;

/// Returns a shipped machine by its name, or that of a file, whose path ends in `.toml`.
pub fn load(name: &Path) -> Result<VirtualMachine, MachineFileError> {
    if name.extension().is_some_and(|extension| extension == "toml") {
        return read(name)
            .map_err(|error| MachineFileError::InFile { file: name.into(), error: error.into() });
    }
    match name.to_str() {
        Some(name) => VirtualMachine::shipped(name),
        None => Err(MachineFileError::Unknown { name: name.display().to_string() }),
    }
}

/// Parses the text of a machine file; the files of speed traces are read from `folder`.
pub fn parse(text: &str, folder: &Path) -> Result<VirtualMachine, MachineFileError> {
    VirtualMachine::parse(text, folder, &mut document::read)
}

/// Reads a machine and the files that it names; the machine keeps the paths of all of them.
fn read(path: &Path) -> Result<VirtualMachine, MachineFileError> {
    let text = document::read(path, VirtualMachine::LIMIT)?;
    let mut machine = parse(&text, path.parent().unwrap_or(Path::new("")))?;
    machine.files.push(path.to_owned());
    Ok(machine)
}
