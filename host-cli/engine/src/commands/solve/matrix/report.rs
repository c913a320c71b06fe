//! The report of a run of a sparse system.

use std::io::{self, Write};

use serde::Serialize;

use super::super::summary::{self, evenness, iterations, verdict};
use crate::report::RunReport;
use crate::threads::RunRecord;

/// What is known of the matrix, and of how it was cut.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MatrixFigures {
    /// Rows of the matrix.
    pub rows: u32,
    /// Entries of the matrix.
    pub nonzeros: usize,
    /// Layers by which the rows of a subdomain are extended.
    pub overlap: u32,
    /// Rows of all blocks, those of the overlap included.
    pub extended_rows: usize,
    /// Entries of the factors of all blocks.
    pub factor_nonzeros: usize,
    /// The most neighbours of a subdomain.
    pub neighbours: usize,
    /// Whether the iteration is known to converge.
    pub known_to_converge: bool,
    /// Seconds of cutting and factorising.
    pub setup_seconds: f64,
}

/// A report with the figures of the matrix.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MatrixReport<'a, A> {
    /// Name of the method.
    pub method: &'static str,
    /// The matrix.
    pub matrix: &'a MatrixFigures,
    /// The report.
    #[serde(flatten)]
    pub run: &'a RunReport<'a>,
    /// What the host adds.
    #[serde(flatten)]
    pub added: Option<A>,
}

/// Writes the summary of a run for a person, in aligned lines.
pub(super) fn write(
    record: &RunRecord,
    report: &RunReport<'_>,
    figures: &MatrixFigures,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", verdict(report))?;
    let mut line = |name: &str, value: String| writeln!(out, "{name:<12}{value}");
    line("end", summary::end(report))?;
    let residual = &report.residual;
    line(
        "residual",
        format!("{:.4e} initial, {:.4e} verified", residual.initial, residual.verified),
    )?;
    let MatrixFigures { extended_rows, factor_nonzeros, neighbours, .. } = figures;
    line(
        "blocks",
        format!("{} of {extended_rows} rows, {neighbours} neighbours at most", report.subdomains),
    )?;
    line(
        "factors",
        format!("{factor_nonzeros} nonzeros, set up in {:.3} s", figures.setup_seconds),
    )?;
    let clock = if report.is_virtual { " of virtual time" } else { "" };
    line("time", format!("{:.3} s{clock}", record.elapsed.seconds()))?;
    iterations(report, &mut line)?;
    evenness(report, &mut line)?;
    for of_source in report.noise.chunk_by(|one, next| one.source == next.source) {
        line("noise", summary::noise(of_source))?;
    }
    if let Some(share) = report.cpu_share {
        line("cores", format!("workers had {:.1} % of their cores' time", share * 100.0))?;
    }
    line("machine", report.machine.to_string())
}
