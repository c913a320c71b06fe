//! Samples of a run on threads. The worker that has the turn takes one between two sweeps, in
//! memory that is there before the run; the thread that watches keeps them.
//!
//! Nothing beside the workers wakes more often than the eye needs it: a thread that wakes every few
//! milliseconds lets the system starve the workers of another program on the same cores.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tresse_core::base::time::{Duration, Instant};
use tresse_core::node::executor::{Node, Peers};
use tresse_core::parts::{Graph, Part};
use tresse_core::run::Stop;
use tresse_core::run::convergence::norm;
use tresse_core::run::progress::Progress;

use crate::recorder::{Recorder, Spreads, sample};
use tresse_draw::history::{History, HistorySample};
use tresse_platform::clock::Clock;

/// Counts that take longer to read than this, or than that for each subdomain, are of moments so
/// different that their spread never was: the core was taken meanwhile.
const TIMELY: Duration = Duration::from_micros(5);
const TIMELY_EACH: u64 = 200;

/// Time after which a sample is tried again that could not be taken.
const AGAIN: Duration = Duration::from_millis(2);

/// Samples for which there is room until the thread that watches has kept them.
const MOST_SLOTS: usize = 64;

/// The samples of a run.
pub(super) struct Samples {
    /// Time from which on the next one is taken.
    due: AtomicU64,
    /// Time from one to the next, in nanoseconds.
    interval: AtomicU64,
    taken: Mutex<Taken>,
    /// The recorder of the thread that watches.
    recorder: Mutex<Recorder>,
}

/// Samples that nobody has kept yet.
struct Taken {
    /// Memory for them, of which the first ones are in use.
    slots: Vec<Slot>,
    used: usize,
    /// Memory for what other processes have said.
    counts: Vec<u64>,
}

/// Memory for one sample.
#[derive(Clone)]
struct Slot {
    at: Instant,
    sample: HistorySample,
    counts: Vec<u64>,
    /// Whether the counts are of one moment.
    is_timely: bool,
}

impl Samples {
    /// Returns an empty store of samples for this number of subdomains; the first sample is due at
    /// once.
    pub(super) fn new(recorder: Recorder, subdomains: usize) -> Self {
        let empty = sample(Instant::ZERO, None, &Progress::default(), 0, 0);
        let counts = vec![0; subdomains];
        let slot =
            Slot { at: Instant::ZERO, sample: empty, counts: counts.clone(), is_timely: false };
        Self {
            due: AtomicU64::new(0),
            interval: AtomicU64::new(recorder.interval().0),
            taken: Mutex::new(Taken { slots: vec![slot; MOST_SLOTS], used: 0, counts }),
            recorder: Mutex::new(recorder),
        }
    }

    /// Returns the time at which the next sample is due.
    pub(super) fn due(&self) -> Instant {
        Instant(self.due.load(Ordering::Relaxed))
    }

    /// Moves the samples that workers have taken into the history, and shows them to `watch`. The
    /// thread that watches calls it.
    pub(super) fn keep(&self, watch: &mut dyn FnMut(&HistorySample)) {
        let mut recorder = lock(&self.recorder);
        let mut taken = lock(&self.taken);
        let used = std::mem::take(&mut taken.used);
        for Slot { at, sample, counts, is_timely } in taken.slots.iter().take(used) {
            if *is_timely {
                recorder.count_spread(sample.spread);
            }
            recorder.record(*at, *sample, counts);
            watch(sample);
        }
        self.interval.store(recorder.interval().0, Ordering::Relaxed);
    }

    /// Returns what was kept, after the run.
    pub(super) fn finish(&self) -> (History, Spreads) {
        let nothing = Recorder::of_parts(0, |_| 0);
        std::mem::replace(&mut *lock(&self.recorder), nothing).finish()
    }
}

/// Only a panic, which ends the run, could leave it half changed.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who takes samples of a node, and by which clock.
pub(super) struct Sampler<'e, 'w, 'r, T: Part, G, P, const N: usize> {
    pub(super) node: &'e Node<'w, 'r, T, G, P, N>,
    pub(super) peers: &'e P,
    pub(super) stop: Stop,
    pub(super) clock: &'e Clock,
    pub(super) samples: Samples,
}

impl<'r, T, G, P, const N: usize> Sampler<'_, '_, 'r, T, G, P, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
{
    /// Takes a sample where one is due; returns the time of the next one.
    pub(super) fn sample_if_due(&self, now: Instant) -> Instant {
        if now >= self.samples.due() {
            self.take(now);
        }
        self.samples.due()
    }

    /// Takes a sample now, once the clock has started and where there is room for it.
    pub(super) fn take(&self, now: Instant) {
        let interval = Duration(self.samples.interval.load(Ordering::Relaxed));
        let taken = self.try_to_take(now).is_some();
        let next = now.after(if taken { interval } else { AGAIN });
        self.samples.due.store(next.0, Ordering::Relaxed);
    }

    /// Takes a sample, if nothing keeps it from doing so. `None` while another process watches,
    /// another thread reads what other processes have published, or earlier samples are being kept.
    fn try_to_take(&self, now: Instant) -> Option<()> {
        let Self { node, peers, stop, clock, samples } = self;
        let initial = node.initial()?;
        let mut taken = samples.taken.try_lock().ok()?;
        let Taken { slots, used, counts } = &mut *taken;
        let slot = slots.get_mut(*used)?;
        let remote = peers.remote(counts)?;
        let before = clock.now();
        node.slots().read_counts(counts);
        let took = clock.now().since(before);
        let progress = Progress::of(counts.iter().copied());
        let is_timely = took <= TIMELY.max(Duration(TIMELY_EACH * counts.len() as u64));
        let moves = node.moves() + remote.moves;
        let rounds = node.rounds() + remote.rounds;
        let reference = stop.reference_or(initial);
        let residual = node.residual().map(|(squares, version)| {
            // What other processes have published is of no version either.
            let others = if version.is_none() { remote.residual } else { 0.0 };
            (norm((squares + others) / reference), version)
        });
        let residual = residual.filter(|(relative, _)| relative.is_finite());
        slot.at = now;
        slot.sample = sample(now, residual, &progress, moves, rounds);
        if remote.before > 0 {
            let updates = progress.updates.saturating_sub(remote.before);
            slot.sample.iteration_rate =
                Progress { updates, ..progress }.iteration_rate(now.since(Instant::ZERO));
        }
        slot.counts.copy_from_slice(counts);
        slot.is_timely = is_timely && !remote.is_late;
        *used += 1;
        Some(())
    }
}
