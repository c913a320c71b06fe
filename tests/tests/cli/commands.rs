//! The other subcommands that need no run.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::tempdir;
use tresse_tests::skip::skip;

use crate::program::{names, object, refused, run, tresse};

const FLAGS: [&str; 6] = ["tolerance", "cells-per-worker", "balance", "dead-band", "noise", "out"];

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = run(&mut tresse(&format!("completions {shell}")));
        assert_eq!((ended.code, ended.err.as_str()), (0, ""));
        for flag in FLAGS {
            assert!(ended.out.contains(flag), "{shell}: {flag}");
        }
    }
    refused(&mut tresse("completions cobol"), &["cobol"]);
}

#[test]
fn a_manual_page() {
    let ended = run(&mut tresse("man"));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert!(ended.out.contains(".TH"), "{}", ended.out);
    for flag in FLAGS {
        // Roff escapes hyphens.
        assert!(ended.out.replace('\\', "").contains(flag), "{flag}");
    }
}

#[test]
fn a_manual_page_for_each_subcommand() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("man");
    let ended = run(tresse("man --out").arg(&out));
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, "", ""));
    let pages = names(&out);
    for page in ["tresse.1", "tresse-solve.1", "tresse-bench-kernel.1", "tresse-decide-plb.1"] {
        assert!(pages.iter().any(|name| name == page), "no {page} in {pages:?}");
    }
    for page in &pages {
        let text = fs::read_to_string(out.join(page)).unwrap();
        assert!(text.contains(".TH") && text.contains(".SH NAME"), "{page}: {text}");
    }
    let solve = fs::read_to_string(out.join("tresse-solve.1")).unwrap().replace('\\', "");
    assert!(FLAGS.iter().all(|flag| solve.contains(flag)), "{solve}");
}

/// Returns the words that bash offers at the end of a line, by the very script; `None` where there
/// is no bash.
fn offered(line: &str) -> Option<Vec<String>> {
    let script = run(&mut tresse("completions bash")).out;
    let drive = r#"
        read -ra COMP_WORDS <<< "$LINE"
        [[ "$LINE" == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _tresse tresse "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = Command::new("bash");
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("problem.toml"), "").unwrap();
    bash.args(["--norc", "-c", &format!("{script}\n{drive}")]).env("LINE", line);
    let output = bash.current_dir(folder.path()).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

#[test]
fn bash_offers_flags_and_values() {
    if Command::new("bash").arg("--version").output().is_err() {
        skip("there is no bash", "install it");
        return;
    }
    for (line, expected) in [
        ("tresse solve --mode ", &["sync", "ssync:1", "async", "rayon"][..]),
        ("tresse solve --mode sync --balance gr", &["gradient:0.001", "grapevine:0.001"]),
        ("tresse solve --precision f", &["f32", "f64"]),
        ("tresse simulate --machine cirrus-1", &["cirrus-15", "cirrus-100"]),
        ("tresse simulate --node-balance d", &["dplb:0.5,10"]),
        ("tresse reproduce plb-t", &["plb-tts", "plb-table2"]),
        ("tresse reproduce plb-table2 --re", &["--replicates"]),
        ("tresse reproduce plb-table2 ", &["--replicates", "--out", "--json"]),
        ("tresse balance trace --preset ", &["slides", "distributed"]),
        ("tresse balance trace --tune c", &["criterion=original", "criterion=relaxed"]),
        ("tresse solve --problem p", &["problem.toml"]),
        ("tresse bench kernel --precision ", &["f32", "f64"]),
        ("tresse completions ", &["bash", "zsh", "fish"]),
    ] {
        let offers = offered(line).unwrap();
        for word in expected {
            assert!(offers.iter().any(|offer| offer == word), "{line}: {offers:?}");
        }
    }
    // No file stands where a number is meant.
    assert!(!offered("tresse solve --split ").unwrap().contains(&"problem.toml".to_owned()));
}

#[test]
fn help_and_version() {
    let help = run(&mut tresse("help solve"));
    assert_eq!(help.code, 0);
    for flag in FLAGS {
        assert!(help.out.contains(&format!("--{flag}")), "{flag}");
    }
    let version = run(&mut tresse("--version"));
    assert_eq!(version.out.trim(), concat!("tresse ", env!("CARGO_PKG_VERSION")));
    for line in ["", "solver"] {
        assert_eq!(run(&mut tresse(line)).code, 2, "{line:?}");
    }
}

#[test]
fn topology_as_seen_and_as_pinned() {
    let seen = object(&mut tresse("topology"), 0);
    let cores = seen["cores"].as_array().unwrap();
    assert_eq!(seen["machine"]["cores"], cores.len());
    let ids: Vec<&Value> = cores.iter().map(|core| &core["id"]).collect();
    let workers = seen["placement"].as_array().unwrap();
    assert_eq!(seen["default_workers"], workers.len());
    let physical: BTreeSet<_> = cores.iter().map(|core| core["physical"].as_u64()).collect();
    assert_eq!(seen["physical_cores"], physical.len());
    assert!(workers.len() <= physical.len(), "one worker for each physical core at most");
    assert!(workers.iter().all(|worker| ids.contains(&&worker["core"])), "{seen:#}");

    let other = object(&mut tresse("topology --topology 2x3"), 0);
    let sockets: Vec<_> =
        other["placement"].as_array().unwrap().iter().map(|w| &w["socket"]).collect();
    assert_eq!(sockets, [0, 0, 0, 1, 1, 1]);
    assert_eq!(other["topology"], "2x3");

    let table = run(&mut tresse("topology --workers 3"));
    assert_eq!(table.code, 0);
    assert!(table.out.contains("worker  core  socket"), "{}", table.out);
    refused(&mut tresse("topology --workers 0"), &["--workers"]);
    refused(&mut tresse("topology --workers 99999"), &["99999", "--workers"]);
    refused(&mut tresse("topology --topology big"), &["--topology"]);
}
