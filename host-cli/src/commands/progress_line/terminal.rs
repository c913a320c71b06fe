//! The terminal that the line is drawn on.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use console::Term;
use indicatif::TermLike;

/// Columns that stay free at the end of the line, so that a terminal's echo of Ctrl-C, twice, begins no
/// second line, which would leave the first one where it is.
const FREE: u16 = 5;

/// Whether the line is on the terminal now.
static IS_DRAWN: AtomicBool = AtomicBool::new(false);
/// Whether the line must never be drawn again.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Returns the number of columns of a line on standard error.
pub(super) fn width() -> u16 {
    Term::stderr().size().1.saturating_sub(FREE)
}

/// Wipes the line from the terminal for good, when the program ends at once.
pub(in crate::commands) fn wipe() {
    IS_OVER.store(true, Ordering::SeqCst);
    if IS_DRAWN.load(Ordering::SeqCst) {
        // Nothing is left to tell when standard error is gone as well.
        let _ = io::stderr().write_all(b"\r\x1b[2K");
    }
}

/// A terminal whose last columns are not used.
#[derive(Debug)]
pub(super) struct Narrow {
    term: Term,
}

impl Narrow {
    pub(super) fn new(term: Term) -> Self {
        Self { term }
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
        IS_DRAWN.store(true, Ordering::SeqCst);
        self.term.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        IS_DRAWN.store(false, Ordering::SeqCst);
        self.term.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        if IS_OVER.load(Ordering::SeqCst) { Ok(()) } else { self.term.flush() }
    }
}
