//! Shows the progress of a pool, of which the end is not known.

use std::io::{self, Write as _};
use std::time::Instant;

use tresse_console::progress_line::{Left, ProgressLine, Shown};
use tresse_console::runs_progress::LINES;
use tresse_core::tasks::sharing::PoolProgress;

use super::Subject;

/// A line with the progress of a pool.
pub struct PoolLine {
    line: ProgressLine,
    start: Instant,
    subject: Subject,
    /// Time at which the next line is due, where there is no terminal for a line that is drawn
    /// again and again.
    due: Option<Instant>,
}

impl PoolLine {
    /// Begins to show the progress. With `has_lines`, lines are written now and then where standard
    /// error is no terminal.
    pub(super) fn new(is_hidden: bool, has_lines: bool, subject: &Subject) -> Self {
        let shown = Shown { what: subject.doing.into(), ..Shown::default() };
        let line = ProgressLine::new(is_hidden, shown);
        let start = Instant::now();
        let due = (has_lines && !is_hidden && line.is_hidden()).then(|| start + LINES);
        Self { line, start, subject: subject.clone(), due }
    }

    /// Reports whether anybody sees it.
    pub fn is_watched(&self) -> bool {
        !self.line.is_hidden() || self.due.is_some()
    }

    /// Shows the progress in the line, or as a line of its own when one is due.
    pub fn say(&mut self, progress: PoolProgress) {
        if !self.is_watched() {
            return;
        }
        let now = Instant::now();
        let elapsed = now.duration_since(self.start).as_secs_f64();
        let Subject { doing, tasks, .. } = &self.subject;
        let PoolProgress { done, queued } = progress;
        let facts = vec![
            format!("{} {tasks}", short(done as f64)),
            format!("{}/s", short(done as f64 / elapsed)),
            format!("{} queued", short(queued as f64)),
        ];
        match &mut self.due {
            None => {
                let what = (*doing).into();
                self.line.say(Shown { share: None, left: Left::Untold, facts, what });
            }
            Some(due) if now >= *due => {
                *due += LINES;
                // Nothing is left to tell when standard error is gone as well.
                let _ = writeln!(io::stderr(), "{elapsed:>4.0}s  {}", facts.join("  "));
            }
            Some(_) => {}
        }
    }

    /// Wipes the line.
    pub fn finish(self) {
        self.line.finish();
    }
}

/// Returns a number in a few characters, such as `12.3 M`.
fn short(number: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.into_iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", number / unit),
        None => format!("{number:.0}"),
    }
}
