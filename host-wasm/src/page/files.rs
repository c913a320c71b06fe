//! Files that a person drops on a view, or opens there. They are read here, and sent only to the
//! worker.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{DragEvent, Element, Event, FileList, HtmlElement, HtmlInputElement};

use super::dom;
use super::state::{Page, with};
use crate::files::{GivenFile, pack};

/// Listens to dropped and opened files for as long as the page lives.
pub fn listen() {
    let document = dom::document();
    dom::listen(&document, "dragover", |event: DragEvent| {
        // Without that nothing can be dropped; elsewhere the browser would leave the page for the
        // file.
        event.prevent_default();
    });
    dom::listen(&document, "drop", |event: DragEvent| {
        event.prevent_default();
        if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
            read(&files);
        }
    });
    dom::listen(&document, "change", |event: Event| {
        let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        if let Some(input) = input.filter(|input| input.has_attribute("data-open"))
            && let Some(files) = input.files()
        {
            read(&files);
            // The same file can be opened again.
            input.set_value("");
        }
    });
    dom::listen(&document, "click", |event: Event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.is_some_and(|target| target.has_attribute("data-forget")) {
            with(|page| page.open_files(&[]));
        }
    });
}

/// Reads files, and opens them in the view that is shown once all are read.
fn read(files: &FileList) {
    let files: Vec<_> = (0..files.length()).filter_map(|place| files.get(place)).collect();
    if files.is_empty() {
        return;
    }
    let names: Vec<String> = files.iter().map(web_sys::File::name).collect();
    let bytes: Array = files.iter().map(|file| file.array_buffer()).collect();
    let done = Closure::once_into_js(move |bytes: Array| {
        let given = |(name, bytes)| GivenFile { name, bytes: Uint8Array::new(&bytes).to_vec() };
        let files: Vec<_> = names.into_iter().zip(bytes.iter()).map(given).collect();
        with(|page| page.open_files(&files));
    });
    let failed = Closure::once_into_js(|| Page::say_problem("The file could not be read."));
    dom::then(&Promise::all(&bytes), &done, &failed);
}

impl Page {
    /// Opens files in the view that is shown, or only its parameters where there are no files.
    fn open_files(&mut self, files: &[GivenFile]) {
        let Some(tab) = self.tab() else { return };
        let section = dom::by_id::<Element>(&format!("view-{}", tab.kind.name()));
        let Some(section) = section.filter(|section| section.has_attribute("data-file")) else {
            let sentence =
                "This view opens no files: drop a load trace on Grapevine, a recording on Replay.";
            Self::say_problem(sentence);
            return;
        };
        for forget in dom::within::<HtmlElement>(&section, "[data-forget]") {
            forget.set_hidden(files.is_empty());
        }
        tab.files = if files.is_empty() { Vec::new() } else { pack(files) };
        tab.player.set_playing(true);
        self.open();
        self.write_address();
    }
}
