//! Progress on a terminal: a pseudo-terminal of eighty columns, and what is left on it.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use tresse_tests::program::TRESSE;

use crate::program::{ENDLESS, WATCHDOG};

const COLUMNS: usize = 80;

/// A program whose standard error is a terminal.
struct Watched {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: Vec<u8>,
}

impl Watched {
    fn start(line: &str) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let name = ptsname(&master, Vec::new()).unwrap();
        let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        tcsetwinsize(&terminal, size).unwrap();
        // A terminal that makes a signal of Ctrl-C also drops what was written and is not read yet,
        // which may be what wipes the line.
        let mut modes = tcgetattr(&terminal).unwrap();
        modes.local_modes.remove(LocalModes::ISIG);
        tcsetattr(&terminal, OptionalActions::Now, &modes).unwrap();
        let child = Command::new(TRESSE.as_path())
            .args(line.split_whitespace())
            .env("TERM", "xterm")
            .stdout(Stdio::null())
            .stderr(Stdio::from(terminal))
            .spawn()
            .unwrap();
        let keyboard = File::from(master);
        let mut reader = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The end of the last program that has the terminal open is an error on Linux.
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let _ = sender.send(bytes[..count].to_vec());
            }
        });
        Self { child, keyboard, screen, seen: Vec::new() }
    }

    /// Waits until a text has been drawn.
    fn until(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.seen).contains(text) {
            let more = self.screen.recv_timeout(WATCHDOG);
            self.seen.extend(more.unwrap_or_else(|_| panic!("no {text} in {:?}", self.seen)));
        }
    }

    fn interrupt(&mut self) {
        // The terminal echoes the keys; there is no shell behind it that would send the signal.
        self.keyboard.write_all(b"\x03").unwrap();
        self.until("^C");
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    /// Asserts that nothing is on the terminal after the program's end but what was said in lines.
    fn assert_wiped(mut self) {
        self.child.wait().unwrap();
        while let Ok(more) = self.screen.recv_timeout(WATCHDOG) {
            self.seen.extend(more);
        }
        let lines = lines(&String::from_utf8(self.seen).unwrap());
        let is_progress =
            |line: &String| ["[", "it/s", " left", " queued"].iter().any(|it| line.contains(it));
        assert!(!lines.iter().any(is_progress), "{lines:#?}");
    }
}

/// Returns the lines that a terminal shows of a text, with as much of its language as is used.
fn lines(text: &str) -> Vec<String> {
    let (mut lines, mut row, mut column) = (vec![vec![' '; COLUMNS]], 0_usize, 0_usize);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => column = 0,
            '\n' => row += 1,
            '\u{1b}' => {
                assert_eq!(letters.next(), Some('['));
                let mut number = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                let by = number.parse().unwrap_or(1);
                match letters.next() {
                    Some('K') => lines[row] = vec![' '; COLUMNS],
                    Some('A') => row = row.saturating_sub(by),
                    Some('B') => row += by,
                    other => panic!("unknown: {number} {other:?}"),
                }
            }
            _ => {
                if column == COLUMNS {
                    (row, column) = (row + 1, 0);
                    lines.resize(lines.len().max(row + 1), vec![' '; COLUMNS]);
                }
                lines[row][column] = letter;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), vec![' '; COLUMNS]);
    }
    lines.into_iter().map(|line| String::from_iter(line).trim_end().to_owned()).collect()
}

#[test]
fn the_screen_of_the_tests_wraps() {
    let full = "x".repeat(COLUMNS);
    assert_eq!(lines(&format!("{full}^C\r\u{1b}[2K")), [full.as_str(), ""]);
    assert_eq!(lines("ab\r\u{1b}[2Kc"), ["c"]);
}

#[test]
fn nothing_is_left_of_the_progress_of_an_interrupted_run() {
    let mut run = Watched::start(ENDLESS);
    run.until("preparing");
    run.until("it/s");
    run.interrupt();
    run.assert_wiped();
}

#[test]
fn nothing_is_left_where_the_program_ends_at_once() {
    let mut run = Watched::start(ENDLESS);
    run.until("it/s");
    run.interrupt();
    run.interrupt();
    run.assert_wiped();
}

#[test]
fn runs_tell_what_runs_now() {
    let mut run = Watched::start("compare --quick --repetitions 1 --workers 1");
    run.until("0 of 22");
    run.until(", quiet");
    run.interrupt();
    run.assert_wiped();
}

#[test]
fn a_pool_tells_how_far_it_is_and_what_is_left_to_do() {
    for line in ["uts --tree T1XXL --workers 2", "uts --tree T1XXL --machine cirrus --nodes 2"] {
        let mut run = Watched::start(line);
        run.until(" M nodes");
        run.until("/s  ");
        run.until(" queued  searching");
        run.interrupt();
        run.assert_wiped();
    }
}
