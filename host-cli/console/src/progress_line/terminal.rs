//! The terminal that the line is drawn on.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use console::Term;
use indicatif::TermLike;

/// Columns that stay free at the end of the line, so that a terminal's echo of Ctrl-C, twice,
/// begins no second line, which would leave the first one where it is.
const FREE: u16 = 5;

/// What is on the terminal; locked while that changes, so that a line which is being drawn when the
/// program ends at once is wiped as well.
static SCREEN: Mutex<Screen> = Mutex::new(Screen { has_line: false, is_over: false });

struct Screen {
    has_line: bool,
    /// Whether the line must never be drawn again.
    is_over: bool,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the number of columns of a line on standard error.
pub fn width() -> u16 {
    Term::stderr().size().1.saturating_sub(FREE)
}

/// Wipes the line from the terminal for good, when the program ends at once.
pub fn wipe() {
    let mut screen = screen();
    screen.is_over = true;
    if screen.has_line {
        // Nothing is left to tell when standard error is gone as well.
        let _ = io::stderr().write_all(b"\r\x1b[2K");
    }
}

/// A terminal whose last columns are not used.
#[derive(Debug)]
pub struct Narrow {
    term: Term,
    /// Whether there is a line once what was written is flushed.
    draws: AtomicBool,
}

impl Narrow {
    pub fn new(term: Term) -> Self {
        Self { term, draws: AtomicBool::new(false) }
    }
}

impl TermLike for Narrow {
    fn width(&self) -> u16 {
        width()
    }

    fn height(&self) -> u16 {
        self.term.size().0
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.term.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.term.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.term.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.term.move_cursor_left(n)
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.term.write_line(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.draws.store(true, Ordering::Relaxed);
        self.term.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.draws.store(false, Ordering::Relaxed);
        self.term.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        let mut screen = screen();
        if screen.is_over {
            return Ok(());
        }
        screen.has_line = self.draws.load(Ordering::Relaxed);
        self.term.flush()
    }
}
