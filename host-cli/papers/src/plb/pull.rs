//! Pulling and the exact mode beside the papers' methods, on the virtual ARCHER under several
//! noises.

use tresse_core::base::time::Duration;
use tresse_core::run::noise::{Noise, Parasite};
use tresse_core::run::{Balance, Mode};

use super::{PARASITE, PaperMachine, SHORTENED, on, shortened, simulation, to_solution};
use crate::{
    Experiment, Figure, Plan, Row, Runs, Setting, Statement, joined, says, seconds, spread_p99,
};
use tresse_console::plots::{Kinds, Picture, Times, boxes};
use tresse_engine::experiments::methods::{BEYOND, METHODS, Method};
use tresse_engine::files::problem::worker_beside_source;

pub(crate) const PULL: Experiment = Experiment {
    name: "pull",
    title: "Pulling and the exact mode beside the papers' methods, under several noises",
    source: "beyond the papers: their open question whether work stealing helps asynchronous methods (Zarins & \
             Weiland 2017, section 6; no numbers are printed)",
    replicates: 5,
    plan: || Ok(Plan::of(settings(), &[SHORTENED])),
    rows: |runs| {
        let unhelped = unhelped().map(|(noise, method)| (noise, without_help(method.name), method));
        let helped = all().map(|(noise, method)| (noise, method.name.to_owned(), method));
        let all = helped.chain(unhelped);
        all.flat_map(|(noise, name, method)| rows(runs, noise, (&name, method))).collect()
    },
    statements: |runs| {
        let cheap = [PULLED, AUTO].map(|method| costs_nothing(runs, method));
        let [pulled, auto] = cheap;
        vec![spread_is_bounded(runs), pulled, auto, exact_beats_sync(runs), helping_pays(runs)]
    },
    pictures: |runs| vec![("time".into(), picture(runs))],
};

const ALONE: &str = "async(4)";
const SYNC: &str = "sync";
const PULLED: &str = "async(4) + pull(8)";
const AUTO: &str = "async(4) + auto";
const EXACT: &str = "exact(4) + pull";

/// The noise for a noisy core.
type Disturb = fn(u32) -> Vec<Noise>;

/// The noises, with their names.
const NOISES: [(&str, Disturb); 4] = [
    ("quiet", |_| Vec::new()),
    ("19 % of one core", |core| vec![on(core, PARASITE)]),
    ("50 % of one core in slices of 5 ms", |core| vec![on(core, slices(500))]),
    ("40 % of each third core in slices of 5 ms", |_| {
        (0..CORES).step_by(3).map(|core| on(core, slices(400))).collect()
    }),
];

/// Cores of ARCHER.
const CORES: u32 = 24;

/// Bursts of 5 ms on average, which take so many thousandths of a core.
pub(super) const fn slices(thousandths: u64) -> Parasite {
    let burst = Duration::from_millis(5);
    let gap = Duration(burst.0 * (1_000 - thousandths) / thousandths);
    Parasite::Bursts { burst, gap }
}

/// Returns the methods that are compared.
fn methods() -> impl Iterator<Item = &'static Method> + Clone {
    let split = |method: &&Method| [SYNC, ALONE].contains(&method.name) || moves(method.balance);
    METHODS.iter().filter(split).chain(&BEYOND)
}

/// Reports whether a balancer is one of the papers'.
const fn moves(balance: Balance) -> bool {
    matches!(balance, Balance::Joint(_) | Balance::Split(_))
}

/// Returns every method under every noise.
fn all() -> impl Iterator<Item = (&'static str, &'static Method)> {
    NOISES.iter().flat_map(|(noise, _)| methods().map(move |method| (*noise, method)))
}

/// The methods whose workers help each other, under the noises that stop a worker for milliseconds.
fn unhelped() -> impl Iterator<Item = (&'static str, &'static Method)> {
    let helped = |method: &&Method| matches!(method.balance, Balance::Pull(_));
    let noises = NOISES.iter().skip(2);
    noises.flat_map(move |(noise, _)| methods().filter(helped).map(move |method| (*noise, method)))
}

/// Returns the name of a method whose workers do not help each other.
fn without_help(method: &str) -> String {
    format!("{method} without help")
}

/// Returns the label of a method's runs under a noise.
fn label(noise: &str, method: &str) -> String {
    format!("{method}, {noise}")
}

/// Returns all settings, and those without help that are compared with them.
fn settings() -> Vec<Setting> {
    let helped = all().map(|(noise, method)| setting(noise, method, true));
    helped.chain(unhelped().map(|(noise, method)| setting(noise, method, false))).collect()
}

/// Returns the setting of a method under a noise, in which workers help each other or not.
fn setting(noise: &str, method: &Method, helps: bool) -> Setting {
    let mut simulation = simulation(PaperMachine::Archer, &shortened(method), to_solution(), false);
    let beside = worker_beside_source(simulation.config.workers);
    let disturb = NOISES.iter().find(|(name, _)| *name == noise);
    simulation.config.noise =
        disturb.map_or_else(Vec::new, |(_, on)| on(beside)).into_iter().collect();
    simulation.config.help = helps;
    let name = if helps { method.name.to_owned() } else { without_help(method.name) };
    simulation.labelled(label(noise, &name))
}

/// Returns the time of a method, and its spread where no barrier bounds it.
fn rows(runs: &Runs, noise: &str, (name, method): (&str, &Method)) -> Vec<Row> {
    let label = label(noise, name);
    let time = [(", time to solution", "virtual s", seconds as Figure)];
    let spread = [(", spread, 99 %", "updates", spread_p99 as Figure)];
    let mut rows = runs.rows(&label, time).to_vec();
    // A barrier bounds the spread by itself.
    if method.mode != Mode::Sync {
        rows.extend(runs.rows(&label, spread));
    }
    rows
}

/// Returns the median of a figure of a method under each noise.
fn of_noises(runs: &Runs, method: &str, figure: Figure) -> [f64; 4] {
    NOISES.map(|(noise, _)| runs.median(&label(noise, method), figure))
}

/// Lists the figures of two methods under every noise.
fn shown(methods: [&str; 2], figures: [[f64; 4]; 2], unit: &str) -> String {
    let one = |noise: usize| {
        let [one, other] = figures.map(|figures| figures[noise]);
        format!("{}: {} {one:.4} and {} {other:.4}{unit}", NOISES[noise].0, methods[0], methods[1])
    };
    joined((0..NOISES.len()).map(one), "; ")
}

/// Judges whether pulling keeps the spread within its lag.
fn spread_is_bounded(runs: &Runs) -> Statement {
    let figures = [PULLED, ALONE].map(|method| of_noises(runs, method, spread_p99));
    says(format!(
        "{PULLED}: the spread stays within the 8 updates of the lag and 2 more in 99 % of the samples, under \
         every noise (ours)"
    ))
    .within(figures[0], ..=10.0)
    .shown(shown([PULLED, ALONE], figures, " updates"))
    .or_because(
        "a worker is helped with a subdomain that is twice the lag behind, and the first stop of each worker only shows \
         that it is one to help",
    )
}

/// Judges whether a method takes as little time as one without a balancer, within 2 %.
fn costs_nothing(runs: &Runs, method: &str) -> Statement {
    let figures = [method, ALONE].map(|method| of_noises(runs, method, seconds));
    let [balanced, alone] = figures;
    let ratios = (0..NOISES.len()).map(|noise| balanced[noise] / alone[noise]);
    says(format!(
        "{method}: the time to solution is never more than 2 % above that of {ALONE} (ours)"
    ))
    .within(ratios, ..=1.02)
    .shown(shown([method, ALONE], figures, " s"))
    .or_because(
        "where many cores are taken away for slices, what is borrowed is often kept by one that is away itself",
    )
}

/// Judges whether the exact mode is quicker than the synchronous one.
fn exact_beats_sync(runs: &Runs) -> Statement {
    let figures = [EXACT, SYNC].map(|method| of_noises(runs, method, seconds));
    let [exact, sync] = figures;
    let ratios = (0..NOISES.len()).map(|noise| exact[noise] / sync[noise]);
    says(format!(
        "{EXACT}: the same field as {SYNC}, bit by bit, in less time under every noise (ours)"
    ))
    .within(ratios, ..1.0)
    .shown(shown([EXACT, SYNC], figures, " s"))
}

/// Judges whether help makes pulling quicker under the noises that stop a worker for milliseconds.
fn helping_pays(runs: &Runs) -> Statement {
    let of = |method: &str, figure: Figure| {
        let [_, _, one, many] = NOISES.map(|(noise, _)| noise);
        [one, many].map(|noise| runs.median(&label(noise, method), figure))
    };
    let ratios = |method: &str, figure: Figure| {
        let [with, without] = [of(method, figure), of(&without_help(method), figure)];
        [with[0] / without[0], with[1] / without[1]]
    };
    let (exact, pulled) = (ratios(EXACT, seconds), ratios(PULLED, spread_p99));
    says(format!(
        "help with sweeps that a stopped worker is in: {EXACT} takes at most 0.9 of the time that it takes without, and \
         the spread of {PULLED} is at most 0.6 of what it is without, under slices of 5 ms (ours)"
    ))
    .within(exact, ..=0.9)
    .within(pulled, ..=0.6)
    .shown(format!("times {exact:.3?}, spreads {pulled:.3?} of those without help"))
    .or_because("where many cores are away, whoever helps is often stopped itself")
}

/// Draws the times of all methods, quiet and under one of the noises.
fn picture(runs: &Runs) -> Picture {
    let times = methods().map(|method| Times {
        name: method.name.to_owned(),
        seconds: [NOISES[0].0, NOISES[3].0]
            .map(|noise| runs.figures(&label(noise, method.name), seconds)),
    });
    let times: Vec<_> = times.collect();
    let title = format!("Time to solution on the virtual ARCHER, quiet and with {}", NOISES[3].0);
    boxes(&times, Kinds::OF_NOISE, &runs.titled(&title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check};

    fn normal(run: &mut Run) {
        let is_pulled = run.setting.contains("pull");
        let is_slow = run.setting.starts_with("sync") || run.setting.contains("without help");
        let is_far = !is_pulled || run.setting.contains("without help");
        run.solved.spread_p99 = Some(if is_far { 900 } else { 9 });
        run.solved.seconds = if is_slow { 2.0 } else { 1.0 };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 6] = [
            ("pull(8) without help, 50 %", |run| run.solved.spread_p99 = Some(14), &[4]),
            ("exact(4) + pull without help, 40 %", |run| run.solved.seconds = 1.1, &[4]),
            ("pull(8), 50 %", |run| run.solved.spread_p99 = Some(11), &[0]),
            ("pull(8), quiet", |run| run.solved.seconds = 1.03, &[1]),
            ("async(4) + auto, 19 %", |run| run.solved.seconds = 1.03, &[2]),
            ("exact(4) + pull, 19 %", |run| run.solved.seconds = 2.0, &[3]),
        ];
        check(&PULL, 1, normal, &faults);
    }
}
