//! What draws and listens.

fn main() {
    #[cfg(target_family = "wasm")]
    tresse_page::page::begin();
}
