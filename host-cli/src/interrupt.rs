//! Ctrl-C and its like: the first asks for an orderly end, the second ends at once. Where nobody looks
//! after an orderly end, the first ends at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::{io, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

static ASKED: AtomicBool = AtomicBool::new(false);
/// Whether somebody looks at [`ASKED`].
static IS_LOOKED_AT: AtomicBool = AtomicBool::new(false);
static BEFORE_EXIT: OnceLock<fn()> = OnceLock::new();
static HANDLER: LazyLock<bool> = LazyLock::new(|| {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return false };
    let listen = move || {
        for _ in &mut signals {
            if ASKED.swap(true, Ordering::Relaxed) || !IS_LOOKED_AT.load(Ordering::Relaxed) {
                if let Some(act) = BEFORE_EXIT.get() {
                    act();
                }
                std::process::exit(Exit::Interrupted as i32);
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(listen).is_ok()
});

/// Sets the action before the program ends at once, such as wiping a line; the first caller's action is
/// kept.
pub fn before_exit(act: fn()) {
    BEFORE_EXIT.get_or_init(|| act);
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

/// Returns the same flag, but until [`has_begun`] is called a signal ends the program at once: a run that
/// is set up has nothing to lose.
pub fn flag_of_a_run() -> &'static AtomicBool {
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

/// Lets such a signal end the program at once, with the exit status of what was interrupted, for as long
/// as nobody has taken the [`flag`].
pub fn ends_at_once() {
    LazyLock::force(&HANDLER);
}
