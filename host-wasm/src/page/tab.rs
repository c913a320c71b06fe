//! A view with its tab, its form, its time, and its address.

use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement};

use super::dom;
use super::form::Control;
use super::player::Player;
use super::view::View;
use crate::parameters::Parameters;
use crate::view_kind::ViewKind;

/// Key of the time in an address.
const AT: &str = "at";

/// One view on the page.
pub struct Tab {
    pub kind: ViewKind,
    pub view: Box<dyn View>,
    pub player: Player,
    /// Parameters with which the model was, or is to be, opened.
    pub parameters: Parameters,
    /// Packed files that the view shows ([`crate::files`]); empty where it shows none.
    pub files: Vec<u8>,
    controls: Vec<Control>,
    looks: Vec<Control>,
}

impl Tab {
    /// Returns the view in the state of the page's text.
    pub fn new(kind: ViewKind, view: Box<dyn View>) -> Self {
        let section = dom::by_id::<Element>(&format!("view-{}", kind.name()));
        let of =
            |attribute| section.as_ref().map_or(Vec::new(), |root| Control::all(root, attribute));
        let (_, speed) = view.speeds().first().copied().unwrap_or(("", f64::INFINITY));
        let mut tab = Self {
            kind,
            view,
            player: Player::new(speed),
            parameters: Parameters::default(),
            files: Vec::new(),
            controls: of("name"),
            looks: of("data-look"),
        };
        tab.read_form();
        tab
    }

    /// Returns the view's title.
    pub fn title(&self) -> String {
        let section = dom::by_id::<Element>(&format!("view-{}", self.kind.name()));
        section.and_then(|section| section.get_attribute("data-view")).unwrap_or_default()
    }

    /// Sets the parameters to the values of the form.
    pub fn read_form(&mut self) {
        self.parameters = Parameters::default();
        for control in &self.controls {
            self.parameters.set(&control.key, &control.value());
        }
    }

    /// Sets a parameter, and the value in the form.
    pub fn set_parameter(&mut self, key: &str, value: &str) {
        self.parameters.set(key, value);
        if let Some(control) = self.controls.iter().find(|control| control.key == key) {
            control.set(value);
        }
    }

    /// Takes over the state in an address; everything that the address does not mention is as in
    /// the text of the page. The model has to be opened after that, and to be asked for what the
    /// looks need.
    pub fn set_address(&mut self, address: &Parameters) {
        for control in self.controls.iter().chain(&self.looks) {
            // Nothing at all is written as a lone minus.
            match address.get(&control.key) {
                Some("-") => control.set(""),
                Some(value) => control.set(value),
                None => control.set(control.default()),
            }
        }
        self.read_form();
        if let Some(at) = address.get(AT).and_then(|at| at.parse().ok()) {
            self.player.open_at(at);
        } else {
            self.player.set_playing(true);
        }
        for look in &self.looks {
            self.view.look(&look.key, &look.value());
        }
    }

    /// Returns the address of the present state: the values that differ from the text of the page,
    /// and the time, where it rests.
    pub fn address(&self) -> String {
        let mut address = Parameters::default();
        for control in self.controls.iter().chain(&self.looks) {
            let value = control.value();
            if value.trim() != control.default() {
                address.set(&control.key, if value.trim().is_empty() { "-" } else { &value });
            }
        }
        if !self.player.plays() && self.player.now() > 0 {
            address.set(AT, &self.player.now().to_string());
        }
        let and = if address.pairs().next().is_some() { "?" } else { "" };
        format!("#{}{and}{address}", self.kind.name())
    }

    /// Adds a link to the view to the tabs.
    pub fn list(&self) {
        let Some(list) = dom::by_id::<Element>("tabs") else { return };
        let made = [dom::document().create_element("li"), dom::document().create_element("a")];
        let [Ok(item), Ok(link)] = made else { return };
        link.set_text_content(Some(&self.title()));
        // Attributes and elements of ours are possible.
        let _ = link.set_attribute("href", &format!("#{}", self.kind.name()));
        let _ = link.set_attribute("id", &format!("tab-{}", self.kind.name()));
        let _ = item.append_child(&link).and_then(|_| list.append_child(&item));
    }

    /// Shows the view, or hides it.
    pub fn show(&self, is_current: bool) {
        let name = self.kind.name();
        if let Some(section) = dom::by_id::<HtmlElement>(&format!("view-{name}")) {
            section.set_hidden(!is_current);
        }
        if let Some(link) = dom::by_id::<Element>(&format!("tab-{name}")) {
            let _ = if is_current {
                link.set_attribute("aria-current", "page")
            } else {
                link.remove_attribute("aria-current")
            };
        }
    }

    /// Shows the title, the speeds and the exports of the view, in the place of another's.
    pub fn show_controls(&self) {
        if let Some(transport) = dom::by_id::<HtmlElement>("transport") {
            transport.set_hidden(false);
        }
        dom::document().set_title(&format!("{} – Tresse", self.title()));
        let speeds = self.view.speeds();
        list("speed", "option", speeds.iter().map(|(name, _)| (*name, *name)));
        list("exports", "button", self.view.exports().iter().copied());
        let is_chosen = |(_, speed): &(_, f64)| speed.total_cmp(&self.player.speed()).is_eq();
        let chosen = speeds.iter().position(is_chosen);
        if let Some(select) = dom::by_id::<HtmlSelectElement>("speed") {
            select.set_selected_index(
                chosen.and_then(|place| i32::try_from(place).ok()).unwrap_or(0),
            );
        }
    }

    /// Shows the present time, and the controls for it.
    pub fn show_time(&self) {
        let player = &self.player;
        let time = self.view.time(player.now());
        dom::set_text("time", &time);
        if let Some(scrub) = dom::by_id::<HtmlInputElement>("scrub") {
            let most = player.furthest().max(1).to_string();
            if scrub.max() != most {
                scrub.set_max(&most);
            }
            if !player.seeks() {
                scrub.set_value(&player.now().to_string());
            }
            dom::set_attribute("scrub", "aria-valuetext", &time);
        }
        let plays = player.plays();
        dom::set_attribute("play", "aria-label", if plays { "Pause" } else { "Play" });
        if let Some(play) = dom::by_id::<Element>("play") {
            // Attributes of ours are possible.
            let _ = play.toggle_attribute_with_force("data-plays", plays);
        }
    }
}

/// Fills an element with one element of this kind for each item, a value and a text.
fn list<'a>(id: &str, kind: &str, items: impl Iterator<Item = (&'a str, &'a str)>) {
    let Some(place) = dom::by_id::<Element>(id) else { return };
    place.set_text_content(None);
    for (value, text) in items {
        let Ok(item) = dom::document().create_element(kind) else { return };
        item.set_text_content(Some(text));
        // Attributes and elements of ours are possible.
        let _ = match kind {
            "button" => item
                .set_attribute("data-do", value)
                .and_then(|()| item.set_attribute("type", "button")),
            _ => item.set_attribute("value", value),
        };
        let _ = place.append_child(&item);
    }
}
