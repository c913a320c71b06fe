//! Words the errors and warnings of runs, and of their recordings, for a person: which flag is
//! meant, what is wrong, and what to do.

use tresse_core::balance::advice::Warning;
use tresse_core::balance::plb::Stuck;
use tresse_core::run::{End, Precision, Stop};
use tresse_files::recording::RecordingError;

pub use tresse_console::wording::{config, nearest, scatter, simulation};

/// Words the warning about a configuration that runs, but perhaps not as intended.
pub fn warning(warning: &Warning) -> String {
    match warning {
        Warning::NothingCanMove { stuck: Stuck::NobodyGives, split, low, .. } => format!(
            "with --split {split} and --low {low} no subdomain can ever move: raise --split above \
             --low"
        ),
        Warning::NothingCanMove { stuck: Stuck::NobodyTakes, split, high, .. } => format!(
            "with --split {split} and --high {high} no subdomain can ever move: raise --high above \
             --split, or leave it to be one and a half of that"
        ),
        Warning::NothingCanMove { stuck: Stuck::Alone, .. } => {
            "with one worker on each socket --balance split can never move a subdomain: use joint \
             or hybrid"
                .into()
        }
        Warning::NothingCanMoveBetweenNodes { split, low, high } => format!(
            "with --split {split}, --low {low} and --high {high} no subdomain can ever move between \
             nodes: choose --split above --low and below --high"
        ),
        Warning::NothingIsUneven(imbalance) => format!(
            "--imbalance {imbalance} has no effect with --workers 1, whose part is all of the grid: \
             use more workers"
        ),
    }
}

/// Words the error about a recording that cannot be used, without its path.
pub fn recording(error: &RecordingError) -> String {
    match error {
        RecordingError::Unreadable(_) | RecordingError::Foreign => {
            format!("{error}: name a file that --record has written")
        }
        RecordingError::OfPool => {
            format!("{error}: it can be shown, by export-trace FILE --perfetto OUT")
        }
        _ => error.to_string(),
    }
}

/// Returns advice for a person where a run did not end as it was asked to.
pub const fn advice(end: End, stop: &Stop, precision: Precision) -> Option<&'static str> {
    if end.is_asked(stop) {
        return None;
    }
    Some(match (end, precision) {
        (End::Converged | End::Iterations, _) => "give more --iterations or a larger --tolerance",
        (End::Stagnated, Precision::F32) => "use --precision f64 or a larger --tolerance",
        (End::Stagnated, Precision::F64) => "use a larger --tolerance",
        (End::Interrupted, _) => {
            "run it again; `solve --checkpoint DIR` keeps what --resume goes on from"
        }
        (End::Stalled, _) => {
            "every worker waits for ever: lessen --noise, or what a speed trace takes of a core"
        }
        (End::Livelock, _) => {
            "this is a defect of this program: report it with the command, its seed and its version"
        }
        (End::NotFinite, _) => "scale the problem down",
    })
}

#[cfg(test)]
mod tests {
    use std::io;

    use tresse_core::run::Imbalance;

    use super::*;

    #[test]
    fn only_the_host_names_flags() {
        let (split, low, high) = (4, 4, 4);
        let stuck = [Stuck::NobodyGives, Stuck::NobodyTakes, Stuck::Alone];
        let stuck = stuck.map(|stuck| Warning::NothingCanMove { stuck, split, low, high });
        let warnings = stuck.into_iter().chain([
            Warning::NothingCanMoveBetweenNodes { split, low, high },
            Warning::NothingIsUneven(Imbalance { millionths: 500_000 }),
        ]);
        let recordings = [
            RecordingError::Unreadable(io::Error::other("")),
            RecordingError::Foreign,
            RecordingError::OfPool,
        ];
        let texts = warnings
            .map(|is| (is.to_string(), warning(&is)))
            .chain(recordings.map(|error| (error.to_string(), recording(&error))));
        for (plain, host) in texts {
            assert!(!plain.contains("--") && !plain.contains('\n'), "{plain}");
            assert!(host.contains("--") && !host.contains('\n'), "{host}");
        }
    }

    #[test]
    fn every_end_that_was_not_asked_for_says_what_to_do() {
        let to = |tolerance| Stop { tolerance, iterations: Some(9), ..Stop::NEVER };
        for end in End::ALL {
            for stop in [to(None), to(Some(1e-4))] {
                for precision in [Precision::F32, Precision::F64] {
                    let advice = advice(end, &stop, precision);
                    assert_eq!(advice.is_none(), end.is_asked(&stop), "{end} {stop:?}");
                }
            }
        }
        assert!(End::Iterations.is_asked(&to(None)) && !End::Iterations.is_asked(&to(Some(1.0))));
    }
}
