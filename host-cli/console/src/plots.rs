//! The papers' figures from our own measurements, and their files.

pub use tresse_draw::pictures::plots::*;

use crate::files::output::{OutputDir, OutputError};

/// Writes the plot as `{stem}.svg` and `{stem}.png`.
///
/// Both are drawn at once where there are cores for it.
pub fn write_pair(
    plot: &(impl Plot + Sync),
    out: &OutputDir,
    stem: &str,
) -> Result<(), OutputError> {
    let (svg, png) = rayon::join(
        || out.write(format!("{stem}.svg"), |w| write_svg(plot, w)),
        || out.write(format!("{stem}.png"), |w| write_png(plot, w)),
    );
    svg.and(png)
}
