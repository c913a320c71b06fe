//! The noise of one run: a pinned thread for each source and core.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{Builder, JoinHandle};

use rustix::thread::set_current_timer_slack;
use tresse_core::base::id::NodeId;
use tresse_core::base::rng::Rng;
use tresse_core::run::NoiseReport;
use tresse_core::run::noise::{Noise, Parasite, generator};

use super::clock::ThreadClock;
use super::{Bursts, NoiseError, parasite};
use crate::{PlatformError, pin_current_thread};

/// Running parasites; they end with [`NoiseThreads::stop`], or when this is dropped.
#[derive(Debug)]
pub struct NoiseThreads {
    stop: Arc<AtomicBool>,
    threads: Vec<NoiseThread>,
}

#[derive(Debug)]
struct NoiseThread {
    source: Noise,
    core: u32,
    /// Answers the share of the core's time that the thread used.
    thread: JoinHandle<f64>,
}

impl NoiseThreads {
    /// Starts one parasite for each source and core; when this returns, all are pinned and running.
    ///
    /// What they draw is by `seed`, by the node, and by their place in `sources`.
    pub fn start(sources: &[(Noise, u32)], seed: u64, node: NodeId) -> Result<Self, NoiseError> {
        Self::start_observed(sources, seed, node, Vec::new())
    }

    /// Starts parasites as [`Self::start`] does; each of the `observers` sees the bursts of one of
    /// the first parasites.
    pub fn start_observed(
        sources: &[(Noise, u32)],
        seed: u64,
        node: NodeId,
        observers: Vec<Box<dyn Bursts>>,
    ) -> Result<Self, NoiseError> {
        let mut observers = observers.into_iter();
        let mut noise = Self { stop: Arc::default(), threads: Vec::with_capacity(sources.len()) };
        let (pinned, outcome) = mpsc::channel();
        for (parasite, &(source, core)) in (0..).zip(sources) {
            let work = (source.parasite, generator(seed, node, parasite));
            let bursts = observers.next().unwrap_or_else(|| Box::new(()));
            let thread = spawn(work, core, pinned.clone(), Arc::clone(&noise.stop), bursts)?;
            noise.threads.push(NoiseThread { source, core, thread });
        }
        drop(pinned);
        outcome.iter().collect::<Result<(), _>>()?;
        Ok(noise)
    }

    /// Ends the noise, and answers what each parasite really took, in the order of the start.
    pub fn stop(mut self) -> Result<Vec<NoiseReport>, NoiseError> {
        self.end()
    }

    /// Stops all parasites and waits for them; returns the share of its core that each took.
    fn end(&mut self) -> Result<Vec<NoiseReport>, NoiseError> {
        self.stop.store(true, Ordering::Relaxed);
        for parasite in &self.threads {
            parasite.thread.thread().unpark();
        }
        // All are joined, whatever became of the first.
        let reports: Vec<_> = self.threads.drain(..).map(NoiseThread::join).collect();
        reports.into_iter().collect()
    }
}

impl Drop for NoiseThreads {
    fn drop(&mut self) {
        // A thread that was lost has nothing left to end.
        let _ = self.end();
    }
}

impl NoiseThread {
    /// Waits for the parasite, and returns the share of its core that it took.
    fn join(self) -> Result<NoiseReport, NoiseError> {
        let Self { source, core, thread } = self;
        let share = thread.join().map_err(|_| NoiseError::Lost(core))?;
        Ok(NoiseReport { source, core, share })
    }
}

/// Starts a parasite on its core. The thread says through `pinned` whether it could be pinned, and
/// returns the share of the core that it took.
fn spawn(
    (parasite, rng): (Parasite, Rng),
    core: u32,
    pinned: Sender<Result<(), PlatformError>>,
    stop: Arc<AtomicBool>,
    mut bursts: Box<dyn Bursts>,
) -> Result<JoinHandle<f64>, NoiseError> {
    Builder::new()
        .name(format!("noise-{core}"))
        .spawn(move || {
            let outcome = pin_current_thread(core);
            let failed = outcome.is_err();
            // The starter waits for this answer, unless it has failed at another thread already.
            if pinned.send(outcome).is_err() || failed {
                return 0.0;
            }
            drop(pinned);
            wake_on_time();
            let clock = ThreadClock::start();
            parasite::run(parasite, rng, &clock, &stop, &mut *bursts);
            clock.share()
        })
        .map_err(|source| NoiseError::Spawn { core, source })
}

/// Asks the kernel not to delay the ends of sleeps; otherwise it may add 50 µs to each. Where it
/// refuses, sleeps are just longer, which the measured share shows.
fn wake_on_time() {
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}
