//! Composes the text of the line for a number of columns.

use std::time::{Duration, Instant};

/// Least and greatest number of columns of the bar.
const BAR: (usize, usize) = (8, 30);
/// Gap between two parts of the line.
const GAP: &str = "  ";

/// The contents of the line.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Share that is done, from 0 to 1; without it there is no bar.
    pub share: Option<f64>,
    /// Time that is left.
    pub left: Left,
    /// Figures, the most important first; those that do not fit are left out.
    pub facts: Vec<String>,
    /// Name of the present step, which is cut where it does not fit.
    pub what: String,
}

/// The time that is left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Left {
    /// The time is not shown.
    #[default]
    Untold,
    /// The time is not known, or no longer.
    Unknown,
    /// The end is expected at this moment.
    Until(Instant),
}

impl Left {
    /// Returns `3:20 left`, or `… left` where the time is not known.
    pub fn text(self, now: Instant) -> Option<String> {
        let left = match self {
            Self::Untold => return None,
            Self::Unknown => None,
            // What should be over already takes longer than was thought.
            Self::Until(end) => end.checked_duration_since(now),
        };
        Some(format!("{} left", left.map_or("…".into(), clock)))
    }
}

impl Shown {
    /// Returns the line, in at most `width` columns.
    pub fn composed(&self, width: usize, elapsed: Duration, is_ending: bool) -> String {
        let mut line = Line { width, columns: 0, parts: Vec::new() };
        line.add(&clock(elapsed));
        if is_ending {
            line.add_cut("ending");
            return line.parts.join(GAP);
        }
        if let Some(left) = self.left.text(Instant::now()) {
            line.add(&left);
        }
        let (first, others) = self.facts.split_at(self.facts.len().min(1));
        for fact in first {
            line.add(fact);
        }
        // The bar has its place before the figures that matter less, and then what these leave.
        let has_bar = self.share.is_some() && line.reserve(BAR.0 + 2);
        for fact in others {
            line.add(fact);
        }
        line.add_cut(&self.what);
        if let Some(share) = self.share.filter(|_| has_bar) {
            let room = (BAR.0 + line.width - line.columns).min(BAR.1);
            line.parts.insert(1, bar(share, room));
        }
        line.parts.join(GAP)
    }
}

struct Line {
    width: usize,
    columns: usize,
    parts: Vec<String>,
}

impl Line {
    /// Keeps `columns` columns and a gap free; returns whether there are as many.
    fn reserve(&mut self, columns: usize) -> bool {
        let gap = if self.parts.is_empty() { 0 } else { GAP.len() };
        let fits = self.columns + gap + columns <= self.width;
        if fits {
            self.columns += gap + columns;
        }
        fits
    }

    /// Adds a part, if there is room for it.
    fn add(&mut self, part: &str) {
        if self.reserve(part.chars().count()) {
            self.parts.push(part.to_owned());
        }
    }

    /// Adds as much of a text as fits, if that is enough to be read.
    fn add_cut(&mut self, part: &str) {
        let room = self.width.saturating_sub(self.columns + GAP.len());
        if part.chars().count() <= room {
            if !part.is_empty() {
                self.add(part);
            }
        } else if room >= 8 {
            let kept: String = part.chars().take(room - 1).collect();
            self.add(&format!("{}…", kept.trim_end()));
        }
    }
}

/// Returns `[====>   ]`, with `columns` between the brackets.
fn bar(share: f64, columns: usize) -> String {
    let share = share.clamp(0.0, 1.0);
    let done = (0..columns).filter(|&column| (column + 1) as f64 <= share * columns as f64).count();
    let tip = if done < columns && share > 0.0 { ">" } else { "" };
    format!("[{:columns$}]", "=".repeat(done) + tip)
}

/// Returns `0:07`, `3:20` or `1:02:03`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELAPSED: Duration = Duration::from_secs(200);

    fn solving() -> Shown {
        let facts = ["residual 1.23e-4", "254310 it/s", "spread 12345"].map(str::to_owned).to_vec();
        let left = Left::Until(Instant::now() + Duration::from_millis(38_500));
        Shown { share: Some(0.5), left, facts, what: String::new() }
    }

    #[test]
    fn the_line_fits_every_width() {
        let runs = Shown {
            facts: vec!["12 of 64".into()],
            what: "async(4) + hybrid(0.001, 500), noisy".into(),
            ..solving()
        };
        for shown in [solving(), runs, Shown::default()] {
            for width in 0..200 {
                for is_ending in [false, true] {
                    let line = shown.composed(width, ELAPSED, is_ending);
                    assert!(line.chars().count() <= width, "{width}: {line}");
                }
            }
        }
    }

    #[test]
    fn what_matters_most_is_there_longest() {
        let line = |width| solving().composed(width, ELAPSED, false);
        assert_eq!(line(35), "3:20  0:38 left  residual 1.23e-4");
        assert_eq!(line(45), "3:20  [====>   ]  0:38 left  residual 1.23e-4");
        assert_eq!(
            line(75),
            "3:20  [=====>     ]  0:38 left  residual 1.23e-4  254310 it/s  spread 12345"
        );
        assert_eq!(
            line(115),
            "3:20  [===============>              ]  0:38 left  residual 1.23e-4  254310 it/s  \
             spread 12345"
        );
    }

    #[test]
    fn what_is_not_known_is_said() {
        let shown = Shown { left: Left::Unknown, ..Shown::default() };
        assert_eq!(shown.composed(80, ELAPSED, false), "3:20  … left");
        let over = Shown { left: Left::Until(Instant::now()), ..Shown::default() };
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(over.composed(80, ELAPSED, false), "3:20  … left");
        assert_eq!(Shown::default().composed(80, ELAPSED, false), "3:20");
        assert_eq!(solving().composed(80, ELAPSED, true), "3:20  ending");
    }

    #[test]
    fn texts_are_cut() {
        let shown = Shown { what: "preparing 20000x20000 cells".into(), ..Shown::default() };
        assert_eq!(shown.composed(80, ELAPSED, false), "3:20  preparing 20000x20000 cells");
        assert_eq!(shown.composed(22, ELAPSED, false), "3:20  preparing 20000…");
        assert_eq!(shown.composed(10, ELAPSED, false), "3:20");
    }

    #[test]
    fn bars_fill() {
        assert_eq!(bar(0.0, 4), "[    ]");
        assert_eq!(bar(0.5, 4), "[==> ]");
        assert_eq!(bar(1.0, 4), "[====]");
        assert_eq!(bar(f64::NAN, 4), "[    ]");
        assert_eq!(clock(Duration::from_secs(3723)), "1:02:03");
    }
}
