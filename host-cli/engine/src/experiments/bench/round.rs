//! Measures the time of one round of progressive load balancing.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;
use tresse_core::balance::plb;
use tresse_core::base::id::{SocketId, WorkerId};
use tresse_core::base::rng::Rng;
use tresse_core::base::topology::{NotSorted, Topology};
use tresse_core::parts::ownership::{Holding, Link, Move, Owner, Ownership, OwnershipError};
use tresse_core::run::{Balance, PlbParams};

use tresse_draw::statistics::Quartiles;

/// Number of subdomains that each worker starts with (section 4.2).
const SPLIT: u32 = 4;
/// Number of sockets in the measurement of the split policy.
const SOCKETS: u32 = 2;
/// Bound below which update counts are drawn.
const COUNTS: u32 = 1_000;
/// Number of counts that are made at a time; rounds on all of them are timed together.
const COUNTS_AT_ONCE: usize = 1 << 16;
/// Least number of samples of a measurement, and its least duration.
const SAMPLES: usize = 11;
const TIME: Duration = Duration::from_millis(500);

/// The settings of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundBench {
    /// Number of all subdomains; there are a quarter as many workers, and at least two.
    pub subdomains: u32,
    /// The seed of the counts.
    pub seed: u64,
}

/// The measured times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundTimes {
    /// Median of the joint policy, in nanoseconds.
    pub nanoseconds: f64,
    /// Number of all subdomains.
    pub subdomains: u32,
    /// Number of workers.
    pub workers: u32,
    /// Times of one round over all workers.
    pub joint: Times,
    /// Times of one round over each of two sockets in turn.
    pub split: Times,
}

/// Repeated measurements of one policy, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// Quartiles of the measurements.
    #[serde(flatten)]
    pub quartiles: Quartiles,
    /// Number of measurements.
    pub samples: usize,
}

/// An error of the measurement.
#[derive(Clone, Debug, Error)]
pub enum RoundError {
    /// There is not enough memory.
    #[error(
        "--subdomains {subdomains} takes {} of memory, but {} are available: give fewer",
        bytesize::ByteSize(*.needed), bytesize::ByteSize(*.available)
    )]
    Memory {
        /// Number of subdomains that was asked for.
        subdomains: u32,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are available.
        available: u64,
    },
    /// There are no samples, which never happens.
    #[error("no round was measured: this is a fault of the program")]
    Unmeasured,
    /// The owners are not valid, which never happens with those made here.
    #[error(transparent)]
    Ownership(#[from] OwnershipError),
    /// The topology is not valid, which never happens with the one made here.
    #[error(transparent)]
    Topology(#[from] NotSorted),
}

#[derive(Clone, Copy)]
enum Policy {
    Joint,
    Split,
}

impl RoundBench {
    /// Returns the number of workers: one for each `SPLIT` subdomains, and at least one on each
    /// socket.
    const fn workers(&self) -> u32 {
        let workers = self.subdomains / SPLIT;
        if workers < SOCKETS { SOCKETS } else { workers }
    }

    /// Returns the number of subdomains that each worker starts with.
    fn held(&self) -> impl Iterator<Item = u32> + Clone {
        let (workers, subdomains) = (self.workers(), self.subdomains);
        (0..workers).map(move |worker| {
            let is_last = worker + 1 == workers;
            let end = if is_last { subdomains } else { subdomains.min((worker + 1) * SPLIT) };
            end.saturating_sub(subdomains.min(worker * SPLIT))
        })
    }

    /// Reports whether rounds never move anything, whatever the counts, so that they cost less than
    /// those of a run.
    pub fn is_stuck(&self) -> bool {
        let joint = Balance::Joint(tresse_core::base::time::Duration::ZERO);
        let workers = self.held().map(|held| (SocketId(0), held));
        plb::stuck(joint, &PlbParams::default(), workers).is_some()
    }

    /// Returns the greatest number of bytes that a measurement needs.
    fn bytes(&self) -> u64 {
        let subdomain = size_of::<u64>() + size_of::<WorkerId>() + size_of::<Link>();
        let worker = size_of::<Holding>() + size_of::<SocketId>() + size_of::<WorkerId>();
        let counts = (COUNTS_AT_ONCE * size_of::<u64>()) as u64;
        u64::from(self.subdomains) * subdomain as u64
            + u64::from(self.workers()) * worker as u64
            + counts
    }

    /// Measures both policies, within the `available` bytes of memory.
    ///
    /// An ownership is built once, and as in a run each round finds new counts and whatever the
    /// rounds before have moved. Making the counts is not timed.
    pub fn measure(&self, available: u64) -> Result<RoundTimes, RoundError> {
        let needed = self.bytes();
        if needed > available {
            let subdomains = self.subdomains;
            return Err(RoundError::Memory { subdomains, needed, available });
        }
        let (joint, split) = (self.time(Policy::Joint)?, self.time(Policy::Split)?);
        let nanoseconds = joint.quartiles.median;
        let (subdomains, workers) = (self.subdomains, self.workers());
        Ok(RoundTimes { nanoseconds, subdomains, workers, joint, split })
    }

    /// Measures rounds of one policy, in nanoseconds, with `SPLIT` subdomains for each worker.
    fn time(&self, policy: Policy) -> Result<Times, RoundError> {
        let workers = self.workers();
        let owners: Vec<_> = (0..self.subdomains)
            .map(|subdomain| Owner::of(WorkerId((subdomain / SPLIT).min(workers - 1))))
            .collect();
        let mut links = vec![Link::EMPTY; owners.len()];
        let mut holdings = vec![Holding::EMPTY; workers as usize];
        let mut ownership = Ownership::new(&owners, &mut links, &mut holdings)?;
        let per_socket = workers.div_ceil(SOCKETS);
        let sockets: Vec<_> = (0..workers).map(|worker| SocketId(worker / per_socket)).collect();
        let by_socket: Vec<_> = (0..workers).map(WorkerId).collect();
        let topology = Topology::new(&sockets, &by_socket)?;
        let params = PlbParams::default();

        let mut round = |counts: &[u64]| {
            let mut out = |made: Move| {
                black_box(made);
            };
            match policy {
                Policy::Joint => plb::joint(counts, &mut ownership, &params, &mut out),
                Policy::Split => {
                    plb::split(counts, &mut ownership, &topology, &params, None, &mut out);
                }
            }
        };
        let samples = samples(self, &mut round);
        let quartiles = Quartiles::of(&samples).ok_or(RoundError::Unmeasured)?;
        Ok(Times { quartiles, samples: samples.len() })
    }
}

/// Returns the nanoseconds of many rounds.
fn samples(bench: &RoundBench, round: &mut impl FnMut(&[u64])) -> Vec<f64> {
    let subdomains = bench.subdomains.max(1) as usize;
    let rounds = (COUNTS_AT_ONCE / subdomains).max(1);
    let mut counts = vec![0; rounds * subdomains];
    let mut rng = Rng::new(bench.seed, 0);
    let (begin, mut samples) = (Instant::now(), Vec::new());
    while samples.len() < SAMPLES || begin.elapsed() < TIME {
        counts.fill_with(|| u64::from(rng.below(COUNTS)));
        let start = Instant::now();
        counts.chunks_exact(subdomains).for_each(&mut *round);
        samples.push(start.elapsed().as_secs_f64() * 1e9 / rounds as f64);
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_every_size_are_measured() {
        for subdomains in [1, 8, 1_000] {
            let times = RoundBench { subdomains, seed: 1 }.measure(u64::MAX).unwrap();
            assert!(times.workers >= 2 && times.joint.samples >= SAMPLES, "{times:?}");
            assert!(times.nanoseconds > 0.0 && times.split.quartiles.median > 0.0, "{times:?}");
        }
    }

    #[test]
    fn more_than_the_memory_is_refused_first() {
        let bench = RoundBench { subdomains: u32::MAX, seed: 1 };
        let message = bench.measure(1 << 30).unwrap_err().to_string();
        assert!(message.starts_with("--subdomains 4294967295 takes"), "{message}");
    }
}
