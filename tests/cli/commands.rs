//! The other subcommands that need no run.

use serde_json::Value;

use crate::program::{object, refused, run, tresse};

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
fn help_and_version() {
    let help = run(&mut tresse("solve --help"));
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
    let workers = seen["workers"].as_array().unwrap();
    assert_eq!(workers.len(), cores.len(), "one worker for each core");
    assert!(workers.iter().all(|worker| ids.contains(&&worker["core"])), "{seen:#}");

    let other = object(&mut tresse("topology --topology 2x3"), 0);
    let sockets: Vec<_> =
        other["workers"].as_array().unwrap().iter().map(|w| &w["socket"]).collect();
    assert_eq!(sockets, [0, 0, 0, 1, 1, 1]);
    assert_eq!(other["topology"], "2x3");

    let table = run(&mut tresse("topology --workers 3"));
    assert_eq!(table.code, 0);
    assert!(table.out.contains("worker  core  socket"), "{}", table.out);
    refused(&mut tresse("topology --workers 0"), &["--workers"]);
    refused(&mut tresse("topology --workers 99999"), &["99999", "--workers"]);
    refused(&mut tresse("topology --topology big"), &["--topology"]);
}
