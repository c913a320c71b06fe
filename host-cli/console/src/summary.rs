//! `summary.json` and `--json`: a report as one object.

use std::io::{self, Write};

use serde::Serialize;

use crate::terminal::Shown;

/// Writes a report as one indented JSON object with a newline at its end, and the version of the
/// program after the report's own keys.
///
/// JSON has no NaN and no infinity: such figures become `null`. What a terminal would obey in a
/// string is escaped.
pub fn write_json(report: &impl Serialize, mut w: impl Write) -> io::Result<()> {
    let report = Versioned { report, version: env!("CARGO_PKG_VERSION") };
    serde_json::to_writer_pretty(Shown::json(&mut w), &report)?;
    w.write_all(b"\n")
}

#[derive(Serialize)]
struct Versioned<'a, T> {
    #[serde(flatten)]
    report: &'a T,
    version: &'static str,
}
