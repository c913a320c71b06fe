use tresse_core::run::{Balance, Imbalance, Mode, RunConfig};
use tresse_core::time::Duration;
use tresse_core::machine::Hardware;

use super::progress;
use crate::methods::Method;
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row};
use crate::reproduce::runs::Runs;

pub(in crate::reproduce) const HISTORY: Experiment = Experiment {
    name: "plb-history",
    title: "swap and gradient, the predecessors of Algorithm 1, with uneven work",
    source: "Zarins & Weiland 2017, section 3.4",
    replicates: 5,
    plan,
    evaluate,
    draw: |_, _| Ok(()),
};
const MS: Duration = Duration::from_millis(1);
const METHODS: [(&str, u32, Balance); 6] = [
    ("none", 1, Balance::None),
    ("swap", 1, Balance::Swap(MS)),
    ("gradient", 1, Balance::Gradient(MS)),
    ("split", 4, Balance::Split(MS)),
    ("joint", 4, Balance::Joint(MS)),
    ("hybrid", 4, Balance::Hybrid(MS, 500)),
];
fn label(m: &str, i: u32, p: u32) -> String { format!("{m:10} {i:3} {p:3}") }
const IMB: [u32; 11] = [0, 2, 5, 10, 15, 20, 25, 30, 40, 50,60];
const PACE: [u32; 4] = [3, 10, 20, 30];
fn plan() -> Plan {
    let mut settings = vec![];
    for (name, split, balance) in METHODS { for p in PACE { for i in IMB {
        let s = progress::setting(label(name, i, p), &Method{name, mode: Mode::Async, split, balance}, 10_000);
        settings.push(Setting { config: RunConfig { imbalance: Imbalance { millionths: i * 10_000 }, ..s.config },
            hardware: Hardware { pace_range: p * 10_000, ..s.hardware }, keeps_history: true, ..s });
    }}}
    Plan { settings }
}
fn evaluate(runs: &Runs) -> Outcome {
    let mut rows = vec![];
    for l in &runs.labels {
        let ends: Vec<f64> = runs.figures(l, |s| s.spread_end as f64);
        let g: Vec<f64> = runs.histories.iter().filter(|(x, _)| x == l).filter_map(|(_, h)| super::trend::growth(&h.samples)).collect();
        rows.push(Row::of(l.clone(), "end", None, &ends));
        rows.push(Row::of("                growth", "", None, &g));
    }
    Outcome { rows, statements: vec![] }
}
