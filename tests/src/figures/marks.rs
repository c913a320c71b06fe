//! Marked figures in a page: those from a comment `<!-- figures: NAME -->` to the next comment or
//! empty line.
//!
//! In a table, the head and the first cell of each row are what figures are of. So is what stands
//! in backticks.

use std::iter;

/// A number as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    /// Digits, without commas between thousands.
    text: String,
    decimals: usize,
}

const MARK: &str = "<!-- figures: ";

/// Returns the names of all marks in a page.
pub fn names(page: &str) -> Vec<&str> {
    marked(page).map(|(name, _)| name).collect()
}

/// Returns how the figures behind a mark differ from those that they should be, in this order.
pub fn faults(page: &str, mark: &str, expected: &[f64]) -> Vec<String> {
    if let Some(line) = page.lines().find(|line| begins_with_comment(line)) {
        return vec![format!("a line that begins with a comment is no text any more: {line}")];
    }
    let Some((_, block)) = marked(page).find(|(name, _)| *name == mark) else {
        return vec!["there is no such mark".to_owned()];
    };
    let shown: Vec<_> = figure_texts(block).iter().flat_map(|text| numbers(text)).collect();
    if shown.len() != expected.len() {
        return vec![format!("{} figures, where {} are known", shown.len(), expected.len())];
    }
    let differing = iter::zip(1.., iter::zip(&shown, expected)).filter_map(|(place, figure)| {
        let (Shown { text, decimals }, expected) = figure;
        let rounded = format!("{expected:.decimals$}");
        // What is rounded to nothing has no sign.
        let rounded = if is_zero(&rounded) { rounded.replace('-', "") } else { rounded };
        (*text != rounded).then(|| format!("figure {place} is {text}, and should be {rounded}"))
    });
    differing.collect()
}

/// Returns whether Markdown takes the text of a line for HTML.
fn begins_with_comment(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("<!--") && !line.ends_with("-->")
}

fn is_zero(text: &str) -> bool {
    text.chars().all(|symbol| "-0.".contains(symbol))
}

/// Returns each mark's name and what follows it, to the next comment or empty line.
fn marked(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split(MARK).skip(1).filter_map(|rest| {
        let (name, block) = rest.split_once(" -->")?;
        let ends = ["<!--", "\n\n"].map(|end| block.find(end).unwrap_or(block.len()));
        let [comment, line] = ends;
        Some((name, &block[..comment.min(line)]))
    })
}

/// Returns what may have figures in it: sentences, and the cells of a table.
fn figure_texts(block: &str) -> Vec<String> {
    let is_rule = |line: &&str| line.contains("|-");
    let head = block.lines().position(|line| is_rule(&line)).map_or(0, |rule| rule + 1);
    let texts = block.lines().skip(head).map(|line| match line.trim_start().strip_prefix('|') {
        Some(row) => row.split_once('|').map_or("", |(_, cells)| cells),
        None => line,
    });
    texts.map(|text| text.split('`').step_by(2).collect::<Vec<_>>().join(" ")).collect()
}

fn numbers(text: &str) -> Vec<Shown> {
    let symbols: Vec<char> = text.chars().collect();
    let is_digit = |place: usize| symbols.get(place).is_some_and(char::is_ascii_digit);
    let mut found = Vec::new();
    let mut place = 0;
    while place < symbols.len() {
        let before = place.checked_sub(1).map(|before| symbols[before]);
        if !is_digit(place) || before.is_some_and(char::is_alphabetic) {
            place += 1;
            continue;
        }
        let mut number = String::new();
        if matches!(before, Some('−' | '-')) {
            number.push('-');
        }
        while is_digit(place)
            || matches!(symbols.get(place), Some(',' | '.')) && is_digit(place + 1)
        {
            number.push(symbols[place]);
            place += 1;
        }
        number.retain(|symbol| symbol != ',');
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        found.push(Shown { text: number, decimals });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "In 3 words: 4.\n\n<!-- figures: a table -->\n| of 1 | 2 |\n|---|---|\n\
                        | 40 % | 0.93–1.00 s, −1,750 |\n| 19 % | `x 3` 5 |\n\n7 of 8 take \
                        <!-- figures: a sentence -->16 %\nlonger, core2 −0.0<!-- --> and 9.\n";

    #[test]
    fn figures_are_read_as_a_person_reads_them() {
        assert_eq!(names(PAGE), ["a table", "a sentence"]);
        assert_eq!(faults(PAGE, "a table", &[0.929, 1.0, -1749.6, 5.0]), [""; 0]);
        assert_eq!(
            faults(PAGE, "a sentence", &[15.7, 0.001]),
            ["figure 2 is -0.0, and should be 0.0"]
        );
    }

    #[test]
    fn another_last_digit_is_a_fault() {
        for (place, wrong) in [(0, 0.94), (1, 0.99), (2, -1751.0), (3, 4.0)] {
            let mut figures = [0.93, 1.0, -1750.0, 5.0];
            figures[place] = wrong;
            assert_eq!(faults(PAGE, "a table", &figures).len(), 1, "{wrong}");
        }
        assert_eq!(faults(PAGE, "a table", &[1.0]), ["4 figures, where 1 are known"]);
        assert_eq!(faults(PAGE, "none", &[]), ["there is no such mark"]);
        let broken = PAGE.replace("take ", "take\n");
        assert!(faults(&broken, "a table", &[0.93, 1.0, -1750.0, 5.0])[0].contains("no text"));
    }
}
