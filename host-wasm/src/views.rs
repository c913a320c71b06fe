//! The views, each with what it shows ([`Model`], in the worker) and how (its drawing, on the page).

pub mod grapevine;
pub mod race;
pub mod replay;
pub mod sharing;
pub mod solve;

use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::parameters::Parameters;

/// All of them, in the order of their tabs.
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
    /// In the order of their tabs.
    pub const ALL: [Self; 5] =
        [Self::Race, Self::Solve, Self::Grapevine, Self::Sharing, Self::Replay];

    /// In addresses, and in the text of the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Solve => "solve",
            Self::Grapevine => "grapevine",
            Self::Sharing => "sharing",
            Self::Replay => "replay",
        }
    }

    /// The view of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// What draws it.
    #[cfg(target_family = "wasm")]
    pub fn drawing(self) -> Box<dyn crate::page::View> {
        match self {
            Self::Race => Box::new(race::RaceView::default()),
            Self::Solve => Box::new(solve::SolveView::default()),
            Self::Grapevine => Box::new(grapevine::GrapevineView::default()),
            Self::Sharing => Box::new(sharing::SharingView::default()),
            Self::Replay => Box::new(replay::ReplayView::default()),
        }
    }

    /// A model that begins with these parameters, and with a file that a person has given, where the view
    /// takes one. An error is a sentence.
    pub fn open(self, parameters: &Parameters, file: &[u8]) -> Result<Box<dyn Model>, String> {
        match self {
            Self::Race => race::open(parameters, file),
            Self::Solve => solve::open(parameters, file),
            Self::Grapevine => grapevine::open(parameters, file),
            Self::Sharing => sharing::open(parameters, file),
            Self::Replay => replay::open(parameters, file),
        }
    }
}
