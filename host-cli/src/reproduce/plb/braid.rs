use crate::methods::{METHODS, Method};
use super::progress;
use super::trend;
use crate::report::history::History;
use crate::report::plots::braid::Braid;
use crate::report::plots::write_pair;
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row};
use crate::reproduce::runs::Runs;

pub(in crate::reproduce) const BRAID: Experiment = Experiment {
    name: "plb-braid",
    title: "the braid",
    source: "Zarins & Weiland 2017, Figure 2 and sections 3.3 and 5.1",
    replicates: 5,
    plan,
    evaluate,
    draw,
};
fn methods() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| method.split == 4)
}
fn plan() -> Plan {
    let settings = methods().map(|method| Setting {
        keeps_history: true,
        ..progress::setting(method.name.to_owned(), method, 10_000)
    });
    Plan { settings: settings.collect() }
}
const SHOWN: [u32; 8] = [1, 14, 27, 40, 53, 66, 79, 92];

fn sides(history: &History, column: usize) -> (f64, f64, f64) {
    let d: Vec<f64> = history.samples.iter().zip(&history.counts).map(|(s, c)| c[column] as f64 - s.mean).filter(|d| *d != 0.0).collect();
    let crossings = d.windows(2).filter(|w| (w[0] > 0.0) != (w[1] > 0.0)).count() as f64;
    let above = d.iter().filter(|d| **d > 0.0).count() as f64 / d.len() as f64;
    (crossings, above, history.samples.last().unwrap().seconds / (crossings + 1.0))
}
fn evaluate(runs: &Runs) -> Outcome {
    let mut rows = vec![];
    for l in &runs.labels {
        rows.push(Row::of(l.clone(), "end", None, &runs.figures(l, |s| s.spread_end as f64)));
        rows.push(Row::of("   max", "end", None, &runs.figures(l, |s| s.spread_max as f64)));
        rows.push(Row::of("   rate", "end", None, &runs.figures(l, |s| s.iteration_rate)));
        let hs = || runs.histories.iter().filter(|(x, _)| x == l).map(|(_, h)| h);
        let g: Vec<f64> = hs().filter_map(|h| super::trend::growth(&h.samples)).collect();
        rows.push(Row::of("   growth", "", None, &g));
        for c in SHOWN { 
            let s: Vec<_> = hs().map(|h| sides(h, c as usize)).collect();
            rows.push(Row::of(format!("   {c} crossings"), "", None, &s.iter().map(|x| x.0).collect::<Vec<_>>()));
            rows.push(Row::of(format!("   {c} above"), "", None, &s.iter().map(|x| x.1).collect::<Vec<_>>()));
            rows.push(Row::of(format!("   {c} reside ms"), "", None, &s.iter().map(|x| x.2*1000.).collect::<Vec<_>>()));
        }
    }
    Outcome { rows, statements: vec![] }
}
fn draw(runs: &Runs, out: &crate::report::output::OutputDir) -> Result<(), crate::report::output::OutputError> {
    for (stem, m) in ["none", "split", "joint", "hybrid"].iter().zip(methods()) {
        let h = &runs.histories.iter().find(|(l, _)| l == m.name).unwrap().1;
        for (tail, n) in [("all", 10000), ("short", 150)] {
        let skip = h.samples.len().saturating_sub(n);
        let some = History { samples: h.samples[skip..].to_vec(), counts: h.counts[skip..].iter().map(|c| SHOWN.map(|i| c[i as usize]).to_vec()).collect(), subdomains: SHOWN.to_vec() };
        write_pair(&Braid { history: &some, title: m.name }, out, &format!("{stem}-{tail}"))?;
        }
    }
    Ok(())
}
