//! What an experiment comes to: figures beside the published ones, and statements that hold or not.

use serde::Serialize;

use crate::report::statistics::Quartiles;

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What it is of.
    pub label: String,
    /// Its unit.
    pub unit: &'static str,
    /// What the paper has; absent where it has no number.
    pub published: Option<f64>,
    /// The median of ours; absent where no run ended as it should.
    pub ours: Option<f64>,
    /// The 25th percentile.
    pub low: Option<f64>,
    /// The 75th percentile.
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
            unit,
            published,
            ours: quartiles.map(|quartiles| quartiles.median),
            low: quartiles.map(|quartiles| quartiles.low),
            high: quartiles.map(|quartiles| quartiles.high),
        }
    }

    /// Ours less the published one.
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours? - self.published?)
    }
}

/// Something that the paper says, and whether it is so here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// What the paper says, and where.
    pub text: String,
    /// Whether it holds here.
    pub holds: bool,
    /// The figures that it was judged by.
    pub why: String,
}

impl Statement {
    /// Judges a statement.
    pub fn new(text: impl Into<String>, holds: bool, why: impl Into<String>) -> Self {
        Self { text: text.into(), holds, why: why.into() }
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
