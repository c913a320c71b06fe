//! Passes a person's input on to the page and its views.

use wasm_bindgen::JsCast as _;
use web_sys::{
    Element, Event, EventTarget, HtmlCanvasElement, HtmlInputElement, HtmlSelectElement,
    KeyboardEvent, PointerEvent, WheelEvent,
};

use super::state::{Page, with};
use super::view::{Ask, Pointer, View};
use super::{dom, save};

/// Listens to all input, for as long as the page lives.
pub fn listen() {
    let (window, document) = (dom::window(), dom::document());
    dom::listen(&window, "hashchange", |_: Event| {
        with(Page::go_to_address);
    });
    for kind in ["resize", "focus"] {
        dom::listen(&window, kind, |_: Event| {
            with(Page::wake);
        });
    }
    if let Ok(Some(dark)) = window.match_media("(prefers-color-scheme: dark)") {
        dom::listen(&dark, "change", |_: Event| {
            with(Page::wake);
        });
    }
    dom::listen(&document, "change", |event: Event| changed(&event));
    dom::listen(&document, "input", |event: Event| {
        let slider = target::<HtmlInputElement>(&event).filter(|input| input.type_() == "range");
        let Some(slider) = slider else { return };
        match slider.id().as_str() {
            "scrub" => {
                with(|page| page.scrub(slider.value_as_number()));
            }
            id => dom::set_text(&format!("{id}-says"), &slider.value()),
        }
    });
    dom::listen(&document, "submit", |event: Event| event.prevent_default());
    dom::listen(&document, "click", |event: Event| clicked(&event));
    dom::listen(&document, "keydown", |event: KeyboardEvent| pressed(&event));
    for kind in ["pointermove", "pointerdown", "pointerup", "pointerout", "pointercancel"] {
        dom::listen(&document, kind, move |event: PointerEvent| pointed(kind, &event));
    }
    for canvas in dom::all::<HtmlCanvasElement>("canvas") {
        dom::listen(&canvas, "wheel", |event: WheelEvent| {
            let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
            // Where the wheel means something else, the page does not move.
            if target::<Element>(&event).is_some_and(|on| on.has_attribute("data-wheel")) {
                event.prevent_default();
            }
            pointer_on(&event, Pointer::Wheel(x, y, event.delta_y()));
        });
    }
}

/// Returns the element that an event happens on, if it is of this type.
fn target<E: wasm_bindgen::JsCast>(event: &Event) -> Option<E> {
    event.target()?.dyn_into().ok()
}

/// Returns the nearest element around a target that a selector finds.
fn around(target: Option<EventTarget>, selector: &str) -> Option<Element> {
    target?.dyn_into::<Element>().ok()?.closest(selector).ok()?
}

/// Handles a changed control: the speed, a parameter of the run, or the look of the view.
fn changed(event: &Event) {
    let Some(control) = target::<Element>(event) else { return };
    if control.id() == "speed" {
        let place = control.dyn_ref().map_or(0, HtmlSelectElement::selected_index);
        with(|page| page.set_speed(usize::try_from(place).unwrap_or(0)));
    } else if control.has_attribute("name") {
        with(Page::form_has_changed);
    } else if let Some(key) = control.get_attribute("data-look") {
        let value = control.dyn_ref().map(HtmlSelectElement::value);
        let value =
            value.or_else(|| control.dyn_ref().map(HtmlInputElement::value)).unwrap_or_default();
        with(|page| page.dispatch_to_view(|view| view.look(&key, &value)));
        with(Page::write_address);
    }
}

/// Handles a click on a button: a command of the view, or one of the page's own.
fn clicked(event: &Event) {
    let Some(button) = around(event.target(), "button") else { return };
    if let Some(what) = button.get_attribute("data-do") {
        Page::say_problem("");
        with(|page| page.dispatch_to_view(|view| view.command(&what)));
        return;
    }
    match button.id().as_str() {
        "play" => with(Page::toggle),
        "step" => with(Page::step),
        "reset" => with(|page| page.scrub(0.0)),
        "copy-link" => with(|page| {
            page.write_address();
            save::copy(&dom::window().location().href().unwrap_or_default());
        }),
        "save-picture" => with(Page::save_pictures),
        _ => None,
    };
}

/// Handles the keys of the whole page, unless a person is writing in a field.
fn pressed(event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let key = event.key();
    let on = around(event.target(), "canvas, input, select, textarea, button, summary, a");
    let kind = on.as_ref().map(Element::tag_name).unwrap_or_default();
    let is_canvas = kind == "CANVAS";
    if is_canvas && let Some(canvas) = &on {
        let name = canvas.id();
        let asks = with(|page| page.tab().and_then(|tab| tab.view.key(&name, &key))).flatten();
        if let Some(asks) = asks {
            event.prevent_default();
            with(|page| page.carry_out(asks));
            return;
        }
    }
    if !kind.is_empty() && !is_canvas && (kind != "A" || key == "Enter") {
        return;
    }
    let done = match key.as_str() {
        " " => with(Page::toggle),
        "." | "ArrowRight" => with(Page::step),
        "Home" => with(|page| page.scrub(0.0)),
        _ => None,
    };
    if done.is_some() {
        event.prevent_default();
    }
}

/// Translates an event of the pointer into one of a canvas, in pixels of the style sheet.
fn pointed(kind: &str, event: &PointerEvent) {
    let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
    let what = match kind {
        "pointerdown" => Pointer::Down(x, y),
        "pointermove" if event.buttons() & 1 == 1 => Pointer::Drag(x, y),
        "pointermove" => Pointer::Over(x, y),
        _ => Pointer::Gone,
    };
    pointer_on(event, what);
}

/// Passes a pointer's action on to the view, if it is on a canvas.
fn pointer_on(event: &Event, what: Pointer) {
    if let Some(canvas) = target::<HtmlCanvasElement>(event) {
        let name = canvas.id();
        with(|page| page.dispatch_to_view(|view| view.pointer(&name, what)));
    }
}

impl Page {
    /// Lets the shown view act, and sends what it asks of its model.
    fn dispatch_to_view(&mut self, act: impl FnOnce(&mut dyn View) -> Vec<Ask>) {
        let asks = self.tab().map(|tab| act(&mut *tab.view)).unwrap_or_default();
        self.carry_out(asks);
        self.wake();
    }

    /// Opens the model anew with the values of the form.
    fn form_has_changed(&mut self) {
        if let Some(tab) = self.tab() {
            tab.read_form();
            tab.player.set_playing(true);
        }
        self.open();
        self.write_address();
    }

    /// Plays or pauses. A run that has ended plays again from its start.
    fn toggle(&mut self) {
        let Some(tab) = self.tab() else { return };
        if tab.player.has_ended() {
            // From the start again.
            tab.player.seek(0);
        }
        let plays = !tab.player.plays();
        tab.player.set_playing(plays);
        self.request_next_frame();
        self.wake();
        self.write_address();
    }

    /// Advances the run by one step.
    fn step(&mut self) {
        if let Some(tab) = self.tab() {
            tab.player.step();
        }
        self.request_next_frame();
        self.wake();
        self.write_address();
    }

    /// Seeks a time, in the model's unit: nanoseconds, or iterations in Grapevine.
    fn scrub(&mut self, time: f64) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let time = time.max(0.0) as u64;
        self.seek(time);
    }

    /// Sets the speed of playing, by its place in the view's list.
    fn set_speed(&mut self, place: usize) {
        if let Some(tab) = self.tab()
            && let Some((_, speed)) = tab.view.speeds().get(place)
        {
            tab.player.set_speed(*speed);
        }
        self.request_next_frame();
        self.wake();
    }

    /// Saves each canvas of the view as a picture.
    fn save_pictures(&mut self) {
        if let Some(tab) = self.tab() {
            save::pictures(tab.kind.name());
        }
    }
}
