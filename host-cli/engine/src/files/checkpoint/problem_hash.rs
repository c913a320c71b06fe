//! Identifies the problem of a run by a few numbers.

use std::hash::Hasher as _;

use serde::{Deserialize, Serialize};
use tresse_core::field::grid::Side;
use tresse_core::parts::Graph;
use tresse_files::recording::parts::graph_hash;
use twox_hash::XxHash3_64;

use super::hex;
use crate::files::problem::{CellValues, Problem, side_length};

/// Hashes (XXH3, 64 bits) of the values of a problem, however they were given. Those of a graph of
/// parts have that of the graph alone, and 0 for the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemHash {
    #[serde(with = "hex")]
    boundary: u64,
    #[serde(with = "hex")]
    initial: u64,
    #[serde(with = "hex")]
    source: u64,
    /// That of the coefficient; none where it is 1, as in checkpoints of older programs.
    #[serde(default, with = "hex::optional", skip_serializing_if = "Option::is_none")]
    coefficient: Option<u64>,
    /// Height of a cell over its width; none where it is 1, as in checkpoints of older programs.
    #[serde(default, with = "hex::optional", skip_serializing_if = "Option::is_none")]
    cell_ratio: Option<u64>,
    /// Which sides have a flux; none where all have values, as in checkpoints of older programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fluxes: Option<[bool; 4]>,
    /// That of the graph where parts are one's own; none for the cells of a grid.
    #[serde(default, with = "hex::optional", skip_serializing_if = "Option::is_none")]
    graph: Option<u64>,
}

impl ProblemHash {
    /// Returns the hashes of a problem; reads every cell of the grid, so that this should be done
    /// only once.
    pub fn of(problem: &Problem) -> Self {
        let mut boundary = XxHash3_64::new();
        for side in Side::ALL {
            let length = side_length(side, problem.grid);
            for index in 0..length {
                boundary.write(&problem.boundary.value(side, index, length).to_le_bytes());
            }
        }
        let cells = |cells: &CellValues| {
            let mut hasher = XxHash3_64::new();
            let mut row = Vec::new();
            for index in 0..problem.grid.rows {
                row.clear();
                let values = (0..problem.grid.columns).map(|column| cells.at(index, column));
                values.for_each(|value| row.extend_from_slice(&value.to_le_bytes()));
                hasher.write(&row);
            }
            hasher.finish()
        };
        Self {
            boundary: boundary.finish(),
            initial: cells(&problem.initial),
            source: cells(&problem.source),
            coefficient: (!problem.coefficient.is_one()).then(|| cells(&problem.coefficient)),
            cell_ratio: (!problem.has_square_cells()).then(|| problem.cell_ratio.to_bits()),
            fluxes: problem.boundary.fluxes(),
            graph: None,
        }
    }

    /// Returns the hash of a graph of parts: of all links, and of the units on each.
    pub fn of_graph<const N: usize>(graph: &impl Graph<N>) -> Self {
        Self { graph: Some(graph_hash(graph)), ..Self::default() }
    }

    /// Whether parts are one's own, as opposed to the cells of a grid.
    pub(super) const fn is_of_graph(&self) -> bool {
        self.graph.is_some()
    }

    /// Whether the faces between cells have weights.
    pub(super) const fn has_weights(&self) -> bool {
        self.coefficient.is_some() || self.cell_ratio.is_some() || self.fluxes.is_some()
    }

    /// Returns the name of the first thing in which two problems differ.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let parts = [
            ("graph of parts", self.graph == other.graph),
            ("boundary", self.boundary == other.boundary),
            ("kind of sides", self.fluxes == other.fluxes),
            ("initial field", self.initial == other.initial),
            ("source", self.source == other.source),
            ("coefficient", self.coefficient == other.coefficient),
            ("shape of the cells", self.cell_ratio == other.cell_ratio),
        ];
        parts.into_iter().find_map(|(name, same)| (!same).then_some(name))
    }
}
