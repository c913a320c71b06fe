//! Totals of a search.

use serde::Serialize;

/// Totals of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct Totals {
    /// Nodes.
    pub nodes: u64,
    /// Nodes without children.
    pub leaves: u64,
    /// The largest distance from the root.
    pub depth: u32,
}

impl Totals {
    /// Returns the totals of two searches together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            leaves: self.leaves + other.leaves,
            depth: self.depth.max(other.depth),
        }
    }
}
