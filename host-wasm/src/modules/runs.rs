//! The worker of the views that run something: what the first view needs.

fn main() {
    #[cfg(target_family = "wasm")]
    tresse_page::worker::begin(tresse_page::views::ViewKind::run);
}
