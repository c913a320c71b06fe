//! The views, each with its [`Model`] in the worker and its drawing on the page.

pub mod grapevine;
pub mod race;
pub mod replay;
pub mod sharing;
pub mod solve;

use crate::model::{GARBLED, Model, Open};
#[cfg(target_family = "wasm")]
use crate::page::view::View;
use crate::parameters::Parameters;
use crate::view_kind::ViewKind;

/// Returns the drawing of a view.
#[cfg(target_family = "wasm")]
pub fn drawing(view: ViewKind) -> Box<dyn View> {
    match view {
        ViewKind::Race => Box::new(race::RaceView::default()),
        ViewKind::Solve => Box::new(solve::SolveView::default()),
        ViewKind::Grapevine => Box::new(grapevine::GrapevineView::default()),
        ViewKind::Sharing => Box::new(sharing::SharingView::default()),
        ViewKind::Replay => Box::new(replay::ReplayView::default()),
    }
}

/// Returns the function that opens a view's model in the module `runs`, if that module has it.
pub fn in_runs(view: ViewKind) -> Option<Open> {
    match view {
        ViewKind::Race => Some(race::open),
        ViewKind::Solve => Some(solve::open),
        ViewKind::Sharing => Some(sharing::open),
        ViewKind::Grapevine | ViewKind::Replay => None,
    }
}

/// Returns the function that opens a view's model in the module `files`, if that module has it.
pub fn in_files(view: ViewKind) -> Option<Open> {
    match view {
        ViewKind::Grapevine => Some(grapevine::open),
        ViewKind::Replay => Some(replay::open),
        ViewKind::Race | ViewKind::Solve | ViewKind::Sharing => None,
    }
}

/// Opens a view's model, by the function of whichever module has it.
pub fn open(
    view: ViewKind,
    parameters: &Parameters,
    file: &[u8],
) -> Result<Box<dyn Model>, String> {
    let open = in_runs(view).or_else(|| in_files(view));
    open.map_or_else(|| Err(GARBLED.to_owned()), |open| open(parameters, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_view_is_in_the_module_that_it_names() {
        for view in ViewKind::ALL {
            assert_eq!(in_runs(view).is_some(), view.module() == "runs", "{view:?}");
            assert_eq!(in_files(view).is_some(), view.module() == "files", "{view:?}");
        }
    }
}
