//! Times of the recent sweeps of a subdomain.

/// The weight of a round falls by `1 / ROUNDS` with each that follows.
const ROUNDS: u64 = 8;
/// Sweeps are counted in parts, so that few of them fade too.
const PART: u64 = 1 << 10;

/// A mean over the sweeps of about the last eight rounds, each sweep counted alike, so that one
/// that was preempted has no more weight than the others.
///
/// It is the mean, and not the median or the least: the time that the noise takes of a core is to
/// be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Sweeps and nanoseconds that had been measured at the last round.
    count: u64,
    time: u64,
    /// Sweeps in `1 / PART`, and nanoseconds, both fading.
    sweeps: u64,
    spent: u64,
    /// Whether the subdomain moved, and there has been no sweep since.
    awaited: bool,
}

impl Window {
    /// A window in which nothing was measured yet.
    pub const EMPTY: Self = Self { count: 0, time: 0, sweeps: 0, spent: 0, awaited: false };

    /// Takes in the number of sweeps of a subdomain and the nanoseconds that they took, both since
    /// the start. Without a new sweep nothing fades.
    pub fn observe(&mut self, count: u64, time: u64) {
        let sweeps = count.saturating_sub(self.count).saturating_mul(PART);
        if sweeps == 0 {
            return;
        }
        let spent = time.saturating_sub(self.time);
        (self.count, self.time, self.awaited) = (count, time, false);
        self.sweeps = (self.sweeps - self.sweeps / ROUNDS).saturating_add(sweeps);
        self.spent = (self.spent - self.spent / ROUNDS).saturating_add(spent);
    }

    /// Returns the nanoseconds of a sweep, at least 1; none before the first.
    pub fn mean(self) -> Option<u64> {
        // Exact for months of sweeps.
        self.spent.saturating_mul(PART).checked_div(self.sweeps).map(|mean| mean.max(1))
    }

    /// Whether a sweep is awaited since the subdomain moved.
    pub const fn is_awaited(self) -> bool {
        self.awaited
    }

    /// Records that the subdomain moves: all earlier sweeps count as one from now on, and the new
    /// worker's are awaited.
    pub fn forget(&mut self) {
        self.awaited = true;
        if let Some(mean) = self.mean() {
            (self.sweeps, self.spent) = (PART, mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_preempted_sweep_is_one_of_many() {
        let mut window = Window::EMPTY;
        assert_eq!(window.mean(), None);
        let (mut count, mut time) = (0, 0);
        let mut round = |window: &mut Window, each: u64, more: u64| {
            (count, time) = (count + 10, time + 10 * each + more);
            window.observe(count, time);
            window.mean().unwrap()
        };
        for _ in 0..50 {
            assert_eq!(round(&mut window, 100, 0), 100);
        }
        // 80 sweeps count: one of 4,100 ns makes that 150 on average.
        let preempted = round(&mut window, 100, 4_000);
        assert!((148..=152).contains(&preempted), "{preempted}");
        let later = (0..16).map(|_| round(&mut window, 100, 0)).last().unwrap();
        assert!((100..=108).contains(&later), "{later}");
        // A change that lasts is believed.
        let slower = (0..24).map(|_| round(&mut window, 200, 0)).last().unwrap();
        assert!((194..=200).contains(&slower), "{slower}");
    }

    #[test]
    fn after_a_move_the_new_place_counts() {
        let mut window = Window::EMPTY;
        for round in 1..=30 {
            window.observe(10 * round, 3_000 * round);
        }
        assert_eq!(window.mean(), Some(300));
        window.forget();
        assert_eq!((window.mean(), window.is_awaited()), (Some(300), true));
        window.observe(300, 90_000);
        assert!(window.is_awaited());
        // Nine sweeps of 100, and seven eighths of one of 300.
        window.observe(309, 90_900);
        assert_eq!((window.mean(), window.is_awaited()), (Some(117), false));
    }

    #[test]
    fn nothing_overflows() {
        let mut window = Window::EMPTY;
        window.observe(u64::MAX, u64::MAX);
        window.observe(3, 2);
        assert!(window.mean().is_some());
        let mut window = Window::EMPTY;
        window.observe(1, 0);
        assert_eq!(window.mean(), Some(1));
    }
}
