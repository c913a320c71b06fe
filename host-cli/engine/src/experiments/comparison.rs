//! Compares methods, quiet and with noise: the order of their runs, the sample of each run, medians
//! of a method's runs, and the output.

mod order;
mod plots;
mod report;
mod sample;
mod setting;

pub use order::{Runs, Slowed, Trial, interleaved, make};
pub use report::{ComparisonReport, FILES, FILES_SHOWN, Tables};
pub use sample::{BUSY, ComparisonSample, Made, lost_capacity};
pub use setting::{Setting, least_increase_percent, write_failures};

#[cfg(test)]
pub(crate) use sample::tests::sample;
