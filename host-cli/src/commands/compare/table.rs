//! The paper's Table 2 from our samples: medians, and what noise adds to them.

use std::io::{self, Write};

use serde::Serialize;

use super::sample::Sample;
use crate::methods::{METHODS, Method};
use crate::report::statistics::Quartiles;
use crate::reproduce::published::{Increase, TABLE_2, TABLE_2_SOURCE};

/// The runs of one method in one setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Setting {
    /// Runs that converged; the quartiles are theirs.
    pub(super) converged: usize,
    /// Runs that did not, and count for nothing else.
    pub(super) failed: usize,
    pub(super) seconds: Option<Quartiles>,
    pub(super) iteration_rate: Option<Quartiles>,
    /// At the end of a run (section 3.1).
    pub(super) spread: Option<Quartiles>,
}

/// One method, quiet and noisy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) method: Method,
    pub(super) quiet: Setting,
    pub(super) noisy: Setting,
    /// What noise adds to the median time to solution, in percent.
    pub(super) increase_percent: Option<f64>,
    pub(super) published: Increase,
}

/// The samples of one method in one setting that converged.
pub(super) fn converged<'a>(
    samples: &'a [Sample],
    method: &Method,
    noisy: bool,
) -> impl Iterator<Item = &'a Sample> + Clone + use<'a> {
    of(samples, method, noisy).filter(|sample| sample.converged)
}

fn of<'a>(
    samples: &'a [Sample],
    method: &Method,
    noisy: bool,
) -> impl Iterator<Item = &'a Sample> + Clone + use<'a> {
    let name = method.name;
    samples.iter().filter(move |sample| sample.method == name && sample.noisy == noisy)
}

/// One row for each method.
pub(super) fn rows(samples: &[Sample]) -> Vec<Row> {
    let row = |(method, published): (&Method, &Increase)| {
        let [quiet, noisy] = [false, true].map(|noisy| Setting::of(samples, method, noisy));
        let increase_percent = quiet.seconds.zip(noisy.seconds).and_then(|(quiet, noisy)| {
            (quiet.median > 0.0).then(|| (noisy.median / quiet.median - 1.0) * 100.0)
        });
        Row { method: *method, quiet, noisy, increase_percent, published: *published }
    };
    METHODS.iter().zip(&TABLE_2).map(row).collect()
}

impl Setting {
    fn of(samples: &[Sample], method: &Method, noisy: bool) -> Self {
        let good = converged(samples, method, noisy);
        let quartiles = |figure: fn(&Sample) -> f64| {
            Quartiles::of(&good.clone().map(figure).collect::<Vec<_>>())
        };
        let converged = good.clone().count();
        Self {
            converged,
            failed: of(samples, method, noisy).count() - converged,
            seconds: quartiles(|sample| sample.seconds),
            iteration_rate: quartiles(|sample| sample.iteration_rate.unwrap_or(f64::NAN)),
            spread: quartiles(|sample| sample.spread_end as f64),
        }
    }
}

/// The median time that even a perfect balancer would lose with this noise, in percent of the
/// quiet time: the capacity that the noise took has to be made up for by time.
pub(super) fn least_increase_percent(samples: &[Sample]) -> Option<f64> {
    let lost: Vec<_> = samples.iter().filter(|s| s.noisy).map(|s| s.lost_capacity).collect();
    let lost = Quartiles::of(&lost)?.median;
    (lost < 1.0).then(|| lost / (1.0 - lost) * 100.0)
}

/// Writes the table for a person.
pub(super) fn write(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:<30}{:^29}{:^18}{:^16}{:^16}",
        "", "time to solution (s)", "iterations / s", "spread", "the paper's"
    )?;
    writeln!(
        out,
        "{:<30}{:>9}{:>9}{:>10} {:>9}{:>9}{:>8}{:>8}{:>9}{:>8}",
        "method",
        "quiet",
        "noisy",
        "increase",
        "quiet",
        "noisy",
        "quiet",
        "noisy",
        "Cirrus",
        "ARCHER"
    )?;
    for row in rows {
        let cell = |quartiles: Option<Quartiles>, digits: usize| {
            quartiles.map_or("-".into(), |quartiles| format!("{:.digits$}", quartiles.median))
        };
        let Row { quiet, noisy, published, .. } = row;
        let increase = row.increase_percent.map_or("-".into(), |rise| format!("{rise:+.1}%"));
        writeln!(
            out,
            "{:<30}{:>9}{:>9}{increase:>10} {:>9}{:>9}{:>8}{:>8}{:>9}{:>8}",
            row.method.name,
            cell(quiet.seconds, 3),
            cell(noisy.seconds, 3),
            cell(quiet.iteration_rate, 0),
            cell(noisy.iteration_rate, 0),
            cell(quiet.spread, 0),
            cell(noisy.spread, 0),
            published.cirrus.text,
            published.archer.text,
        )?;
    }
    write_failures(rows, out)
}

fn write_failures(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    for row in rows {
        for (setting, name) in [(row.quiet, "quiet"), (row.noisy, "noisy")] {
            let Setting { converged, failed, .. } = setting;
            if failed > 0 {
                let (method, all) = (row.method.name, converged + failed);
                writeln!(
                    out,
                    "not converged: {method}, {name}: {failed} of {all} runs, left out of all medians"
                )?;
            }
        }
    }
    Ok(())
}

/// What the table is of, below it.
pub(super) fn write_notes(
    samples: &[Sample],
    sources: &[String],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "\nmedians; the increase is that of the median time to solution")?;
    let shares: Vec<f64> = samples.iter().filter_map(|sample| sample.noise_share).collect();
    if let (Some(share), Some(least)) = (Quartiles::of(&shares), least_increase_percent(samples)) {
        writeln!(
            out,
            "noisy: {}; it took {:.1} % of its core's time, so that even perfect balance costs \
             {least:+.1}%",
            sources.join(" and "),
            share.median * 100.0
        )?;
    }
    let unpinned = samples.iter().filter(|sample| !sample.pinned).count();
    if unpinned > 0 {
        writeln!(out, "{unpinned} runs had a worker that could not be pinned: they mean little")?;
    }
    writeln!(out, "the paper's: {TABLE_2_SOURCE}")
}

/// A row of `table.csv`; its field names are the header.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct TableRecord {
    method: &'static str,
    quiet_converged: usize,
    quiet_failed: usize,
    noisy_converged: usize,
    noisy_failed: usize,
    quiet_seconds: Option<f64>,
    noisy_seconds: Option<f64>,
    increase_percent: Option<f64>,
    quiet_iteration_rate: Option<f64>,
    noisy_iteration_rate: Option<f64>,
    quiet_spread: Option<f64>,
    noisy_spread: Option<f64>,
    paper_cirrus: &'static str,
    paper_archer: &'static str,
}

impl From<&Row> for TableRecord {
    fn from(row: &Row) -> Self {
        let Row { quiet, noisy, published, .. } = row;
        let median = |quartiles: Option<Quartiles>| quartiles.map(|quartiles| quartiles.median);
        Self {
            method: row.method.name,
            quiet_converged: quiet.converged,
            quiet_failed: quiet.failed,
            noisy_converged: noisy.converged,
            noisy_failed: noisy.failed,
            quiet_seconds: median(quiet.seconds),
            noisy_seconds: median(noisy.seconds),
            increase_percent: row.increase_percent,
            quiet_iteration_rate: median(quiet.iteration_rate),
            noisy_iteration_rate: median(noisy.iteration_rate),
            quiet_spread: median(quiet.spread),
            noisy_spread: median(noisy.spread),
            paper_cirrus: published.cirrus.text,
            paper_archer: published.archer.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::tests::sample;
    use super::*;

    fn samples() -> Vec<Sample> {
        let failed = Sample { converged: false, ..sample("sync", true, 99.0) };
        let quiet = [1.0, 2.0, 30.0].map(|seconds| sample("sync", false, seconds));
        let noisy = [2.0, 2.5, 3.0].map(|seconds| sample("sync", true, seconds));
        quiet.into_iter().chain(noisy).chain([failed]).collect()
    }

    #[test]
    fn the_increase_is_that_of_the_medians_of_what_converged() {
        let rows = rows(&samples());
        assert_eq!(rows.len(), METHODS.len());
        let [sync, others @ ..] = rows.as_slice() else { panic!() };
        assert!((sync.increase_percent.unwrap() - 25.0).abs() < 1e-9, "{sync:?}");
        assert_eq!((sync.quiet.converged, sync.quiet.failed), (3, 0));
        assert_eq!((sync.noisy.converged, sync.noisy.failed), (3, 1));
        assert!((sync.noisy.iteration_rate.unwrap().median - 40.0).abs() < 1e-9);
        assert!(others.iter().all(|row| row.increase_percent.is_none()));
        // A tenth of the capacity lost takes a ninth more time.
        assert!((least_increase_percent(&samples()).unwrap() - 100.0 / 9.0).abs() < 1e-9);
        assert_eq!(least_increase_percent(&[]), None);
    }

    #[test]
    fn the_printed_table_names_what_was_left_out() {
        let mut text = Vec::new();
        write(&rows(&samples()), &mut text).unwrap();
        write_notes(&samples(), &["core=0,duty=0.2".into()], &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for part in ["+25.0%", "not converged: sync, noisy: 1 of 4 runs", "took 20.0 %", "+11.1%"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 130), "{text}");
    }

    #[test]
    fn the_csv_table_has_a_row_a_method_and_empty_fields_for_what_is_unknown() {
        let mut bytes = Vec::new();
        let records = rows(&samples());
        let records = records.iter().map(TableRecord::from);
        crate::report::table::write_records(records, &mut bytes).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header = reader.headers().unwrap().clone();
        let column = |name| header.iter().position(|column| column == name).unwrap();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let names: Vec<_> = rows.iter().map(|row| &row[0]).collect();
        assert_eq!(names, METHODS.map(|method| method.name));
        assert_eq!(rows[0][column("quiet_seconds")].parse(), Ok(2.0));
        assert_eq!(&rows[1][column("quiet_seconds")], "");
    }
}
