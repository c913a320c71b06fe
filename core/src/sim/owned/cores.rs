//! The speeds of a virtual machine's cores.

use alloc::vec;
use alloc::vec::Vec;

use crate::base::id::WorkerId;
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::sim::hardware::WorkerPlaces;
use crate::sim::machine::{CoreNoise, Hardware, SimulationError};
use crate::sim::speed::{self, Slowdown};

/// One core: its part of all sources of noise, and its pace in 2^20th of the nominal time.
#[derive(Clone, Copy, Debug, Default)]
struct Core {
    /// The first of its sources of noise among those of all cores, and their number.
    slowdowns: (u32, u32),
    pace: u32,
}

/// Speeds of the cores of workers, each on one of its own.
#[derive(Debug)]
pub(crate) struct OwnedCores<'m> {
    slowdowns: Vec<Slowdown<'m>>,
    cores: Vec<Core>,
}

impl<'m> OwnedCores<'m> {
    /// Returns the cores of the first `workers` workers of a machine, with their noise and paces.
    pub fn new(
        places: &WorkerPlaces,
        hardware: &Hardware,
        noise: &CoreNoise<'_, 'm>,
        workers: u32,
    ) -> Result<Self, SimulationError> {
        let sources = (0..workers).map(|worker| noise.sources(WorkerId(worker), places, hardware));
        let mut slowdowns = vec![Slowdown::NONE; sources.sum()];
        let mut cores = vec![Core::default(); workers as usize];
        let tell = |worker: WorkerId, slowdowns, pace| {
            *cores.at_mut(worker) = Core { slowdowns, pace };
        };
        noise.fill((places, hardware), &mut slowdowns, workers, tell)?;
        Ok(Self { slowdowns, cores })
    }

    fn core(&self, number: u32) -> Core {
        *self.cores.at(number)
    }

    /// Returns the time at which a core has done this much nominal work that it begins at `start`.
    #[inline]
    pub fn finish(&mut self, number: u32, start: Instant, work: Duration) -> Instant {
        let Core { slowdowns, pace } = self.core(number);
        let work = speed::paced(work.0, pace);
        // Work that takes no time does not wait for the end of a burst either.
        if work == 0 {
            return start;
        }
        speed::finish(speed::part(&mut self.slowdowns, slowdowns), start, work)
    }

    /// Calls `tell` with each source of a core, by its place, and the nanoseconds that it has taken
    /// until `now`.
    pub fn taken(&mut self, number: u32, now: Instant, mut tell: impl FnMut(usize, u64)) {
        let Core { slowdowns, .. } = self.core(number);
        let mut time = now.0;
        for (number, source) in speed::part(&mut self.slowdowns, slowdowns).iter_mut().enumerate() {
            let left = source.left(time);
            tell(number, time.saturating_sub(left));
            time = left;
        }
    }
}
