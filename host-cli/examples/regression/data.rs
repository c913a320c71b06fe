//! The data of a logistic regression, drawn at random, and its loss.

use ndarray::{Array1, Array2};
use tresse_core::base::id::SubdomainId;
use tresse_core::base::rng::Rng;

/// The shards, the samples of each, and the features of a sample.
pub const SHARDS: u32 = 16;
pub const SAMPLES: usize = 256;
pub const FEATURES: usize = 8;
/// The samples of a batch.
pub const BATCH: usize = SAMPLES / 8;
/// Two rules for the learning rate of a shard, see `Shard::new`: it falls, or stays.
pub const FALLS: [f64; 2] = [0.5, 500.0];
pub const STAYS: [f64; 2] = [0.025, f64::INFINITY];
/// The penalty on large weights: the half of this times their squares.
pub const PENALTY: f64 = 0.01;

/// Returns the samples of a shard, each times its label of 1 or −1. Each shard has a rule of its
/// own for the labels, near that of all, so that the shards do not agree on the best model.
pub fn samples(shard: SubdomainId) -> Array2<f64> {
    let mut rng = Rng::new(7, shard.0.into());
    let mut number = || f64::from(rng.below(2_001)) / 1e3 - 1.0;
    let rule =
        Array1::from_shape_fn(FEATURES, |feature| feature as f64 / 4.0 - 1.0 + 2.0 * number());
    let mut samples = Array2::from_shape_simple_fn([SAMPLES, FEATURES], &mut number);
    for mut sample in samples.rows_mut() {
        sample *= (sample.dot(&rule) + number()).signum();
    }
    samples
}

/// Returns the mean loss of a model over the samples of all shards, with the penalty.
pub fn loss(model: &Array1<f64>) -> f64 {
    let of_shard = |shard| samples(shard).dot(model).mapv(|margin| (-margin).exp().ln_1p()).sum();
    let sum: f64 = (0..SHARDS).map(SubdomainId).map(of_shard).sum();
    sum / (f64::from(SHARDS) * SAMPLES as f64) + PENALTY / 2.0 * model.dot(model)
}
