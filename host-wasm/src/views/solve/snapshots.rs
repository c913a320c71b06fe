//! Moments that are kept to come back to.

/// Moments in order of time; where there would be too many, every other one is dropped.
#[derive(Debug)]
pub struct Snapshots<T> {
    moments: Vec<(u64, T)>,
    /// Least time between two moments; doubled whenever some are dropped.
    interval: u64,
    /// Greatest number of moments.
    capacity: usize,
}

impl<T> Snapshots<T> {
    /// Returns a collection without moments, for at most `capacity`, which may be 0. At first a
    /// moment is kept every `interval`, in nanoseconds.
    pub const fn new(interval: u64, capacity: usize) -> Self {
        Self { moments: Vec::new(), interval, capacity }
    }

    /// Returns the time at which the next moment is to be kept.
    pub fn due(&self) -> u64 {
        if self.capacity == 0 {
            return u64::MAX;
        }
        self.moments.last().map_or(0, |(last, _)| *last).saturating_add(self.interval)
    }

    /// Drops moments where there is no room for one more.
    pub fn make_room(&mut self) {
        if self.moments.len() >= self.capacity {
            let mut keep = true;
            self.moments.retain(|_| {
                keep = !keep;
                keep
            });
            self.interval = self.interval.saturating_mul(2);
        }
    }

    /// Keeps a moment that is later than all others.
    pub fn keep(&mut self, now: u64, moment: T) {
        self.make_room();
        self.moments.push((now, moment));
    }

    /// Returns the last moment at or before a time; those after the time stay.
    pub fn before(&self, to: u64) -> Option<&T> {
        let later = self.moments.partition_point(|(at, _)| *at <= to);
        self.moments.get(later.checked_sub(1)?).map(|(_, moment)| moment)
    }

    /// Forgets the moments after a time, as the run will go on differently.
    pub fn forget_after(&mut self, time: u64) {
        self.moments.retain(|(at, _)| *at <= time);
    }

    /// Forgets all moments.
    pub fn forget_all(&mut self) {
        self.moments.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_stay_few_and_spread_out() {
        for most in [1, 2, 8] {
            let mut snapshots = Snapshots::new(10, most);
            for now in 0..10_000 {
                if now >= snapshots.due() {
                    snapshots.keep(now, now);
                }
                assert!(snapshots.moments.len() <= most);
                // Of the way back to now at most two thirds are to be gone again.
                let last = snapshots.before(now).copied().unwrap_or(0);
                assert!(now < 30 || (now - last) * 3 <= now * 2, "{most}: {last} of {now}");
            }
            for to in 0..10_000 {
                let moment = snapshots.before(to).copied().unwrap_or(0);
                assert!(
                    moment <= to && to - moment <= 2 * snapshots.interval,
                    "{most}: {moment} of {to}"
                );
            }
            snapshots.forget_after(5_000);
            assert!(snapshots.before(u64::MAX).is_none_or(|&moment| moment <= 5_000));
            snapshots.forget_all();
            assert_eq!(snapshots.before(u64::MAX), None);
        }
    }

    #[test]
    fn where_there_is_no_room_nothing_is_ever_due() {
        assert_eq!(Snapshots::<()>::new(10, 0).due(), u64::MAX);
    }
}
