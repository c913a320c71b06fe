//! Keeps the edges that a neighbour has sent, until they are too old to be read.

use std::collections::VecDeque;

/// Number of edges that are usually kept; a neighbour that is further ahead waits.
const USUAL: usize = 8;

/// The edges on one link of a part, in shared units, one for each version since the oldest that may
/// still be read.
pub(super) struct Inbox<S> {
    /// Version of the first edge.
    first: u64,
    edges: VecDeque<Vec<S>>,
    /// Oldest version that may still be read.
    wanted: u64,
    /// Memory of edges that are no longer needed.
    spare: Vec<Vec<S>>,
}

impl<S> Inbox<S> {
    pub(super) const EMPTY: Self =
        Self { first: 0, edges: VecDeque::new(), wanted: 0, spare: Vec::new() };

    /// Reports whether there are as many edges as are usually kept.
    pub(super) fn is_full(&self) -> bool {
        self.edges.len() >= USUAL
    }

    /// Returns the edge of a version, if it is kept.
    pub(super) fn get(&self, version: u64) -> Option<&[S]> {
        let place = usize::try_from(version.checked_sub(self.first)?).ok()?;
        self.edges.get(place).map(Vec::as_slice)
    }

    /// Adds the edge of the next version, which `write` writes to memory of earlier edges, and
    /// returns the number of its bytes.
    pub(super) fn add(&mut self, version: u64, write: impl FnOnce(&mut Vec<S>)) -> u64 {
        if version < self.wanted {
            return 0;
        }
        if self.edges.is_empty() {
            self.first = version;
        }
        let mut kept = self.spare.pop().unwrap_or_default();
        write(&mut kept);
        let bytes = size_of_val(kept.as_slice()) as u64;
        self.edges.push_back(kept);
        bytes
    }

    /// Drops the edges before a version, and returns the number of their bytes.
    pub(super) fn forget_before(&mut self, version: u64) -> u64 {
        self.wanted = self.wanted.max(version);
        let mut bytes = 0;
        while self.first < version
            && let Some(edge) = self.edges.pop_front()
        {
            self.first += 1;
            bytes += size_of_val(edge.as_slice()) as u64;
            if self.spare.len() < USUAL {
                self.spare.push(edge);
            }
        }
        bytes
    }
}
