//! The memory that a run of the baseline needs.

use tresse_core::field::stencil::Terms;
use tresse_core::run::RunConfig;

/// Bytes that a run of the baseline allocates: the cells of its bands, and the field.
pub fn bytes_needed_with_rayon(config: &RunConfig, terms: Terms<()>) -> u64 {
    let field = config.grid.cells().saturating_mul(config.precision.bytes());
    field.saturating_mul(terms.numbers() + 1)
}
