//! What an experiment comes to: figures beside the published ones, and statements that hold or not.

use serde::Serialize;

use crate::report::plots::whiskers::Compared;
use crate::report::statistics::{Quartiles, extremes};

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What it is of.
    pub label: String,
    /// The table that it is in, with which its label begins; empty where there is only one.
    #[serde(skip)]
    pub table: String,
    /// Its unit.
    pub unit: &'static str,
    /// What the paper has; absent where it has no number.
    pub published: Option<f64>,
    /// The median of ours; absent where no run ended as it should.
    pub ours: Option<f64>,
    /// The 25th percentile, or the least.
    pub low: Option<f64>,
    /// The 75th percentile, or the greatest.
    pub high: Option<f64>,
}

impl Row {
    /// The median and the quartiles of `samples`.
    pub fn of(
        label: impl Into<String>,
        unit: &'static str,
        published: Option<f64>,
        samples: &[f64],
    ) -> Self {
        let quartiles = Quartiles::of(samples);
        Self {
            label: label.into(),
            table: String::new(),
            unit,
            published,
            ours: quartiles.map(|quartiles| quartiles.median),
            low: quartiles.map(|quartiles| quartiles.low),
            high: quartiles.map(|quartiles| quartiles.high),
        }
    }

    /// The median, the least and the greatest of `samples`, in a table of several.
    pub fn within(
        table: &str,
        figure: &str,
        unit: &'static str,
        published: Option<f64>,
        samples: &[f64],
    ) -> Self {
        let (low, high) = extremes(samples.iter().copied()).unzip();
        let label = format!("{table}: {figure}");
        let table = table.to_owned();
        Self { table, low, high, ..Self::of(label, unit, published, samples) }
    }

    /// The label without the table.
    pub fn figure(&self) -> &str {
        let figure = self.label.strip_prefix(&self.table).unwrap_or(&self.label);
        figure.strip_prefix(": ").unwrap_or(figure)
    }

    /// As a row of a picture.
    pub fn compared(&self) -> Compared {
        let ours = self.ours.zip(self.low).zip(self.high);
        let ours = ours.map(|((median, low), high)| Quartiles { low, median, high });
        Compared { label: self.label.clone(), published: self.published, ours }
    }

    /// Ours less the published one.
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours? - self.published?)
    }
}

/// Something that the paper says, and whether it is so here.
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
    /// Judges a statement.
    pub fn new(text: impl Into<String>, holds: bool, why: impl Into<String>) -> Self {
        Self { text: text.into(), holds, why: why.into(), reason: None }
    }

    /// With a reason, in case that it does not hold.
    pub fn or_because(self, reason: &'static str) -> Self {
        Self { reason: (!self.holds).then_some(reason), ..self }
    }
}

/// All of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The figures.
    pub rows: Vec<Row>,
    /// The statements.
    pub statements: Vec<Statement>,
}
