//! The reason why a run ended, and whether that end is the one that was asked for.

use core::fmt;

use serde::Serialize;

use super::config::Stop;

/// The reason why a run ended; reports name it as [`End::name`] does.
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
    /// Somebody interrupted the run.
    Interrupted,
    /// Nobody can ever go on: in virtual time, because of a core without any speed.
    Stalled,
    /// Workers go on and on without progress, at one moment of virtual time: a defect of this
    /// program.
    Livelock,
    /// The residual is infinite or not a number.
    #[serde(rename = "not finite")]
    NotFinite,
}

impl End {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::Converged,
        Self::Iterations,
        Self::Stagnated,
        Self::Interrupted,
        Self::Stalled,
        Self::Livelock,
        Self::NotFinite,
    ];

    /// Returns the name, the same in every report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Iterations => "iterations",
            Self::Stagnated => "stagnated",
            Self::Interrupted => "interrupted",
            Self::Stalled => "stalled",
            Self::Livelock => "livelock",
            Self::NotFinite => "not finite",
        }
    }

    /// Whether the run is not to be resumed: it is where it was to come, or can come no further.
    pub const fn is_final(self, stop: &Stop) -> bool {
        match self {
            Self::Interrupted => false,
            Self::Iterations => !stop.has_tolerance(),
            Self::Converged
            | Self::Stagnated
            | Self::NotFinite
            | Self::Stalled
            | Self::Livelock => true,
        }
    }

    /// Whether this end is the requested one: the tolerance if there is one, and otherwise the
    /// iterations.
    pub const fn is_asked(self, stop: &Stop) -> bool {
        match self {
            Self::Converged => true,
            Self::Iterations => !stop.has_tolerance(),
            Self::Stagnated
            | Self::Interrupted
            | Self::Stalled
            | Self::Livelock
            | Self::NotFinite => false,
        }
    }
}

impl fmt::Display for End {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
