//! A Chromium and what drives it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Page;
use crate::site::end_with_us;

/// Name of this machine by which the browser takes it for another one, which it does not trust.
pub const INSECURE: &str = "elsewhere.test";

/// Flags of the whole browser.
const FLAGS: [&str; 7] = [
    "--headless=new",
    // Whoever tests in a container is root there.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--host-resolver-rules=MAP elsewhere.test 127.0.0.1",
];

/// The screen and what the system asks for.
#[derive(Clone, Copy, Debug)]
pub struct Media {
    /// Width and height in pixels of the style sheet.
    pub size: (u32, u32),
    /// Pixels of the screen for one of them.
    pub ratio: u32,
    /// Whether it is a phone.
    pub is_phone: bool,
    /// Whether dark colours are asked for.
    pub is_dark: bool,
    /// Whether less motion is.
    pub is_still: bool,
}

impl Media {
    /// A screen on a desk.
    pub const DESK: Self =
        Self { size: (1280, 800), ratio: 1, is_phone: false, is_dark: false, is_still: false };
    /// A phone.
    pub const PHONE: Self = Self { size: (390, 844), ratio: 2, is_phone: true, ..Self::DESK };
}

/// A browser of its own, with a fresh profile, for as long as this lives.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    /// Address of the session.
    address: String,
    agent: ureq::Agent,
    profile: TempDir,
    /// Folder of downloads.
    pub downloads: TempDir,
}

impl Browser {
    /// Starts one.
    ///
    /// # Panics
    /// If there is no `chromedriver` or no Chromium (`apt-get install chromium chromium-driver`).
    pub fn start() -> Self {
        let mut command = end_with_us(Path::new("chromedriver"));
        let command = command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = command.spawn().unwrap_or_else(|error| panic!("chromedriver: {error}"));
        let says = driver.stdout.take().map(BufReader::new);
        let mut lines = says.into_iter().flat_map(BufReader::lines).map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.unwrap_or_else(|| panic!("chromedriver does not say its port"));
        // What it says later is read, or it would wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let folder = || TempDir::new().unwrap_or_else(|error| panic!("{error}"));
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let mut browser = Self {
            driver,
            address: format!("http://127.0.0.1:{port}/session"),
            agent: config.into(),
            profile: folder(),
            downloads: folder(),
        };
        browser.open_session();
        browser
    }

    fn open_session(&mut self) {
        let profile = format!("--user-data-dir={}", self.profile.path().display());
        let flags: Vec<&str> = FLAGS.into_iter().chain([&*profile]).collect();
        let options = json!({"args": flags, "prefs": {
            "download.default_directory": self.downloads.path(), "download.prompt_for_download": false,
        }});
        let wanted = json!({"browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}});
        let made = self.call("", &json!({"capabilities": {"alwaysMatch": wanted}}));
        let session = made.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        assert!(!session.is_empty(), "no browser: {made}");
        self.address = format!("{}/{session}", self.address);
    }

    /// Returns a new page at an address, with nothing left of others.
    pub fn page(&self, address: &str, media: Media) -> Page<'_> {
        let before = self.get("/window/handles");
        let made = self.call("/window/new", &json!({"type": "tab"}));
        for old in before.as_array().into_iter().flatten() {
            self.call("/window", &json!({"handle": old}));
            self.delete("/window");
        }
        self.call("/window", &json!({"handle": made.get("handle")}));
        self.log();
        let page = Page::new(self);
        page.set_media(media);
        page.go(address);
        page
    }

    /// Returns the console's messages since the last call.
    pub fn log(&self) -> Vec<String> {
        let log = self.call("/se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| format!("{} {}", entry["level"], entry["message"])).collect()
    }

    /// Sends a command of the `DevTools` protocol, and returns the answer.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.call("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// Sends a command of `WebDriver`, and returns the answer.
    ///
    /// # Panics
    /// If it refuses.
    pub fn call(&self, path: &str, body: &Value) -> Value {
        let answer = self.agent.post(format!("{}{path}", self.address)).send_json(body);
        value(path, answer)
    }

    /// Sends a question to `WebDriver`, and returns the answer.
    pub fn get(&self, path: &str) -> Value {
        value(path, self.agent.get(format!("{}{path}", self.address)).call())
    }

    fn delete(&self, path: &str) -> Value {
        value(path, self.agent.delete(format!("{}{path}", self.address)).call())
    }
}

fn value(path: &str, answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Value {
    let mut answer = answer.unwrap_or_else(|error| panic!("{path}: {error}"));
    let is_done = answer.status().is_success();
    let body = answer.body_mut().with_config().limit(1 << 28).read_json::<Value>();
    let body = body.unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(is_done, "{path}: {}", body["value"]["message"]);
    body.get("value").cloned().unwrap_or_default()
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its Chromium ends with it.
        let _ = self.agent.delete(&self.address).call();
        let _ = self.driver.kill().and_then(|()| self.driver.wait());
    }
}
