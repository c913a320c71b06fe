//! Measures how much a source of noise slows its core down.

use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use statrs::statistics::{Data, Median};
use tresse_core::base::id::NodeId;
use tresse_core::run::noise::{Noise, Parasite};

use super::parasite::work;
use super::{NoiseError, NoiseThreads};
use crate::pin_current_thread;

/// Long against the scheduler's time slices.
const SHORTEST_WINDOW: Duration = Duration::from_millis(60);
/// Eighteen of these are as long as a person should wait.
const LONGEST_WINDOW: Duration = Duration::from_millis(300);
/// Pairs of a quiet and a noisy window.
const PAIRS: usize = 9;
/// Sleeps in a window.
const CYCLES: u64 = 4;
/// Seed of what a parasite draws.
const SEED: u64 = 1;
/// Iterations of arithmetic between two looks at the clock: some microseconds.
const CHUNK: u64 = 1_000;

/// The loss of a thread that shares its core with a source of noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SlowDown {
    /// Chunks of arithmetic per second without the noise, the median of the windows.
    pub quiet_rate: f64,
    /// Chunks of arithmetic per second under the noise, the median of the windows.
    pub noisy_rate: f64,
    /// The fraction of its rate that the thread loses: 1 − noisy ÷ quiet.
    ///
    /// It can come out below 0 where what else goes on at the core outweighs the noise.
    pub slow_down: f64,
}

impl SlowDown {
    /// Returns the loss from the rates in windows without and with the noise.
    fn of(alone: [f64; PAIRS], together: [f64; PAIRS]) -> Self {
        let (quiet_rate, noisy_rate) = (Data::new(alone).median(), Data::new(together).median());
        let slow_down = if quiet_rate > 0.0 { 1.0 - noisy_rate / quiet_rate } else { 0.0 };
        Self { quiet_rate, noisy_rate, slow_down }
    }
}

/// Returns a window that covers some sleeps of `parasite`, up to 300 ms.
///
/// Sleeps longer than that fall between windows: their slow-down comes out too small, and the share
/// that [`NoiseThreads::stop`] answers is the better figure.
pub fn window_for(parasite: &Parasite) -> Duration {
    let cycles = Duration::from_nanos(parasite.cycle().0.saturating_mul(CYCLES));
    cycles.clamp(SHORTEST_WINDOW, LONGEST_WINDOW)
}

/// Lets a probe pinned to `core` work by turns alone and together with `noise`.
///
/// Takes eighteen times `window`. The windows alternate, so that what else goes on at the core
/// falls on both kinds, and the rates are medians. What else goes on there makes the slow-down
/// larger: the noise then takes its share out of less.
pub fn measure_slowdown(
    noise: &Noise,
    core: u32,
    window: Duration,
) -> Result<SlowDown, NoiseError> {
    // The probe is a thread of its own: pinning would outlast the measurement.
    thread::scope(|scope| {
        thread::Builder::new()
            .name(format!("probe-{core}"))
            .spawn_scoped(scope, || probe(noise, core, window))
            .map_err(|source| NoiseError::Spawn { core, source })?
            .join()
            .map_err(|_| NoiseError::Lost(core))?
    })
}

/// Measures the rate of work on a core in turn, without and with the noise.
fn probe(noise: &Noise, core: u32, window: Duration) -> Result<SlowDown, NoiseError> {
    pin_current_thread(core)?;
    let mut alone = [0.0; PAIRS];
    let mut together = [0.0; PAIRS];
    for (alone, together) in alone.iter_mut().zip(&mut together) {
        *alone = rate(window);
        let parasite = NoiseThreads::start(&[(*noise, core)], SEED, NodeId(0))?;
        *together = rate(window);
        parasite.stop()?;
    }
    Ok(SlowDown::of(alone, together))
}

/// Chunks of arithmetic per second over at least `window`.
fn rate(window: Duration) -> f64 {
    let start = Instant::now();
    let mut chunks = 0_u64;
    loop {
        work(CHUNK);
        chunks += 1;
        let elapsed = start.elapsed();
        if elapsed >= window {
            return chunks as f64 / elapsed.as_secs_f64();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_window_that_is_disturbed_does_not_count() {
        let (mut alone, mut together) = ([4.0; PAIRS], [3.0; PAIRS]);
        (alone[0], together[PAIRS - 1]) = (400.0, 0.0);
        let measured = SlowDown::of(alone, together);
        assert_eq!(measured, SlowDown { quiet_rate: 4.0, noisy_rate: 3.0, slow_down: 0.25 });
        // A core on which nothing can be measured is not slowed down.
        let unmeasured = SlowDown::of([0.0; PAIRS], together);
        assert_eq!(unmeasured, SlowDown { quiet_rate: 0.0, noisy_rate: 3.0, slow_down: 0.0 });
        // Beside other work the noise may come out as a gain.
        let gain = SlowDown::of([2.0; PAIRS], [3.0; PAIRS]);
        assert_eq!(gain, SlowDown { quiet_rate: 2.0, noisy_rate: 3.0, slow_down: -0.5 });
    }
}
