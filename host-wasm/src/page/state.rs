//! The state of the page: its views, which of them is shown, and what passes between it and its
//! model.

use std::cell::RefCell;

use js_sys::Function;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::HtmlElement;

use super::tab::Tab;
use super::view::{Ask, View};
use super::workers::Workers;
use super::{address, dom, save};
use crate::messages::{Outcome, Reply, Request, What};
use crate::parameters::Parameters;
use crate::view_kind::ViewKind;

/// The state of the page.
pub struct Page {
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
pub fn with<R>(act: impl FnOnce(&mut Page) -> R) -> Option<R> {
    PAGE.with(|page| page.try_borrow_mut().ok()?.as_mut().map(act))
}

impl Page {
    /// Begins the page with all views, none of which is open.
    pub fn begin(drawing: fn(ViewKind) -> Box<dyn View>) {
        let workers = Workers::new(|reply, body| {
            with(|page| page.on_reply(reply, body));
        });
        let tick = Closure::<dyn Fn(f64)>::new(|time| {
            with(|page| page.tick(time));
        });
        let tick = tick.into_js_value().unchecked_into();
        let tabs: Vec<_> =
            ViewKind::ALL.into_iter().map(|kind| Tab::new(kind, drawing(kind))).collect();
        tabs.iter().for_each(Tab::list);
        let page = Self { workers, tabs, current: 0, is_awake: false, tick };
        PAGE.with(|place| *place.borrow_mut() = Some(page));
    }

    /// Returns the view that is shown.
    pub fn tab(&mut self) -> Option<&mut Tab> {
        self.tabs.get_mut(self.current)
    }

    /// Shows the view that the address names, in the state that it describes.
    pub fn go_to_address(&mut self) {
        let (name, parameters) = address::read();
        let found = self.tabs.iter().position(|tab| tab.kind.name() == name);
        self.current = found.unwrap_or(0);
        for (place, tab) in self.tabs.iter().enumerate() {
            tab.show(place == self.current);
        }
        let (is_known, nothing) = (found.is_some(), Parameters::default());
        let Some(tab) = self.tab() else { return };
        tab.show_controls();
        tab.set_address(if is_known { &parameters } else { &nothing });
        self.open();
    }

    /// Opens the model of the view that is shown.
    pub fn open(&mut self) {
        Self::say_problem("");
        dom::set_text("copied", "");
        let Some(tab) = self.tab() else { return };
        let what = What::Open(tab.parameters.clone());
        let files = tab.files.clone();
        tab.player.opens();
        self.send(what, &files);
        let asks = self.tab().map(|tab| tab.view.opened(&tab.parameters)).unwrap_or_default();
        self.carry_out(asks);
    }

    /// Sends a request of the shown view to its worker.
    fn send(&mut self, what: What, body: &[u8]) {
        let Some(tab) = self.tabs.get_mut(self.current) else { return };
        tab.player.sent();
        self.workers.send(&Request { view: tab.kind, what }, body);
    }

    /// Handles a worker's reply: shows a frame, passes on an answer, or tells the problem.
    fn on_reply(&mut self, Reply { view, what }: Reply, body: &[u8]) {
        let is_shown = self.tab().is_some_and(|tab| tab.kind == view);
        let Some(tab) = self.tabs.iter_mut().find(|tab| tab.kind == view) else { return };
        match what {
            Outcome::Frame { now, has_ended, took } => {
                tab.player.arrived(now, has_ended, took);
                tab.view.show(body);
                if is_shown {
                    self.write_time_at_rest();
                    self.request_next_frame();
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
                    tab.show_time();
                }
            }
        }
    }

    /// Asks for the next frame, where one is due and none is on its way.
    pub fn request_next_frame(&mut self) {
        if let Some(what) = self.tab().and_then(|tab| tab.player.next()) {
            self.send(what, &[]);
        }
    }

    /// Asks the browser for a call before its next frame.
    pub fn wake(&mut self) {
        if !self.is_awake {
            self.is_awake = dom::window().request_animation_frame(&self.tick).is_ok();
        }
    }

    /// Draws one frame of the browser; `time` is its time in milliseconds. Asks for the next one
    /// while something moves.
    fn tick(&mut self, time: f64) {
        self.is_awake = false;
        let Some(tab) = self.tab() else { return };
        tab.player.tick(time);
        let moves = tab.view.draw();
        let plays = tab.player.plays() || tab.player.seeks();
        self.request_next_frame();
        if let Some(tab) = self.tab() {
            tab.show_time();
        }
        if moves || plays {
            self.wake();
        }
    }

    /// Does what a view asks for.
    pub fn carry_out(&mut self, asks: Vec<Ask>) {
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

    /// Shows a sentence about something that cannot be done, or none.
    pub fn say_problem(sentence: &str) {
        let Some(place) = dom::by_id::<HtmlElement>("problem") else { return };
        if place.text_content().unwrap_or_default() != sentence {
            place.set_text_content(Some(sentence));
        }
        place.set_hidden(sentence.is_empty());
    }

    /// Goes to a time, and stays there.
    pub fn seek(&mut self, to: u64) {
        if let Some(tab) = self.tab() {
            tab.player.set_playing(false);
            tab.player.seek(to);
        }
        self.request_next_frame();
        self.wake();
        self.write_address();
    }

    /// Puts the present time into the address, once nothing goes on.
    fn write_time_at_rest(&mut self) {
        let rests = self.tab().is_some_and(|tab| !tab.player.plays() && !tab.player.seeks());
        if rests {
            self.write_address();
        }
    }

    /// Puts the state of the view into the address, where it can be copied from.
    pub fn write_address(&mut self) {
        if let Some(tab) = self.tab() {
            let text = tab.address();
            address::replace(&text);
        }
    }
}
