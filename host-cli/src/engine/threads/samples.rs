//! Samples of a run on threads, which the worker that has the turn takes between two sweeps.
//!
//! Nothing beside the workers wakes more often than the eye needs it: a thread that wakes every few milliseconds lets
//! the system starve the workers of another program on the same cores.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tresse_core::convergence::norm;
use tresse_core::graph::Graph;
use tresse_core::part::SharedPart;
use tresse_core::progress::Progress;
use tresse_core::time::{Duration, Instant};

use super::peers::Peers;
use super::run::Run;
use crate::engine::recorder::{Recorder, Spreads, sample};
use tresse_draw::history::{History, HistorySample};

/// Counts that take longer to read than this, or than that for each subdomain, are of moments so different that their
/// spread never was: the core was taken meanwhile.
const TIMELY: Duration = Duration::from_micros(5);
const TIMELY_EACH: u64 = 200;

/// Time after which a sample is tried again that could not be taken.
const AGAIN: Duration = Duration::from_millis(2);

/// The samples of a run.
pub(super) struct Samples {
    /// Time from which on the next one is taken.
    due: AtomicU64,
    taken: Mutex<Taken>,
}

/// What was taken so far.
pub(super) struct Taken {
    recorder: Recorder,
    /// Memory for the counts of all subdomains.
    counts: Vec<u64>,
    /// Samples that nobody has seen.
    unseen: Vec<HistorySample>,
}

impl Samples {
    /// Returns no samples of so many subdomains; the first one is due at once.
    pub(super) fn new(recorder: Recorder, subdomains: usize) -> Self {
        let taken = Taken { recorder, counts: vec![0; subdomains], unseen: Vec::new() };
        Self { due: AtomicU64::new(0), taken: Mutex::new(taken) }
    }

    /// Returns the time at which the next sample is due.
    pub(super) fn due(&self) -> Instant {
        Instant(self.due.load(Ordering::Relaxed))
    }

    /// Shows what nobody has seen.
    pub(super) fn show(&self, watch: &mut dyn FnMut(&HistorySample)) {
        let unseen = std::mem::take(&mut self.lock().unseen);
        unseen.iter().for_each(watch);
    }

    /// Returns what was recorded, after the run.
    pub(super) fn finish(&self) -> (History, Spreads) {
        let nothing = Recorder::of_parts(0, |_| 0);
        std::mem::replace(&mut self.lock().recorder, nothing).finish()
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'r, T, G, P, const N: usize> Run<'_, 'r, T, G, P, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    /// Takes a sample now, once the clock has started.
    pub(super) fn take_sample(&self, now: Instant) {
        let Some(&initial) = self.initial.get() else { return };
        let Taken { recorder, counts, unseen } = &mut *self.samples.lock();
        let Some(remote) = self.peers.remote(counts) else {
            // Another process watches, or somebody else looks at what other processes have said.
            self.samples.due.store(now.after(AGAIN).0, Ordering::Relaxed);
            return;
        };
        let before = self.clock.now();
        self.slots.read_counts(counts);
        let took = self.clock.now().since(before);
        let progress = Progress::of(counts.iter().copied());
        let is_timely = took <= TIMELY.max(Duration(TIMELY_EACH * counts.len() as u64));
        if is_timely && !remote.is_late {
            recorder.count_spread(progress.spread());
        }
        let seen = self.residuals.seen(|| self.slots.published_residual() + remote.residual);
        let moves = self.moves.load(Ordering::Relaxed) + remote.moves;
        let rounds = self.rounds.load(Ordering::Relaxed) + remote.rounds;
        let reference = self.config.stop.reference_or(initial);
        let residual = seen.map(|(squares, at)| (norm(squares / reference), at));
        let residual = residual.filter(|(relative, _)| relative.is_finite());
        let mut sample = sample(now, residual, &progress, moves, rounds);
        if remote.before > 0 {
            let updates = progress.updates.saturating_sub(remote.before);
            sample.iteration_rate =
                Progress { updates, ..progress }.iteration_rate(now.since(Instant::ZERO));
        }
        unseen.push(sample);
        recorder.record(now, sample, counts);
        self.samples.due.store(recorder.due().0, Ordering::Relaxed);
    }
}
