//! The progress bar over all runs.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, if that is a terminal and nobody wants it quiet.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    /// Whether it is yet to be seen, once it has taken a second.
    is_late: AtomicBool,
    /// Where there is no terminal for a bar, and lines are to be in its place: milliseconds from the
    /// start until the next one is due.
    next_line: Option<AtomicU64>,
}

/// Drawn seldom: what it shows the progress of has all cores.
const DRAWN_PER_SECOND: u8 = 4;
/// Between two lines in place of a bar.
pub const LINES: Duration = Duration::from_secs(5);

impl Progress {
    /// So many runs are to be made.
    pub fn new(runs: usize, hidden: bool) -> Self {
        let target = if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(DRAWN_PER_SECOND)
        };
        Self::drawn_on(target, runs)
    }

    /// With a line now and then where standard error is no terminal, as under a launcher.
    pub fn with_lines(runs: usize, hidden: bool) -> Self {
        let progress = Self::new(runs, hidden);
        let has_lines = !hidden && progress.bar.is_hidden();
        Self { next_line: has_lines.then(AtomicU64::default), ..progress }
    }

    /// One that appears only where there is more to come after a second.
    pub fn late(runs: usize, hidden: bool) -> Self {
        let progress = Self::drawn_on(ProgressDrawTarget::hidden(), runs);
        Self { is_late: AtomicBool::new(!hidden), ..progress }
    }

    fn drawn_on(target: ProgressDrawTarget, runs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
        // A template of ours is never wrong; a bar without it would still be one.
        if let Ok(style) = ProgressStyle::with_template("{elapsed} {bar:30} {pos}/{len} {msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, start: Instant::now(), is_late: AtomicBool::new(false), next_line: None }
    }

    /// Before a run, or after another one: the time left, and what is going on.
    pub fn show(&self, what: &str) {
        let left = self.left().map_or("?".into(), |left| format!("{}s", left.as_secs()));
        let message = format!("{left} left  {what}");
        self.write_line(&message);
        self.bar.set_message(message);
    }

    fn write_line(&self, message: &str) {
        let Some(next) = &self.next_line else { return };
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let elapsed = self.start.elapsed();
        if milliseconds(elapsed) >= next.load(Ordering::Relaxed) {
            next.store(milliseconds(elapsed + LINES), Ordering::Relaxed);
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            // Nothing is left to tell when standard error is gone as well.
            let _ = writeln!(io::stderr(), "{:>4}s  {done}/{all}  {message}", elapsed.as_secs());
        }
    }

    /// During a run: the elapsed time goes on.
    pub fn tick(&self) {
        if !self.bar.is_hidden() {
            self.bar.tick();
        }
    }

    /// After a run.
    pub fn end(&self) {
        let is_time = self.start.elapsed() >= Duration::from_secs(1);
        if is_time && self.is_late.swap(false, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(DRAWN_PER_SECOND));
        }
        self.bar.inc(1);
    }

    /// So many runs are left out.
    pub fn leave_out(&self, runs: u64) {
        self.bar.inc(runs);
    }

    /// After the last run.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// As long for each run as for those before: every round has the same runs.
    fn left(&self) -> Option<Duration> {
        let (done, all) = (self.bar.position(), self.bar.length()?);
        let runs_left = all.saturating_sub(done) as f64;
        (done > 0).then(|| self.start.elapsed().div_f64(done as f64).mul_f64(runs_left))
    }
}
