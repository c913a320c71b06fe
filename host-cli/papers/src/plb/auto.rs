//! The default balancer beside those that are set by hand, on four virtual machines under five
//! noises.

use tresse_core::run::Mode;
use tresse_core::run::noise::{Noise, Parasite};

use super::pull::slices;
use super::{PARASITE, SHORTENED, on, shortened, simulation_on, to_solution};
use crate::{
    Experiment, Figure, Plan, Row, Runs, Setting, Statement, says, seconds, shipped, spread_p99,
};
use tresse_console::plots::{Kinds, Picture, Times, boxes};
use tresse_engine::experiments::methods::{BEYOND, METHODS, Method};
use tresse_engine::files::problem::worker_beside_source;

pub(crate) const AUTO: Experiment = Experiment {
    name: "auto",
    title: "The default balancer beside those set by hand, on four machines under five noises",
    source: "beyond the papers (no numbers are printed)",
    replicates: 5,
    plan: || Ok(Plan::of(settings(), &[SHORTENED])),
    rows: |runs| {
        let all = cases().flat_map(|case| methods().map(move |method| (case, method)));
        all.flat_map(|(case, method)| rows(runs, case, method)).collect()
    },
    statements: |runs| vec![costs_nothing(runs), is_the_best(runs), is_even(runs)],
    pictures: |runs| {
        let picture = |&(name, _): &Machine| (name.to_lowercase(), picture(runs, name));
        MACHINES.iter().map(picture).collect()
    },
};

/// A machine's name for people and in its file.
type Machine = (&'static str, &'static str);

const MACHINES: [Machine; 4] =
    [("Cirrus", "cirrus"), ("ARCHER", "archer"), ("ICC", "icc"), ("Laptop", "laptop")];

/// The noise for so many workers.
type Disturb = fn(u32) -> Vec<Noise>;

/// The noises, with their names.
const NOISES: [(&str, Disturb); 5] = [
    ("quiet", |_| Vec::new()),
    ("19 % of one core", |workers| vec![on(worker_beside_source(workers), PARASITE)]),
    ("40 % of one core", |workers| vec![on(worker_beside_source(workers), duty(400))]),
    ("15 to 40 % of each third core", |workers| {
        let share = |core: u32| 150 + 250 * core / workers.max(1);
        thirds(workers).map(|core| on(core, duty(share(core)))).collect()
    }),
    ("40 % of each third core in slices of 5 ms", |workers| {
        thirds(workers).map(|core| on(core, slices(400))).collect()
    }),
];

/// Returns a parasite that takes this share of a core, in thousandths.
const fn duty(thousandths: u32) -> Parasite {
    Parasite::Duty { millionths: 1_000 * thousandths }
}

/// Returns every third worker.
fn thirds(workers: u32) -> impl Iterator<Item = u32> {
    (0..workers).step_by(3)
}

const AUTOMATIC: &str = "async(4) + auto";
const ALONE: &str = "async(4)";

/// The asynchronous methods of four subdomains a worker.
fn methods() -> impl Iterator<Item = &'static Method> + Clone {
    METHODS.iter().chain(&BEYOND).filter(|method| method.mode == Mode::Async && method.split == 4)
}

/// A machine's and a noise's names.
type Case = (&'static str, &'static str);

/// Returns every machine with every noise.
fn cases() -> impl Iterator<Item = Case> {
    MACHINES.iter().flat_map(|&(name, _)| NOISES.iter().map(move |&(noise, _)| (name, noise)))
}

/// Returns the label of a method's runs in a case.
fn label((machine, noise): Case, method: &Method) -> String {
    labelled((machine, noise), method.name)
}

/// Returns the label of the runs of a method, by its name.
fn labelled((machine, noise): Case, method: &str) -> String {
    format!("{machine}, {noise}, {method}")
}

/// Returns all settings: each method under each noise on each machine, of one node.
fn settings() -> Vec<Setting> {
    let of_machine = |&(name, file): &Machine| {
        let hardware = move || {
            let mut hardware = shipped(file);
            // One node: what moves between nodes is another matter.
            hardware.nodes = 1;
            hardware
        };
        NOISES.into_iter().flat_map(move |(noise, disturb)| {
            methods().map(move |method| {
                simulation_on(hardware(), &shortened(method), to_solution(), disturb)
                    .labelled(label((name, noise), method))
            })
        })
    };
    MACHINES.iter().flat_map(of_machine).collect()
}

/// Returns the time to solution and the spread of a method in one case.
fn rows(runs: &Runs, case: Case, method: &Method) -> [Row; 2] {
    let figures: [(&str, &'static str, Figure); 2] =
        [("time to solution", "virtual s", seconds), ("spread, 99 %", "updates", spread_p99)];
    figures.map(|(what, unit, figure)| {
        let figures = runs.figures(&label(case, method), figure);
        let row = Row::of(format!("{}, {what}", method.name), unit, None, &figures);
        row.in_table(&format!("{}, {}", case.0, case.1))
    })
}

/// Returns the ratio of the default's figure to that of others in each case.
fn ratios(runs: &Runs, figure: Figure, others: impl Fn(Case) -> f64) -> Vec<(f64, Case)> {
    let ratio = |case| runs.median(&labelled(case, AUTOMATIC), figure) / others(case);
    cases().map(|case| (ratio(case), case)).collect()
}

/// Judges that a ratio is at most `most` in each case.
fn judged(text: &str, ratios: &[(f64, Case)], most: f64) -> Statement {
    let within = ratios.iter().filter(|(ratio, _)| *ratio <= most).count();
    let worst = ratios.iter().max_by(|one, other| one.0.total_cmp(&other.0));
    let worst = worst.map(|(ratio, (machine, noise))| format!("{ratio:.3} on {machine}, {noise}"));
    says(format!("{AUTOMATIC}: {text} (ours)"))
        .within(ratios.iter().map(|(ratio, _)| *ratio), ..=most)
        .shown(format!("{within} of {} cases; at most {}", ratios.len(), worst.unwrap_or_default()))
}

const SLICES: &str = "where workers are stopped for milliseconds at a time, a run borrows until that has shown not to be \
                      enough, and pulls from then on";

/// Judges whether the default balancer is as quick as none, within 2 %.
fn costs_nothing(runs: &Runs) -> Statement {
    let alone = |case| runs.median(&labelled(case, ALONE), seconds);
    let text = "the time to solution is at most 1.02 times that without a balancer, in each case";
    judged(text, &ratios(runs, seconds, alone), 1.02).or_because(SLICES)
}

/// Judges whether the default balancer is as quick as the best method, within 2 %.
fn is_the_best(runs: &Runs) -> Statement {
    let best = |case| {
        let times = methods().map(|method| runs.median(&label(case, method), seconds));
        times.fold(f64::INFINITY, |best, time| if time < best { time } else { best })
    };
    let text = "the time to solution is at most 1.02 times that of the best method, in each case";
    judged(text, &ratios(runs, seconds, best), 1.02).or_because(SLICES)
}

/// Judges whether the default balancer at least halves the spread.
fn is_even(runs: &Runs) -> Statement {
    let alone = |case| runs.median(&labelled(case, ALONE), spread_p99);
    let text = "the spread, in 99 % of the samples, is at most half of that without a balancer, in each case";
    judged(text, &ratios(runs, spread_p99, alone), 0.5).or_because(SLICES)
}

/// Draws the times of all methods on one machine, quiet and with slices taken away.
fn picture(runs: &Runs, machine: &'static str) -> Picture {
    let [quiet, .., slices] = NOISES.map(|(noise, _)| noise);
    let times = methods().map(|method| Times {
        name: method.name.to_owned(),
        seconds: [quiet, slices]
            .map(|noise| runs.figures(&label((machine, noise), method), seconds)),
    });
    let title = format!("Time to solution on the virtual {machine}, quiet and with {slices}");
    boxes(&times.collect::<Vec<_>>(), Kinds::OF_NOISE, &runs.titled(&title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check};

    fn normal(run: &mut Run) {
        run.solved.seconds = 1.0;
        run.solved.spread_p99 = Some(if run.setting.contains("auto") { 20 } else { 900 });
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 4] = [
            ("Cirrus, 40 % of one core, async(4) + auto", |run| run.solved.seconds = 1.03, &[0, 1]),
            ("ICC, quiet, async(4) + pull(8)", |run| run.solved.seconds = 0.9, &[1]),
            ("Laptop, quiet, async(4) + auto", |run| run.solved.spread_p99 = Some(600), &[2]),
            ("ARCHER, 19 % of one core, async(4) + auto", |run| run.ended = false, &[0, 1, 2]),
        ];
        check(&AUTO, 1, normal, &faults);
    }
}
