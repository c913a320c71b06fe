//! The progress bar: residual, rate, spread and time left.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tresse_core::run::Stop;

use crate::commands::runs_progress::LINES;
use crate::report::history::Sample;

/// Steps of the bar.
const LENGTH: u64 = 1_000;
/// Samples that the time left is estimated from.
const WINDOW: usize = 64;

/// A bar on standard error, if that is a terminal and nobody wants it quiet.
pub(super) struct Progress {
    bar: ProgressBar,
    stop: Stop,
    recent: VecDeque<Sample>,
    /// Where there is no terminal for a bar: when the next line is due.
    lines: Option<Instant>,
}

impl Progress {
    /// Where standard error is no terminal, nothing is shown, or a line now and then.
    pub(super) fn new(stop: Stop, hidden: bool, has_lines: bool) -> Self {
        let target = if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(10)
        };
        let bar = ProgressBar::with_draw_target(Some(LENGTH), target);
        // A template of ours is never wrong; a bar without it would still be one.
        if let Ok(style) = ProgressStyle::with_template("{elapsed:>4} [{bar:24}] {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        let lines = (has_lines && !hidden && bar.is_hidden()).then(|| Instant::now() + LINES);
        Self { bar, stop, recent: VecDeque::with_capacity(WINDOW), lines }
    }

    pub(super) fn show(&mut self, sample: &Sample) {
        if self.bar.is_hidden() && self.lines.is_none() {
            return;
        }
        if self.recent.len() == WINDOW {
            self.recent.pop_front();
        }
        self.recent.push_back(*sample);
        let left = self.seconds_left(sample);
        if let Some(left) = left.filter(|left| left.is_finite()) {
            let share = sample.seconds / (sample.seconds + left);
            self.bar.set_position(thousandths(share));
        }
        // In virtual time the run is slower or faster than what it shows.
        let elapsed = self.bar.elapsed().as_secs_f64();
        let left = left.map(|left| left * elapsed / sample.seconds);
        let residual = sample.residual.map_or("-".into(), |residual| format!("{residual:.2e}"));
        let left = left
            .and_then(|left| Duration::try_from_secs_f64(left).ok())
            .map_or("?".into(), |left| HumanDuration(left).to_string());
        let message = format!(
            "residual {residual}  {:.0} it/s  spread {}  {left} left",
            sample.iteration_rate, sample.spread
        );
        match &mut self.lines {
            Some(due) if Instant::now() >= *due => {
                // Nothing is left to tell when standard error is gone as well.
                let _ = writeln!(io::stderr(), "{:>4.0}s  {message}", sample.seconds);
                *due += LINES;
            }
            Some(_) => {}
            None => self.bar.set_message(message),
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The sooner of what the iterations and the fall of the residual promise.
    fn seconds_left(&self, sample: &Sample) -> Option<f64> {
        let by_iterations = self
            .stop
            .iterations
            .map(|iterations| (iterations as f64 - sample.mean).max(0.0) / sample.iteration_rate);
        let by_residual = self.stop.tolerance.and_then(|tolerance| {
            let (first, last) = (self.recent.front()?, self.recent.back()?);
            let fall = first.residual?.ln() - last.residual?.ln();
            let needed = last.residual?.ln() - tolerance.ln();
            let rate = fall / (last.seconds - first.seconds);
            (rate > 0.0).then(|| needed.max(0.0) / rate)
        });
        [by_iterations, by_residual].into_iter().flatten().reduce(f64::min)
    }
}

/// A share of 0 to 1 in steps of the bar.
fn thousandths(share: f64) -> u64 {
    let steps = (share.clamp(0.0, 1.0) * LENGTH as f64).round();
    (0..=LENGTH).find(|&step| step as f64 >= steps).unwrap_or(LENGTH)
}
