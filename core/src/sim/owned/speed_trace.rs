//! Speed traces that own their pieces.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::sim::machine::{CoreTrace, Piece};

/// The speed of one core over time.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedTrace {
    /// The core, counted over all sockets and nodes.
    pub core: u32,
    /// Pieces in order of time, which cores may have in common.
    pub pieces: Arc<[Piece]>,
}

/// Lends speed traces to a machine.
pub fn lent(traces: &[SpeedTrace]) -> Vec<CoreTrace<'_>> {
    traces.iter().map(|trace| CoreTrace { core: trace.core, pieces: &trace.pieces }).collect()
}
