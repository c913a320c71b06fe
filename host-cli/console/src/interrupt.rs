//! Ctrl-C and its like: the first asks for an orderly end, the second ends at once. Where nobody
//! looks after an orderly end, the first ends at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

static ASKED: AtomicBool = AtomicBool::new(false);
/// Whether somebody looks at [`ASKED`].
static IS_LOOKED_AT: AtomicBool = AtomicBool::new(false);
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static BEFORE_EXIT: OnceLock<fn()> = OnceLock::new();
/// Whether a run is set up that will look at it.
static IS_SET_UP: AtomicBool = AtomicBool::new(false);
/// Time that a run that is set up has to begin once it is asked to end.
const PATIENCE: Duration = Duration::from_millis(500);
static HANDLER: LazyLock<bool> = LazyLock::new(|| {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return false };
    let listen = move || {
        loop {
            match signals.wait().count() {
                0 => (),
                1 if !ASKED.swap(true, Ordering::Relaxed) && wait_for_look(&mut signals) => (),
                _ => end(),
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(listen).is_ok()
});

/// Waits until somebody looks at the flag, for at most `PATIENCE`, and only where a run is set up.
/// Returns `false` where nobody does, or where another signal comes before.
fn wait_for_look(signals: &mut Signals) -> bool {
    let asked = Instant::now();
    while !IS_LOOKED_AT.load(Ordering::Relaxed) {
        let waits = IS_SET_UP.load(Ordering::Relaxed) && asked.elapsed() < PATIENCE;
        if !waits || signals.pending().count() > 0 {
            return false;
        }
        thread::sleep(PATIENCE / 50);
    }
    true
}

/// Ends the program at once: wipes the line, and removes empty folders of results.
fn end() -> ! {
    ASKED.store(true, Ordering::Relaxed);
    if let Some(act) = BEFORE_EXIT.get() {
        act();
    }
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    // One that is not empty is not removed, nor are those that it is in.
    let _ = made.iter().try_for_each(fs::remove_dir);
    std::process::exit(Exit::Interrupted as i32);
}

/// Sets the action before the program ends at once, such as wiping a line; the first caller's
/// action is kept.
pub fn before_exit(act: fn()) {
    BEFORE_EXIT.get_or_init(|| act);
}

/// Names folders that were made for results, the innermost first: an end at once removes those that
/// are empty.
pub fn made(folders: impl IntoIterator<Item = PathBuf>) {
    MADE.lock().unwrap_or_else(PoisonError::into_inner).extend(folders);
}

/// Reports whether a person or the system has asked the program to end, as noted by the handler of
/// [`flag`]; without that handler the program just ends.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Returns a flag that is set when a person or the system asks the program to end (SIGINT, SIGTERM,
/// SIGHUP). Without a handler the program just ends.
pub fn flag() -> &'static AtomicBool {
    IS_LOOKED_AT.store(true, Ordering::Relaxed);
    LazyLock::force(&HANDLER);
    &ASKED
}

/// Returns the same flag, but a signal ends the program after half a second where [`has_begun`] is
/// not called until then: a run that is set up has nothing to lose.
pub fn flag_of_a_run() -> &'static AtomicBool {
    IS_SET_UP.store(true, Ordering::Relaxed);
    LazyLock::force(&HANDLER);
    &ASKED
}

/// Says that the run has begun that looks at the flag.
pub fn has_begun() {
    IS_LOOKED_AT.store(true, Ordering::Relaxed);
}

/// Returns a flag that is set with every SIGUSR1 from now on, which asks for a checkpoint.
pub fn save_request() -> io::Result<&'static AtomicBool> {
    static REQUEST: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(flag) = REQUEST.get() {
        return Ok(flag);
    }
    let flag = Arc::<AtomicBool>::default();
    signal_hook::flag::register(SIGUSR1, Arc::clone(&flag))?;
    Ok(REQUEST.get_or_init(|| flag))
}

/// Lets such a signal end the program at once, with the exit status of what was interrupted, for as
/// long as nobody has taken the [`flag`].
pub fn ends_at_once() {
    LazyLock::force(&HANDLER);
}
