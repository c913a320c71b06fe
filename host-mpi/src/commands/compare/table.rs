//! Medians and quartiles of each method in each setting, and what balancing between ranks changes
//! of them.

use std::io::{self, Write};

use serde::Serialize;
use tresse::experiments::comparison::{ComparisonSample, Setting, Slowed, Tables, write_failures};
use tresse::report::statistics::Quartiles;

use super::method::Method;

/// One method in the quiet and the noisy setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    method: Method,
    quiet: Setting,
    noisy: Setting,
}

impl Row {
    fn settings(&self) -> [(&'static str, &Setting); 2] {
        [("quiet", &self.quiet), ("noisy", &self.noisy)]
    }
}

/// The results of all methods.
#[derive(Debug, Serialize)]
pub(super) struct Methods {
    rows: Vec<Row>,
    /// Effects of balancing between ranks.
    effects: Vec<Effect>,
}

impl Methods {
    /// Returns one row for each method.
    pub(super) fn of(methods: &[Method], samples: &[ComparisonSample]) -> Self {
        let rows = rows(methods, samples);
        Self { effects: effects(&rows), rows }
    }
}

impl Tables for Methods {
    fn methods(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.method.name.as_str())
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write(&self.rows, out)?;
        write_effects(&self.effects, out)?;
        writeln!(
            out,
            "\nmedians (quartiles) of the runs that converged; staleness: the most stale halo of a \
             run; spread: at its end;\nmoves: of subdomains between workers of a rank; ranks: those \
             between ranks; above 1x: less with the balancer"
        )
    }

    fn records(&self) -> impl Iterator<Item = impl Serialize> {
        TableRecord::of(&self.rows)
    }
}

/// Summarises the samples: one row for each method, with its quiet and its noisy setting.
fn rows(methods: &[Method], samples: &[ComparisonSample]) -> Vec<Row> {
    let row = |method: &Method| {
        let [quiet, noisy] =
            Slowed::OR_NOT.map(|slowed| Setting::of(samples, &method.name, slowed));
        Row { method: method.clone(), quiet, noisy }
    };
    methods.iter().map(row).collect()
}

/// The effect of balancing between ranks: the medians of a mode without it ÷ those with it, in one
/// setting; absent where no run converged, or no run has balancing.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Effect {
    /// Method with balancing between ranks.
    method: String,
    noisy: bool,
    seconds: Option<f64>,
    iteration_rate: Option<f64>,
    staleness: Option<f64>,
    spread: Option<f64>,
}

/// Returns the effects of balancing in each mode and setting.
fn effects(rows: &[Row]) -> Vec<Effect> {
    let with = rows.iter().filter(|row| row.method.is_balanced);
    let pairs = with.filter_map(|with| {
        let is_other = |row: &&Row| row.method.mode == with.method.mode && !row.method.is_balanced;
        rows.iter().find(is_other).map(|without| (without, with))
    });
    let of = |(without, with): (&Row, &Row)| {
        let method = with.method.name.as_str();
        [(false, without.quiet, with.quiet), (true, without.noisy, with.noisy)]
            .map(|(noisy, without, with)| Effect::of(method, noisy, &without, &with))
    };
    pairs.flat_map(of).collect()
}

impl Effect {
    /// Compares a method `without` and `with` balancing between ranks. Each figure is the ratio of
    /// the medians, above 1 where it is smaller `with`.
    fn of(method: &str, noisy: bool, without: &Setting, with: &Setting) -> Self {
        let ratio = |figure: fn(&Setting) -> Option<Quartiles>| {
            let (without, with) = figure(without).zip(figure(with))?;
            (with.median > 0.0).then(|| without.median / with.median)
        };
        Self {
            method: method.to_owned(),
            noisy,
            seconds: ratio(|setting| setting.seconds),
            iteration_rate: ratio(|setting| setting.iteration_rate),
            staleness: ratio(|setting| setting.staleness),
            spread: ratio(|setting| setting.spread),
        }
    }
}

/// Writes the table for people, one line for each method and setting, and then the failed runs.
fn write(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:<18}{:<6} {:>24} {:>22} {:>21} {:>21}{:>7}{:>7}",
        "method",
        "",
        "time to solution (s)",
        "iterations / s",
        "staleness",
        "spread",
        "moves",
        "ranks"
    )?;
    for row in rows {
        for (name, setting) in row.settings() {
            let Setting { seconds, iteration_rate, staleness, spread, .. } = setting;
            writeln!(
                out,
                "{:<18}{name:<6} {:>24} {:>22} {:>21} {:>21}{:>7}{:>7}",
                row.method.name,
                middle(*seconds, 3),
                middle(*iteration_rate, 0),
                middle(*staleness, 0),
                middle(*spread, 0),
                median(setting.moves),
                median(setting.transfers),
            )?;
        }
    }
    rows.iter().try_for_each(|row| {
        let settings = Slowed::OR_NOT.into_iter().zip([&row.quiet, &row.noisy]);
        write_failures(&row.method.name, settings, out)
    })
}

/// Returns the median, and in brackets the quartiles.
fn middle(quartiles: Option<Quartiles>, digits: usize) -> String {
    quartiles.map_or("-".into(), |Quartiles { low, median, high }| {
        format!("{median:.digits$} ({low:.digits$} {high:.digits$})")
    })
}

/// Words a median without decimals.
fn median(quartiles: Option<Quartiles>) -> String {
    quartiles.map_or("-".into(), |quartiles| format!("{:.0}", quartiles.median))
}

/// Writes what balancing between ranks changes, for a person.
fn write_effects(effects: &[Effect], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{:<24} {:>24} {:>22} {:>21} {:>21}",
        "without ÷ with", "time to solution", "iterations / s", "staleness", "spread"
    )?;
    for effect in effects {
        let ratio = |ratio: Option<f64>| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}x"));
        let setting = if effect.noisy { "noisy" } else { "quiet" };
        writeln!(
            out,
            "{:<18}{setting:<6} {:>24} {:>22} {:>21} {:>21}",
            effect.method,
            ratio(effect.seconds),
            ratio(effect.iteration_rate),
            ratio(effect.staleness),
            ratio(effect.spread),
        )?;
    }
    Ok(())
}

/// A row of `table.csv`: the medians of a method in a setting. The field names are the header.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct TableRecord<'a> {
    method: &'a str,
    setting: &'static str,
    converged: usize,
    failed: usize,
    seconds: Option<f64>,
    iteration_rate: Option<f64>,
    staleness: Option<f64>,
    spread: Option<f64>,
    moves: Option<f64>,
    transfers: Option<f64>,
}

impl<'a> TableRecord<'a> {
    /// Returns the lines of every method in both settings.
    fn of(rows: &'a [Row]) -> impl Iterator<Item = Self> {
        rows.iter().flat_map(|row| {
            row.settings().map(|(name, setting)| Self::new(&row.method.name, name, setting))
        })
    }

    /// Returns the record of one setting for JSON, which keeps only the medians of the quartiles.
    fn new(method: &'a str, name: &'static str, setting: &Setting) -> Self {
        let median = |quartiles: Option<Quartiles>| quartiles.map(|quartiles| quartiles.median);
        Self {
            method,
            setting: name,
            converged: setting.converged,
            failed: setting.failed,
            seconds: median(setting.seconds),
            iteration_rate: median(setting.iteration_rate),
            staleness: median(setting.staleness),
            spread: median(setting.spread),
            moves: median(setting.moves),
            transfers: median(setting.transfers),
        }
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::run::NodeBalance;

    use super::super::method::methods;
    use super::*;

    fn sample(method: &str, noisy: bool, seconds: f64, spread: u64) -> ComparisonSample {
        ComparisonSample {
            method: method.into(),
            noisy,
            converged: true,
            seconds,
            iteration_rate: Some(100.0 / seconds),
            spread_end: spread,
            staleness_max: 8,
            transfers: 3,
            ..ComparisonSample::default()
        }
    }

    fn samples() -> Vec<ComparisonSample> {
        let without = [2.0, 3.0, 4.0].map(|seconds| sample("async", true, seconds, 90));
        let with = [1.0, 2.0, 9.0].map(|seconds| sample("async + DPLB", true, seconds, 15));
        let failed = ComparisonSample { converged: false, ..sample("ssync(30)", false, 9.0, 1) };
        let even = sample("ssync(30)", true, 9.0, 1);
        let zero = sample("ssync(30) + DPLB", true, 9.0, 0);
        without.into_iter().chain(with).chain([failed, even, zero]).collect()
    }

    fn table() -> Vec<Row> {
        rows(&methods(NodeBalance::parse("dplb:1,1").unwrap()), &samples())
    }

    #[test]
    fn effects_are_ratios_of_the_medians_of_what_converged() {
        let effects = effects(&table());
        assert_eq!(effects.len(), 4);
        let of = |method, noisy| {
            effects.iter().find(|e| e.method == method && e.noisy == noisy).unwrap().clone()
        };
        let noisy = of("async + DPLB", true);
        assert_eq!((noisy.seconds, noisy.spread), (Some(1.5), Some(6.0)));
        assert_eq!(noisy.staleness, Some(1.0));
        let rate = noisy.iteration_rate.unwrap();
        assert!((rate - 2.0 / 3.0).abs() < 1e-12, "{rate}");
        assert_eq!(of("async + DPLB", false).seconds, None, "there were no such runs");
        let ssync = of("ssync(30) + DPLB", true);
        assert_eq!((ssync.seconds, ssync.spread), (Some(1.0), None));
        assert_eq!(of("ssync(30) + DPLB", false).seconds, None, "one side did not converge");
    }

    #[test]
    fn the_printed_table_has_every_method_and_names_what_was_left_out() {
        let mut text = Vec::new();
        let all = methods(NodeBalance::parse("dplb:1,1").unwrap());
        Methods::of(&all, &samples()).write(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for part in ["1.50x", "6.00x", "not converged: ssync(30), quiet: 1 of 1 runs", "3.000 ("] {
            assert!(text.contains(part), "{part}: {text}");
        }
        for name in ["async  ", "async + DPLB", "ssync(30)  ", "ssync(30) + DPLB"] {
            let lines = text.lines().filter(|line| line.starts_with(name)).count();
            assert!(lines >= 2, "{name}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 132), "{text}");
    }

    #[test]
    fn the_csv_table_has_a_row_for_each_method_in_each_setting() {
        let rows = table();
        let records: Vec<_> = TableRecord::of(&rows).collect();
        assert_eq!(records.len(), 8);
        assert_eq!((records[1].method, records[1].setting), ("async", "noisy"));
        assert_eq!((records[1].seconds, records[1].transfers), (Some(3.0), Some(3.0)));
        assert_eq!((records[4].failed, records[4].seconds), (1, None));
    }
}
