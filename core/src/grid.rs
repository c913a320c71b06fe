//! The grid: its cut into subdomains, and what surrounds it.

mod boundary;
mod decomposition;

pub use boundary::{Side, gaussian};
pub use decomposition::{Decomposition, Part, arrangement};
