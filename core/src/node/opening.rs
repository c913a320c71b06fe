//! Whether it pays that others can help with a worker's sweeps.

use super::watch;
use crate::base::time::{Duration, Instant};
use crate::run::{Mode, RunConfig};

/// Number of open sweeps in a trial.
const TRIAL: u32 = 2048;
/// Number of sweeps in place that are timed after a trial, to compare with its open sweeps.
const TIMED: u32 = 64;
/// The time that open sweeps save must be this multiple of what they cost: whoever has helped goes
/// on with a part that is in another's cache.
const MARGIN: u64 = 2;
/// Bound on the count of unpaid trials in a row. After each of them, twice as many stops pass
/// without a trial as after the one before: one at first, and at most 1024.
const UNPAID: u32 = 10;

/// Which of a worker's sweeps are open to others, who may help where it is stopped.
///
/// An open sweep reads one copy and writes another, so that it takes up to three times as long as
/// one in place. It saves the time for which a part stands still in the hands of a worker that is
/// stopped. Sweeps are open once a part was stuck in the worker's hands, and as long as what they
/// save is worth what they take; where it is not, for ever fewer of these times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Opening {
    stage: Stage,
    /// Whether all other workers come to wait for a part that stands still.
    all_wait: bool,
    /// Time of the sweeps in place that were timed.
    in_place: Mean,
    open: Mean,
    /// Time that helpers have saved in this trial.
    saved: Duration,
    /// Number of trials in a row that did not pay.
    unpaid: u32,
    /// Number of stuck parts to let pass before the next trial.
    wait: u32,
    /// Whether a part was stuck in the worker's hands since the trial began.
    is_stuck: bool,
    began: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Sweeps are in place.
    Closed,
    /// Sweeps are open; this number of them is left in the trial.
    Trial(u32),
    /// Sweeps are in place and timed; this number is left until the trial is judged.
    Timed(u32),
    /// All are open, whatever they take.
    Always,
}

/// Total time and number of timed sweeps, without those in which the worker was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Mean {
    time: Duration,
    sweeps: u64,
}

impl Mean {
    const NONE: Self = Self { time: Duration::ZERO, sweeps: 0 };

    /// Counts a sweep that took this long.
    fn add(&mut self, time: Duration) {
        self.time = Duration(self.time.0.saturating_add(time.0));
        self.sweeps += 1;
    }

    /// Returns the mean time of a sweep in nanoseconds; none without a sweep.
    fn each(self) -> Option<u64> {
        self.time.0.checked_div(self.sweeps)
    }
}

impl Opening {
    /// An unused entry of memory to be lent.
    pub(super) const EMPTY: Self = Self {
        stage: Stage::Closed,
        all_wait: false,
        in_place: Mean::NONE,
        open: Mean::NONE,
        saved: Duration::ZERO,
        unpaid: 0,
        wait: 0,
        is_stuck: false,
        began: Instant::NEVER,
    };

    /// Returns the state at the beginning of a run: all sweeps are open where that is configured,
    /// otherwise none until a part is stuck.
    pub(super) fn new(config: &RunConfig) -> Self {
        let is_always = config.helps() && config.always_help;
        let stage = if is_always { Stage::Always } else { Stage::Closed };
        Self { stage, all_wait: config.mode != Mode::Async, ..Self::EMPTY }
    }

    /// Notes that a part was stuck in the worker's hands; begins a trial where it is time for one.
    #[cold]
    pub(super) fn note_stuck(&mut self) {
        self.is_stuck = true;
        if self.stage == Stage::Closed {
            match self.wait.checked_sub(1) {
                Some(wait) => self.wait = wait,
                None => self.stage = self.begin_trial(),
            }
        }
    }

    /// Resets the measurements and returns the stage of a new trial.
    const fn begin_trial(&mut self) -> Stage {
        (self.in_place, self.open) = (Mean::NONE, Mean::NONE);
        (self.saved, self.is_stuck) = (Duration::ZERO, false);
        Stage::Trial(TRIAL)
    }

    /// Begins a sweep, and returns whether it is open to helpers. The clock is read only where
    /// sweeps are timed.
    #[inline]
    pub(super) fn begin_sweep(&mut self, now: impl Fn() -> Instant) -> bool {
        match self.stage {
            Stage::Closed => false,
            Stage::Always => true,
            Stage::Timed(_) | Stage::Trial(_) => {
                self.began = now();
                matches!(self.stage, Stage::Trial(_))
            }
        }
    }

    /// Ends a sweep that the worker has published. `sweep` is the time of its quickest sweep in
    /// place, and `parts` the number of parts at home with it.
    #[inline]
    pub(super) fn end_sweep(&mut self, now: impl Fn() -> Instant, sweep: Duration, parts: usize) {
        match self.stage {
            Stage::Closed | Stage::Always => {}
            Stage::Trial(left) => {
                if let Some(time) = self.take_time(now, sweep) {
                    self.open.add(time);
                }
                self.stage = after_open(left);
            }
            Stage::Timed(left) => {
                if let Some(time) = self.take_time(now, sweep) {
                    self.in_place.add(time);
                }
                self.stage = match left.checked_sub(1) {
                    Some(left) => Stage::Timed(left),
                    None => self.judge(parts),
                };
            }
        }
    }

    /// Ends an open sweep that a helper has finished first, and counts the time since its beginning
    /// as saved.
    #[cold]
    pub(super) fn end_lost_sweep(&mut self, now: impl Fn() -> Instant) {
        if let Stage::Trial(left) = self.stage {
            let began = core::mem::replace(&mut self.began, Instant::NEVER);
            self.saved = Duration(self.saved.0.saturating_add(now().since(began).0));
            self.is_stuck = true;
            self.stage = after_open(left);
        }
    }

    /// Returns how long the sweep that ends now took; none where the worker was stopped during it,
    /// or did not begin it. `sweep` is the time of its quickest sweep.
    fn take_time(&mut self, now: impl Fn() -> Instant, sweep: Duration) -> Option<Duration> {
        let began = core::mem::replace(&mut self.began, Instant::NEVER);
        let time = (began < Instant::NEVER).then(|| now().since(began))?;
        (time < watch::patience(sweep)).then_some(time)
    }

    /// Judges a trial by time saved against time spent, and returns the next stage: another trial
    /// where it has paid and something was stuck. Where nobody waits for a part that stands still,
    /// it costs only its share, one of `parts`, of the worker's time.
    fn judge(&mut self, parts: usize) -> Stage {
        let each = self.open.each().zip(self.in_place.each());
        let cost = each.map_or(0, |(open, in_place)| open.saturating_sub(in_place));
        let spent = cost.saturating_mul(self.open.sweeps);
        let shares = if self.all_wait { 1 } else { parts.max(1) as u64 };
        let saved = self.saved.0 / shares;
        let pays = saved >= spent.saturating_mul(MARGIN);
        self.wait = if pays { 0 } else { 1 << self.unpaid };
        self.unpaid = if pays { 0 } else { self.unpaid.saturating_add(1).min(UNPAID) };
        if pays && self.is_stuck { self.begin_trial() } else { Stage::Closed }
    }
}

/// Returns the stage after an open sweep of a trial, which had `left` more to come.
const fn after_open(left: u32) -> Stage {
    match left.checked_sub(1) {
        Some(left) => Stage::Trial(left),
        None => Stage::Timed(TIMED),
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    const QUICK: Duration = Duration::from_micros(10);
    const STOP: Duration = Duration::from_micros(10_000);

    /// A worker whose sweeps take 10 microseconds in place.
    struct Alone {
        opening: Opening,
        now: Cell<Instant>,
        /// Time of an open sweep.
        open: Duration,
        parts: usize,
    }

    impl Alone {
        fn new(mode: Mode, open: u64, parts: usize) -> Self {
            let config = RunConfig { mode, ..RunConfig::default() };
            let (opening, open) = (Opening::new(&config), Duration::from_micros(open));
            Self { opening, now: Cell::new(Instant::ZERO), open, parts }
        }

        fn pass(&self, time: Duration) {
            self.now.set(self.now.get().after(time));
        }

        /// Makes a sweep; returns whether it was open.
        fn sweep(&mut self) -> bool {
            let is_open = self.opening.begin_sweep(|| self.now.get());
            self.pass(if is_open { self.open } else { QUICK });
            self.opening.end_sweep(|| self.now.get(), QUICK, self.parts);
            is_open
        }

        /// Is stopped in a sweep, which another makes where it is open.
        fn stop(&mut self) {
            let is_open = self.opening.begin_sweep(|| self.now.get());
            self.pass(STOP);
            if is_open {
                self.opening.end_lost_sweep(|| self.now.get());
            } else {
                self.opening.note_stuck();
                self.opening.end_sweep(|| self.now.get(), QUICK, self.parts);
            }
        }

        /// Returns the share of open sweeps of some thousand, every so many of which it is stopped.
        fn share(&mut self, sweeps: u32, every: u32) -> f64 {
            let mut open = 0;
            for sweep in 0..sweeps {
                if sweep % every == every - 1 {
                    self.stop();
                } else {
                    open += u32::from(self.sweep());
                }
            }
            f64::from(open) / f64::from(sweeps)
        }
    }

    #[test]
    fn sweeps_are_open_after_a_stop_and_as_long_as_there_are_others() {
        let mut alone = Alone::new(Mode::Exact, 15, 4);
        assert!((0..1_000).all(|_| !alone.sweep()));
        alone.stop();
        let open = (0..10_000).filter(|_| alone.sweep()).count();
        assert_eq!(open, TRIAL as usize, "nothing else was stuck");
        // 10 ms are worth 1,000 sweeps that take 5 us more.
        assert!(alone.share(1_000_000, 500) > 0.95);
    }

    #[test]
    fn what_does_not_pay_is_tried_ever_more_rarely() {
        let mut alone = Alone::new(Mode::Exact, 15, 4);
        assert!(alone.share(2_000_000, 1_250) < 0.05);
        alone.open = QUICK;
        alone.share(10_000_000, 500);
        assert!(alone.share(1_000_000, 500) > 0.95, "but it is tried again");
        alone.open = Duration(2 * QUICK.0);
        assert!(alone.share(10_000_000, 1_250) < 0.05);
    }

    #[test]
    fn a_part_that_nobody_waits_for_is_worth_its_share_of_the_workers_time() {
        let share = |mode, every| Alone::new(mode, 15, 4).share(1_000_000, every);
        assert!(share(Mode::SemiSync(2), 500) > 0.95);
        assert!(share(Mode::Async, 500) < 0.05);
        assert!(share(Mode::Async, 220) > 0.95);
    }

    #[test]
    fn all_are_open_where_help_is_always_possible() {
        let balance = crate::run::Balance::Pull(8);
        let config = RunConfig { workers: 2, balance, help: true, ..RunConfig::default() };
        let config = RunConfig { always_help: true, ..config };
        let mut alone = Alone::new(Mode::Async, 30, 4);
        alone.opening = Opening::new(&config);
        assert!((0..10_000).all(|_| alone.sweep()));
    }
}
