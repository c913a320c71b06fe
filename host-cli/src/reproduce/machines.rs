//! The papers' machines: those that are shipped.

use tresse_core::machine::Hardware;

use crate::machine_files::VirtualMachine;

/// One node of the machine of both papers.
pub(super) fn cirrus() -> Hardware {
    shipped("cirrus")
}

/// One node of the first paper's other machine.
pub(super) fn archer() -> Hardware {
    shipped("archer")
}

#[expect(clippy::expect_used, reason = "part of the program, and read by its tests")]
fn shipped(name: &str) -> Hardware {
    VirtualMachine::shipped(name).expect("shipped machine files are valid").hardware
}
