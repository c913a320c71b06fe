//! The program itself, for tests that drive it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The path of `tresse`, built from what is there now.
///
/// # Panics
/// Where it does not build.
pub fn tresse() -> &'static PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--package", "tresse", "--bin", "tresse"])
            .args(["--message-format", "json-render-diagnostics"])
            .output()
            .unwrap_or_else(|error| panic!("cargo does not run: {error}"));
        let messages = output
            .stdout
            .split(|&byte| byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
        messages
            .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
            .next_back()
            .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    })
}
