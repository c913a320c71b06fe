//! Pictures as bytes: plots as SVG and PNG, and fields as heat maps. No font of the system is
//! needed.

pub mod heat_map;
mod pixels;
pub mod plots;
mod raster;
mod scaled;
mod text;

pub use scaled::{Scaled, Scaling};
