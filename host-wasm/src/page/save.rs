//! Saves pictures, tables and links for a person to keep.

use js_sys::{Array, Promise};
use serde::Serialize;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlCanvasElement, Url};

use super::dom;
use super::view::Ask;

/// Names of the files for the texts that were asked of a model, in the order in which the answers
/// come.
#[derive(Debug, Default)]
pub struct Saves(Vec<&'static str>);

impl Saves {
    /// Returns the request of a text that is to be saved under a name; without a name it is only
    /// said.
    pub fn ask(&mut self, name: &'static str, act: &impl Serialize) -> Vec<Ask> {
        self.0.push(name);
        vec![Ask::act(act)]
    }

    /// Returns the request that saves the text under the name that is due, or says the text where
    /// that name is empty; none where no text was asked for.
    pub fn take(&mut self, text: String) -> Vec<Ask> {
        if self.0.is_empty() {
            return Vec::new();
        }
        match self.0.remove(0) {
            "" => vec![Ask::Say(text)],
            name => vec![Ask::Save(name.to_owned(), text)],
        }
    }

    /// Forgets all names, since another model is opened.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Saves a text as a file.
pub fn text(name: &str, text: &str) {
    let options = BlobPropertyBag::new();
    options.set_type("text/plain;charset=utf-8");
    let parts = Array::of1(&text.into());
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &options) {
        download(name, &blob);
    }
}

/// Saves each canvas of a view as a file.
pub fn pictures(view: &str) {
    for canvas in dom::all::<HtmlCanvasElement>(&format!("#view-{view} canvas")) {
        let name = format!("{}.png", canvas.id());
        let save = Closure::once_into_js(move |blob: Option<Blob>| {
            if let Some(blob) = blob {
                download(&name, &blob);
            }
        });
        // A canvas without any size has no picture.
        let _ = canvas.to_blob(save.unchecked_ref());
    }
}

/// Copies a text and says so; where the browser does not let a page do so, shows the text.
pub fn copy(text: &str) {
    let say = |how: &str| {
        let text = format!("{how}: {text}");
        Closure::once_into_js(move || dom::set_text("copied", &text))
    };
    let clipboard = dom::window().navigator().clipboard();
    // Only a page from this machine or by HTTPS has one.
    let copied = if clipboard.is_undefined() {
        Promise::reject(&JsValue::UNDEFINED)
    } else {
        clipboard.write_text(text)
    };
    dom::then(&copied, &say("Copied"), &say("To be copied by hand"));
}

/// Saves a blob under a name in the browser's folder of downloads.
fn download(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    let link = dom::document().create_element("a").ok().and_then(|link| link.dyn_into().ok());
    if let Some(link) = link {
        let link: HtmlAnchorElement = link;
        link.set_href(&address);
        link.set_download(name);
        link.click();
    }
    // It has been read by then.
    let _ = Url::revoke_object_url(&address);
}
