//! All runs of one method, quiet or with noise: medians and quartiles.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::run::noise::Noise;
use tresse_core::run::{End, Precision, Stop};

use super::order::Slowed;
use super::sample::{BUSY, ComparisonSample};
use crate::report::lines::hanging;
use crate::wording::advice;
use tresse_draw::statistics::Quartiles;

/// Seconds below which a run says nothing of its method.
const SHORT: f64 = 0.01;

/// The runs of one method in one setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// Number of runs that converged, which the quartiles are of.
    pub converged: usize,
    /// Number of runs that did not converge, and are left out.
    pub failed: usize,
    /// Reason for which the first of the failed runs ended.
    pub failed_as: Option<End>,
    /// Time to solution.
    pub seconds: Option<Quartiles>,
    /// Iterations per second.
    pub iteration_rate: Option<Quartiles>,
    /// Spread at the end of a run (Zarins & Weiland 2017, section 3.1).
    pub spread: Option<Quartiles>,
    /// Largest version gap of a run's halos (Zarins & Weiland 2020, section 5).
    pub staleness: Option<Quartiles>,
    /// Number of subdomains that moved between workers.
    pub moves: Option<Quartiles>,
    /// Number of subdomains that moved between nodes.
    pub transfers: Option<Quartiles>,
    /// Share of the workers' time that others than the noise had.
    pub others: Option<Quartiles>,
}

/// Returns the samples of one method in one setting that converged.
pub(super) fn converged<'a>(
    samples: &'a [ComparisonSample],
    method: &'a str,
    slowed: Slowed,
) -> impl Iterator<Item = &'a ComparisonSample> + Clone {
    of(samples, method, slowed).filter(|sample| sample.converged)
}

/// Returns the samples of one method in one setting.
fn of<'a>(
    samples: &'a [ComparisonSample],
    method: &'a str,
    slowed: Slowed,
) -> impl Iterator<Item = &'a ComparisonSample> + Clone {
    samples.iter().filter(move |sample| sample.method == method && sample.slowed() == slowed)
}

impl Setting {
    /// Summarises the samples of one method in one setting.
    pub fn of(samples: &[ComparisonSample], method: &str, slowed: Slowed) -> Self {
        let good = converged(samples, method, slowed);
        let quartiles = |figure: fn(&ComparisonSample) -> f64| {
            Quartiles::of(&good.clone().map(figure).collect::<Vec<_>>())
        };
        let converged = good.clone().count();
        let mut failed = of(samples, method, slowed).filter(|sample| !sample.converged);
        Self {
            converged,
            failed: failed.clone().count(),
            failed_as: failed.next().map(|sample| sample.end),
            seconds: quartiles(|sample| sample.seconds),
            iteration_rate: quartiles(|sample| sample.iteration_rate.unwrap_or(f64::NAN)),
            spread: quartiles(|sample| sample.spread_end as f64),
            staleness: quartiles(|sample| sample.staleness_max as f64),
            moves: quartiles(|sample| sample.moves as f64),
            transfers: quartiles(|sample| sample.transfers as f64),
            others: quartiles(|sample| sample.others().unwrap_or(f64::NAN)),
        }
    }

    /// Returns the time that another setting adds to the median time to solution, in percent.
    pub fn increase_percent(&self, other: &Self) -> Option<f64> {
        let (own, other) = self.seconds.zip(other.seconds)?;
        (own.median > 0.0).then(|| (other.median / own.median - 1.0) * 100.0)
    }
}

/// Returns the median time that even a perfect balancer would lose with this noise, in percent of
/// the quiet time: time has to make up for the capacity that the noise took.
pub fn least_increase_percent(samples: &[ComparisonSample]) -> Option<f64> {
    let lost: Vec<_> = samples.iter().filter(|s| s.noisy).map(|s| s.lost_capacity).collect();
    let lost = Quartiles::of(&lost)?.median;
    (lost < 1.0).then(|| lost / (1.0 - lost) * 100.0)
}

/// End of all compared runs, with any tolerance.
const TO_TOLERANCE: Stop = Stop { tolerance: Some(1.0), ..Stop::NEVER };

/// Names the runs that are left out of a method's medians.
pub fn write_failures<'a>(
    method: &str,
    settings: impl IntoIterator<Item = (Slowed, &'a Setting)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (slowed, setting) in settings {
        let name = slowed.name();
        if let Setting { converged, failed, failed_as: Some(end), .. } = setting {
            let all = converged + failed;
            let advice =
                advice(*end, &TO_TOLERANCE, Precision::F64).map(|text| format!(": {text}"));
            let text = format!(
                "not converged: {method}, {name}: {failed} of {all} runs, left out of all medians; \
                 {end}{}",
                advice.unwrap_or_default()
            );
            writeln!(out, "{}", hanging(&text))?;
        }
    }
    Ok(())
}

/// Writes the share that noise took, and whether workers were disturbed by more than that.
pub(super) fn write_noise(
    samples: &[ComparisonSample],
    noise: &[Noise],
    elsewhere: Option<&Noise>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shares: Vec<f64> = samples.iter().filter_map(|sample| sample.noise_share).collect();
    if let (Some(share), Some(least)) = (Quartiles::of(&shares), least_increase_percent(samples)) {
        let sources: Vec<String> = noise.iter().map(ToString::to_string).collect();
        let text = format!(
            "noisy: {}; it took {:.1} % of its core's time, so that even perfect balance costs \
             {least:+.1}%{}",
            sources.join(" and "),
            share.median * 100.0,
            elsewhere.map(|noise| format!("; elsewhere: {noise}")).unwrap_or_default()
        );
        writeln!(out, "{}", hanging(&text))?;
    }
    let unpinned = samples.iter().filter(|sample| !sample.pinned).count();
    if unpinned > 0 {
        writeln!(out, "{unpinned} runs had a worker that could not be pinned: they mean little")?;
    }
    Ok(())
}

/// Writes what makes the figures doubtful: others on the workers' cores, and runs that are over too
/// soon.
pub(super) fn write_doubts(
    samples: &[ComparisonSample],
    repeated: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let again = match repeated {
        0 => String::new(),
        repeated => {
            format!("; {repeated} runs were made again for that, and the first ones discarded")
        }
    };
    let disturbed = samples.iter().filter(|sample| sample.is_disturbed()).count();
    let percent = BUSY * 100.0;
    if disturbed > 0 {
        let text = format!(
            "warning: this machine is busy: others had more than {percent} % of the workers' time in {disturbed} of \
             {} runs{again}; compare again when nothing else runs",
            samples.len()
        );
        writeln!(out, "{}", hanging(&text))?;
    } else if repeated > 0 {
        let text = format!("others had more than {percent} % of the workers' time at first{again}");
        writeln!(out, "{}", hanging(&text))?;
    }
    let seconds: Vec<_> = samples.iter().map(|sample| sample.seconds).collect();
    if let Some(times) = Quartiles::of(&seconds).filter(|times| times.median < SHORT) {
        let text = format!(
            "warning: half of the runs took less than {:.2} ms, in which a start counts for more than any method: \
             compare larger grids (--cells-per-worker)",
            times.median * 1e3
        );
        writeln!(out, "{}", hanging(&text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::comparison::sample;

    #[test]
    fn what_noise_took_has_to_be_made_up_for() {
        let samples = [sample("sync", true, 3.0)];
        // A tenth of the capacity lost takes a ninth more time.
        assert!((least_increase_percent(&samples).unwrap() - 100.0 / 9.0).abs() < 1e-9);
        assert_eq!(least_increase_percent(&[]), None);
        let mut text = Vec::new();
        let noise = Noise::parse("core=0,duty=0.2").unwrap();
        write_noise(&samples, &[noise], None, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("noisy: core=0,duty=0.2; it took 20.0 %"), "{text}");
        assert!(text.contains("+11.1%"), "{text}");
    }
}
