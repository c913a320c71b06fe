//! Shows the progress of a run: residual, rate, spread and time left.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use tresse_console::progress_line::{Left, ProgressLine, Shown, in_seconds};
use tresse_core::run::{GridSize, Stop};

use crate::commands::runs_progress::LINES;
use crate::report::history::HistorySample;
use crate::report::outlook::Outlook;

/// Time between two forecasts of the time that is left.
const LOOKS: Duration = Duration::from_millis(200);

/// A line on standard error, if that is a terminal and the line is wanted.
pub(super) struct Progress {
    line: ProgressLine,
    stop: Stop,
    outlook: Outlook,
    /// Time at which the first sample came, and the time of the run at which it was taken.
    first: Option<(Instant, f64)>,
    /// Time at which the next forecast is due.
    due: Instant,
    /// Time at which the next line is due, where there is no terminal for a line that is drawn
    /// again and again.
    lines: Option<Instant>,
}

impl Progress {
    /// Begins to show progress, while memory is allocated for the grid. Where standard error is no
    /// terminal, nothing is shown, or, with `has_lines`, a line now and then.
    pub(super) fn new(grid: GridSize, stop: Stop, hidden: bool, has_lines: bool) -> Self {
        let shown = Shown { what: format!("preparing {grid} cells"), ..Shown::default() };
        let line = ProgressLine::new(hidden, shown);
        let now = Instant::now();
        let lines = (has_lines && !hidden && line.is_hidden()).then(|| now + LINES);
        Self { line, stop, outlook: Outlook::default(), first: None, due: now, lines }
    }

    /// Shows a sample, at most once every `LOOKS`, with a forecast of the time left.
    pub(super) fn show(&mut self, sample: &HistorySample) {
        if self.line.is_hidden() && self.lines.is_none() {
            return;
        }
        self.outlook.note(sample);
        let now = Instant::now();
        let (start, before) = *self.first.get_or_insert((now, sample.seconds));
        if now < self.due {
            return;
        }
        self.due = now + LOOKS;
        let elapsed = now.duration_since(start).as_secs_f64();
        let passed = sample.seconds - before;
        // In virtual time the run is slower or faster than what it shows.
        let pace = if passed > 0.0 { elapsed / passed } else { 1.0 };
        let left = self.outlook.seconds_left(self.stop).map(|left| left * pace);
        let shown = Shown {
            share: Some(left.map_or(0.0, |left| elapsed / (elapsed + left))),
            left: left.map_or(Left::Unknown, in_seconds),
            facts: facts(sample),
            what: String::new(),
        };
        match &mut self.lines {
            Some(due) if now >= *due => {
                *due += LINES;
                let told = shown.facts.into_iter().chain(shown.left.text(now)).collect::<Vec<_>>();
                // Nothing is left to tell when standard error is gone as well.
                let _ = writeln!(io::stderr(), "{:>4.0}s  {}", sample.seconds, told.join("  "));
            }
            Some(_) => {}
            None => self.line.say(shown),
        }
    }

    pub(super) fn finish(&self) {
        self.line.finish();
    }
}

/// Words the residual, the iterations per second and the spread of a sample.
fn facts(sample: &HistorySample) -> Vec<String> {
    let residual = sample.residual.map_or("-".into(), |residual| format!("{residual:.2e}"));
    vec![
        format!("residual {residual}"),
        format!("{:.0} it/s", sample.iteration_rate),
        format!("spread {}", sample.spread),
    ]
}
