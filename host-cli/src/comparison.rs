//! Methods side by side, quiet and with noise: the order of their runs, what each run came to, and
//! the middle of all runs of a method.

mod files;
mod order;
mod plots;
mod sample;
mod setting;

pub use files::Shown;
pub use order::{Turn, interleaved};
pub use sample::{ComparisonSample, Made, lost_capacity};
pub use setting::{Setting, exit, least_increase_percent, write_failures, write_noise};

#[cfg(test)]
pub(crate) use sample::tests::sample;
