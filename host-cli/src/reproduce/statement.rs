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

impl Statement {
    /// Holds if there are figures, and all of them lie within the band.
    pub fn new(
        text: impl Into<String>,
        figures: impl IntoIterator<Item = f64>,
        band: impl RangeBounds<f64>,
        why: impl Into<String>,
    ) -> Self {
        let (text, why) = (text.into(), why.into());
        Self { text, holds: are_within(figures, band), why, reason: None }
    }

    /// And only if these figures lie within this band too.
    pub fn and(self, figures: impl IntoIterator<Item = f64>, band: impl RangeBounds<f64>) -> Self {
        Self { holds: self.holds && are_within(figures, band), ..self }
    }

    /// With a reason, in case that it does not hold.
    pub fn or_because(self, reason: &'static str) -> Self {
        Self { reason: (!self.holds).then_some(reason), ..self }
    }
}

/// What is not a number is in no band, and beyond no limit that is none.
fn are_within(figures: impl IntoIterator<Item = f64>, band: impl RangeBounds<f64>) -> bool {
    let mut figures = figures.into_iter().peekable();
    figures.peek().is_some() && figures.all(|figure| band.contains(&figure))
}

/// The band of what is greater than a limit.
pub fn above(limit: f64) -> (Bound<f64>, Bound<f64>) {
    (Bound::Excluded(limit), Bound::Unbounded)
}

/// Parts of a sentence.
pub fn joined(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_does_not_hold() {
        let holds = |figures: &[f64], limit: f64| {
            Statement::new("", figures.iter().copied(), above(limit), "").holds
        };
        assert!(holds(&[1.5, 2.0], 1.0));
        assert!(!holds(&[1.5, 1.0], 1.0));
        assert!(!holds(&[], 1.0) && !holds(&[f64::NAN], 1.0) && !holds(&[1.5], f64::NAN));
        let both = Statement::new("", [1.0], ..2.0, "").and([1.0], ..1.0).or_because("of it");
        assert_eq!((both.holds, both.reason), (false, Some("of it")));
    }
}
