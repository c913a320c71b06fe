//! Escapes in texts of other people, so that a terminal shows them and does not obey them.
//!
//! Names and keys come from files. A character that a terminal would obey instead of showing it, or
//! that would turn the text around it, is written as `\u{1b}`.

use std::borrow::Cow;
use std::fmt;

/// Reports whether a terminal obeys a character instead of showing it: control characters of both
/// sets, characters that turn the direction of text, line separators, and invisible characters.
pub fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns the text in one line, with all such characters escaped.
pub fn one_line(text: &str) -> String {
    replaced(text, is_obeyed, unicode).into_owned()
}

/// Most characters of a text that [`excerpt`] quotes.
const EXCERPT: usize = 60;

/// Returns the beginning of the text in one line, with such characters escaped: what a message
/// quotes of a line of a file, which may be binary, or as long as the file.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", one_line(text.get(..end).unwrap_or_default())),
        None => one_line(text),
    }
}

/// Returns the text with its line breaks and tabs, and all other such characters escaped.
pub fn lines(text: &str) -> Cow<'_, str> {
    replaced(text, is_layout_aside, unicode)
}

/// Reports whether a terminal obeys a character, line breaks and tabs aside.
fn is_layout_aside(character: char) -> bool {
    is_obeyed(character) && !matches!(character, '\n' | '\t')
}

/// Appends a character as `\u{1b}`.
fn unicode(character: char, to: &mut String) {
    to.extend(character.escape_unicode());
}

/// Returns the text with each unfit character as `write` writes it; it is copied only where there
/// is one.
fn replaced(
    text: &str,
    is_unfit: impl Fn(char) -> bool,
    write: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    if !text.contains(&is_unfit) {
        return Cow::Borrowed(text);
    }
    let mut replaced = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unfit(character) {
            write(character, &mut replaced);
        } else {
            replaced.push(character);
        }
    }
    Cow::Owned(replaced)
}

/// Returns JSON with its line breaks; all other such characters, which occur only in strings, are
/// written as JSON escapes with the same meaning.
pub fn json(text: &str) -> Cow<'_, str> {
    let units = |character: char, to: &mut String| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            // A string takes everything.
            let _ = fmt::Write::write_fmt(to, format_args!("\\u{unit:04x}"));
        }
    };
    replaced(text, is_layout_aside, units)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clears the screen in both ways, turns text around, hides, breaks the line.
    const HOSTILE: &str = "a\x1b[2J\u{9b}2J\u{202e}\u{200b}\u{2028}\u{e0041}\x7f\r\nb";

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        let shown = "a\\u{1b}[2J\\u{9b}2J\\u{202e}\\u{200b}\\u{2028}\\u{e0041}\\u{7f}\\u{d}";
        assert_eq!(one_line(HOSTILE), format!("{shown}\\u{{a}}b"));
        assert_eq!(lines(HOSTILE), format!("{shown}\nb"));
        // Once is enough.
        assert_eq!(one_line(&one_line(HOSTILE)), one_line(HOSTILE));
        for plain in ["", "größer als 3 × 10⁻⁴ — 例", "e\u{301}", "\\u{1b} \"quoted\" 'so'"]
        {
            assert_eq!(one_line(plain), plain);
        }
    }

    #[test]
    fn an_excerpt_is_the_beginning() {
        assert_eq!(excerpt("a\tb"), "a\\u{9}b");
        let (long, whole) = ("é".repeat(61), "é".repeat(60));
        assert_eq!([excerpt(&long), excerpt(&whole)], [format!("{whole}…"), whole.clone()]);
    }

    #[test]
    fn json_stays_json() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE, 1.5] });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let shown = json(&text);
        assert!(!shown.contains(|it| is_obeyed(it) && it != '\n'), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
