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
mod tab;
pub mod theme;
mod workers;

use std::cell::RefCell;

use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::HtmlElement;

use crate::messages::{Outcome, Reply, Request, What};
use crate::parameters::Parameters;
use crate::views::ViewKind;
use tab::Tab;
use workers::Workers;

/// The drawing of a view, on its part of the page.
pub trait View {
    /// Notes that the model is being opened with these parameters; returns the requests to make before
    /// any other.
    fn opened(&mut self, parameters: &Parameters) -> Vec<Ask>;

    /// Takes a frame.
    fn show(&mut self, frame: &[u8]);

    /// Draws the last frame; returns whether it is to be drawn again soon, since something in it moves.
    fn draw(&mut self) -> bool;

    /// Takes the answer to an [`Ask::Act`]. They come in the order in which they were asked for.
    fn answer(&mut self, answer: &[u8]) -> Vec<Ask>;

    /// Notes that a control with `data-look` has this value.
    fn look(&mut self, _key: &str, _value: &str) -> Vec<Ask> {
        Vec::new()
    }

    /// Notes that a person has pressed an element with `data-do`.
    fn command(&mut self, what: &str) -> Vec<Ask>;

    /// Notes an event of the pointer on a canvas.
    fn pointer(&mut self, canvas: &str, event: Pointer) -> Vec<Ask>;

    /// Notes that a key was pressed on a canvas; returns `None` where the key is not one of the view's.
    fn key(&mut self, _canvas: &str, _key: &str) -> Option<Vec<Ask>> {
        None
    }

    /// Returns a time in words.
    fn time(&self, now: u64) -> String;

    /// Returns the speeds of time: names, and units of the model's time each second, infinite for as fast
    /// as the model can. A view begins with the first speed.
    fn speeds(&self) -> &'static [(&'static str, f64)];

    /// Returns what can be saved besides pictures: the `data-do` and the name of each.
    fn exports(&self) -> &'static [(&'static str, &'static str)];
}

/// An event of the pointer on a canvas, with places in the pixels of the style sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pointer {
    /// The pointer is at this place, and nothing is pressed.
    Over(f64, f64),
    /// The pointer was pressed at this place.
    Down(f64, f64),
    /// The pointer is at this place, pressed.
    Drag(f64, f64),
    /// The pointer has left the canvas, or is no longer pressed.
    Gone,
    /// The wheel was turned at this place, by this number of pixels.
    Wheel(f64, f64, f64),
}

impl Pointer {
    /// Returns the name of the canvas and the place on it that the pointer is over; none once it is gone.
    pub fn over(self, canvas: &str) -> Option<(String, f64, f64)> {
        match self {
            Self::Gone => None,
            Self::Over(x, y) | Self::Drag(x, y) | Self::Down(x, y) | Self::Wheel(x, y, _) => {
                Some((canvas.to_owned(), x, y))
            }
        }
    }
}

/// A request of a view.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Ask the model for this; an answer will come.
    Act(Vec<u8>),
    /// Get a new frame of the moment that is shown.
    Refresh,
    /// Draw again.
    Draw,
    /// Go to a time, and stay there.
    Seek(u64),
    /// Note a parameter's value, which the model has already.
    Parameter(String, String),
    /// Open the model anew with this value of a parameter.
    Reopen(String, String),
    /// Announce a text, for people who do not see the page.
    Say(String),
    /// Save a text as a file of this name.
    Save(String, String),
    /// Copy a text.
    Copy(String),
    /// Show a sentence about something that cannot be done.
    Problem(String),
}

impl Ask {
    /// Returns the request of an act of the view's own, as its model reads it ([`postcard`]).
    pub fn act(act: &impl Serialize) -> Self {
        // There is memory, or there is no page.
        Self::Act(postcard::to_allocvec(act).unwrap_or_default())
    }
}

/// The state of the page.
struct Page {
    workers: Workers,
    tabs: Vec<Tab>,
    current: usize,
    /// Whether a frame of the browser has been asked for.
    is_awake: bool,
    /// Function that the browser calls before its next frame.
    tick: Function,
}

thread_local! {
    static PAGE: RefCell<Option<Page>> = const { RefCell::new(None) };
}

/// Does something with the page; does nothing where another call is under way.
fn with<R>(act: impl FnOnce(&mut Page) -> R) -> Option<R> {
    PAGE.with(|page| page.try_borrow_mut().ok()?.as_mut().map(act))
}

/// Begins to show the page and to listen.
pub fn begin() {
    let workers = Workers::new(|reply, body| {
        with(|page| page.hear(reply, body));
    });
    let tick = Closure::<dyn Fn(f64)>::new(|time| {
        with(|page| page.tick(time));
    });
    let tick = tick.into_js_value().unchecked_into();
    let tabs = ViewKind::ALL.into_iter().map(Tab::new).collect();
    let page = Page { workers, tabs, current: 0, is_awake: false, tick };
    PAGE.with(|place| *place.borrow_mut() = Some(page));
    with(|page| page.list_tabs());
    input::listen();
    files::listen();
    with(Page::go_to_address);
}

/// Shows a text beside a place of a canvas, or hides the text.
pub fn tip(id: &str, at: Option<(&str, f64, f64)>, text: Option<String>) {
    let Some(place) = dom::by_id::<HtmlElement>(id) else { return };
    let canvas = at.and_then(|(canvas, ..)| dom::by_id::<HtmlElement>(canvas));
    let (Some((_, x, y)), Some(canvas), Some(text)) = (at, canvas, text) else {
        place.set_hidden(true);
        return;
    };
    place.set_hidden(false);
    place.set_text_content(Some(&text));
    let around = canvas.get_bounding_client_rect();
    let width = dom::document().document_element().map_or(0, |root| root.client_width());
    let left =
        (around.left() + x + 14.0).min(f64::from(width - place.offset_width()) - 8.0).max(4.0);
    let style = place.style();
    // Lengths of ours are possible.
    let _ = style.set_property("left", &format!("{left}px"));
    let _ = style.set_property("top", &format!("{}px", around.top() + y + 16.0));
}

impl Page {
    fn tab(&mut self) -> Option<&mut Tab> {
        self.tabs.get_mut(self.current)
    }

    /// Shows the view that the address names, in the state that it describes.
    fn go_to_address(&mut self) {
        let (name, parameters) = address::read();
        let found = self.tabs.iter().position(|tab| tab.kind.name() == name);
        self.current = found.unwrap_or(0);
        self.show_tab();
        let (is_known, nothing) = (found.is_some(), Parameters::default());
        let Some(tab) = self.tab() else { return };
        tab.set_address(if is_known { &parameters } else { &nothing });
        self.open();
    }

    /// Opens the model of the view that is shown.
    fn open(&mut self) {
        Self::say_problem("");
        let Some(tab) = self.tab() else { return };
        let what = What::Open(tab.parameters.clone());
        let files = tab.files.clone();
        tab.player.opens();
        self.send(what, &files);
        let asks = self.tab().map(|tab| tab.view.opened(&tab.parameters)).unwrap_or_default();
        self.carry_out(asks);
    }

    fn send(&mut self, what: What, body: &[u8]) {
        let Some(tab) = self.tabs.get_mut(self.current) else { return };
        tab.player.sent(&what);
        self.workers.send(&Request { view: tab.kind, what }, body);
    }

    fn hear(&mut self, Reply { view, what }: Reply, body: &[u8]) {
        let is_shown = self.tab().is_some_and(|tab| tab.kind == view);
        let Some(tab) = self.tabs.iter_mut().find(|tab| tab.kind == view) else { return };
        match what {
            Outcome::Frame { now, has_ended, took } => {
                tab.player.arrived(now, has_ended, took);
                tab.view.show(body);
                if is_shown {
                    self.rest();
                    self.go_on();
                    self.wake();
                }
            }
            Outcome::Answer => {
                tab.player.answered();
                let asks = tab.view.answer(body);
                self.carry_out(asks);
            }
            Outcome::Problem(sentence) => {
                tab.player.failed();
                if is_shown {
                    Self::say_problem(&sentence);
                }
                self.show_time();
            }
        }
    }

    /// Asks for the next frame, where one is due and none is on its way.
    fn go_on(&mut self) {
        if let Some(what) = self.tab().and_then(|tab| tab.player.next()) {
            self.send(what, &[]);
        }
    }

    /// Asks the browser for a call before its next frame.
    fn wake(&mut self) {
        if !self.is_awake {
            self.is_awake = dom::window().request_animation_frame(&self.tick).is_ok();
        }
    }

    fn tick(&mut self, time: f64) {
        self.is_awake = false;
        let Some(tab) = self.tab() else { return };
        tab.player.tick(time);
        let moves = tab.view.draw();
        let plays = tab.player.plays() || tab.player.seeks();
        self.go_on();
        self.show_time();
        if moves || plays {
            self.wake();
        }
    }

    fn carry_out(&mut self, asks: Vec<Ask>) {
        for ask in asks {
            match ask {
                Ask::Act(act) => self.send(What::Act(act), &[]),
                Ask::Refresh => {
                    if let Some(what) = self.tab().map(|tab| tab.player.again()) {
                        self.send(what, &[]);
                    }
                }
                Ask::Draw => self.wake(),
                Ask::Seek(to) => self.seek(to),
                Ask::Parameter(key, value) => {
                    if let Some(tab) = self.tab() {
                        tab.set_parameter(&key, &value);
                    }
                    self.write_address();
                }
                Ask::Reopen(key, value) => {
                    if let Some(tab) = self.tab() {
                        tab.set_parameter(&key, &value);
                    }
                    self.open();
                    self.write_address();
                }
                Ask::Say(text) => dom::set_text("said", &text),
                Ask::Save(name, text) => save::text(&name, &text),
                Ask::Copy(text) => save::copy(&text),
                Ask::Problem(sentence) => Self::say_problem(&sentence),
            }
        }
    }

    fn say_problem(sentence: &str) {
        let Some(place) = dom::by_id::<HtmlElement>("problem") else { return };
        if place.text_content().unwrap_or_default() != sentence {
            place.set_text_content(Some(sentence));
        }
        place.set_hidden(sentence.is_empty());
    }

    /// Puts the present time into the address, once nothing goes on.
    fn rest(&mut self) {
        let rests = self.tab().is_some_and(|tab| !tab.player.plays() && !tab.player.seeks());
        if rests {
            self.write_address();
        }
    }

    /// Puts the state of the view into the address, where it can be copied from.
    fn write_address(&mut self) {
        if let Some(tab) = self.tab() {
            let text = tab.address();
            address::replace(&text);
        }
    }
}
