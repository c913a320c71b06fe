//! The order of the runs: interleaved, so that other work on the machine falls on all methods
//! alike.

use tresse_core::base::rng::Rng;

use super::sample::ComparisonSample;

/// Where cores are slowed down in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slowed {
    /// Nowhere.
    Nowhere,
    /// Where the noise was asked for.
    There,
    /// On a core at the other end of the grid.
    Elsewhere,
}

impl Slowed {
    /// Without noise, and with the noise that was asked for.
    pub const OR_NOT: [Self; 2] = [Self::Nowhere, Self::There];

    /// Returns the name of the setting.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nowhere => "quiet",
            Self::There => "noisy",
            Self::Elsewhere => "noisy elsewhere",
        }
    }
}

/// One run of a comparison that is still to be made: which method, in which round, in which
/// setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trial {
    /// Number of the round.
    pub repetition: u32,
    /// Index of the method.
    pub method: usize,
    /// Where cores are slowed down.
    pub slowed: Slowed,
}

/// Returns trials of every method in every setting, once in each round; each round has a new order
/// drawn from `seed`.
pub fn interleaved(methods: usize, settings: &[Slowed], repetitions: u32, seed: u64) -> Vec<Trial> {
    let mut rng = Rng::new(seed, 0);
    let round = |repetition| {
        let of_method =
            |method| settings.iter().map(move |&slowed| Trial { repetition, method, slowed });
        let mut trials: Vec<_> = (0..methods).flat_map(of_method).collect();
        shuffle(&mut trials, &mut rng);
        trials
    };
    (0..repetitions).flat_map(round).collect()
}

/// Runs that were made.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Samples of the runs that count.
    pub samples: Vec<ComparisonSample>,
    /// Number of runs that were discarded and made again.
    pub repeated: usize,
}

/// Makes the run of each trial; those that others disturbed are discarded and made again, once,
/// after all of them. Ends where there is no sample, as somebody interrupted it.
pub fn make<E>(
    trials: &[Trial],
    mut take: impl FnMut(Trial) -> Result<Option<ComparisonSample>, E>,
) -> Result<Runs, E> {
    let mut runs = Runs::default();
    for &trial in trials {
        let Some(sample) = take(trial)? else { return Ok(runs) };
        runs.samples.push(sample);
    }
    for (&trial, sample) in trials.iter().zip(&mut runs.samples) {
        if sample.is_disturbed() {
            let Some(again) = take(trial)? else { break };
            *sample = again;
            runs.repeated += 1;
        }
    }
    Ok(runs)
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
    use crate::experiments::comparison::sample;

    #[test]
    fn every_run_is_made_once_and_rounds_do_not_mix() {
        let trials = interleaved(8, &Slowed::OR_NOT, 5, 1);
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
    fn a_run_that_others_disturb_is_made_again_once() {
        let trials = interleaved(2, &Slowed::OR_NOT, 1, 1);
        let mut made = 0;
        let runs = make(&trials, |trial| {
            made += 1;
            // The second one at first, and the third one always.
            let is_disturbed = made == 2 || trial == trials[2];
            let cpu_share = Some(if is_disturbed { 0.8 } else { 0.96 });
            Ok::<_, ()>(Some(ComparisonSample { cpu_share, ..sample("sync", false, made.into()) }))
        });
        let Runs { samples, repeated } = runs.unwrap();
        assert_eq!((made, repeated), (6, 2));
        let seconds: Vec<_> = samples.iter().map(|sample| sample.seconds).collect();
        assert_eq!(seconds, [1.0, 5.0, 6.0, 4.0]);
        let disturbed: Vec<_> = samples.iter().map(ComparisonSample::is_disturbed).collect();
        assert_eq!(disturbed, [false, false, true, false]);
        // Interrupted: what was made before counts.
        let runs = make(&trials, |trial| {
            Ok::<_, ()>((trial == trials[0]).then(|| sample("", false, 1.0)))
        });
        assert_eq!(runs.unwrap().samples.len(), 1);
    }

    #[test]
    fn rounds_differ_and_a_seed_repeats_them() {
        let trials = interleaved(8, &Slowed::OR_NOT, 2, 7);
        let methods =
            |round: &[Trial]| round.iter().map(|trial| (trial.method, trial.slowed)).collect();
        let [first, second]: [Vec<_>; 2] = [methods(&trials[..16]), methods(&trials[16..])];
        assert_ne!(first, second);
        assert_eq!(trials, interleaved(8, &Slowed::OR_NOT, 2, 7));
        assert_ne!(trials, interleaved(8, &Slowed::OR_NOT, 2, 8));
    }
}
