//! What the paper measured, to stand beside what we measure.

use serde::Serialize;

/// Where the figures are from.
pub(super) const SOURCE: &str = "Zarins & Weiland 2017, Table 2: medians of 300 runs, 19 % noise \
                                 on one core of 36 (Cirrus) or 24 (ARCHER)";

/// By how much longer a method took with noise, as printed in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Published {
    pub(super) cirrus: &'static str,
    pub(super) archer: &'static str,
}

const fn published(cirrus: &'static str, archer: &'static str) -> Published {
    Published { cirrus, archer }
}

/// One row for each of [`METHODS`](super::methods::METHODS).
pub(super) const TABLE_2: [Published; 8] = [
    published("13%", "18%"),
    published("11%", "18%"),
    published("11%", "18%"),
    published("8%", "10%"),
    published("9%", "11%"),
    published("1%", "<1%"),
    published("1%", "1%"),
    published("-2%", "1%"),
];
