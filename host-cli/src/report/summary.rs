//! `summary.json` and `--json`: the report as one object.

use std::io::{self, Write};

use tresse_core::run::Report;

/// Writes the report as one indented JSON object with a newline at its end.
///
/// JSON has no NaN and no infinity: such figures become `null`.
pub fn write_json(report: &Report<'_>, mut w: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut w, report)?;
    w.write_all(b"\n")
}
