//! Who can solve: what `--mode` names.

use std::fmt;

use serde::{Serialize, Serializer};
use tresse_core::run::Mode;

/// Who solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// The engine, in one of its modes.
    Engine(Mode),
    /// The synchronous baseline on rayon's thread pool.
    Rayon,
}

impl Solver {
    /// Reads `rayon`, or a mode as [`Mode::parse`].
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "rayon" {
            return Ok(Self::Rayon);
        }
        Mode::parse(text).map_err(|_| "expected sync, ssync:N, async or rayon").map(Self::Engine)
    }

    /// Who waits for whom.
    pub const fn mode(self) -> Mode {
        match self {
            Self::Engine(mode) => mode,
            Self::Rayon => Mode::Sync,
        }
    }
}

impl From<Mode> for Solver {
    fn from(mode: Mode) -> Self {
        Self::Engine(mode)
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(mode) => mode.fmt(f),
            Self::Rayon => f.write_str("rayon"),
        }
    }
}

/// As it is read.
impl Serialize for Solver {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
