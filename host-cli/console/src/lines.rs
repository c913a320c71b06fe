//! Text in lines that a terminal of usual width shows whole.

use textwrap::{Options, WordSplitter};

/// Number of columns at which lines end.
pub const COLUMNS: usize = 100;

/// Returns the options for lines of at most `columns`, in which words are not broken.
pub fn lines_of(columns: usize) -> Options<'static> {
    Options::new(columns).word_splitter(WordSplitter::NoHyphenation)
}

/// Returns a paragraph in lines of [`COLUMNS`].
pub fn filled(text: &str) -> String {
    textwrap::fill(text, lines_of(COLUMNS))
}

/// Returns a paragraph in lines of [`COLUMNS`], all but the first indented like the beginning of
/// the text.
pub fn hanging(text: &str) -> String {
    let indent = if text.starts_with(' ') { "    " } else { "  " };
    textwrap::fill(text, lines_of(COLUMNS).subsequent_indent(indent))
}
