//! The methods of sharing work, and their parameters.

use core::fmt;

use serde::Serialize;

use super::message::{MAX_CHUNK, MAX_COPIES};
use crate::base::grammar::ParseError;

/// Method by which workers come to tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A manager holds the tasks that workers release; a worker that has none asks it (slides 17 to
    /// 19, 31).
    Sharing,
    /// Sharing, where a worker that has at most a chunk left asks ahead (slides 4 to 12).
    Prefetch,
    /// Sharing, with copies of the manager's chunks that are executed before it is certain that
    /// they may be (slides 20 to 29).
    Speculative,
    /// A worker that has no tasks asks another worker, drawn at random.
    Stealing,
    /// Stealing, where the victim sends copies of the tasks that it keeps, and arbitrates (slide
    /// 46, A).
    SpeculativeStealing,
    /// Stealing, where a worker that has at most a chunk left asks ahead (slide 46, B).
    PrefetchStealing,
    /// Ours: sharing on demand, half of what a worker has at a time, asked for ahead by as much as
    /// the answers take, with copies while they are worth it. It has nothing to tune.
    Adaptive,
}

impl Method {
    /// Whether workers steal from each other, and a manager only sees the end.
    pub const fn steals(self) -> bool {
        matches!(self, Self::Stealing | Self::SpeculativeStealing | Self::PrefetchStealing)
    }

    /// Whether tasks are executed before it is certain that they may be.
    pub const fn speculates(self) -> bool {
        matches!(self, Self::Speculative | Self::SpeculativeStealing | Self::Adaptive)
    }

    /// Whether a worker with at most a chunk left asks for more.
    pub(super) const fn asks_ahead(self) -> bool {
        matches!(self, Self::Prefetch | Self::PrefetchStealing)
    }

    /// Returns the rule by which its workers release tasks, unless that is chosen.
    pub const fn release(self) -> Release {
        match self {
            Self::Speculative | Self::Adaptive => Release::Wanted,
            _ => Release::Interval,
        }
    }
}

/// Scope of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arbitration {
    /// A claim for each task (slides 23 to 28).
    Task,
    /// One claim for all tasks of a chunk.
    #[default]
    Chunk,
}

/// Rule by which workers release tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// Workers release a chunk whenever the interval has passed (slide 31).
    Interval,
    /// Workers release a chunk whenever the interval has passed while the manager has few chunks,
    /// and besides at once when it asks for one.
    Wanted,
}

macro_rules! names {
    ($kind:ident, $expected:literal, $($name:literal => $value:ident),+) => {
        impl $kind {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// Names of all values, in the order of `ALL`.
            pub const NAMES: &[&str] = &[$($name),+];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name),+
                }
            }

            /// Reads a name.
            pub fn parse(text: &str) -> Result<Self, ParseError> {
                let all = Self::ALL.iter().copied();
                all.into_iter().find(|one| one.name() == text).ok_or(ParseError::new($expected))
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

names!(
    Method, "sharing, prefetch, speculative, stealing, speculative-stealing, prefetch-stealing or adaptive",
    "sharing" => Sharing, "prefetch" => Prefetch, "speculative" => Speculative,
    "stealing" => Stealing, "speculative-stealing" => SpeculativeStealing,
    "prefetch-stealing" => PrefetchStealing, "adaptive" => Adaptive
);
names!(Arbitration, "task or chunk", "task" => Task, "chunk" => Chunk);
names!(Release, "interval or wanted", "interval" => Interval, "wanted" => Wanted);

/// Everything that decides how work is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SharingConfig {
    /// The method.
    pub method: Method,
    /// Tasks that are handed on at a time, from 1 to [`MAX_CHUNK`]; with [`Method::Adaptive`] the
    /// most.
    pub chunk: u32,
    /// Tasks that a worker executes from one release to the next.
    pub interval: u32,
    /// Copies of other chunks that come with tasks, at most [`MAX_COPIES`].
    pub copies: u32,
    /// The most tasks of a worker that are executed and not yet arbitrated.
    pub window: u32,
    /// Scope of a claim.
    pub arbitration: Arbitration,
    /// Rule by which tasks are released.
    pub release: Release,
    /// Seed of the choice of victims.
    pub seed: u64,
}

impl SharingConfig {
    /// Returns a method with the parameters that the slides find best (12 tasks, every 128: slide
    /// 39).
    pub const fn new(method: Method) -> Self {
        let (chunk, copies) = match method {
            Method::Adaptive => (64, 2),
            Method::Speculative => (12, 2),
            // A thief that executes a second copy most likely does what the other one's thief does
            // too.
            Method::SpeculativeStealing => (12, 1),
            _ => (12, 0),
        };
        Self {
            method,
            chunk,
            interval: 128,
            copies,
            window: 64,
            arbitration: Arbitration::Chunk,
            release: method.release(),
            seed: 0,
        }
    }

    /// Checks all bounds.
    pub const fn validate(&self) -> Result<(), SharingError> {
        let checks = [
            (Parameter::Chunk, self.chunk, 1, MAX_CHUNK as u32),
            (Parameter::Interval, self.interval, 1, u32::MAX),
            (Parameter::Copies, self.copies, 0, MAX_COPIES as u32),
            (Parameter::Window, self.window, 1, MAX_CHUNK as u32),
        ];
        let mut rest: &[(Parameter, u32, u32, u32)] = &checks;
        while let [(parameter, value, least, most), others @ ..] = rest {
            if *value < *least || *value > *most {
                return Err(SharingError {
                    parameter: *parameter,
                    value: *value,
                    least: *least,
                    most: *most,
                });
            }
            rest = others;
        }
        Ok(())
    }
}

/// A parameter of [`SharingConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// [`SharingConfig::chunk`].
    Chunk,
    /// [`SharingConfig::interval`].
    Interval,
    /// [`SharingConfig::copies`].
    Copies,
    /// [`SharingConfig::window`].
    Window,
}

/// A parameter that is out of its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharingError {
    /// The parameter.
    pub parameter: Parameter,
    /// The value that it has.
    pub value: u32,
    /// The least that it may be.
    pub least: u32,
    /// The most that it may be.
    pub most: u32,
}

impl fmt::Display for SharingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.parameter {
            Parameter::Chunk => "chunk",
            Parameter::Interval => "interval",
            Parameter::Copies => "number of copies",
            Parameter::Window => "window",
        };
        let Self { value, least, most, .. } = self;
        write!(f, "a {name} of {value} is not between {least} and {most}")
    }
}

impl core::error::Error for SharingError {}
