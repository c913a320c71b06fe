//! Tresse in a browser: a module that draws, and one for each of its workers, which compute what is
//! drawn.
//!
//! # Map
//!
//! - [`views`] has the views. Each has a *model*, which is what it shows ([`model::Model`]; in the
//!   worker, and the same on any other platform), and a *drawing*, which is how
//!   (`page::view::View`; on the page only).
//! - `modules/` has the three modules: the page, the worker of views that run something, and that
//!   of views that read files, which is loaded when one of these is looked at
//!   ([`view_kind::ViewKind::module`]).
//! - [`messages`] is what the page and a worker say to each other, `post` the way of it, `worker`
//!   the worker's half.
//! - `page` is everything that the views have in common: tabs and addresses, forms
//!   ([`parameters`]), time (`page::player`: play, pause, step, speed, scrub, reset), saving, keys,
//!   and a kit for drawing.
//! - `web/` in this package has the text, the looks, and the few lines of JavaScript that load a
//!   module; `src/main.rs` is the program that builds all of that and serves it.
//!
//! # A frame's way
//!
//! While a view plays, the page asks for `Advance`; the worker lets the model go on for some
//! milliseconds, and replies with a frame: bytes, which are handed over, not copied. The page asks
//! for the next one at once and draws this one meanwhile.
//!
//! # Adding a view
//!
//! 1. `views/NAME.rs` and its folder: `open`, which makes a [`model::Model`] of
//!    [`parameters::Parameters`] (and of a file that a person has dropped); the frame, and what the
//!    view may ask of its model besides, as serde types that [`postcard`] encodes. None of that
//!    knows of a browser, and tests run it anywhere.
//! 2. `views/NAME/page.rs`, for `target_family = "wasm"` only: a `page::view::View`, which reads
//!    frames, draws them into the canvases of its section, and turns what a person does there into
//!    what its model is to do.
//! 3. `web/views/NAME.html`, its section: `<section id="view-NAME" class="view" data-view="Title"
//!    hidden>`. Named controls of the form `form-NAME` are the parameters: changing one opens the
//!    model anew; what is not as in the text is in the address. Controls with `data-look="key"`
//!    change only the drawing, and are in the address too; elements with `data-do="what"` call
//!    `View::command`; canvases hand on pointer and keys, and a section with `data-file` takes
//!    files that are dropped on it.
//! 4. [`view_kind::ViewKind`]: the variant, in each of its functions and of those of [`views`]; and
//!    `VIEWS` in `bundle.rs`, for the text.

pub mod files;
pub mod guide;
pub mod messages;
pub mod model;
#[cfg(target_family = "wasm")]
pub mod page;
pub mod parameters;
#[cfg(target_family = "wasm")]
mod post;
pub mod view_kind;
pub mod views;
#[cfg(target_family = "wasm")]
pub mod worker;
