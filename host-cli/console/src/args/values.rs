//! Parsers of values that only the command line needs.

use std::fmt::Display;

use tresse_core::base::grammar::{self, ParseError};
use tresse_core::base::time::Duration;
use tresse_core::multigrid::{MAX_COARSEST, MAX_CYCLES, MAX_STEPS};
pub use tresse_files::document::positive;

/// Parses a number, whose range is checked with everything else.
pub fn real(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "expected a number such as 1e-4")
}

/// Parses a whole number as a size in memory.
pub fn size(text: &str) -> Result<usize, ParseError> {
    usize::try_from(grammar::count(text)?).map_err(|_| ParseError::COUNT)
}

/// Parses a number of smoothing steps.
pub fn smoothing_steps(text: &str) -> Result<usize, String> {
    within(text, MAX_STEPS)
}

/// Parses a number of unknowns of a coarsest level.
pub fn coarsest_cells(text: &str) -> Result<usize, String> {
    within(text, MAX_COARSEST)
}

/// Parses a number of cycles of the level below the finest one.
pub fn coarse_cycles(text: &str) -> Result<usize, String> {
    within(text, MAX_CYCLES)
}

/// Parses a number of threads, of which more than a machine has cores are of no use.
pub fn threads(text: &str) -> Result<u32, String> {
    within(text, 1024)
}

/// Parses a whole number from 1 to `most`.
fn within<T>(text: &str, most: T) -> Result<T, String>
where
    T: Copy + TryFrom<u64> + PartialOrd + Display,
{
    let number = grammar::count(text).ok().filter(|&number| number > 0);
    let number = number.and_then(|number| T::try_from(number).ok()).filter(|it| *it <= most);
    number.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

/// Parses a time above 0.
pub fn some_time(text: &str) -> Result<Duration, &'static str> {
    match Duration::parse(text) {
        Ok(time) if time > Duration::ZERO => Ok(time),
        _ => Err("expected a time above 0 such as 200us, 1ms, 0.5s, 10min, 2h or 2 (seconds)"),
    }
}

/// Parses a time above 0 with its unit.
pub fn time_with_unit(text: &str) -> Result<Duration, &'static str> {
    let time = Duration::parse_with_unit(text).ok().filter(|&time| time > Duration::ZERO);
    time.ok_or("expected a time above 0 with its unit, such as 200us, 1ms, 0.5s, 10min or 2h")
}
