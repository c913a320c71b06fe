//! The memory that a run of the baseline needs.

use tresse_core::run::RunConfig;

/// Bytes that a run of the baseline allocates: the cells of its bands, and the field.
pub fn bytes_needed_with_rayon(config: &RunConfig, has_source: bool) -> u64 {
    let field = config.grid.cells().saturating_mul(config.precision.bytes());
    let arrays = if has_source { 2 } else { 1 };
    field.saturating_mul(arrays + 1)
}
