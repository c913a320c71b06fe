//! Messages: bytes from one rank to another that nobody waits for.

use mpi::point_to_point::MatchedReceiveVec as _;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator as _, Destination as _, Source as _};
use tresse_core::base::id::RankId;

use crate::mpi::entry::Entry;

/// The messages of all ranks, on a communicator of their own, which separates them from all others.
pub(crate) struct Messages(SimpleCommunicator);

impl Messages {
    /// Opens the communicator. Collective.
    pub fn new(entry: &mut Entry) -> Self {
        Self(entry.world().duplicate())
    }

    /// Sends a message, which is copied first, without waiting for the other rank.
    pub fn send(&self, to: RankId, bytes: &[u8]) {
        let Ok(rank) = to.0.try_into() else { return };
        self.0.process_at_rank(rank).buffered_send(bytes);
    }

    /// Returns a message that has arrived, and the rank that it is from.
    pub fn next(&self) -> Option<(RankId, Vec<u8>)> {
        let found = self.0.any_process().immediate_matched_probe()?;
        let (bytes, status) = found.matched_receive_vec();
        Some((RankId(status.source_rank().unsigned_abs()), bytes))
    }
}
