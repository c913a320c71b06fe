//! The grid: its cut into subdomains, and what surrounds it.

mod axis;
mod boundary;
mod decomposition;

pub use axis::Axis;
pub use boundary::{Side, gaussian};
pub use decomposition::{Arrangement, Decomposition, Rectangle, arrangement};
