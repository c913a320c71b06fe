//! The part of the page that all views have in common.

mod address;
pub mod canvas;
pub mod dom;
mod files;
mod form;
mod input;
mod player;
pub mod plot;
pub mod save;
mod state;
mod tab;
pub mod theme;
pub mod view;
mod workers;

use crate::view_kind::ViewKind;
use state::Page;
use view::View;

/// Begins to show the views, each by its `drawing`, and to listen.
pub fn begin(drawing: fn(ViewKind) -> Box<dyn View>) {
    Page::begin(drawing);
    input::listen();
    files::listen();
    state::with(Page::go_to_address);
}
