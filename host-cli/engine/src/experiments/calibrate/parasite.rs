//! Measures the real effect of a parasite: its sleep, the time of its work while a worker wants the
//! core, and the worker's further loss.

use super::figures::{CalibrationFigures, Figure};
use super::run::Watched;
use super::stopwatch::Burst;
use super::timeline::{FEWEST, MISSES, Swept, period, undisturbed};

/// Measures a run with a parasite on the first worker's core, which sleeps for `sleep` nanoseconds
/// and then makes `work` iterations.
pub(super) fn measure(run: &Watched, (sleep, work): (u64, u64), figures: &mut CalibrationFigures) {
    let mean = |times: Vec<u64>| {
        if times.len() < FEWEST { None } else { undisturbed(&times, MISSES) }
    };
    let bursts = &run.bursts;
    let burst = mean(bursts.iter().map(|burst| burst.ends.saturating_sub(burst.begins)).collect());
    let pairs = bursts.iter().zip(bursts.iter().skip(1));
    let slept = mean(pairs.map(|(one, next)| next.begins.saturating_sub(one.ends)).collect());
    figures.add(Figure::ParasiteIteration, burst.map(|burst| burst / work.max(1) as f64));
    figures.add(Figure::WakeUp, slept.map(|slept| (slept - sleep as f64).max(0.0)));
    let lost = lost_to_each(&run.sweeps, bursts);
    figures.add(Figure::Switch, lost.zip(burst).map(|(lost, burst)| (lost - burst).max(0.0)));
}

/// Returns the first worker's loss for each burst: the time for which it sweeps less than the
/// others, who have everything else in common with it. Its sweeps are slower after a burst, which
/// is part of the loss.
fn lost_to_each(workers: &[Vec<Swept>], bursts: &[Burst]) -> Option<f64> {
    let (first, others) = workers.split_first()?;
    let (begin, end) = (first.first()?.starts, first.last()?.starts);
    let number = bursts.iter().filter(|burst| (begin..end).contains(&burst.begins)).count();
    let of_others: Vec<f64> = others.iter().filter_map(|sweeps| period(sweeps)).collect();
    if number < FEWEST || of_others.is_empty() {
        return None;
    }
    let undisturbed = of_others.iter().sum::<f64>() / of_others.len() as f64;
    let lost = (1.0 - undisturbed / period(first)?).max(0.0);
    Some(lost * end.saturating_sub(begin) as f64 / number as f64)
}

#[cfg(test)]
mod tests {
    use super::super::stopwatch::{Mark, What};
    use super::super::timeline::{sweeps, tests::turns};
    use super::*;

    #[test]
    fn a_worker_loses_the_burst_and_the_way_there_and_back() {
        // Every tenth period of 20 µs takes 49 µs more, of which 46 are the burst.
        let (mut late, mut bursts) = (0, Vec::new());
        let mut marks = Vec::new();
        for (index, mark) in turns(&[0], 1_000, 19_900, 100).into_iter().enumerate() {
            if matches!(mark.what, What::Starts(_)) && index % 20 == 10 {
                let begins = mark.at + late + 1_000;
                bursts.push(Burst { begins, ends: begins + 46_000 });
                late += 49_000;
            }
            marks.push(Mark { at: mark.at + late, ..mark });
        }
        let workers = [sweeps(&marks, 0), sweeps(&turns(&[1], 1_245, 19_900, 100), 0)];
        let lost = lost_to_each(&workers, &bursts).unwrap();
        assert!((lost - 49_000.0).abs() < 700.0, "{lost}");
        assert!(lost_to_each(&workers, &[]).is_none());
        assert!(lost_to_each(&workers[..1], &bursts).is_none());
    }
}
