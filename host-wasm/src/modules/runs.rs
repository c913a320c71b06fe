//! The worker of the views that run something, including the first view.

fn main() {
    #[cfg(target_family = "wasm")]
    tresse_page::worker::begin(tresse_page::views::in_runs);
}
