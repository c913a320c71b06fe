//! Why a run ended, and what to do where that is not what was asked.

use core::fmt;

use serde::Serialize;

use super::config::Stop;
use super::policy::Precision;

/// Why a run ended; reports name it as [`End::name`] does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The verified residual is within the tolerance.
    Converged,
    /// The iterations that were asked for are made.
    #[default]
    Iterations,
    /// The residual stopped falling above the tolerance.
    Stagnated,
    /// Somebody asked it to.
    Interrupted,
    /// Nobody can ever go on: in virtual time, a core without any speed.
    Stalled,
    /// The residual is infinite or not a number.
    #[serde(rename = "not finite")]
    NotFinite,
}

impl End {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Converged,
        Self::Iterations,
        Self::Stagnated,
        Self::Interrupted,
        Self::Stalled,
        Self::NotFinite,
    ];

    /// Its name, the same in every report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Iterations => "iterations",
            Self::Stagnated => "stagnated",
            Self::Interrupted => "interrupted",
            Self::Stalled => "stalled",
            Self::NotFinite => "not finite",
        }
    }

    /// Whether it is what was asked for: the tolerance where there is one, and else the iterations.
    pub const fn is_asked(self, stop: &Stop) -> bool {
        match self {
            Self::Converged => true,
            Self::Iterations => stop.tolerance.is_none(),
            Self::Stagnated | Self::Interrupted | Self::Stalled | Self::NotFinite => false,
        }
    }

    /// What to do where it is not what was asked for.
    pub const fn advice(self, stop: &Stop, precision: Precision) -> Option<&'static str> {
        if self.is_asked(stop) {
            return None;
        }
        Some(match (self, precision) {
            (Self::Converged | Self::Iterations, _) => {
                "give more --iterations or a larger --tolerance"
            }
            (Self::Stagnated, Precision::F32) => "use --precision f64 or a larger --tolerance",
            (Self::Stagnated, Precision::F64) => "use a larger --tolerance",
            (Self::Interrupted, _) => {
                "run it again; `tresse-mpi solve --checkpoint DIR` keeps what --resume goes on from"
            }
            (Self::Stalled, _) => {
                "every worker waits for ever: lessen --noise, or what a trace takes of a core"
            }
            (Self::NotFinite, _) => "scale the problem down",
        })
    }
}

impl fmt::Display for End {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_that_was_not_asked_for_says_what_to_do() {
        let to = |tolerance| Stop { tolerance, iterations: Some(9) };
        for end in End::ALL {
            for stop in [to(None), to(Some(1e-4))] {
                for precision in [Precision::F32, Precision::F64] {
                    let advice = end.advice(&stop, precision);
                    assert_eq!(advice.is_none(), end.is_asked(&stop), "{end} {stop:?}");
                }
            }
        }
        assert!(End::Iterations.is_asked(&to(None)) && !End::Iterations.is_asked(&to(Some(1.0))));
    }
}
