//! Reads the marks of a worker: one entry for each sweep, with the time before it.

use tresse_core::base::id::SubdomainId;

use super::stopwatch::{Mark, What};
use tresse_draw::statistics::Quartiles;

/// Number of sweeps at the beginning of a run that are left out: caches fill, and pages are
/// touched.
const FIRST: usize = 200;

/// One sweep of a worker; times are in nanoseconds, without those of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Swept {
    pub subdomain: SubdomainId,
    pub starts: u64,
    pub ends: u64,
    /// Whether the residual was computed.
    pub residual: bool,
    /// Subdomain that this worker swept before, where only halos and edges came between.
    pub after: Option<SubdomainId>,
    /// Time since the end of the sweep before.
    pub gap: u64,
    /// Whether this is the first sweep since the worker took the subdomain.
    pub is_new: bool,
    /// Number of subdomains that the worker took since its last sweep.
    pub taken: u32,
}

impl Swept {
    pub const fn time(&self) -> u64 {
        self.ends.saturating_sub(self.starts)
    }

    /// Reports whether this is a usual sweep: of a subdomain that the worker had before, and
    /// without the residual.
    pub const fn is_plain(&self) -> bool {
        !self.residual && !self.is_new
    }
}

/// Returns all sweeps of a worker but the first ones, where a mark takes `cost` nanoseconds after
/// its time.
pub(super) fn sweeps(marks: &[Mark], cost: u64) -> Vec<Swept> {
    let mut all = Vec::with_capacity(marks.len() / 2);
    let (mut new, mut taken, mut starts) = (Vec::new(), 0, None);
    let (mut last, mut is_next): (Option<(SubdomainId, u64)>, bool) = (None, false);
    for mark in marks {
        match mark.what {
            What::Starts(_) => starts = Some(mark.at),
            What::Ends(subdomain, residual) => {
                let Some(starts) = starts.take() else { continue };
                let place = new.iter().position(|&id| id == subdomain);
                all.push(Swept {
                    subdomain,
                    starts,
                    ends: mark.at.saturating_sub(cost).max(starts),
                    residual,
                    after: last.filter(|_| is_next).map(|(id, _)| id),
                    gap: last.map_or(0, |(_, end)| starts.saturating_sub(end + cost)),
                    is_new: place.map(|place| new.swap_remove(place)).is_some(),
                    taken: std::mem::take(&mut taken),
                });
                (last, is_next) = (Some((subdomain, mark.at)), true);
            }
            What::Takes(subdomain) => {
                new.push(subdomain);
                taken += 1;
            }
            What::Turns | What::Returns(_) | What::Idles => is_next = false,
        }
    }
    // What was there from the start was never taken from anybody.
    all.drain(..FIRST.min(all.len()));
    all
}

/// Returns the mean of the undisturbed times, which are those up to a multiple of the median, or
/// `None` where there are no times.
///
/// Not the median, since sweeps that go up and sweeps that go down take different times.
pub(super) fn undisturbed(samples: &[u64], times: f64) -> Option<f64> {
    let samples: Vec<f64> = samples.iter().map(|&sample| sample as f64).collect();
    let limit = Quartiles::of(&samples)?.median * times;
    let (sum, number) = samples
        .iter()
        .filter(|&&sample| sample <= limit)
        .fold((0.0, 0_u32), |(sum, number), sample| (sum + sample, number + 1));
    (number > 0).then(|| sum / f64::from(number))
}

/// Multiple for sweeps, which all take much the same time.
pub(super) const SWEEPS: f64 = 1.5;
/// Multiple for times of a few cache misses, more or less.
pub(super) const MISSES: f64 = 4.0;

/// Returns the mean undisturbed time of the plain sweeps, or `None` where there are few.
pub(super) fn sweep_time<'a>(sweeps: impl IntoIterator<Item = &'a Swept>) -> Option<f64> {
    let plain = sweeps.into_iter().filter(|swept| swept.is_plain());
    let times: Vec<u64> = plain.map(Swept::time).collect();
    if times.len() < FEWEST { None } else { undisturbed(&times, SWEEPS) }
}

/// Returns the mean time from one sweep to the next, with everything in between, or `None` where
/// there are few.
pub(super) fn period(sweeps: &[Swept]) -> Option<f64> {
    let (first, last) = (sweeps.first()?, sweeps.last()?);
    let all = last.starts.saturating_sub(first.starts) as f64;
    (sweeps.len() >= FEWEST && all > 0.0).then(|| all / (sweeps.len() - 1) as f64)
}

/// Least number of samples that a figure is computed from.
pub(super) const FEWEST: usize = 10;

/// Returns the undisturbed time between the sweeps of one iteration, in the order of a working set
/// that does not change: the sum of the mean times before each of `members`, or `None` unless each
/// was seen often.
pub(super) fn between_sweeps(sweeps: &[Swept], members: &[SubdomainId]) -> Option<f64> {
    let gap = |&id: &SubdomainId| {
        let gaps = sweeps.iter().filter(|swept| swept.subdomain == id && swept.after.is_some());
        let gaps: Vec<u64> = gaps.map(|swept| swept.gap).collect();
        if gaps.len() < FEWEST { None } else { undisturbed(&gaps, MISSES) }
    };
    members.iter().map(gap).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::threads::Activity;

    /// Returns the marks of a worker that sweeps its subdomains in turn, with sweeps and gaps of
    /// given lengths.
    pub fn turns(members: &[u32], times: usize, sweep: u64, gap: u64) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut at = 0;
        for &id in members.iter().cycle().take(times * members.len()) {
            at += gap;
            marks.push(Mark { at, what: What::Starts(SubdomainId(id)) });
            at += sweep;
            marks.push(Mark { at, what: What::Ends(SubdomainId(id), false) });
        }
        marks
    }

    #[test]
    fn sweeps_know_what_lay_before_them() {
        let mut marks = turns(&[0, 1], 101, 50, 7);
        let at = marks.last().unwrap().at;
        let (id, mark) = (SubdomainId, |after, what| Mark { at: at + after, what });
        marks.extend([
            mark(1, What::Turns),
            mark(4, What::Returns(Activity::Detection)),
            mark(5, What::Takes(id(9))),
            mark(10, What::Starts(id(0))),
            mark(20, What::Ends(id(0), true)),
            mark(23, What::Starts(id(9))),
            mark(40, What::Ends(id(9), false)),
        ]);
        let sweeps = sweeps(&marks, 0);
        let [.., plain, after_turn, new] = sweeps.as_slice() else { panic!("{sweeps:?}") };
        assert_eq!((plain.after, plain.gap, plain.time(), plain.taken), (Some(id(0)), 7, 50, 0));
        assert_eq!((after_turn.after, after_turn.gap, after_turn.taken), (None, 10, 1));
        assert!(after_turn.residual && !after_turn.is_new && !after_turn.is_plain());
        assert_eq!((new.after, new.gap, new.is_new, new.time()), (Some(id(0)), 3, true, 17));
        assert_eq!(sweeps.len(), 204 - FIRST);
    }

    #[test]
    fn bursts_are_no_part_of_what_is_undisturbed() {
        let mean = undisturbed(&[10, 12, 11, 11, 500, 16], 1.5).unwrap();
        assert!((mean - 12.0).abs() < 1e-9, "{mean}");
        assert!(undisturbed(&[], 1.5).is_none());
        let sweeps = sweeps(&turns(&[0, 1, 2], 200, 55, 12), 5);
        assert!((sweep_time(&sweeps).unwrap() - 50.0).abs() < 1e-9);
        let ids = [0, 1, 2].map(SubdomainId);
        assert!((between_sweeps(&sweeps, &ids).unwrap() - 21.0).abs() < 1e-9);
        assert!(between_sweeps(&sweeps, &[SubdomainId(3)]).is_none());
    }
}
