use tresse_core::run::{Balance, Mode, PlbParams, RunConfig};
use tresse_core::time::Duration;
use super::progress;
use crate::methods::Method;
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row};
use crate::reproduce::runs::Runs;

pub(in crate::reproduce) const PARAMETERS: Experiment = Experiment {
    name: "plb-parameters",
    title: "parameters",
    source: "Zarins & Weiland 2017, sections 3.3, 5.1 and 5.2",
    replicates: 3,
    plan,
    evaluate,
    draw: |_, _| Ok(()),
};
fn plan() -> Plan {
    let mut settings = vec![];
    type P = (&'static str, fn(Duration) -> Balance);
    let ps: [P; 2] = [("split", Balance::Split), ("joint", Balance::Joint)];
    for (name, b) in ps {
        for us in [100, 300, 1000, 3000, 10_000, 30_000, 100_000] { for split in [2, 3, 4, 6, 8] {
            let s = progress::setting(format!("{name:6} period {us:6} split {split}"), &Method { name, mode: Mode::Async, split, balance: b(Duration::from_micros(us)) }, 5000);
            settings.push(Setting { config: RunConfig { plb: PlbParams { low: split - split / 2, high: split + split / 2, ..s.config.plb }, ..s.config }, ..s });
        }}
        for pairs in [1, 2, 4, 6, 8, 16, 32] { for (low, high) in [(3, 5), (3, 6), (2, 5), (2, 6), (1, 7), (1, 12)] {
            let s = progress::setting(format!("{name:6} pairs {pairs:2} low {low} high {high}"), &Method { name, mode: Mode::Async, split: 4, balance: b(Duration::from_micros(1000)) }, 5000);
            settings.push(Setting { config: RunConfig { plb: PlbParams { pairs, low, high, dead_band: 0 }, ..s.config }, ..s });
        }}
    }
    Plan { settings }
}
fn evaluate(runs: &Runs) -> Outcome {
    let mut rows = vec![];
    for l in &runs.labels {
        rows.push(Row::of(l.clone(), "end", None, &runs.figures(l, |s| s.spread_end as f64)));
        rows.push(Row::of(l.clone(), "rate", None, &runs.figures(l, |s| s.iteration_rate)));
        rows.push(Row::of(l.clone(), "max", None, &runs.figures(l, |s| s.spread_max as f64)));
    }
    Outcome { rows, statements: vec![] }
}
