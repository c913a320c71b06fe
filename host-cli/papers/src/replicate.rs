//! The runs of a setting, each with a seed of its own.

/// One of the runs of a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replicate {
    /// Number from 0; replicates with the same number have the same seed in all settings.
    pub number: u32,
    /// Seed of the replicate.
    pub seed: u64,
}

impl Replicate {
    /// Returns the first replicates, of this number.
    pub fn all(replicates: u32) -> impl Iterator<Item = Self> + Clone {
        // Far apart, so that no stream of one is a stream of another.
        let seed = |number: u32| 0x5eed + (u64::from(number) << 20);
        (0..replicates).map(move |number| Self { number, seed: seed(number) })
    }
}
