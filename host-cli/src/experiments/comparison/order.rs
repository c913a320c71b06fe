//! The order of the runs: interleaved, so that other work on the machine falls on all methods alike.

use tresse_core::rng::Rng;

/// One run of a comparison that is still to be made: which method, in which round, quiet or noisy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trial {
    /// Number of the round.
    pub repetition: u32,
    /// Index of the method.
    pub method: usize,
    /// Whether cores are slowed down.
    pub noisy: bool,
}

/// Returns trials of every method, quiet and noisy, once in each round; each round has a new order drawn
/// from `seed`.
pub fn interleaved(methods: usize, repetitions: u32, seed: u64) -> Vec<Trial> {
    let mut rng = Rng::new(seed, 0);
    let round = |repetition| {
        let trials = (0..methods)
            .flat_map(|method| [false, true].map(|noisy| Trial { repetition, method, noisy }));
        let mut trials: Vec<_> = trials.collect();
        shuffle(&mut trials, &mut rng);
        trials
    };
    (0..repetitions).flat_map(round).collect()
}

/// Shuffles elements into an order that is drawn uniformly (Fisher & Yates).
fn shuffle<T>(elements: &mut [T], rng: &mut Rng) {
    for (last, bound) in (0..elements.len()).zip(1..) {
        elements.swap(last, rng.below(bound) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_made_once_and_rounds_do_not_mix() {
        let trials = interleaved(8, 5, 1);
        for (repetition, round) in trials.chunks(16).enumerate() {
            assert!(round.iter().all(|trial| trial.repetition as usize == repetition));
        }
        let mut sorted = trials.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((sorted.len(), trials.len()), (8 * 2 * 5, 8 * 2 * 5));
        assert!(trials.iter().all(|trial| trial.method < 8 && trial.repetition < 5));
    }

    #[test]
    fn rounds_differ_and_a_seed_repeats_them() {
        let trials = interleaved(8, 2, 7);
        let methods =
            |round: &[Trial]| round.iter().map(|trial| (trial.method, trial.noisy)).collect();
        let [first, second]: [Vec<_>; 2] = [methods(&trials[..16]), methods(&trials[16..])];
        assert_ne!(first, second);
        assert_eq!(trials, interleaved(8, 2, 7));
        assert_ne!(trials, interleaved(8, 2, 8));
    }
}
