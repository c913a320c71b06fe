//! Draws what Tresse shows, on paper and on a page; nothing here opens a file or reads a clock, so
//! that a page in a browser shows the same as the programs.
//!
//! # Map
//!
//! - [`palette`]: colours that colour-blind people can tell apart, and colour maps; [`numbers`]:
//!   ticks of an axis and numbers short enough to stand at it.
//! - [`statistics`]: medians, quartiles and whiskers of repeated measurements; [`history`]: samples
//!   of a run over time.
//! - [`pictures`], with the feature of that name: plots and heat maps as SVG and PNG.

pub mod history;
pub mod numbers;
pub mod palette;
#[cfg(feature = "pictures")]
pub mod pictures;
pub mod statistics;
