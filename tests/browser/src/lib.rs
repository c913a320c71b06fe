//! The page in a real browser: Chromium without a window, driven by its `WebDriver`.
//!
//! [`Site`] is the page as `tresse-wasm` serves it, [`Browser`] a Chromium of its own with a fresh
//! profile that ends with whoever started it, [`Page`] one page of it with what a person does
//! there. Nothing waits for a time: [`Page::wait`] waits for what the page says of itself.

mod browser;
mod page;
pub mod recording;
mod site;

pub use browser::{Browser, INSECURE, Media};
pub use page::Page;
pub use site::{Site, tresse};
