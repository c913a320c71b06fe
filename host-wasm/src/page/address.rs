//! The address: the view, and all of its state.

use wasm_bindgen::JsValue;

use super::dom;
use crate::parameters::Parameters;

/// Returns the view that the address names, and its parameters.
pub fn read() -> (String, Parameters) {
    let hash = dom::window().location().hash().unwrap_or_default();
    let text = hash.strip_prefix('#').unwrap_or(&hash);
    let (name, parameters) = text.split_once('?').unwrap_or((text, ""));
    (name.to_owned(), Parameters::parse(parameters))
}

/// Changes the address without going anywhere.
pub fn replace(text: &str) {
    // Browsers take it ill where that is done all the time.
    if dom::window().location().hash().is_ok_and(|hash| hash == text) {
        return;
    }
    if let Ok(history) = dom::window().history() {
        // A page that may not do this has an address that says less.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(text));
    }
}
