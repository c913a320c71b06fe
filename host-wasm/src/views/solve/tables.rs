//! Tables of a run.

use std::fmt::Write as _;

use tresse_core::base::time::Instant;

use super::track::{Sample, Track};

/// Returns the history of a run of this number of subdomains as a table.
pub fn history(track: &Track, subdomains: usize) -> String {
    let subdomains = subdomains as f64;
    let mut table = String::from("seconds,residual,iteration_rate,spread,mean,moves\n");
    for Sample { at, residual, updates, spread, moves, .. } in &track.samples {
        let (seconds, mean) = (Instant(*at).seconds(), *updates as f64 / subdomains);
        let rate = if seconds > 0.0 { mean / seconds } else { 0.0 };
        // Text takes whatever is written.
        let _ = writeln!(table, "{seconds},{residual},{rate},{spread},{mean},{moves}");
    }
    table
}

/// Returns the update counts of the subdomains that have a line, as a table.
pub fn braid(track: &Track, lines: &[u32], subdomains: usize) -> String {
    let names = lines.iter().map(|id| format!(",s{id}"));
    let mut table: String = ["seconds".to_owned()].into_iter().chain(names).collect();
    table.push('\n');
    let subdomains = subdomains as f64;
    for sample in &track.samples {
        let mean = sample.updates as f64 / subdomains;
        let counts = sample.ahead.iter().map(|&ahead| f64::from(ahead) + mean);
        let counts = counts.map(|count| format!(",{count:.0}"));
        table.extend([Instant(sample.at).seconds().to_string()].into_iter().chain(counts));
        table.push('\n');
    }
    table
}
