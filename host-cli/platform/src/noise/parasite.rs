//! The work of one parasite on its core.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tresse_core::base::rng::Rng;
use tresse_core::base::time::Duration as Length;
use tresse_core::run::noise::{Parasite, ParasiteCycle};

use super::clock::ThreadClock;

/// The time over which a duty is kept; a worker's iteration is longer.
const PERIOD: Duration = Duration::from_millis(1);
/// Iterations between two looks at the stop flag, below a millisecond.
const PIECE: u64 = 100_000;
/// Iterations between two looks at the clocks, a few microseconds: 1 % of a duty's usual burst.
const CHUNK: u64 = 1_000;

/// Sees when a parasite works.
pub trait Bursts: Send {
    /// Called when the parasite turns from sleep to work.
    fn begins(&mut self);

    /// Called when the parasite goes back to sleep, or ends.
    fn ends(&mut self);
}

/// An observer of bursts that does nothing.
impl Bursts for () {
    fn begins(&mut self) {}

    fn ends(&mut self) {}
}

/// Runs until `stop`, with random numbers from `rng`; the thread that sets `stop` also unparks this
/// one.
pub fn run(
    parasite: Parasite,
    rng: Rng,
    clock: &ThreadClock,
    stop: &AtomicBool,
    bursts: &mut dyn Bursts,
) {
    match parasite {
        Parasite::Loop { sleep, work } => {
            sleep_and_work(Duration::from_nanos(sleep.0), work, stop, bursts);
        }
        Parasite::Bursts { burst, gap } => rest_and_burst((burst, gap), rng, clock, stop, bursts),
        Parasite::Duty { millionths } => keep_duty(Duty { millionths }, clock, stop, bursts),
    }
}

/// The paper's arithmetic: iterations of `sum = sum * a + b`, each waiting for the one before.
///
/// The sum goes through memory each time, which makes an iteration about as long as the paper's
/// (46 µs for 10000 of them).
pub fn work(iterations: u64) {
    let mut sum = black_box(1.0_f64);
    let (a, b) = (black_box(0.5), black_box(1.0));
    for _ in 0..iterations {
        sum = black_box(sum * a + b);
    }
}

/// Sleeps and works in turn, `iterations` of its loop each time, until it is stopped.
fn sleep_and_work(sleep: Duration, iterations: u64, stop: &AtomicBool, bursts: &mut dyn Bursts) {
    while !stopped(stop) {
        sleep_until(Instant::now() + sleep, stop);
        bursts.begins();
        let mut left = iterations;
        while left > 0 && !stopped(stop) {
            let piece = left.min(PIECE);
            work(piece);
            left -= piece;
        }
        bursts.ends();
    }
}

/// Sleeps and works in turn, for lengths that are drawn each time. A burst is over when the thread
/// has used so much CPU time, however long that took.
fn rest_and_burst(
    (burst, gap): (Length, Length),
    mut rng: Rng,
    clock: &ThreadClock,
    stop: &AtomicBool,
    bursts: &mut dyn Bursts,
) {
    while !stopped(stop) {
        let cycle = ParasiteCycle::draw(burst, gap, &mut rng);
        sleep_until(Instant::now() + Duration::from_nanos(cycle.gap.0), stop);
        bursts.begins();
        let end = clock.used() + Duration::from_nanos(cycle.burst.0);
        while clock.used() < end && !stopped(stop) {
            work(CHUNK);
        }
        bursts.ends();
    }
}

/// Works for the share of time that the duty asks for, until it is stopped.
fn keep_duty(duty: Duty, clock: &ThreadClock, stop: &AtomicBool, bursts: &mut dyn Bursts) {
    let mut works = false;
    while !stopped(stop) {
        let next = duty.next(clock.elapsed(), clock.used());
        match (works, next) {
            (false, Next::Work) => bursts.begins(),
            (true, Next::SleepUntil(_)) => bursts.ends(),
            (true, Next::Work) | (false, Next::SleepUntil(_)) => {}
        }
        works = next == Next::Work;
        match next {
            Next::Work => work(CHUNK),
            Next::SleepUntil(time) => sleep_until(clock.at(time), stop),
        }
    }
    if works {
        bursts.ends();
    }
}

/// The next action of a duty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Work, as the duty is behind its share.
    Work,
    /// Sleep, as the duty is ahead of its share, until this long after its start.
    SleepUntil(Duration),
}

/// A share of a core's time, kept over the whole run.
#[derive(Clone, Copy, Debug)]
pub struct Duty {
    /// Millionths of the core's time.
    pub millionths: u32,
}

impl Duty {
    /// Returns the next action, so that by the end of the current period the CPU time is the duty's
    /// share of all time so far. `elapsed` is the time since the start, and `used` the CPU time.
    ///
    /// What another thread kept it from is thus made up for later, and what it took too much is
    /// given back, so that the share is the asked one in the long run.
    pub fn next(self, elapsed: Duration, used: Duration) -> Next {
        let periods = elapsed.as_nanos() / PERIOD.as_nanos() + 1;
        let end = periods * PERIOD.as_nanos();
        let owed = end * u128::from(self.millionths) / 1_000_000;
        if used.as_nanos() < owed {
            return Next::Work;
        }
        Next::SleepUntil(Duration::from_nanos(u64::try_from(end).unwrap_or(u64::MAX)))
    }
}

/// Sleeps in one piece; unparking after setting `stop` ends it.
fn sleep_until(end: Instant, stop: &AtomicBool) {
    while !stopped(stop) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::park_timeout(left);
    }
}

fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
