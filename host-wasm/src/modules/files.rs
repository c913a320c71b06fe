//! The worker of the views that read a person's files, loaded when one of these views is shown.

fn main() {
    #[cfg(target_family = "wasm")]
    tresse_page::worker::begin(tresse_page::views::in_files);
}
