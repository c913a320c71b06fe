//! The kind of a view, which all sides know it by.

use serde::{Deserialize, Serialize};

/// The views, in the order of their tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ViewKind {
    /// Several methods side by side.
    Race,
    /// One run in virtual time.
    Solve,
    /// Balancing by gossip.
    Grapevine,
    /// Pools of tasks.
    Sharing,
    /// Recordings.
    Replay,
}

impl ViewKind {
    /// All views, in the order of their tabs.
    pub const ALL: [Self; 5] =
        [Self::Race, Self::Solve, Self::Grapevine, Self::Sharing, Self::Replay];

    /// Returns the view's name in addresses and in the text of the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Solve => "solve",
            Self::Grapevine => "grapevine",
            Self::Sharing => "sharing",
            Self::Replay => "replay",
        }
    }

    /// Returns the module whose worker keeps the view's model.
    pub const fn module(self) -> &'static str {
        match self {
            Self::Race | Self::Solve | Self::Sharing => "runs",
            Self::Grapevine | Self::Replay => "files",
        }
    }
}
