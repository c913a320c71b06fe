//! The short report at the end of a run.

use std::io::{self, Write};

use tresse_core::field::problem::Problem;
use tresse_core::run::{AutoReport, End, ErrorEstimate, NoiseReport, ResidualReport, TurnedReport};

use crate::report::{MethodReport, RunReport};
use crate::solvers::Method;
use crate::threads::RunRecord;

/// Returns one line: whether the run did what was asked, and if not, the reason.
pub(super) fn verdict(report: &RunReport<'_>) -> String {
    let ResidualReport { relative, relative_to, initial, verified, absolute_tolerance, .. } =
        report.residual;
    let residual = format!("residual {relative:.3e} of {}, verified", relative_to.words());
    if let (End::Converged, Some(norm)) =
        (report.end, absolute_tolerance.filter(|&n| verified <= n))
    {
        return format!(
            "converged to a residual of {norm:e}: {verified:.3e}, verified; {residual}"
        );
    }
    match (report.end, report.residual.tolerance.or(absolute_tolerance)) {
        (End::Converged, Some(tolerance)) => {
            format!("converged to {tolerance:e}: {residual}")
        }
        (End::Iterations, None) if verified > initial => {
            format!("iterations done, and the residual is larger than at the start: {residual}")
        }
        (End::Converged | End::Iterations, None) => format!("iterations done: {residual}"),
        (End::Iterations, Some(tolerance)) => format!(
            "not converged: --iterations were done before --tolerance {tolerance:e} ({residual})"
        ),
        (End::Interrupted, _) => format!("interrupted: {residual}"),
        (End::Stagnated, _) => format!("not converged: the residual stopped falling ({residual})"),
        (End::Stalled, _) => format!("not converged: every worker waits for ever ({residual})"),
        (End::Livelock, _) => format!("not converged: workers go on without progress ({residual})"),
        (End::NotFinite, _) => "not converged: the residual is not a finite number".into(),
    }
}

/// Returns that line with advice.
pub(super) fn warning(report: &RunReport<'_>) -> String {
    let advice = report.advice.map(|advice| format!("; {advice}"));
    format!("{}{}", verdict(report), advice.unwrap_or_default())
}

/// Returns the end of the run by its name, with advice where the run did not end as asked.
pub(super) fn end(report: &RunReport<'_>) -> String {
    let advice = report.advice.map(|advice| format!(": {advice}"));
    format!("{}{}", report.end, advice.unwrap_or_default())
}

/// Writes the summary of a run for a person, in aligned lines.
pub(super) fn write(
    (method, problem): (Method, &Problem),
    record: &RunRecord,
    report: &RunReport<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", verdict(report))?;
    let mut line = |name: &str, value: String| writeln!(out, "{name:<12}{value}");
    line("end", end(report))?;
    let residual = &report.residual;
    let detected = residual.detected.map_or("-".into(), |norm| format!("{norm:.4e}"));
    line(
        "residual",
        format!(
            "{:.4e} initial, {detected} detected, {:.4e} verified",
            residual.initial, residual.verified
        ),
    )?;
    if let Some(estimate) = report.error_estimate {
        line("error", error(&estimate, method))?;
    }
    let clock = if report.is_virtual { " of virtual time" } else { "" };
    line("time", format!("{:.3} s{clock}", record.elapsed.seconds()))?;
    let of_method = MethodReport::new(method, problem, record, report);
    if let (Some(cycles), Some(levels)) = (of_method.cycles, of_method.levels) {
        line("cycles", format!("{cycles} on {levels} levels"))?;
    } else {
        iterations(report, &mut line)?;
    }
    if let Some(rate) = report.cell_updates_per_second {
        line("cells", format!("{:.3} billion updates per second", rate * 1e-9))?;
    }
    if method == Method::Jacobi {
        evenness(report, &mut line)?;
    }
    for of_source in report.noise.chunk_by(|one, next| one.source == next.source) {
        line("noise", noise(of_source))?;
    }
    if let Some(share) = report.cpu_share {
        line("cores", format!("workers had {:.1} % of their cores' time", share * 100.0))?;
    }
    line("machine", report.machine.to_string())
}

/// Words how far the field is from the solution.
fn error(estimate: &ErrorEstimate, method: Method) -> String {
    let ErrorEstimate { largest, l2, range } = *estimate;
    let known = format!("at most {largest:.3e} from the solution, l2 norm {l2:.3e}, estimated");
    if !estimate.is_large() {
        return known;
    }
    let advice = match method {
        Method::Jacobi => "--method multigrid, or a smaller --tolerance, comes closer",
        Method::Multigrid(_) => "a smaller --tolerance comes closer",
    };
    format!("{known}: that is much beside the field's range of {range:.3e}; {advice}")
}

/// Writes a line: its name, and what follows it.
pub(super) type Line<'a> = dyn FnMut(&str, String) -> io::Result<()> + 'a;

/// Writes the line of iterations, the mean of all subdomains.
pub(super) fn iterations(report: &RunReport<'_>, line: &mut Line<'_>) -> io::Result<()> {
    let rate = report.iteration_rate.map_or("-".into(), |rate| format!("{rate:.0}"));
    line(
        "iterations",
        format!("{:.1} (mean of all subdomains), {rate} per second", report.iterations),
    )
}

/// Writes the spread and the staleness, and what was moved.
pub(super) fn evenness(report: &RunReport<'_>, line: &mut Line<'_>) -> io::Result<()> {
    let p99 = report.spread.p99.map(|p99| format!(", {p99} in 99 % of the samples"));
    line(
        "spread",
        format!(
            "{} at the end, {} at most{}",
            report.spread.end,
            report.spread.max,
            p99.unwrap_or_default()
        ),
    )?;
    line(
        "staleness",
        format!("{:.2} on average, {} at most", report.staleness.mean, report.staleness.max),
    )?;
    if report.moves > 0 || report.rounds > 0 || report.away.is_none() {
        line("moves", moves(report))?;
    }
    if let (Some(away), Some(sweeps)) = (report.away, report.sweeps_a_claim) {
        let helped = report
            .helped
            .map(|helped| format!(", {:.3} % made for a worker that was stopped", helped * 100.0));
        let helped = helped.unwrap_or_default();
        let away = away * 100.0;
        line(
            "away",
            format!("{away:.2} % of the sweeps away from home{helped}, {sweeps} a claim"),
        )?;
    }
    if report.nodes > 1 {
        line("transfers", format!("{} between {} nodes", report.transfers, report.nodes))?;
    }
    Ok(())
}

/// Returns text about what moved, and about the parameters that a run has derived.
fn moves(report: &RunReport<'_>) -> String {
    let auto = report.auto.map(|AutoReport { period, lag, turned }| {
        let turned = turned.map(|TurnedReport { to, at, spread }| {
            format!(", and to {to} after {at:.2e} s, as the spread had come to {spread}")
        });
        let turned = turned.unwrap_or_default();
        format!("; auto came to a round every {period:.2e} s, and a lag of {lag} updates{turned}")
    });
    format!("{} in {} rounds{}", report.moves, report.rounds, auto.unwrap_or_default())
}

/// Returns text about the time that one source of noise took of its cores.
pub(super) fn noise(cores: &[NoiseReport]) -> String {
    let share = cores.iter().map(|noise| noise.share).sum::<f64>() / cores.len().max(1) as f64;
    let (source, place) = match cores {
        [] => return String::new(),
        [one] => (one.source, format!("core {}", one.core)),
        [first, .., last] => {
            (first.source, format!("{} cores, {} to {}", cores.len(), first.core, last.core))
        }
    };
    format!("{source} took {:.1} % of {place}", share * 100.0)
}
