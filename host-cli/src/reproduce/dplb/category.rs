//! What Figures 1 to 3 and the columns of Table 2 are of: a mode, and what is slow.

use tresse_core::run::Mode;

use super::placement::{Component, Placement, place};
use super::{BOUND, KINDS, Rank, kind, setting};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::whiskers::{Times, boxes};
use crate::report::plots::write_pair;
use crate::report::statistics::{Quartiles, Whiskers, extremes};
use crate::reproduce::experiment::Setting;
use crate::reproduce::outcome::{Row, Statement};
use crate::reproduce::runs::{Runs, Sample};

/// Nodes of the runs.
const NODES: u32 = 15;
/// From none to so many slow components.
pub(super) const MOST_SLOW: u32 = 8;

/// One figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Category {
    pub(super) mode: Mode,
    pub(super) component: Component,
    /// The figure of the paper.
    pub(super) figure: &'static str,
    pub(super) rank: Rank,
}

/// Semi-synchronous, with slow sockets.
pub(super) const SSYNC_SOCKET: Category = Category {
    mode: Mode::SemiSync(BOUND),
    component: Component::Socket,
    figure: "Figure 1",
    rank: Rank::Socket,
};
/// Asynchronous, with slow sockets.
pub(super) const ASYNC_SOCKET: Category = Category {
    mode: Mode::Async,
    component: Component::Socket,
    figure: "Figure 2",
    rank: Rank::Socket,
};
/// Asynchronous, with slow nodes.
pub(super) const ASYNC_NODE: Category = Category {
    mode: Mode::Async,
    component: Component::Node,
    figure: "Figure 3",
    rank: Rank::Socket,
};

/// Both kinds of runs with so many slow components.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Slow components.
    pub(super) slow: u32,
    /// Of the figure's runs, unbalanced and balanced; not a number where none ended.
    pub(super) figures: [f64; 2],
}

impl Pair {
    /// How many times the balanced figure the unbalanced one is.
    pub(super) fn ratio(self) -> f64 {
        let [unbalanced, balanced] = self.figures;
        unbalanced / balanced
    }

    /// By how many percent the balanced figure is above the unbalanced one.
    pub(super) fn change(self) -> f64 {
        (1.0 / self.ratio() - 1.0) * 100.0
    }
}

pub(super) fn seconds(sample: &Sample) -> f64 {
    sample.seconds
}

pub(super) fn staleness(sample: &Sample) -> f64 {
    sample.staleness_max as f64
}

pub(super) fn median(samples: &[f64]) -> f64 {
    Quartiles::of(samples).map_or(f64::NAN, |quartiles| quartiles.median)
}

pub(super) fn worst(samples: &[f64]) -> f64 {
    extremes(samples.iter().copied()).map_or(f64::NAN, |(_, most)| most)
}

/// The distance between the whiskers.
pub(super) fn spread(samples: &[f64]) -> f64 {
    Whiskers::tukey(samples).map_or(f64::NAN, Whiskers::spread)
}

impl Category {
    pub(super) fn name(self) -> String {
        format!("{}, {}", self.mode, self.component.name())
    }

    pub(super) fn label(self, slow: u32, is_balanced: bool) -> String {
        let remark = self.rank.remark();
        format!("{}, {slow} slow{remark}, {}", self.name(), kind(is_balanced))
    }

    pub(super) fn settings(self) -> impl Iterator<Item = Setting> {
        self.settings_with(0..=MOST_SLOW)
    }

    /// Those with so many slow components only.
    pub(super) fn settings_with(
        self,
        counts: impl IntoIterator<Item = u32>,
    ) -> impl Iterator<Item = Setting> {
        counts.into_iter().flat_map(move |slow| {
            [false, true].map(|is_balanced| {
                let label = self.label(slow, is_balanced);
                let mut setting = setting(NODES, self.rank, self.mode, is_balanced, label);
                let named = Placement::Worst.choose(self.component, slow, NODES, 0);
                setting.config.noise = named.into_iter().collect();
                Setting { noise: (slow > 0).then_some(place), ..setting }
            })
        })
    }

    /// What is made of a figure of all runs of each kind, for each count of slow components.
    pub(super) fn pairs(
        self,
        runs: &Runs,
        figure: fn(&Sample) -> f64,
        of: fn(&[f64]) -> f64,
    ) -> Vec<Pair> {
        let kinds =
            |slow| [false, true].map(|kind| of(&runs.figures(&self.label(slow, kind), figure)));
        (0..=MOST_SLOW).map(|slow| Pair { slow, figures: kinds(slow) }).collect()
    }

    /// The same, only where something is slow.
    pub(super) fn noisy_pairs(
        self,
        runs: &Runs,
        figure: fn(&Sample) -> f64,
        of: fn(&[f64]) -> f64,
    ) -> Vec<Pair> {
        self.pairs(runs, figure, of).split_off(1)
    }

    /// Time to solution with its worst case, iteration rate and staleness; the paper has pictures
    /// of them, but no numbers in its text.
    pub(super) fn rows(self, runs: &Runs) -> Vec<Row> {
        self.rows_with(runs, 0..=MOST_SLOW)
    }

    /// Those with so many slow components only.
    pub(super) fn rows_with(self, runs: &Runs, counts: impl IntoIterator<Item = u32>) -> Vec<Row> {
        let rows = counts.into_iter().flat_map(|slow| {
            [false, true].map(|is_balanced| {
                let label = self.label(slow, is_balanced);
                let row = |what: &str, unit, figure: fn(&Sample) -> f64| {
                    let figures = runs.figures(&label, figure);
                    Row::of(format!("{label}: {what}"), unit, None, &figures)
                };
                let slowest = worst(&runs.figures(&label, seconds));
                let worst = Row::of(format!("{label}: worst case"), "virtual s", None, &[slowest]);
                [
                    row("time to solution", "virtual s", seconds),
                    worst,
                    row("iteration rate", "1/s", |sample| sample.iteration_rate),
                    row("staleness", "iterations", staleness),
                ]
            })
        });
        rows.flatten().collect()
    }

    /// Judges something that is to be so for every one of some pairs.
    pub(super) fn always(
        self,
        text: &str,
        pairs: &[Pair],
        is_so: impl Fn(&Pair) -> bool,
        shown: impl Fn(&Pair) -> String,
    ) -> Statement {
        let holds = !pairs.is_empty() && pairs.iter().all(is_so);
        let why: Vec<_> =
            pairs.iter().map(|pair| format!("{}: {}", pair.slow, shown(pair))).collect();
        Statement::new(format!("{} (section 5, {})", text, self.figure), holds, why.join(", "))
    }

    /// The paper's figure: a box for each count and kind.
    pub(super) fn draw(self, runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
        let times = |slow| Times {
            name: format!("{slow} slow"),
            seconds: [false, true]
                .map(|is_balanced| runs.figures(&self.label(slow, is_balanced), seconds)),
        };
        let times: Vec<_> = (0..=MOST_SLOW).map(times).collect();
        let title = format!("{}: {} running 40 % slower", self.figure, self.name());
        let title = runs.titled(&title);
        write_pair(&boxes(&times, KINDS, &title), out, &format!("time-{}", self.stem()))
    }

    /// What its files are called after.
    pub(super) fn stem(self) -> String {
        let mode = if self.mode == Mode::Async { "async" } else { "ssync" };
        format!("{mode}-{}", self.component.name())
    }
}

/// `1.23x`.
pub(super) fn times(pair: &Pair) -> String {
    format!("{:.2}x", pair.ratio())
}

/// `-4.5 %`.
pub(super) fn percent(pair: &Pair) -> String {
    format!("{:+.1} %", pair.change())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::reproduce::runs::tests::runs;

    /// What three runs of one setting come to.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Figures {
        pub seconds: [f64; 3],
        pub rate: f64,
        pub staleness: u64,
    }

    /// Three runs of every setting, with the figures that `set` sets.
    pub fn world(categories: &[Category], set: impl Fn(Category, u32, bool, &mut Figures)) -> Runs {
        let mut all = Runs::default();
        for &category in categories {
            for slow in 0..=MOST_SLOW {
                for is_balanced in [false, true] {
                    let mut figures = Figures::default();
                    set(category, slow, is_balanced, &mut figures);
                    for (replicate, seconds) in (0..).zip(figures.seconds) {
                        let made = runs(&[(category.label(slow, is_balanced), (seconds, 0))]);
                        all.samples.extend(made.samples.into_iter().map(|sample| Sample {
                            replicate,
                            iteration_rate: figures.rate,
                            staleness_max: figures.staleness,
                            ..sample
                        }));
                    }
                }
            }
        }
        all
    }

    #[test]
    fn every_count_is_run_both_ways_with_as_much_noise() {
        let settings: Vec<_> = ASYNC_NODE.settings().collect();
        assert_eq!(settings.len(), 18);
        for (setting, slow) in settings.iter().zip((0..=8).flat_map(|slow| [slow, slow])) {
            let seed = 5;
            let noise = |number| {
                let replicate = crate::reproduce::experiment::Replicate { number, seed };
                setting.noise.map_or(0, |draw| draw(replicate, setting).len())
            };
            // A slow node is two slow sockets.
            assert_eq!([0, 1, 2].map(noise), [2 * slow; 3], "{}", setting.label);
            setting.config.validate().unwrap();
        }
        let labels: std::collections::BTreeSet<_> =
            settings.iter().map(|setting| &setting.label).collect();
        assert_eq!(labels.len(), 18);
    }

    #[test]
    fn worst_and_spread_are_of_all_runs() {
        let runs = world(&[ASYNC_NODE], |_, slow, is_balanced, figures| {
            let factor = if is_balanced { 1.0 } else { 2.0 };
            figures.seconds = [10.0, 11.0, 12.0 + f64::from(slow)].map(|time| time * factor);
        });
        let last = |of| *ASYNC_NODE.noisy_pairs(&runs, seconds, of).last().unwrap();
        assert_eq!((last(worst).slow, last(worst).figures), (8, [40.0, 20.0]));
        assert!((last(spread).ratio() - 2.0).abs() < 1e-12);
        assert!((last(median).change() + 50.0).abs() < 1e-12);
        assert_eq!(ASYNC_NODE.rows(&runs).len(), 9 * 2 * 4);
    }
}
