//! SIGUSR1, which asks for a checkpoint now.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use signal_hook::consts::SIGUSR1;

static REQUEST: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Returns a flag that is set with every SIGUSR1 from now on.
pub fn request() -> io::Result<&'static AtomicBool> {
    if let Some(flag) = REQUEST.get() {
        return Ok(flag);
    }
    let flag = Arc::<AtomicBool>::default();
    signal_hook::flag::register(SIGUSR1, Arc::clone(&flag))?;
    Ok(REQUEST.get_or_init(|| flag))
}
