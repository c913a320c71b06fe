//! The core is pure: compiled for a server, a microcontroller and a browser, its functions refer to
//! nothing but memory copies, integer or float arithmetic, and what stops at a broken invariant: an
//! index that is out of its table's bounds, and the one panic of `base::bug`. No other panic, no
//! formatting, no allocator.
//!
//! They are all compiled, used or not; those that take types or closures as the probe gives them.
//! Formatting itself, which hosts ask for and nothing else in the core calls, is left out.

#![expect(clippy::expect_used, reason = "what cargo builds and prints is no input of ours")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustc_demangle::demangle;
use tresse_compiled_tests::symbols::References;

/// The core itself, and its generic functions as a host has them.
const LOOKED_AT: [&str; 2] = ["tresse_core", "tresse_purity_probe"];

/// Some that are looked at: one of the core's, one that is inlined wherever it is used, and one of
/// the probe's.
const AMONG_THEM: [&str; 3] = [
    "tresse_core::balance::central::lpt::lpt",
    "tresse_core::base::time::Instant::after",
    "tresse_purity_probe::machine::run_ring",
];

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

/// Checks the checker: a crate of the same build that is known to have panicking paths, others than
/// bounds checks.
#[test]
fn panicking_paths_would_be_found() {
    for target in ["thumbv7em-none-eabihf", "wasm32-unknown-unknown"] {
        let (_, found) = looked_at(target, &["byteorder"]);
        assert!(found.iter().any(|line| line.contains("panic")), "{target}: {found:?}");
    }
}

fn assert_pure(target: &str) {
    let (functions, found) = looked_at(target, &LOOKED_AT);
    for name in AMONG_THEM {
        assert!(functions.iter().any(|function| function == name), "{target}: {name} is missing");
    }
    assert!(found.is_empty(), "{target}: {} references:\n{}", found.len(), found.join("\n"));
}

/// Returns the functions of some crates, and one line for each reference that a pure function does
/// not have.
fn looked_at(target: &str, crates: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut references = References::default();
    let mut roots = Vec::new();
    for (name, rlib) in build(target) {
        let functions = references.read(&rlib).expect("an rlib is an archive of objects");
        if crates.contains(&name.as_str()) {
            roots.extend(functions.into_iter().filter(|function| is_of(&name, function)));
        }
    }
    let outside = references.reached_outside(&roots);
    let impure =
        outside.into_iter().filter(|(user, symbol)| !is_pure(symbol) && !is_a_stop(user, symbol));
    let line = |(user, symbol): (String, String)| {
        format!("  {:#} <- {:#}", demangle(&symbol), demangle(&user))
    };
    let names = roots.iter().map(|root| format!("{:#}", demangle(root))).collect();
    (names, impure.map(line).collect())
}

/// Reports whether a function is a crate's own, which is not formatting: copies of the standard
/// library's are of interest where they are reached.
fn is_of(name: &str, function: &str) -> bool {
    const FORMATTING: [&str; 3] = [" as core::fmt::", " as serde", " as core::error::Error>"];
    let function = format!("{:#}", demangle(function));
    // As in `name::function`, `<name::Type as Trait>::function` and `<f64 as
    // name::Trait>::function`.
    let is_own = function.trim_start_matches('<').starts_with(&format!("{name}::"))
        || function.contains(&format!(" as {name}::"));
    is_own && !FORMATTING.iter().any(|part| function.contains(part))
}

/// Builds the probe for a target; each crate of it with its `.rlib`.
fn build(target: &str) -> Vec<(String, PathBuf)> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/purity");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "tresse-purity-probe", "--target", target])
        .args(["--target-dir", directory, "--message-format", "json-render-diagnostics"])
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        // Else a crate is cut into units after all, whose inlined functions are looked for outside
        // it.
        .env("CARGO_INCREMENTAL", "0")
        // Functions that nobody uses are compiled as well.
        .env("RUSTFLAGS", "-Clink-dead-code")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
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

/// What stops at a broken invariant: a bounds check, and the panic of all other checks, which one
/// function of the core has. Where a server unwinds, what is owned meanwhile is given back first.
fn is_a_stop(user: &str, symbol: &str) -> bool {
    const BOUNDS: &str = "core::panicking::panic_bounds_check";
    const PANIC: [&str; 2] = ["tresse_core::base::bug::stop", "core::option::expect_failed"];
    let [user, named] = [user, symbol].map(|name| format!("{:#}", demangle(name)));
    named == BOUNDS || [user.as_str(), named.as_str()] == PANIC || symbol == "_Unwind_Resume"
}

/// Memory copies, and what the compiler calls for arithmetic that the processor does not have.
fn is_pure(symbol: &str) -> bool {
    const MEMORY: [&str; 5] = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];
    const FLOATS: [&str; 4] = ["fmin", "fmax", "fminf", "fmaxf"];
    let arithmetic = symbol.strip_prefix("__").is_some_and(|name| {
        ["si", "di", "ti", "sf", "df"]
            .iter()
            .any(|kind| name.trim_end_matches(|digit: char| digit.is_ascii_digit()).ends_with(kind))
    });
    MEMORY.contains(&symbol)
        || FLOATS.contains(&symbol)
        || symbol == "_GLOBAL_OFFSET_TABLE_"
        || symbol.starts_with("__aeabi_")
        || arithmetic
}
