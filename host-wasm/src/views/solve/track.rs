//! How a run went: samples over time, which thin themselves out.

use serde::{Deserialize, Serialize};

/// The most samples that are kept; then every other one is dropped.
const MOST: usize = 1_024;

/// The state of a run at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Nanoseconds since the start.
    pub at: u64,
    /// The residual's l2 norm relative to the initial one.
    pub residual: f64,
    /// Sweeps in all.
    pub updates: u64,
    /// Highest minus lowest update count.
    pub spread: u64,
    /// Subdomains that changed hands so far.
    pub moves: u64,
    /// For each subdomain that has a line, its count minus the mean of all.
    pub ahead: Vec<f32>,
}

/// Samples in order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// At multiples of [`Track::interval`].
    pub samples: Vec<Sample>,
    /// Nanoseconds between two of them; doubled whenever samples are dropped.
    pub interval: u64,
}

impl Track {
    /// No samples yet.
    pub const fn new(interval: u64) -> Self {
        Self { samples: Vec::new(), interval }
    }

    /// When the next sample is due.
    pub fn due(&self) -> u64 {
        self.samples.last().map_or(0, |last| last.at.saturating_add(self.interval))
    }

    /// Adds a sample; whether others were dropped.
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

/// What is new of a track since somebody saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum News {
    /// These samples follow.
    More(Vec<Sample>),
    /// All is different.
    All(Track),
}

impl News {
    /// Brings a copy of the track up to date.
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
