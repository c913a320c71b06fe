//! Text in lines that a terminal of usual width shows whole.

use textwrap::{Options, WordSplitter};

/// The columns that lines end at.
pub const COLUMNS: usize = 100;

/// Lines of at most `columns`, in which words are not broken.
pub fn lines_of(columns: usize) -> Options<'static> {
    Options::new(columns).word_splitter(WordSplitter::NoHyphenation)
}

/// Returns a paragraph in lines of [`COLUMNS`].
pub fn filled(text: &str) -> String {
    textwrap::fill(text, lines_of(COLUMNS))
}

/// The same with all lines but the first indented, like what the text begins with.
pub fn hanging(text: &str) -> String {
    let indent = if text.starts_with(' ') { "    " } else { "  " };
    textwrap::fill(text, lines_of(COLUMNS).subsequent_indent(indent))
}
