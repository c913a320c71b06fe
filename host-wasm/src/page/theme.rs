//! The colours of the page, from its style sheet, and those of plots.

use super::dom;

/// Colours that follow the style sheet, light or dark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Background of plots.
    pub raised: String,
    /// Colour of letters.
    pub ink: String,
    /// Colour of less important letters.
    pub quiet: String,
    /// Colour of frames.
    pub line: String,
    /// Colour of lines behind plots.
    pub grid: String,
    /// Colour of what is chosen.
    pub accent: String,
    /// Colour of what waits.
    pub waiting: String,
    /// Colour of what is slowed down.
    pub warn: String,
    /// Colour of what stands still.
    pub stopped: String,
}

impl Theme {
    /// Returns the present colours.
    pub fn now() -> Self {
        let root = dom::document().document_element();
        let style = root.and_then(|root| dom::window().get_computed_style(&root).ok().flatten());
        let colour = |name: &str| {
            let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
            value.unwrap_or_default().trim().to_owned()
        };
        Self {
            raised: colour("--raised"),
            ink: colour("--ink"),
            quiet: colour("--quiet"),
            line: colour("--line"),
            grid: colour("--grid"),
            accent: colour("--accent"),
            waiting: colour("--waiting"),
            warn: colour("--warn"),
            stopped: colour("--stopped"),
        }
    }
}

/// Reports whether the system asks for less motion.
pub fn is_still() -> bool {
    let query = dom::window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    query.is_some_and(|query| query.matches())
}
