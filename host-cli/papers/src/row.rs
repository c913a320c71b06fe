//! The tables of an experiment: our figures beside the published ones.

use serde::Serialize;

use tresse_console::plots::Compared;
use tresse_draw::statistics::{Quartiles, extremes};

/// One figure, ours and the published one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Label of the figure.
    pub label: String,
    /// Name of the table that the figure is in, with which its label begins; empty where there is
    /// only one table.
    #[serde(skip)]
    pub table: String,
    /// Unit of the figure.
    pub unit: &'static str,
    /// Published figure; absent where the paper has no number.
    pub published: Option<f64>,
    /// Median of our figures; absent where no run ended as it should.
    pub ours: Option<f64>,
    /// The 25th percentile, or the least.
    pub low: Option<f64>,
    /// The 75th percentile, or the greatest.
    pub high: Option<f64>,
}

impl Row {
    /// Returns the median and the quartiles of `samples`.
    pub fn of(
        label: impl Into<String>,
        unit: &'static str,
        published: impl Into<Option<f64>>,
        samples: &[f64],
    ) -> Self {
        let quartiles = Quartiles::of(samples);
        Self {
            label: label.into(),
            table: String::new(),
            unit,
            published: published.into(),
            ours: quartiles.map(|quartiles| quartiles.median),
            low: quartiles.map(|quartiles| quartiles.low),
            high: quartiles.map(|quartiles| quartiles.high),
        }
    }

    /// Returns the row with the least and the greatest of `samples` in place of the quartiles.
    pub fn to_extremes(self, samples: &[f64]) -> Self {
        let (low, high) = extremes(samples.iter().copied()).unzip();
        Self { low, high, ..self }
    }

    /// Returns the row as part of one of several tables.
    pub fn in_table(self, table: &str) -> Self {
        Self { label: format!("{table}: {}", self.label), table: table.to_owned(), ..self }
    }

    /// Returns the label without the table.
    pub fn figure(&self) -> &str {
        let figure = self.label.strip_prefix(&self.table).unwrap_or(&self.label);
        figure.strip_prefix(": ").unwrap_or(figure)
    }

    /// Returns our figure less the published one.
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours? - self.published?)
    }

    /// Returns the figure as a row of a picture.
    pub fn compared(&self) -> Compared {
        let ours = self.ours.zip(self.low).zip(self.high);
        let ours = ours.map(|((median, low), high)| Quartiles { low, median, high });
        Compared { label: self.label.clone(), published: self.published, ours }
    }
}
