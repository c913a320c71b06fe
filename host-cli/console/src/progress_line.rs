//! A line on standard error that shows the progress of something, drawn again and again.

mod composed;
mod terminal;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

pub use self::composed::{Left, Shown};
use self::terminal::Narrow;
pub use self::terminal::wipe;
use crate::interrupt;

/// Number of times that the line is drawn per second; small, as the work that it is about uses all
/// cores.
const DRAWN_PER_SECOND: u8 = 4;

/// A line that is wiped when it is dropped; nothing is shown where standard error is no terminal.
pub struct ProgressLine {
    bar: ProgressBar,
    shown: Arc<Mutex<Shown>>,
}

impl ProgressLine {
    /// Returns a line that is drawn from now on, unless it is to be hidden.
    pub fn new(hidden: bool, shown: Shown) -> Self {
        let line = Self::invisible(shown);
        if !hidden {
            line.appear();
        }
        line
    }

    /// Returns a line that is not drawn until it [appears](ProgressLine::appear).
    pub fn invisible(shown: Shown) -> Self {
        let shown = Arc::new(Mutex::new(shown));
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let seen = Arc::clone(&shown);
        let line = move |state: &ProgressState, w: &mut dyn std::fmt::Write| {
            let width = usize::from(terminal::width());
            let line = lock(&seen).composed(width, state.elapsed(), interrupt::is_asked());
            // Writing to a string does not fail.
            let _ = w.write_str(&line);
        };
        // A template of ours is never wrong; a bar without it would still be one.
        if let Ok(style) = ProgressStyle::with_template("{line}") {
            bar.set_style(style.with_key("line", line));
        }
        Self { bar, shown }
    }

    /// Draws the line, and again several times a second, also while the calling thread is busy.
    pub fn appear(&self) {
        let term = Term::buffered_stderr();
        if !term.is_term() {
            return;
        }
        interrupt::before_exit(wipe);
        let target =
            ProgressDrawTarget::term_like_with_hz(Box::new(Narrow::new(term)), DRAWN_PER_SECOND);
        self.bar.set_draw_target(target);
        // At once, whenever the thread that draws it gets its turn.
        self.bar.tick();
        self.bar.enable_steady_tick(Duration::from_secs(1) / u32::from(DRAWN_PER_SECOND));
    }

    /// Reports whether nobody sees it.
    pub fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Sets the contents of the line from the next drawing on.
    pub fn say(&self, shown: Shown) {
        *lock(&self.shown) = shown;
    }

    /// Wipes the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.finish();
    }
}

fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the moment in this number of seconds, if there is such.
pub fn in_seconds(left: f64) -> Left {
    let end =
        Duration::try_from_secs_f64(left).ok().and_then(|left| Instant::now().checked_add(left));
    end.map_or(Left::Unknown, Left::Until)
}
