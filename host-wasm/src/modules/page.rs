//! The module that draws the page and listens to events.

fn main() {
    #[cfg(target_family = "wasm")]
    tresse_page::page::begin(tresse_page::views::drawing);
}
