//! The guide: pages for people, in `host-wasm/guide`.

#[doc = include_str!("../guide/page.md")]
pub mod page {}
