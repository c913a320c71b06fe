//! The progress bar over all runs.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, if that is a terminal and nobody wants it quiet.
pub(in crate::commands) struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    pub(in crate::commands) fn new(runs: usize, hidden: bool) -> Self {
        let target = if hidden {
            ProgressDrawTarget::hidden()
        } else {
            // Drawn seldom: the measured threads have all cores.
            ProgressDrawTarget::stderr_with_hz(4)
        };
        let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
        // A template of ours is never wrong; a bar without it would still be one.
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {bar:30} {pos}/{len} {msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, start: Instant::now() }
    }

    /// Before a run, or after another one: the time left, and what is going on.
    pub(in crate::commands) fn show(&self, what: &str) {
        let left = self.left().map_or("?".into(), |left| format!("{}s", left.as_secs()));
        self.bar.set_message(format!("{left} left  {what}"));
    }

    /// During a run: the elapsed time goes on.
    pub(in crate::commands) fn tick(&self) {
        if !self.bar.is_hidden() {
            self.bar.tick();
        }
    }

    /// After a run.
    pub(in crate::commands) fn end(&self) {
        self.bar.inc(1);
    }

    pub(in crate::commands) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// As long for each run as for those before: every round has the same runs.
    fn left(&self) -> Option<Duration> {
        let (done, all) = (self.bar.position(), self.bar.length()?);
        let runs_left = all.saturating_sub(done) as f64;
        (done > 0).then(|| self.start.elapsed().div_f64(done as f64).mul_f64(runs_left))
    }
}
