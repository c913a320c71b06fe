//! Flags that several commands have, and their values.

mod noise;
pub mod values;

pub use noise::NoiseChoices;
