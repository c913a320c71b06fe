//! The paper's Table 2 from our samples: medians, and the time that noise adds; below it what goes
//! beyond the paper.

use std::io::{self, Write};

use serde::Serialize;

use crate::experiments::comparison::{
    BUSY, ComparisonSample, Setting, Slowed, Tables, write_failures,
};
use crate::experiments::methods::{BEYOND, METHODS, Method};
use crate::experiments::published::{Increase, TABLE_2, TABLE_2_SOURCE};
use crate::report::lines::hanging;
use tresse_draw::statistics::Quartiles;

/// One method in the quiet and the noisy setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Row {
    method: Method,
    quiet: Setting,
    noisy: Setting,
    /// Time that noise adds to the median time to solution, in percent.
    increase_percent: Option<f64>,
    /// The same noise at the other end of the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<Setting>,
    /// Time that noise adds there, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere_increase_percent: Option<f64>,
    /// None for a method that goes beyond the paper.
    published: Option<Increase>,
}

/// The rows of all methods, with the source of the published figures.
#[derive(Debug, Serialize)]
pub(super) struct Table2 {
    rows: Vec<Row>,
    published_source: &'static str,
}

impl Table2 {
    /// Returns one row for each method.
    pub(super) fn of(samples: &[ComparisonSample]) -> Self {
        Self { rows: rows(samples), published_source: TABLE_2_SOURCE }
    }
}

impl Tables for Table2 {
    fn methods(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.method.name)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write(&self.rows, out)?;
        writeln!(
            out,
            "\nmedians; time to solution; elsewh.: the noise at the other end of the grid; others: their \
             share of the\nworkers' time, marked ! where they disturbed half of the runs"
        )
    }

    fn write_source(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", hanging(&format!("the paper's: {}", self.published_source)))
    }

    fn records(&self) -> impl Iterator<Item = impl Serialize> {
        self.rows.iter().map(TableRecord::from)
    }
}

/// Summarises the samples: a row for each method, beside the paper's where it has one.
fn rows(samples: &[ComparisonSample]) -> Vec<Row> {
    let row = |(method, published): (&Method, Option<&Increase>)| {
        let [quiet, noisy, elsewhere] = [Slowed::Nowhere, Slowed::There, Slowed::Elsewhere]
            .map(|slowed| Setting::of(samples, method.name, slowed));
        let elsewhere = (elsewhere.converged + elsewhere.failed > 0).then_some(elsewhere);
        Row {
            method: *method,
            increase_percent: quiet.increase_percent(&noisy),
            elsewhere_increase_percent: elsewhere
                .and_then(|elsewhere| quiet.increase_percent(&elsewhere)),
            quiet,
            noisy,
            elsewhere,
            published: published.copied(),
        }
    };
    let published = METHODS.iter().zip(TABLE_2.iter().map(Some));
    published.chain(BEYOND.iter().map(|method| (method, None))).map(row).collect()
}

/// Writes the table, and then the failed runs of each method.
fn write(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:<30}{:^16}{:^20}{:^16}{:^15}{:^12}{:^15}",
        "", "time (s)", "increase", "iterations / s", "spread", "others", "the paper's"
    )?;
    writeln!(
        out,
        "{:<30}{:>8}{:>8}{:>10}{:>10}{:>8}{:>8}{:>8}{:>7}{:>6}{:>6}{:>8}{:>7}",
        "method",
        "quiet",
        "noisy",
        "noisy",
        "elsewh.",
        "quiet",
        "noisy",
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
        writeln!(
            out,
            "{:<30}{:>8}{:>8}{:>10}{:>10}{:>8}{:>8}{:>8}{:>7}{:>6}{:>6}{:>8}{:>7}",
            row.method.name,
            cell(quiet.seconds, 3),
            cell(noisy.seconds, 3),
            increase(row.increase_percent),
            increase(row.elsewhere_increase_percent),
            cell(quiet.iteration_rate, 0),
            cell(noisy.iteration_rate, 0),
            cell(quiet.spread, 0),
            cell(noisy.spread, 0),
            share(quiet.others),
            share(noisy.others),
            published.map_or("-", |increase| increase.cirrus.text),
            published.map_or("-", |increase| increase.archer.text),
        )?;
    }
    rows.iter().try_for_each(|row| {
        let settings = [
            Some((Slowed::Nowhere, &row.quiet)),
            Some((Slowed::There, &row.noisy)),
            row.elsewhere.as_ref().map(|setting| (Slowed::Elsewhere, setting)),
        ];
        write_failures(row.method.name, settings.into_iter().flatten(), out)
    })
}

/// Returns a percentage with its sign; without a fraction where it is far from small.
fn increase(percent: Option<f64>) -> String {
    match percent {
        Some(percent) if percent.abs() < 1000.0 => format!("{percent:+.1}%"),
        Some(percent) => format!("{percent:+.0}%"),
        None => "-".into(),
    }
}

/// Returns the share of others, marked where half of the runs were disturbed by them.
fn share(others: Option<Quartiles>) -> String {
    others.map_or("-".into(), |Quartiles { median, .. }| {
        format!("{:.0}%{}", median * 100.0, if median > BUSY { "!" } else { "" })
    })
}

/// A row of `table.csv`; its field names are the header.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct TableRecord {
    method: &'static str,
    quiet_converged: usize,
    quiet_failed: usize,
    noisy_converged: usize,
    noisy_failed: usize,
    quiet_seconds: Option<f64>,
    noisy_seconds: Option<f64>,
    increase_percent: Option<f64>,
    elsewhere_seconds: Option<f64>,
    elsewhere_increase_percent: Option<f64>,
    quiet_iteration_rate: Option<f64>,
    noisy_iteration_rate: Option<f64>,
    quiet_spread: Option<f64>,
    noisy_spread: Option<f64>,
    paper_cirrus: Option<&'static str>,
    paper_archer: Option<&'static str>,
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
            elsewhere_seconds: row.elsewhere.and_then(|elsewhere| median(elsewhere.seconds)),
            elsewhere_increase_percent: row.elsewhere_increase_percent,
            quiet_iteration_rate: median(quiet.iteration_rate),
            noisy_iteration_rate: median(noisy.iteration_rate),
            quiet_spread: median(quiet.spread),
            noisy_spread: median(noisy.spread),
            paper_cirrus: published.map(|increase| increase.cirrus.text),
            paper_archer: published.map(|increase| increase.archer.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::run::End;

    use super::*;
    use crate::experiments::comparison::sample;

    fn samples() -> Vec<ComparisonSample> {
        let failed = ComparisonSample {
            converged: false,
            end: End::Stagnated,
            ..sample("sync", true, 99.0)
        };
        let quiet = [1.0, 2.0, 30.0].map(|seconds| sample("sync", false, seconds));
        let noisy = [2.0, 2.5, 3.0].map(|seconds| sample("sync", true, seconds));
        quiet.into_iter().chain(noisy).chain([failed]).collect()
    }

    #[test]
    fn the_increase_is_that_of_the_medians_of_what_converged() {
        let rows = rows(&samples());
        assert_eq!(rows.len(), METHODS.len() + BEYOND.len());
        let [sync, others @ ..] = rows.as_slice() else { panic!() };
        assert!((sync.increase_percent.unwrap() - 25.0).abs() < 1e-9, "{sync:?}");
        assert_eq!((sync.quiet.converged, sync.quiet.failed), (3, 0));
        assert_eq!((sync.noisy.converged, sync.noisy.failed), (3, 1));
        assert!((sync.noisy.iteration_rate.unwrap().median - 40.0).abs() < 1e-9);
        assert!(others.iter().all(|row| row.increase_percent.is_none()));
    }

    #[test]
    fn noise_elsewhere_has_an_increase_of_its_own() {
        let elsewhere = ComparisonSample { elsewhere: true, ..sample("sync", true, 5.0) };
        let samples: Vec<_> = samples().into_iter().chain([elsewhere]).collect();
        let [sync, others @ ..] = &rows(&samples)[..] else { panic!() };
        assert!((sync.elsewhere_increase_percent.unwrap() - 150.0).abs() < 1e-9, "{sync:?}");
        assert!((sync.increase_percent.unwrap() - 25.0).abs() < 1e-9, "{sync:?}");
        assert!(others.iter().all(|row| row.elsewhere.is_none()));
        assert_eq!([Some(25.0), Some(12_345.6), None].map(increase), ["+25.0%", "+12346%", "-"]);
        let others = |median| Quartiles::of(&[median]);
        assert_eq!([others(0.04), others(0.2), None].map(share), ["4%", "20%!", "-"]);
    }

    #[test]
    fn the_printed_table_names_what_was_left_out() {
        let mut text = Vec::new();
        Table2::of(&samples()).write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for part in ["+25.0%", "sync, noisy: 1 of 4 runs", "stagnated: use a larger"] {
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
        let all = METHODS.iter().chain(&BEYOND).map(|method| method.name);
        assert!(all.eq(names), "{rows:?}");
        assert_eq!(rows[0][column("quiet_seconds")].parse(), Ok(2.0));
        assert_eq!(&rows[1][column("quiet_seconds")], "");
    }
}
