//! A page, and the actions of a person on it.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, io};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::{Browser, Media};

/// Time after which an event that is waited for counts as never coming.
const NEVER: Duration = Duration::from_mins(1);

/// A page that is open.
#[derive(Clone, Copy, Debug)]
pub struct Page<'b> {
    /// Browser that shows the page.
    pub browser: &'b Browser,
}

impl<'b> Page<'b> {
    pub(crate) const fn new(browser: &'b Browser) -> Self {
        Self { browser }
    }

    /// Goes to an address.
    pub fn go(self, address: &str) {
        self.browser.call("/url", &json!({"url": address}));
    }

    /// Returns its address.
    pub fn address(self) -> String {
        self.browser.get("/url").as_str().unwrap_or_default().to_owned()
    }

    /// Sets the screen and what the system asks for.
    pub fn set_media(self, media: Media) {
        let Media { size: (width, height), ratio, is_phone, is_dark, is_still } = media;
        let screen = json!({"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": is_phone});
        self.browser.devtools("Emulation.setDeviceMetricsOverride", &screen);
        let scheme = if is_dark { "dark" } else { "light" };
        let motion = if is_still { "reduce" } else { "no-preference" };
        let features = json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion},
        ]});
        self.browser.devtools("Emulation.setEmulatedMedia", &features);
    }

    /// Runs a script's body, and waits for what it promises.
    pub fn run(self, script: &str) -> Value {
        self.browser.call("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Returns the value of an expression.
    pub fn eval(self, expression: &str) -> Value {
        self.run(&format!("return ({expression});"))
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// If it never is.
    pub fn wait(self, expression: &str) {
        let start = Instant::now();
        while !is_true(&self.eval(expression)) {
            let problem = self.text("#problem");
            assert!(start.elapsed() < NEVER, "never: {expression}; the page says “{problem}”");
            sleep(Duration::from_millis(20));
        }
    }

    /// Returns the text of an element.
    pub fn text(self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector({selector:?})?.textContent ?? ''"));
        text.as_str().unwrap_or_default().to_owned()
    }

    fn element(self, selector: &str) -> String {
        let found =
            self.browser.call("/element", &json!({"using": "css selector", "value": selector}));
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str);
        id.unwrap_or_default().to_owned()
    }

    /// Clicks on an element.
    pub fn click(self, selector: &str) {
        self.browser.call(&format!("/element/{}/click", self.element(selector)), &json!({}));
    }

    /// Gives a form's control a value, as a person does who then leaves it.
    pub fn set(self, selector: &str, value: &str) {
        self.run(&format!(
            "const control = document.querySelector({selector:?}); control.value = {value:?};
             for (const kind of ['input', 'change']) control.dispatchEvent(new Event(kind, {{ bubbles: true }}));"
        ));
    }

    /// Presses keys one after the other, wherever the focus is.
    pub fn keys(self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()}))
            })
            .collect();
        let source = json!({"type": "key", "id": "keys", "actions": actions});
        self.browser.call("/actions", &json!({"actions": [source]}));
    }

    /// Presses the pointer at a place of an element, given as shares of its width and height.
    pub fn press(self, selector: &str, (across, down): (f64, f64)) {
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'center' }});
               const r = e.getBoundingClientRect();
               return [r.left + r.width * {across}, r.top + r.height * {down}]; }})()"
        ));
        let [x, y] = [0, 1].map(|at: usize| place[at].as_f64().unwrap_or(0.0).round());
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let pressed = kind != "mouseMoved";
            self.browser.devtools(
                "Input.dispatchMouseEvent",
                &json!({"type": kind, "x": x, "y": y, "button": if pressed { "left" } else { "none" },
                    "buttons": i32::from(kind == "mousePressed"), "clickCount": i32::from(pressed)}),
            );
        }
    }

    /// Drops files on an element.
    pub fn drop_files(self, selector: &str, paths: &[PathBuf]) {
        let place = self.eval(&format!(
            "(() => {{ const r = document.querySelector({selector:?}).getBoundingClientRect();
               return [r.left + r.width / 2, Math.max(r.top, 0) + 20]; }})()"
        ));
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({"items": [], "files": paths, "dragOperationsMask": 1});
            self.browser.devtools(
                "Input.dispatchDragEvent",
                &json!({"type": kind, "x": place[0], "y": place[1], "data": data}),
            );
        }
    }

    /// Types into an element; where that takes files, their paths, a line each.
    pub fn type_into(self, selector: &str, text: &str) {
        let path = format!("/element/{}/value", self.element(selector));
        self.browser.call(&path, &json!({"text": text}));
    }

    /// Returns a number that stands for the pixels of a canvas.
    pub fn pixels(self, canvas: &str) -> i64 {
        let hash = self.eval(&format!(
            "(() => {{ const c = document.querySelector({canvas:?});
               const copy = new OffscreenCanvas(c.width, c.height).getContext('2d'); copy.drawImage(c, 0, 0);
               let hash = 17; for (const v of new Uint32Array(copy.getImageData(0, 0, c.width, c.height).data.buffer))
                 hash = (Math.imul(hash, 31) + v) | 0;
               return hash; }})()"
        ));
        hash.as_i64().unwrap_or_default()
    }

    /// Stores a picture of what is seen.
    pub fn screenshot(self, path: &Path) -> io::Result<()> {
        let picture = self.browser.devtools("Page.captureScreenshot", &json!({"format": "png"}));
        let text = picture["data"].as_str().unwrap_or_default();
        fs::write(path, BASE64_STANDARD.decode(text).map_err(io::Error::other)?)
    }

    /// Returns the errors among the console's messages.
    pub fn errors(self) -> Vec<String> {
        let log = self.browser.log().into_iter();
        log.filter(|line| line.contains("SEVERE") || line.contains("WARNING")).collect()
    }
}

fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}
