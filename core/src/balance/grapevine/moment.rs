//! Random draws: each processor has a generator of its own for each step of a run.

use crate::base::rng::{Rng, mix};

/// One iteration of one trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The run's seed.
    pub seed: u64,
    /// The trial, from 0.
    pub trial: u32,
    /// The iteration, from 0.
    pub iteration: u32,
}

/// Purpose of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The processors that are told, in this round.
    Gossip(u32),
    /// The objects that are offered, and their receivers, in this attempt.
    Transfer(u32),
    /// The order of turns, in this attempt; of no processor.
    Turns(u32),
}

impl Moment {
    /// Returns the generator of a processor, by its number.
    pub fn draws(self, stage: Stage, name: u32) -> Rng {
        let (kind, step) = match stage {
            Stage::Gossip(round) => (0, round),
            Stage::Transfer(attempt) => (1, attempt),
            Stage::Turns(attempt) => (2, attempt),
        };
        Rng::derived(self.seed, [self.number(), join(kind, step), u64::from(name)])
    }

    /// Returns the salt that makes a processor's table its own.
    pub fn salt(self, name: u32) -> u64 {
        mix(mix(mix(self.seed) ^ self.number()) ^ u64::from(name))
    }

    fn number(self) -> u64 {
        join(self.trial, self.iteration)
    }
}

fn join(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
