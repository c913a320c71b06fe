//! What a paper says, and whether it is so here.

use std::ops::{Bound, RangeBounds};

use serde::Serialize;

/// Something that the paper says, judged by figures that are to lie within bands.
///
/// Where the paper prints no limit, the text names ours as such.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// What the paper says, and where.
    pub text: String,
    /// Whether it holds here.
    pub holds: bool,
    /// The figures that it was judged by.
    pub why: String,
    /// Why it does not hold here, where that is known; absent where it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Returns a statement, to be judged.
pub fn says(text: impl Into<String>) -> Statement {
    Statement { text: text.into(), holds: true, why: String::new(), reason: None }
}

impl Statement {
    /// Holds only if there are such figures, and all of them lie within the band; what is not a number
    /// lies within none.
    pub fn within(
        mut self,
        figures: impl IntoIterator<Item = f64>,
        band: impl RangeBounds<f64>,
    ) -> Self {
        let mut figures = figures.into_iter().peekable();
        self.holds &= figures.peek().is_some() && figures.all(|figure| band.contains(&figure));
        self
    }

    /// With the figures as a person reads them.
    pub fn shown(self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self }
    }

    /// With a reason, in case that it does not hold.
    pub fn or_because(self, reason: &'static str) -> Self {
        Self { reason: (!self.holds).then_some(reason), ..self }
    }
}

/// Returns the band of what is greater than a limit.
pub fn above(limit: f64) -> (Bound<f64>, Bound<f64>) {
    (Bound::Excluded(limit), Bound::Unbounded)
}

/// Parts of a sentence.
pub fn joined(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().collect::<Vec<_>>().join(between)
}

/// `name figure, name figure`.
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
