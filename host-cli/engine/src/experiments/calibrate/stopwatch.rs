//! Records the times of the workers' activities during a run.

use std::sync::{Arc, Mutex, PoisonError};

use tresse_core::base::id::SubdomainId;
use tresse_core::run::convergence::takes_residual;

use crate::files::recording::Since;
use crate::threads::{Activity, Observer, Sweep};
use tresse_platform::noise::Bursts;

/// Greatest number of marks of one worker; later ones are not kept.
const MARKS: usize = 1 << 20;
/// Greatest number of a parasite's bursts; later ones are not kept.
const BURSTS: usize = 1 << 14;
/// Number of marks that are made to measure the time of one.
const TRIALS: u32 = 10_000;

/// An activity of a worker with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Nanoseconds since all stopwatches of the run were started.
    pub at: u64,
    pub what: What,
}

/// The activities of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The halos of a sweep are read.
    Starts(SubdomainId),
    /// The cells of a subdomain are swept, with or without their residual.
    Ends(SubdomainId, bool),
    /// The worker turns from its sweeps.
    Turns,
    /// The worker returns to its sweeps after an activity.
    Returns(Activity),
    /// The worker finds nothing that it could sweep.
    Idles,
    /// The worker takes a subdomain.
    Takes(SubdomainId),
}

/// An observer that records one worker.
#[derive(Debug)]
pub(super) struct Stopwatch {
    since: Since,
    marks: Vec<Mark>,
}

impl Stopwatch {
    /// Returns a stopwatch whose memory is touched already, as the first write to a page takes
    /// time.
    pub fn new(since: Since) -> Self {
        let mut marks = vec![Mark { at: 0, what: What::Idles }; MARKS];
        marks.clear();
        Self { since, marks }
    }

    pub fn into_marks(self) -> Vec<Mark> {
        self.marks
    }

    /// Returns the time of one mark within the time that it measures, in nanoseconds: the usual
    /// distance of marks with nothing between them.
    pub fn cost() -> u64 {
        let mut watch = Self::new(Since::start());
        (0..TRIALS).for_each(|_| watch.push(What::Turns));
        let pairs = watch.marks.windows(2).filter_map(|pair| match pair {
            [one, next] => Some(next.at.saturating_sub(one.at)),
            _ => None,
        });
        let mut distances: Vec<u64> = pairs.collect();
        distances.sort_unstable();
        distances.get(distances.len() / 2).copied().unwrap_or(0)
    }

    /// Notes what happens now, as long as there is room.
    #[inline]
    fn push(&mut self, what: What) {
        if self.marks.len() < MARKS {
            self.marks.push(Mark { at: self.since.now().0, what });
        }
    }
}

impl<T> Observer<T> for Stopwatch {
    #[inline]
    fn starts(&mut self, sweep: Sweep<'_, T>) {
        self.push(What::Starts(sweep.subdomain));
    }

    #[inline]
    fn ends(&mut self, sweep: Sweep<'_, T>) {
        self.push(What::Ends(sweep.subdomain, takes_residual(sweep.version.saturating_sub(1))));
    }

    fn turns(&mut self) {
        self.push(What::Turns);
    }

    fn returns(&mut self, activity: Activity) {
        self.push(What::Returns(activity));
    }

    fn idles(&mut self, _: Activity) {
        if self.marks.last().is_none_or(|mark| mark.what != What::Idles) {
            self.push(What::Idles);
        }
    }

    fn takes(&mut self, subdomain: SubdomainId) {
        self.push(What::Takes(subdomain));
    }
}

/// Begin and end of a parasite's burst, by the stopwatches' time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Burst {
    pub begins: u64,
    pub ends: u64,
}

/// An observer that records one parasite.
pub(super) struct BurstWatch {
    since: Since,
    began: u64,
    bursts: Arc<Mutex<Vec<Burst>>>,
}

impl BurstWatch {
    pub fn new(since: Since) -> Self {
        Self { since, began: 0, bursts: Arc::new(Mutex::new(Vec::with_capacity(BURSTS))) }
    }

    /// Returns the bursts, which are complete after the run.
    pub fn bursts(&self) -> Arc<Mutex<Vec<Burst>>> {
        Arc::clone(&self.bursts)
    }
}

impl Bursts for BurstWatch {
    fn begins(&mut self) {
        self.began = self.since.now().0;
    }

    fn ends(&mut self) {
        let ends = self.since.now().0;
        // Nobody else looks before the run is over.
        let mut bursts = self.bursts.lock().unwrap_or_else(PoisonError::into_inner);
        if bursts.len() < BURSTS {
            bursts.push(Burst { begins: self.began, ends });
        }
    }
}
