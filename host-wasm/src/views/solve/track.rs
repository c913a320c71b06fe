//! The history of a run: samples over time, some of which are dropped as it gets long.

use serde::{Deserialize, Serialize};

/// Number of samples at which every other one is dropped.
const MOST: usize = 1_024;

/// The state of a run at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Nanoseconds since the start.
    pub at: u64,
    /// L2 norm of the residual, relative to the initial one.
    pub residual: f64,
    /// Number of all sweeps.
    pub updates: u64,
    /// Highest minus lowest update count.
    pub spread: u64,
    /// Number of subdomains that changed hands so far.
    pub moves: u64,
    /// Update count of each subdomain that has a line, minus the mean of all.
    pub ahead: Vec<f32>,
}

/// Samples in order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Samples at multiples of [`Track::interval`].
    pub samples: Vec<Sample>,
    /// Nanoseconds between two samples; doubled whenever samples are dropped.
    pub interval: u64,
}

impl Track {
    /// Returns a track without samples.
    pub const fn new(interval: u64) -> Self {
        Self { samples: Vec::new(), interval }
    }

    /// Returns the time at which the next sample is due.
    pub fn due(&self) -> u64 {
        self.samples.last().map_or(0, |last| last.at.saturating_add(self.interval))
    }

    /// Adds a sample; returns whether others were dropped to make room.
    pub fn add(&mut self, sample: Sample) -> bool {
        self.samples.push(sample);
        let is_full = self.samples.len() > MOST;
        if is_full {
            self.interval = self.interval.saturating_mul(2);
            let interval = self.interval;
            self.samples.retain(|sample| sample.at.is_multiple_of(interval));
        }
        is_full
    }
}

/// The changes of a track since the page saw it last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum News {
    /// These samples follow.
    More(Vec<Sample>),
    /// The whole track has changed.
    All(Track),
}

impl News {
    /// Brings the page's copy of the track up to date.
    pub fn apply(self, track: &mut Track) {
        match self {
            Self::More(samples) => track.samples.extend(samples),
            Self::All(all) => *track = all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_thin_out_and_keep_their_distance() {
        let mut track = Track::new(50);
        let mut dropped = 0;
        while track.due() < 1_000_000 {
            let sample = Sample {
                at: track.due(),
                residual: 1.0,
                updates: 0,
                spread: 0,
                moves: 0,
                ahead: Vec::new(),
            };
            dropped += u32::from(track.add(sample));
            assert!(track.samples.len() <= MOST);
        }
        assert_eq!((dropped, track.interval), (5, 1_600));
        let times: Vec<_> = track.samples.iter().map(|sample| sample.at).collect();
        assert!(
            times
                .iter()
                .eq((0..times.len() as u64).map(|place| place * 1_600).collect::<Vec<_>>().iter())
        );
    }
}
