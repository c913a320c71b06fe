//! Judges the slides' statements on the parameters.

use super::{BINOMIAL, Choice, GEOMETRIC, Plane};
use crate::speculation::choice::{idle, manager_busy, messages, rolled_back, slowdown};
use crate::speculation::way::{COLLAPSE, Way};
use crate::{Figure, Runs, Statement, joined, says};
use tresse_draw::statistics::{greatest, least, median};

/// Greatest time that is good, as a multiple of the ideal.
const GOOD: f64 = 1.25;
/// Greatest time that needs no better choice, as a multiple of the best of a way.
const NEARLY_BEST: f64 = 1.1;
/// Greatest time that is not slower, as a multiple of the original's.
const NO_SLOWER: f64 = 1.03;
/// Greatest time of the adaptive way, as a multiple of the ideal.
const ADAPTS: f64 = 1.15;
/// Chunk and interval that are too large for the original.
const COARSE: (u32, u32) = (20, 128);
/// Factor by which speculation is quicker at [`COARSE`].
const QUICKER: f64 = 1.8;
/// Idle share that counts as little, in percent of the workers' time.
const LITTLE_IDLE: f64 = 5.0;

/// Remark about speculation as published, which does not help where chunks or intervals are large.
const STARVED: &str = "where chunks or intervals are large, workers hardly ever have more than two chunks \
                       when an interval is over; then the pool is empty, and there is nothing to copy: \
                       copies hide how long an answer takes, they do not make work";
/// Returns all statements, in the order of the slides; those on our ways follow those on the
/// published ones.
pub(super) fn all(runs: &Runs) -> Vec<Statement> {
    let of = |plane, way| View { runs, plane, way };
    let [published, ours] = [Way::Published, Way::Ours].map(|way| of(GEOMETRIC, way));
    vec![
        of(GEOMETRIC, Way::Original).depends_on_both(),
        published.is_less_sensitive(),
        published.is_no_slower().or_because(COLLAPSE),
        published.helps_where_chunks_are_large().or_because(STARVED),
        published.is_light(),
        published.idles_little().or_because(STARVED),
        published.needs_less_tuning(),
        ours.is_less_sensitive(),
        ours.is_no_slower(),
        ours.helps_where_chunks_are_large(),
        ours.is_light(),
        ours.idles_little(),
        ours.needs_less_tuning(),
        of(GEOMETRIC, Way::Adaptive).adapts(),
        of(BINOMIAL, Way::Ours).is_no_slower(),
        of(BINOMIAL, Way::Adaptive).adapts(),
    ]
}

/// All runs of a way on a plane.
#[derive(Clone, Copy)]
struct View<'a> {
    runs: &'a Runs,
    plane: Plane,
    way: Way,
}

/// Words a figure and the choice that it belongs to.
fn at((choice, figure): (Choice, f64)) -> String {
    let Choice { chunk, interval, .. } = choice;
    format!("{figure:.2} with chunk {chunk}, interval {interval}")
}

impl View<'_> {
    /// Returns the way and the tree, marked where the way is ours.
    fn name(self) -> String {
        let name = self.way.name();
        let tree = self.plane.tree;
        match self.way {
            Way::Original | Way::Published => format!("{name}, {tree}"),
            _ => format!("ours: {name}, {tree}"),
        }
    }

    /// Returns the view of the original on the same plane.
    fn original(self) -> Self {
        Self { way: Way::Original, ..self }
    }

    /// Returns the median of a figure for each choice.
    fn all(self, figure: Figure) -> Vec<(Choice, f64)> {
        let of = |choice: Choice| (choice, choice.median(self.runs, figure));
        self.plane.of(self.way).into_iter().map(of).collect()
    }

    /// Returns the medians of a figure for all choices.
    fn figures(self, figure: Figure) -> Vec<f64> {
        self.all(figure).into_iter().map(|(_, figure)| figure).collect()
    }

    /// Returns the median of a figure over the runs of one choice.
    fn figure(self, (chunk, interval): (u32, u32), figure: Figure) -> f64 {
        self.plane.choice(self.way, chunk, interval).median(self.runs, figure)
    }

    /// Returns the time of each choice ÷ that of the original.
    fn to_original(self) -> Vec<(Choice, f64)> {
        let original = self.original().figures(slowdown);
        let pairs = self.all(slowdown).into_iter().zip(original);
        pairs.map(|((choice, time), original)| (choice, time / original)).collect()
    }

    /// Returns the number of choices that are good enough.
    fn number(self, good: impl Fn(f64) -> bool) -> usize {
        self.figures(slowdown).into_iter().filter(|&time| good(time)).count()
    }

    /// Judges whether more choices are good than with the original.
    fn is_less_sensitive(self) -> Statement {
        let good = |view: Self| view.number(|time| time <= GOOD);
        let worst = |view: Self| greatest(view.figures(slowdown));
        let (own, original) = (good(self), good(self.original()));
        says(format!(
            "{}: reduces the sensitivity to parameters (slides 38, 42): more choices than with the \
             original are within {GOOD} times the ideal (limit ours)",
            self.name()
        ))
        .within([own as f64 - original as f64], 1.0..)
        .shown(format!(
            "{own} of {} choices, original {original}; the worst {:.1} times the ideal, original {:.1}",
            self.plane.of(self.way).len(),
            worst(self),
            worst(self.original())
        ))
    }

    /// Judges whether no choice is slower than with the original.
    fn is_no_slower(self) -> Statement {
        let ratios = self.to_original();
        let slower = ratios.iter().filter(|(_, ratio)| *ratio > NO_SLOWER).count();
        let worst = ratios.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1));
        let busy = worst.map_or(f64::NAN, |(choice, _)| choice.median(self.runs, manager_busy));
        says(format!(
            "{}: is nowhere slower than the original, beyond 3 % (slide 38; limit ours)",
            self.name()
        ))
        .within(ratios.iter().map(|(_, ratio)| *ratio), ..=NO_SLOWER)
        .shown(format!(
            "slower with {slower} of {} choices; at most {} times as long, the manager busy for \
             {busy:.0} % of it",
            ratios.len(),
            worst.map_or(String::new(), at)
        ))
    }

    /// Judges whether the way is much quicker than the original with large chunks.
    fn helps_where_chunks_are_large(self) -> Statement {
        let time = |view: Self| view.figure(COARSE, slowdown);
        let (own, original) = (time(self), time(self.original()));
        let (chunk, interval) = COARSE;
        says(format!(
            "{}: is at least {QUICKER} times as fast as the original with chunk {chunk} and interval \
             {interval} (slide 38; limit ours)",
            self.name()
        ))
        .within([original / own], QUICKER..)
        .shown(format!(
            "{:.2} times as fast: {own:.2} times the ideal, original {original:.2}",
            original / own
        ))
    }

    /// Judges whether the way costs little with the original's best choice.
    fn is_light(self) -> Statement {
        let original = self.original().all(slowdown);
        let best = original.into_iter().min_by(|one, other| one.1.total_cmp(&other.1));
        let (best, time) = best
            .map_or(((0, 0), f64::NAN), |(choice, time)| ((choice.chunk, choice.interval), time));
        let own = self.figure(best, slowdown);
        let ((chunk, interval), of_messages) = (best, |view: Self| view.figure(best, messages));
        says(format!(
            "{}: is a light-weight technique (slide 42): with the original's best choice it takes 3 % \
             longer at most (limit ours)",
            self.name()
        ))
        .within([own / time], ..=NO_SLOWER)
        .shown(format!(
            "{:+.1} % with chunk {chunk}, interval {interval}: {:.2} times as many messages, {:.3} % of the \
             nodes rolled back",
            (own / time - 1.0) * 100.0,
            of_messages(self) / of_messages(self.original()),
            self.figure(best, rolled_back)
        ))
    }

    /// Judges whether workers hardly idle with any choice.
    fn idles_little(self) -> Statement {
        let idles = |view: Self| view.figures(idle);
        let (own, original) = (idles(self), idles(self.original()));
        let little = |all: &[f64]| all.iter().filter(|&&share| share <= LITTLE_IDLE).count();
        says(format!(
            "{}: eliminates idle time (slide 42): workers idle for at most {LITTLE_IDLE} % with every \
             choice (limit ours)",
            self.name()
        ))
        .within(own.iter().copied(), ..=LITTLE_IDLE)
        .shown(format!(
            "{} of {} choices, original {}; median {:.1} %, original {:.1} %; at most {:.1} %, original \
             {:.1} %",
            little(&own),
            own.len(),
            little(&original),
            median(&own),
            median(&original),
            greatest(own.iter().copied()),
            greatest(original.iter().copied())
        ))
    }

    /// Judges whether more choices are near the best than with the original.
    fn needs_less_tuning(self) -> Statement {
        let nearly_best = |view: Self| {
            let best = least(view.figures(slowdown));
            view.number(|time| time <= NEARLY_BEST * best)
        };
        let (own, original) = (nearly_best(self), nearly_best(self.original()));
        says(format!(
            "{}: helps to reduce tuning efforts (slide 42): half as many choices again as with the \
             original are within 10 % of the way's best, or more (limit ours)",
            self.name()
        ))
        .within([own as f64 - 1.5 * original as f64], 0.0..)
        .within([own as f64], 1.0..)
        .shown(format!("{own} of {} choices, original {original}", self.plane.of(self.way).len()))
    }

    /// Judges whether the worst choice is ten times as slow as the best.
    fn depends_on_both(self) -> Statement {
        let all = self.all(slowdown);
        let by = |one: &(Choice, f64), other: &(Choice, f64)| one.1.total_cmp(&other.1);
        let (best, worst) = (all.iter().copied().min_by(by), all.iter().copied().max_by(by));
        let ratio = best.zip(worst).map_or(f64::NAN, |(best, worst)| worst.1 / best.1);
        let shown = best.zip(worst).map(|(best, worst)| {
            format!("times the ideal: at best {}, at worst {}", at(best), at(worst))
        });
        says(format!(
            "{}: depends on chunk and interval: the worst choice takes ten times as long as the best, or \
             longer (slides 33 to 37, axes up to 40 s; limit ours)",
            self.name()
        ))
        .within([ratio], 10.0..)
        .shown(shown.unwrap_or_default())
    }

    /// Judges whether the adaptive way is near the ideal whatever its largest chunk is.
    fn adapts(self) -> Statement {
        let all = self.all(slowdown);
        let shown = all.iter().map(|(choice, time)| format!("{}: {time:.3}", choice.chunk));
        says(format!(
            "{}: has nothing to tune, and is within {ADAPTS} times the ideal whatever the largest chunk",
            self.name()
        ))
        .within(all.iter().map(|(_, time)| *time), ..=ADAPTS)
        .shown(joined(shown, ", "))
        .or_because(
            "where a message carries a task or two at most, and most subtrees have a handful of nodes, the \
             manager is what all wait for",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::TUNING;
    use crate::tests::{Fault, check};
    use crate::{PoolFigures, Run};

    /// Sets the times of a run as the slides describe them, with an ideal of one second.
    fn normal(run: &mut Run) {
        let is = |part: &str| run.setting.contains(part);
        let is_fine =
            ["chunk 1,", "chunk 2,", "chunk 4,", "chunk 8,", "chunk 12,"].into_iter().any(is);
        let seconds = if is("original") {
            if is_fine && run.setting.ends_with("interval 128") { 1.1 } else { 20.0 }
        } else if is("as published") {
            let near = ["interval 64", "interval 128", "interval 256"];
            let is_near = near.into_iter().any(|interval| run.setting.ends_with(interval));
            if is_fine && is_near { 1.05 } else { 1.3 }
        } else {
            1.05
        };
        run.pool = PoolFigures { seconds, ideal_seconds: 1.0, idle: 0.01, ..run.pool };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 16] = [
            ("original", |run| run.pool.seconds = run.pool.seconds.min(5.0), &[0]),
            ("T1 on 48 ranks, speculative as published", |run| run.pool.seconds = 1.3, &[1, 2, 4]),
            (
                "T1 on 48 ranks, speculative as published, chunk 2, interval 128",
                |run| run.pool.seconds = 1.15,
                &[2],
            ),
            (
                "T1 on 48 ranks, speculative as published, chunk 20, interval 128",
                |run| run.pool.seconds = 12.0,
                &[3],
            ),
            (
                "T1 on 48 ranks, speculative as published, chunk 1, interval 128",
                |run| run.pool.seconds = 1.15,
                &[2, 4],
            ),
            (
                "T1 on 48 ranks, speculative as published, chunk 1, interval 4",
                |run| run.pool.idle = 0.06,
                &[5],
            ),
            (
                "T1 on 48 ranks, speculative as published, chunk 1, interval 64",
                |run| run.pool.seconds = 0.5,
                &[6],
            ),
            ("T1 on 48 ranks, speculative, ours", |run| run.pool.seconds = 1.3, &[7, 8, 10]),
            (
                "T1 on 48 ranks, speculative, ours, chunk 2, interval 128",
                |run| run.pool.seconds = 1.15,
                &[8],
            ),
            (
                "T1 on 48 ranks, speculative, ours, chunk 20, interval 128",
                |run| run.pool.seconds = 12.0,
                &[9],
            ),
            (
                "T1 on 48 ranks, speculative, ours, chunk 1, interval 128",
                |run| run.pool.seconds = 1.15,
                &[8, 10],
            ),
            (
                "T1 on 48 ranks, speculative, ours, chunk 1, interval 4",
                |run| run.pool.idle = 0.06,
                &[11],
            ),
            (
                "T1 on 48 ranks, speculative, ours, chunk 1, interval 64",
                |run| run.pool.seconds = 0.5,
                &[12],
            ),
            ("T1 on 48 ranks, adaptive, chunk up to 50", |run| run.pool.seconds = 1.16, &[13]),
            (
                "T3 on 48 ranks, speculative, ours, chunk 4, interval 128",
                |run| run.pool.seconds = 1.15,
                &[14],
            ),
            ("T3 on 48 ranks, adaptive, chunk up to 1", |run| run.pool.seconds = 1.16, &[15]),
        ];
        check(&TUNING, 1, normal, &faults);
    }
}
