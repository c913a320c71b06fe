//! The views, each with its [`Model`] in the worker and its drawing on the page.

pub mod grapevine;
pub mod race;
pub mod replay;
pub mod sharing;
pub mod solve;

use serde::{Deserialize, Serialize};

use crate::model::{GARBLED, Model};
use crate::parameters::Parameters;

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

    /// Returns the view of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// Returns the drawing of the view.
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

    /// Returns the module whose worker keeps the view's model.
    pub const fn module(self) -> &'static str {
        match self {
            Self::Race | Self::Solve | Self::Sharing => "runs",
            Self::Grapevine | Self::Replay => "files",
        }
    }

    /// Returns the function that opens the view's model in the module `runs`, if that module has it.
    pub fn run(self) -> Option<Open> {
        match self {
            Self::Race => Some(race::open),
            Self::Solve => Some(solve::open),
            Self::Sharing => Some(sharing::open),
            Self::Grapevine | Self::Replay => None,
        }
    }

    /// Returns the function that opens the view's model in the module `files`, if that module has it.
    pub fn reader(self) -> Option<Open> {
        match self {
            Self::Grapevine => Some(grapevine::open),
            Self::Replay => Some(replay::open),
            Self::Race | Self::Solve | Self::Sharing => None,
        }
    }

    /// Opens the view's model, by the function of whichever module has it.
    pub fn open(self, parameters: &Parameters, file: &[u8]) -> Result<Box<dyn Model>, String> {
        let open = self.run().or_else(|| self.reader());
        open.map_or_else(|| Err(GARBLED.to_owned()), |open| open(parameters, file))
    }
}

/// A function that makes a model for parameters, and for a file that a person has given, where the view
/// takes one. An error is a sentence.
pub type Open = fn(&Parameters, &[u8]) -> Result<Box<dyn Model>, String>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_view_is_in_the_module_that_it_names() {
        for view in ViewKind::ALL {
            assert_eq!(view.run().is_some(), view.module() == "runs", "{view:?}");
            assert_eq!(view.reader().is_some(), view.module() == "files", "{view:?}");
        }
    }
}
