//! Short functions for the document.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, EventTarget, HtmlElement, NodeList, Window};

/// Returns the window, which exists wherever there is a page.
pub fn window() -> Window {
    js_sys::global().unchecked_into()
}

/// Returns the document of the window.
pub fn document() -> Document {
    Reflect::get(&window(), &"document".into()).unwrap_or_default().unchecked_into()
}

/// Returns the element of a name, where it is of this kind.
pub fn by_id<E: JsCast>(id: &str) -> Option<E> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// Returns all elements that a selector finds.
pub fn all<E: JsCast>(selector: &str) -> Vec<E> {
    document().query_selector_all(selector).map_or(Vec::new(), |found| elements(&found))
}

/// Returns all elements within another that a selector finds.
pub fn within<E: JsCast>(element: &Element, selector: &str) -> Vec<E> {
    element.query_selector_all(selector).map_or(Vec::new(), |found| elements(&found))
}

fn elements<E: JsCast>(found: &NodeList) -> Vec<E> {
    (0..found.length()).filter_map(|place| found.get(place)?.dyn_into().ok()).collect()
}

/// Shows or hides all elements that a selector finds.
pub fn show_some(selector: &str, are_shown: bool) {
    for element in all::<HtmlElement>(selector) {
        element.set_hidden(!are_shown);
    }
}

/// Sets the text of an element, unless the element has it already, so that the browser need not lay
/// out the page again.
pub fn set_text(id: &str, text: &str) {
    if let Some(element) = by_id::<Element>(id)
        && element.text_content().unwrap_or_default() != text
    {
        element.set_text_content(Some(text));
    }
}

/// Sets an attribute, unless the element has it already.
pub fn set_attribute(id: &str, name: &str, value: &str) {
    if let Some(element) = by_id::<Element>(id)
        && element.get_attribute(name).as_deref() != Some(value)
    {
        // Names of attributes are ours, and are possible.
        let _ = element.set_attribute(name, value);
    }
}

/// Listens to events for as long as the page lives.
pub fn listen<E: JsCast + 'static>(target: &EventTarget, kind: &str, act: impl Fn(E) + 'static) {
    let hear = Closure::<dyn Fn(web_sys::Event)>::new(move |event: web_sys::Event| {
        if let Ok(event) = event.dyn_into() {
            act(event);
        }
    });
    // A kind of event that does not exist is never heard of.
    let _ = target.add_event_listener_with_callback(kind, hear.as_ref().unchecked_ref());
    hear.forget();
}

/// Has the browser call one of two functions: once a promise is kept, or once it is broken.
pub fn then(promise: &Promise, kept: &JsValue, broken: &JsValue) {
    let then = Reflect::get(promise, &"then".into()).ok();
    if let Some(then) = then.and_then(|then| then.dyn_into::<Function>().ok()) {
        // Every promise takes two functions.
        let _ = then.call2(promise, kept, broken);
    }
}
