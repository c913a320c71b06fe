//! What the examples of iterations of one's own come to, found otherwise: in closed form, by
//! Newton's method, and by a power iteration in one piece.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2};
use tresse_core::base::id::SubdomainId;

use super::data::{FEATURES, PENALTY, samples};

/// Returns the values of the grid world, row by row. One who is `d` steps from the goal has a cost
/// of 1 in each, and goes on with a probability of .8.
pub fn values() -> Vec<f64> {
    let rate = 0.95 * 0.8 / (1.0 - 0.95 * 0.2);
    let value = |(row, column): (i32, i32)| {
        let steps = (row - 7).abs() + (column - 16).abs();
        (f64::powi(rate, steps) - 1.0) / (1.0 - 0.95)
    };
    (0..24).flat_map(|row| (0..24).map(move |column| (row, column))).map(value).collect()
}

/// Returns the best model for some of the shards, by Newton's method.
pub fn best_model(shards: impl Iterator<Item = u32>) -> Array1<f64> {
    let samples: Vec<_> = shards.map(SubdomainId).map(samples).collect();
    let number: f64 = samples.iter().map(|samples| samples.nrows() as f64).sum();
    let mut model = Array1::zeros(FEATURES);
    for _ in 0..12 {
        let mut gradient = PENALTY * &model;
        let mut hessian = PENALTY * Array2::eye(FEATURES);
        for samples in &samples {
            let wrong = samples.dot(&model).mapv(|margin| 1.0 / (1.0 + margin.exp()));
            gradient -= &(wrong.dot(samples) / number);
            let mut weighted = samples.clone();
            for (mut row, wrong) in weighted.rows_mut().into_iter().zip(&wrong) {
                row *= wrong * (1.0 - wrong) / number;
            }
            hessian += &samples.t().dot(&weighted);
        }
        model -= &solved(hessian, gradient);
    }
    model
}

/// Solves a system whose matrix is positive definite, by elimination.
fn solved(mut matrix: Array2<f64>, mut right: Array1<f64>) -> Array1<f64> {
    for pivot in 0..right.len() {
        for row in (0..right.len()).filter(|row| *row != pivot) {
            let factor = matrix[[row, pivot]] / matrix[[pivot, pivot]];
            let of_pivot = matrix.row(pivot).to_owned();
            matrix.row_mut(row).scaled_add(-factor, &of_pivot);
            right[row] -= factor * right[pivot];
        }
    }
    right / matrix.diag()
}

/// Returns the ranks of the pages of an edge list, in the order of their numbers: what a surfer
/// comes to who follows a link with a probability of .85, and otherwise goes anywhere, as from a
/// page without links.
pub fn ranks(edges: &str) -> Vec<f64> {
    let mut links = BTreeMap::<u32, Vec<u32>>::new();
    for line in edges.lines() {
        let mut words = line.split(' ').map(str::parse);
        // A comment has no numbers.
        let (Some(Ok(from)), Some(Ok(to))) = (words.next(), words.next()) else { continue };
        links.entry(from).or_default().push(to);
        links.entry(to).or_default();
    }
    let number = links.len() as f64;
    let mut ranks: BTreeMap<_, _> = links.keys().map(|page| (*page, 1.0 / number)).collect();
    for _ in 0..300 {
        let lost: f64 = links.iter().filter(|of| of.1.is_empty()).map(|of| ranks[of.0]).sum();
        let anywhere = (0.15 + 0.85 * lost) / number;
        let mut next: BTreeMap<_, _> = links.keys().map(|page| (*page, anywhere)).collect();
        for (page, to) in &links {
            for to in to {
                *next.entry(*to).or_default() += 0.85 * ranks[page] / links[page].len() as f64;
            }
        }
        ranks = next;
    }
    ranks.into_values().collect()
}
