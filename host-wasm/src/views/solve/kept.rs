//! Moments that are kept to come back to.

/// Moments in order of time; where there would be too many, every other one is dropped.
#[derive(Debug)]
pub struct Kept<T> {
    moments: Vec<(u64, T)>,
    /// Between two of them; doubled whenever some are dropped.
    every: u64,
    most: usize,
}

impl<T> Kept<T> {
    /// None yet; at most `most`, at least 2, `every` so often at first.
    pub const fn new(every: u64, most: usize) -> Self {
        Self { moments: Vec::new(), every, most }
    }

    /// When the next moment is to be kept.
    pub fn due(&self) -> u64 {
        self.moments.last().map_or(0, |(last, _)| last.saturating_add(self.every))
    }

    /// Keeps a moment that is later than all others.
    pub fn keep(&mut self, now: u64, moment: T) {
        if self.moments.len() >= self.most {
            // The first is the beginning, and stays.
            let mut keep = false;
            self.moments.retain(|_| {
                keep = !keep;
                keep
            });
            self.every = self.every.saturating_mul(2);
        }
        self.moments.push((now, moment));
    }

    /// The last moment at or before a time. Those after that time stay.
    pub fn before(&self, to: u64) -> Option<&T> {
        let later = self.moments.partition_point(|(at, _)| *at <= to);
        self.moments.get(later.saturating_sub(1)).map(|(_, moment)| moment)
    }

    /// Forgets what was after a time, since something else is to come.
    pub fn forget_after(&mut self, time: u64) {
        self.moments.retain(|(at, _)| *at <= time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_stay_few_and_spread_out() {
        let mut kept = Kept::new(10, 8);
        for now in 0..10_000 {
            if now >= kept.due() {
                kept.keep(now, now);
            }
            assert!(kept.moments.len() <= 8);
        }
        for to in 0..10_000 {
            let moment = *kept.before(to).unwrap();
            assert!(moment <= to && to - moment <= 2 * kept.every, "{to} {moment}");
        }
        kept.forget_after(5_000);
        assert!(kept.before(u64::MAX).is_some_and(|&moment| moment <= 5_000));
        assert_eq!(kept.before(0), Some(&0));
    }
}
