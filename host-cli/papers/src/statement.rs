//! Statements of a paper, judged by our figures.

use std::ops::{Bound, RangeBounds};

use serde::Serialize;

/// A statement of a paper, judged by figures that should lie within bands.
///
/// Where the paper prints no limit, the text names ours as such.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// Text of the statement, with its place.
    pub text: String,
    /// Whether the statement holds here.
    pub holds: bool,
    /// Figures by which the statement was judged.
    pub why: String,
    /// Reason for which the statement does not hold here, if it is known; absent where the
    /// statement holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Returns a statement that is still to be judged.
pub fn says(text: impl Into<String>) -> Statement {
    Statement { text: text.into(), holds: true, why: String::new(), reason: None }
}

impl Statement {
    /// Lets the statement hold only if there are such figures, and all of them lie within the band;
    /// NaN lies within none.
    pub fn within(
        mut self,
        figures: impl IntoIterator<Item = f64>,
        band: impl RangeBounds<f64>,
    ) -> Self {
        let mut figures = figures.into_iter().peekable();
        self.holds &= figures.peek().is_some() && figures.all(|figure| band.contains(&figure));
        self
    }

    /// Sets the figures as a person reads them.
    pub fn shown(self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self }
    }

    /// Sets the reason, in case that the statement does not hold.
    pub fn or_because(self, reason: &'static str) -> Self {
        Self { reason: (!self.holds).then_some(reason), ..self }
    }
}

/// Returns the band of the numbers above a limit.
pub fn above(limit: f64) -> (Bound<f64>, Bound<f64>) {
    (Bound::Excluded(limit), Bound::Unbounded)
}

/// Joins parts of a sentence.
pub fn joined(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().collect::<Vec<_>>().join(between)
}

/// Returns text such as `name figure, name figure`.
pub fn listed<N: std::fmt::Display + Copy>(
    names: impl IntoIterator<Item = N>,
    figure: impl Fn(N) -> String,
) -> String {
    joined(names.into_iter().map(|name| format!("{name} {}", figure(name))), ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_does_not_hold() {
        let holds = |figures: &[f64], limit: f64| {
            says("").within(figures.iter().copied(), above(limit)).holds
        };
        assert!(holds(&[1.5, 2.0], 1.0));
        assert!(!holds(&[1.5, 1.0], 1.0));
        assert!(!holds(&[], 1.0) && !holds(&[f64::NAN], 1.0) && !holds(&[1.5], f64::NAN));
        let both = says("").within([1.0], ..2.0).within([1.0], ..1.0).or_because("of it");
        assert_eq!((both.holds, both.reason), (false, Some("of it")));
    }
}
