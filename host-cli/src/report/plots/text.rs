//! The one font, embedded, and text that fits its place.

use std::io;

use plotters::prelude::*;
use plotters::style::{FontStyle, register_font as register};

use super::{Area, Failure, INK};

/// Also what an SVG names: any viewer has a font for it.
const FAMILY: &str = "sans-serif";

/// Makes the embedded font known to plotters; again and again does no harm.
pub(in crate::report) fn register_font() -> io::Result<()> {
    register(FAMILY, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| io::Error::other("the embedded font cannot be read"))
}

/// Text of a size in canvas units.
pub(in crate::report) fn style(size: u32) -> TextStyle<'static> {
    (FAMILY, size).into_font().color(&INK)
}

/// Text of at most `size`, smaller where it would be wider than `width`.
pub(in crate::report) fn fitted<B: DrawingBackend>(
    area: &Area<B>,
    text: &str,
    size: u32,
    width: u32,
) -> Result<TextStyle<'static>, Failure<B>> {
    let (needed, _) = area.estimate_text_size(text, &style(size))?;
    let needed = with_slack(needed);
    let size = if needed > width { size * width / needed } else { size };
    Ok(style(size.max(8)))
}

/// The width of the widest of some texts, in canvas units.
pub(in crate::report) fn widest<'a, B: DrawingBackend>(
    area: &Area<B>,
    texts: impl IntoIterator<Item = &'a str>,
    size: u32,
) -> Result<u32, Failure<B>> {
    texts.into_iter().try_fold(0, |widest, text| {
        let (width, _) = area.estimate_text_size(text, &style(size))?;
        Ok(with_slack(width).max(widest))
    })
}

/// The viewer of an SVG may have a wider font than ours.
const fn with_slack(width: u32) -> u32 {
    width + width / 6
}
