//! The choices of a run, with their grammar: mode, thresholds, imbalance, precision, size.

use core::fmt;

use serde::{Serialize, Serializer};

use crate::base::grammar::{Decimal, ParseError, count32};
use crate::base::time::Duration;

/// The rule by which workers wait for each other (Zarins & Weiland 2017, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A global barrier after every iteration.
    Sync,
    /// The result of a barrier after every iteration without any barrier: update `k + 1` of a
    /// subdomain waits for its neighbours' update `k` only, and reads exactly that (data flow).
    Exact,
    /// Halos must be within this number of iterations of the updating subdomain.
    SemiSync(u32),
    /// Nobody waits.
    Async,
}

impl Mode {
    /// Error for a text that names no mode.
    pub const EXPECTED: ParseError = ParseError::new("expected sync, exact, ssync:N or async");

    /// Reads `sync`, `exact`, `ssync:N` or `async`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match text {
            "sync" => Ok(Self::Sync),
            "exact" => Ok(Self::Exact),
            "async" => Ok(Self::Async),
            _ => {
                let bound = text.strip_prefix("ssync:").ok_or(Self::EXPECTED)?;
                count32(bound).map(Self::SemiSync).map_err(|_| Self::EXPECTED)
            }
        }
    }

    /// Whether all subdomains have the same update count whenever all workers are halted.
    pub const fn is_level(self) -> bool {
        matches!(self, Self::Sync | Self::Exact)
    }

    /// Whether a barrier follows every iteration, so that every subdomain is at the same count
    /// then.
    pub const fn is_synchronous(self) -> bool {
        matches!(self, Self::Sync)
    }
}

impl fmt::Display for Mode {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sync => f.write_str("sync"),
            Self::Exact => f.write_str("exact"),
            Self::SemiSync(bound) => write!(f, "ssync:{bound}"),
            Self::Async => f.write_str("async"),
        }
    }
}

/// Parameters of Algorithm 1; the defaults are those of Zarins & Weiland 2017, section 4.2, whose
/// workers start with 4 subdomains: for others see [`PlbParams::for_split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlbParams {
    /// Pairs of most and least updated subdomains to consider in a round (`nPairs`).
    pub pairs: usize,
    /// A worker gives nothing away when it has this many subdomains or fewer (`lowThresh`).
    pub low: u32,
    /// A worker takes nothing when it has this many subdomains or more (`highThresh`).
    pub high: u32,
    /// The counts of a pair must differ by at least this for a move; 0 as in the papers.
    pub dead_band: u64,
}

impl PlbParams {
    /// Returns the paper's parameters for workers that start with `split` subdomains. The lower
    /// threshold is half of `split`, rounded down but at least 1; the upper one is one and a half
    /// of it, rounded up.
    pub const fn for_split(split: u32) -> Self {
        let half = split / 2;
        let low = if half == 0 { 1 } else { half };
        // Above `low` for every split.
        let high = match split.saturating_add(split.div_ceil(2)) {
            0 => 2,
            high => high,
        };
        Self { pairs: 6, low, high, dead_band: 0 }
    }
}

/// The paper's parameters, which are those for 4 subdomains a worker.
impl Default for PlbParams {
    fn default() -> Self {
        Self::for_split(4)
    }
}

/// Unevenness of the workers' parts of the grid: the rows of the first block are smaller than the
/// mean by this share, those of the last larger by it, and those between lie on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Imbalance {
    /// The share in millionths, below 1,000,000.
    pub millionths: u32,
}

impl Imbalance {
    /// Error for a text that is no share.
    pub const EXPECTED: ParseError =
        ParseError::new("expected a share from 0 to below 1, such as 0.25");

    /// Reads a share such as `0.25`, from 0 to below 1.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Decimal::parse(text)
            .and_then(|decimal| decimal.scaled(6))
            .and_then(|millionths| u32::try_from(millionths).ok())
            .filter(|&millionths| millionths < 1_000_000)
            .map(|millionths| Self { millionths })
            .ok_or(Self::EXPECTED)
    }
}

/// Writes a decimal fraction; reads back with [`Imbalance::parse`].
impl fmt::Display for Imbalance {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The same digits as those of microseconds in seconds.
        Duration::from_micros(u64::from(self.millionths)).fmt(f)
    }
}

/// The type of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

impl Precision {
    /// Error for a text that names no precision.
    pub const EXPECTED: ParseError = ParseError::new("expected f32 or f64");

    /// Reads `f32` or `f64`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        match text {
            "f32" => Ok(Self::F32),
            "f64" => Ok(Self::F64),
            _ => Err(Self::EXPECTED),
        }
    }

    /// Returns the bytes of a cell.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

impl fmt::Display for Precision {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// Cells of a grid or a part of it, boundary not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSize {
    /// Rows of cells.
    pub rows: usize,
    /// Columns of cells.
    pub columns: usize,
}

impl GridSize {
    /// Error for a text that is no size of a grid.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected ROWSxCOLUMNS, such as 300x300, both at least 1 and at most 4294967295",
    );

    /// Reads `ROWSxCOLUMNS`, both at least 1.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (rows, columns) = text.split_once(['x', 'X', '×']).ok_or(Self::EXPECTED)?;
        let side = |text| match count32(text) {
            Ok(side) if side > 0 => Ok(side as usize),
            _ => Err(Self::EXPECTED),
        };
        Ok(Self { rows: side(rows)?, columns: side(columns)? })
    }

    /// Returns rows times columns, saturating.
    pub const fn cells(self) -> u64 {
        (self.rows as u64).saturating_mul(self.columns as u64)
    }
}

impl fmt::Display for GridSize {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

/// Serialised as `[rows, columns]`.
impl Serialize for GridSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.rows, self.columns].serialize(serializer)
    }
}

/// Serialises types by their grammar.
macro_rules! serialize_as_text {
    ($($type:ty),*) => {$(
        /// Serialised as text in the grammar.
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}
pub(super) use serialize_as_text;
serialize_as_text!(Mode, Precision);

/// Serialised as a share from 0 to below 1.
impl Serialize for Imbalance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.millionths) / 1e6)
    }
}
