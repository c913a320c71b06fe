//! Shows the progress of many runs.

use std::io::{self, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::progress_line::{Left, ProgressLine, Shown, in_seconds};

/// Time between two lines where there is no terminal.
pub const LINES: Duration = Duration::from_secs(5);

/// A line on standard error, if that is a terminal and the line is wanted.
pub struct Progress {
    line: ProgressLine,
    runs: usize,
    start: Instant,
    state: Mutex<ProgressState>,
}

#[derive(Debug, Default)]
struct ProgressState {
    /// Number of runs that were made, or left out.
    done: usize,
    /// The number of runs that were made.
    made: usize,
    what: String,
    left: Left,
    /// Whether the line is still to appear, once the runs have taken a second.
    is_late: bool,
    /// Time at which the next line is due, where lines are printed in place of a terminal's.
    next_line: Option<Instant>,
}

impl Progress {
    /// Returns the line for a number of runs.
    pub fn new(runs: usize, hidden: bool) -> Self {
        let progress = Self::invisible(runs);
        progress.say(&progress.lock());
        if !hidden {
            progress.line.appear();
        }
        progress
    }

    /// Returns the line for a number of runs; where standard error is no terminal, as under a
    /// launcher, lines are printed now and then.
    pub fn with_lines(runs: usize, hidden: bool) -> Self {
        let progress = Self::new(runs, hidden);
        let has_lines = !hidden && progress.line.is_hidden();
        progress.lock().next_line = has_lines.then(Instant::now);
        progress
    }

    /// Returns a line that appears only if runs are left after a second.
    pub fn late(runs: usize, hidden: bool) -> Self {
        let progress = Self::invisible(runs);
        progress.lock().is_late = !hidden;
        progress
    }

    /// Returns the progress of this many runs, which is never shown.
    fn invisible(runs: usize) -> Self {
        let line = ProgressLine::invisible(Shown::default());
        let state = Mutex::new(ProgressState { left: Left::Unknown, ..ProgressState::default() });
        Self { line, runs, start: Instant::now(), state }
    }

    /// Shows the name of the run that begins now.
    pub fn show(&self, what: &str) {
        let mut state = self.lock();
        what.clone_into(&mut state.what);
        self.say(&state);
        let (now, done, runs) = (Instant::now(), state.done, self.runs);
        if let Some(next) = state.next_line.filter(|next| now >= *next) {
            state.next_line = Some(next + LINES);
            let left = state.left.text(now).unwrap_or_default();
            let seconds = self.start.elapsed().as_secs();
            // Nothing is left to tell when standard error is gone as well.
            let _ = writeln!(io::stderr(), "{seconds:>4}s  {done}/{runs}  {left}  {what}");
        }
    }

    /// Notes the end of a run.
    pub fn end(&self) {
        let mut state = self.lock();
        (state.done, state.made) = (state.done + 1, state.made + 1);
        let elapsed = self.start.elapsed();
        state.left = seconds_left(elapsed, &state, self.runs).map_or(Left::Unknown, in_seconds);
        self.say(&state);
        if state.is_late && elapsed >= Duration::from_secs(1) {
            state.is_late = false;
            self.line.appear();
        }
    }

    /// Returns a function to call with the name of each run as it begins, which ends the run
    /// before.
    pub fn one_by_one(&self) -> impl FnMut(&'static str) {
        let mut is_first = true;
        move |what| {
            if !std::mem::take(&mut is_first) {
                self.end();
            }
            self.show(what);
        }
    }

    /// Notes that a number of runs is left out.
    pub fn leave_out(&self, runs: u64) {
        self.lock().done += usize::try_from(runs).unwrap_or(usize::MAX);
    }

    /// Wipes the line after the last run.
    pub fn finish(&self) {
        self.line.finish();
    }

    /// Shows the number of runs that are done, the time left, and the present run.
    fn say(&self, state: &ProgressState) {
        let ProgressState { done, left, ref what, .. } = *state;
        self.line.say(Shown {
            share: Some(done as f64 / self.runs.max(1) as f64),
            left,
            facts: vec![format!("{done} of {}", self.runs)],
            what: what.clone(),
        });
    }

    fn lock(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the seconds that are left, if each run takes as long as those that were made; every
/// round has the same runs.
fn seconds_left(elapsed: Duration, state: &ProgressState, runs: usize) -> Option<f64> {
    let left = runs.saturating_sub(state.done) as f64;
    (state.made > 0).then(|| elapsed.as_secs_f64() / state.made as f64 * left)
}
