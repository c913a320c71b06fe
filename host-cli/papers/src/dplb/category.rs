//! The categories of Figures 1 to 3 and of the columns of Table 2: a mode, and a kind of slow
//! components.

use std::ops::RangeBounds;

use tresse_core::run::Mode;

use super::placement::{Component, Placement};
use super::{BOUND, KINDS, Rank, kind, simulation};
use crate::{Figure, Row, Runs, Setting, Statement, above, joined, rate, says, seconds, staleness};
use tresse_console::plots::{Picture, Times, boxes};
use tresse_draw::statistics::{Whiskers, greatest, median};

/// Number of nodes of the runs.
const NODES: u32 = 15;
/// Greatest number of slow components.
pub(super) const MOST_SLOW: u32 = 8;

/// One figure of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Category {
    mode: Mode,
    component: Component,
    figure: &'static str,
    rank: Rank,
}

/// Returns a category whose ranks are sockets.
const fn category(mode: Mode, component: Component, figure: &'static str) -> Category {
    Category { mode, component, figure, rank: Rank::Socket }
}

/// Semi-synchronous runs with slow sockets.
pub(super) const SSYNC_SOCKET: Category =
    category(Mode::SemiSync(BOUND), Component::Socket, "Figure 1");
/// Asynchronous runs with slow sockets.
pub(super) const ASYNC_SOCKET: Category = category(Mode::Async, Component::Socket, "Figure 2");
/// Asynchronous runs with slow nodes.
pub(super) const ASYNC_NODE: Category = category(Mode::Async, Component::Node, "Figure 3");

/// Both kinds of runs with a number of slow components.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Number of slow components.
    pub(super) slow: u32,
    /// Figures of the runs, unbalanced and balanced; NaN where no run ended.
    pub(super) figures: [f64; 2],
}

impl Pair {
    /// Returns the unbalanced figure ÷ the balanced one.
    pub(super) fn ratio(&self) -> f64 {
        let [unbalanced, balanced] = self.figures;
        unbalanced / balanced
    }

    /// Returns the percentage by which the balanced figure is above the unbalanced one.
    pub(super) fn change(&self) -> f64 {
        (1.0 / self.ratio() - 1.0) * 100.0
    }
}

/// Returns text such as `1.23x`.
pub(super) fn times(pair: &Pair) -> String {
    format!("{:.2}x", pair.ratio())
}

/// Returns text such as `-4.5 %`.
pub(super) fn percent(pair: &Pair) -> String {
    format!("{:+.1} %", pair.change())
}

/// A function that reduces a figure of all runs of a setting to one number.
pub(super) type Of = fn(&[f64]) -> f64;

/// Returns the greatest sample.
pub(super) fn worst(samples: &[f64]) -> f64 {
    greatest(samples.iter().copied())
}

/// Returns the distance between the whiskers.
pub(super) fn spread(samples: &[f64]) -> f64 {
    Whiskers::tukey(samples).map_or(f64::NAN, Whiskers::spread)
}

impl Category {
    /// Returns the category with a rank for each node: the literal reading of section 3.1, beside
    /// the main runs.
    pub(super) const fn literal(self) -> Self {
        Self { rank: Rank::Node, ..self }
    }

    /// Returns the name of the category: mode and component.
    pub(super) fn name(self) -> String {
        format!("{}, {}", self.mode, self.component.name())
    }

    /// Returns the label of the runs with `slow` slow components.
    pub(super) fn label(self, slow: u32, is_balanced: bool) -> String {
        let remark = self.rank.remark();
        format!("{}, {slow} slow{remark}, {}", self.name(), kind(is_balanced))
    }

    /// Returns the numbers of slow components in the runs, which are fewer where ranks are nodes.
    fn counts(self) -> Vec<u32> {
        match self.rank {
            Rank::Socket => (0..=MOST_SLOW).collect(),
            Rank::Node => vec![0, 4, 8],
        }
    }

    /// Returns all settings: each count of slow components, without and with balancing.
    pub(super) fn settings(self) -> impl Iterator<Item = Setting> {
        self.counts().into_iter().flat_map(move |slow| {
            [false, true].map(|is_balanced| {
                let mut made = simulation(NODES, self.rank, self.mode, is_balanced);
                if slow > 0 {
                    made.noise = Some(Box::new(move |replicate| {
                        Placement::of(replicate).choose(self.component, slow, NODES, replicate)
                    }));
                }
                made.labelled(self.label(slow, is_balanced))
            })
        })
    }

    /// Returns a figure without and with balancing, for each number of slow components; `of`
    /// reduces it over all runs.
    pub(super) fn pairs(self, runs: &Runs, figure: Figure, of: Of) -> Vec<Pair> {
        let kinds =
            |slow| [false, true].map(|kind| of(&runs.figures(&self.label(slow, kind), figure)));
        let counts = self.counts().into_iter();
        counts.map(|slow| Pair { slow, figures: kinds(slow) }).collect()
    }

    /// Returns the pairs of [`Self::pairs`] that have slow components.
    pub(super) fn noisy_pairs(self, runs: &Runs, figure: Figure, of: Of) -> Vec<Pair> {
        self.pairs(runs, figure, of).split_off(1)
    }

    /// Returns rows of time to solution with its worst case, iteration rate and staleness, of which
    /// the paper has pictures, but no numbers in its text.
    pub(super) fn rows(self, runs: &Runs) -> Vec<Row> {
        let rows = self.counts().into_iter().flat_map(|slow| {
            [false, true].map(|is_balanced| {
                let label = self.label(slow, is_balanced);
                let [times, rates, gaps] = runs.rows(
                    &label,
                    [
                        (": time to solution", "virtual s", seconds),
                        (": iteration rate", "1/s", rate),
                        (": staleness", "iterations", staleness),
                    ],
                );
                let worst = [worst(&runs.figures(&label, seconds))];
                let worst = Row::of(format!("{label}: worst case"), "virtual s", None, &worst);
                [times, worst, rates, gaps]
            })
        });
        rows.flatten().collect()
    }

    /// Judges whether a figure of every pair is within a band.
    pub(super) fn always(
        self,
        text: &str,
        pairs: &[Pair],
        figure: impl Fn(&Pair) -> f64,
        band: impl RangeBounds<f64>,
        shown: impl Fn(&Pair) -> String,
    ) -> Statement {
        let why = pairs.iter().map(|pair| format!("{}: {}", pair.slow, shown(pair)));
        let text = format!("{text} (section 5, {})", self.figure);
        says(text).within(pairs.iter().map(figure), band).shown(joined(why, ", "))
    }

    /// Judges whether balancing lowers the staleness with a rank for each node, which no paper
    /// states.
    pub(super) fn literal_lowers_staleness(self, runs: &Runs) -> Statement {
        let literal = self.literal();
        let times = literal.noisy_pairs(runs, seconds, median);
        let stale = literal.noisy_pairs(runs, staleness, median);
        let shown = times.iter().zip(&stale).map(|(time, stale)| {
            let ([unbalanced, balanced], slow) = (stale.figures, time.slow);
            format!("{slow}: {}, staleness {unbalanced:.0} to {balanced:.0}", percent(time))
        });
        says(format!(
            "ours: with a rank per node of two sockets balancing lowers the staleness as well ({}, \
             section 3.1)",
            self.name()
        ))
        .within(stale.iter().map(Pair::ratio), above(1.0))
        .shown(joined(shown, "; "))
    }

    /// Returns the paper's figure: a box for each count and kind.
    pub(super) fn picture(self, runs: &Runs) -> (String, Picture) {
        let times = self.counts().into_iter().map(|slow| Times {
            name: format!("{slow} slow"),
            seconds: [false, true].map(|kind| runs.figures(&self.label(slow, kind), seconds)),
        });
        let title = format!("{}: {} running 40 % slower", self.figure, self.name());
        let times: Vec<Times> = times.collect();
        (format!("time-{}", self.stem()), boxes(&times, KINDS, &runs.titled(&title)))
    }

    /// Returns the stem of the category's files.
    pub(super) fn stem(self) -> String {
        let mode = if self.mode == Mode::Async { "async" } else { "ssync" };
        format!("{mode}-{}", self.component.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replicate;

    #[test]
    fn every_count_is_run_both_ways_with_as_much_noise() {
        let settings: Vec<_> = ASYNC_NODE.settings().collect();
        assert_eq!(settings.len(), 18);
        for (setting, slow) in settings.iter().zip((0..=8).flat_map(|slow| [slow, slow])) {
            let draw = setting.job.simulation().unwrap().noise.as_ref();
            let noise = |number| {
                let replicate = Replicate { number, seed: 5 };
                draw.map_or(0, |draw| draw(replicate).len())
            };
            // A slow node is two slow sockets.
            assert_eq!([0, 1, 2].map(noise), [2 * slow; 3], "{}", setting.label);
        }
    }

    #[test]
    fn worst_and_spread_are_of_all_runs() {
        assert!((worst(&[10.0, 20.0, 12.0]) - 20.0).abs() < 1e-12);
        assert!((spread(&[10.0, 11.0, 12.0]) - 2.0).abs() < 1e-12);
        let pair = Pair { slow: 1, figures: [2.0, 1.0] };
        assert!((pair.ratio() - 2.0).abs() < 1e-12 && (pair.change() + 50.0).abs() < 1e-12);
    }
}
