//! The worker of the views that read a person's files, loaded when one of them is looked at.

fn main() {
    #[cfg(target_family = "wasm")]
    tresse_page::worker::begin(tresse_page::views::ViewKind::reader);
}
