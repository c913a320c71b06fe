//! The core is pure: compiled for a server, a microcontroller and a browser, its functions refer to
//! nothing but memory copies and integer or float arithmetic. No panic, no formatting, no allocator.

#![expect(clippy::expect_used, reason = "what cargo builds and prints is no input of ours")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustc_demangle::demangle;
use tresse_tests::symbols::References;

/// The core itself, and its generic and inlined functions as a host has them.
const LOOKED_AT: [&str; 2] = ["tresse_core", "tresse_purity_probe"];

#[test]
fn compiled_for_a_server() {
    assert_pure("x86_64-unknown-linux-gnu");
}

#[test]
fn compiled_for_a_microcontroller() {
    assert_pure("thumbv7em-none-eabihf");
}

#[test]
fn compiled_for_a_browser() {
    assert_pure("wasm32-unknown-unknown");
}

/// Checks the checker: a crate of the same build that is known to have panicking paths.
#[test]
fn panicking_paths_would_be_found() {
    let target = "thumbv7em-none-eabihf";
    assert!(offences(target, &["serde_core"]).iter().any(|line| line.contains("panic")));
}

fn assert_pure(target: &str) {
    let found = offences(target, &LOOKED_AT);
    assert!(found.is_empty(), "{target}: {} references:\n{}", found.len(), found.join("\n"));
}

/// One line for each reference that a pure function does not have.
fn offences(target: &str, crates: &[&str]) -> Vec<String> {
    let mut references = References::default();
    let mut roots = Vec::new();
    for (name, rlib) in build(target) {
        let functions = references.read(&rlib).expect("an rlib is an archive of objects");
        if crates.contains(&name.as_str()) {
            assert!(!functions.is_empty(), "{} has no functions", rlib.display());
            roots.extend(functions);
        }
    }
    let outside = references.reached_outside(&roots);
    let impure = outside.into_iter().filter(|(_, symbol)| !is_pure(symbol, target));
    impure
        .map(|(user, symbol)| format!("  {:#} <- {:#}", demangle(&symbol), demangle(&user)))
        .collect()
}

/// Builds the probe for a target; each crate of it with its `.rlib`.
fn build(target: &str) -> Vec<(String, PathBuf)> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/purity");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "tresse-purity-probe", "--target", target])
        .args(["--target-dir", directory, "--message-format", "json-render-diagnostics"])
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        // Else a crate is cut into units after all, whose inlined functions are looked for outside it.
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "the core does not build for {target}; if the target is missing: \
         rustup target add {target}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let messages = output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let messages = messages.map(|line| {
        serde_json::from_slice::<serde_json::Value>(line).expect("cargo's messages are JSON")
    });
    messages
        .filter_map(|message| {
            let name = message["target"]["name"].as_str()?.to_owned();
            let mut files =
                message["filenames"].as_array()?.iter().filter_map(|file| file.as_str());
            let rlib = |file: &&str| {
                file.contains(target) && Path::new(file).extension() == Some(OsStr::new("rlib"))
            };
            Some((name, PathBuf::from(files.find(rlib)?)))
        })
        .collect()
}

/// Memory copies, and what the compiler calls for arithmetic that the processor does not have.
fn is_pure(symbol: &str, target: &str) -> bool {
    const MEMORY: [&str; 5] = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];
    const FLOATS: [&str; 4] = ["fmin", "fmax", "fminf", "fmaxf"];
    const LINKER: [&str; 4] = [
        "__linear_memory",
        "__stack_pointer",
        "__indirect_function_table",
        "_GLOBAL_OFFSET_TABLE_",
    ];
    // A WebAssembly object names what it takes from the crates that are looked at themselves, and
    // from the mathematics that the other two targets follow to its end.
    let looked_at = target.starts_with("wasm32")
        && ["tresse_core::", "tresse_purity_probe::", "libm::"]
            .iter()
            .any(|name| demangle(symbol).to_string().trim_start_matches('<').starts_with(name));
    let arithmetic = symbol.strip_prefix("__").is_some_and(|name| {
        ["si", "di", "ti", "sf", "df"]
            .iter()
            .any(|kind| name.trim_end_matches(|digit: char| digit.is_ascii_digit()).ends_with(kind))
    });
    MEMORY.contains(&symbol)
        || FLOATS.contains(&symbol)
        || LINKER.contains(&symbol)
        || symbol.starts_with("__aeabi_")
        || arithmetic
        || looked_at
}
