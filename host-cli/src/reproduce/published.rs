//! What the papers measured, to stand beside what we measure; each figure with its place.

use serde::Serialize;

pub(crate) mod grapevine;

/// Paper 1: Zarins & Weiland 2017, Table 2.
pub(crate) const TABLE_2_SOURCE: &str = "Zarins & Weiland 2017, Table 2 (page 7): medians of 300 \
                                         runs, 19 % noise on one core of 36 (Cirrus) or 24 (ARCHER)";

/// A figure as it is printed, and as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Printed {
    pub(crate) text: &'static str,
    pub(crate) value: f64,
}

const fn printed(text: &'static str, value: f64) -> Printed {
    Printed { text, value }
}

/// As it is printed.
impl Serialize for Printed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text)
    }
}

/// By how much longer a method took with noise, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Increase {
    pub(crate) cirrus: Printed,
    pub(crate) archer: Printed,
}

const fn increase(cirrus: Printed, archer: Printed) -> Increase {
    Increase { cirrus, archer }
}

/// One row for each of [`METHODS`](crate::methods::METHODS).
pub(crate) const TABLE_2: [Increase; 8] = [
    increase(printed("13%", 13.0), printed("18%", 18.0)),
    increase(printed("11%", 11.0), printed("18%", 18.0)),
    increase(printed("11%", 11.0), printed("18%", 18.0)),
    increase(printed("8%", 8.0), printed("10%", 10.0)),
    increase(printed("9%", 9.0), printed("11%", 11.0)),
    // "<1%": half of that stands for it.
    increase(printed("1%", 1.0), printed("<1%", 0.5)),
    increase(printed("1%", 1.0), printed("1%", 1.0)),
    increase(printed("-2%", -2.0), printed("1%", 1.0)),
];

/// Paper 1, section 5.3.
pub(crate) const SPEED_UP_SOURCE: &str = "Zarins & Weiland 2017, Figures 4 and 5 and section 5.3 \
                                          (page 6): the gain of the best balanced method with \
                                          noise; the middle of each published range";

/// Gains of the best balanced method over another one, with noise, in percent: the paper gives a
/// range over both machines, of which this is the middle.
pub(crate) const SPEED_UPS: [(&str, Printed); 5] = [
    ("sync", printed("22%-25%", 23.5)),
    ("ssync(1)", printed("14%-19%", 16.5)),
    ("ssync(30)", printed("14%-19%", 16.5)),
    ("async(1)", printed("5%-8%", 6.5)),
    ("async(4)", printed("5%-8%", 6.5)),
];

/// Paper 1, Figure 3 and sections 5.1 and 5.2.
pub(crate) const LANDSCAPE_SOURCE: &str = "Zarins & Weiland 2017, Figure 3 and sections 5.1 and \
                                           5.2 (page 6): medians of 300 runs of 5000 iterations; \
                                           the middle of each published range";

/// What a method costs of the rate of async(1), quiet, in percent: Cirrus, then ARCHER.
pub(crate) const OVERHEADS: [(&str, [Option<Printed>; 2]); 4] = [
    ("async(4)", [None, Some(printed("4%", 4.0))]),
    ("split(0.001)", [Some(printed("1%-2%", 1.5)), Some(printed("5%-7%", 6.0))]),
    ("joint(0.001)", [Some(printed("7%-9%", 8.0)), Some(printed("17%-19%", 18.0))]),
    ("hybrid(0.001, 500)", [Some(printed("1%-2%", 1.5)), Some(printed("4%-7%", 5.5))]),
];

/// What noise on one core does to the spread, in percent: Cirrus, then ARCHER.
pub(crate) const SPREAD_CHANGES: [(&str, [Option<Printed>; 2]); 4] = [
    ("ssync(1)", [None, Some(printed("8%", 8.0))]),
    ("ssync(30)", [None, Some(printed("76%", 76.0))]),
    ("async(1)", [Some(printed("107%", 107.0)), Some(printed("443%", 443.0))]),
    ("hybrid(0.001, 500)", [Some(printed("24%", 24.0)), Some(printed("-38%", -38.0))]),
];

/// How much slower the methods that wait are with noise than the balanced ones, in percent of the
/// iteration rate: Cirrus, then ARCHER.
pub(crate) const WAITING_SLOWER: [Printed; 2] = [printed("8%-10%", 9.0), printed("15%", 15.0)];

/// Paper 2: Zarins & Weiland 2020, Figures 1 and 2.
pub(crate) const SOCKETS_SOURCE: &str = "Zarins & Weiland 2020, Figures 1 and 2 and section \
                                         5, pictures without printed numbers; \
                                         threshold of 10 iterations ours";

/// Paper 2, Figure 3.
pub(crate) const NODES_SOURCE: &str = "Zarins & Weiland 2020, Figure 3 and section 5, a picture without printed numbers; threshold of \
                                       10 iterations ours";

/// Paper 2, Table 2.
pub(crate) const VARIABILITY_SOURCE: &str = "Zarins & Weiland 2020, Table 2 (page 135): spread \
                                             between the whiskers, unbalanced / balanced; ours \
                                             with Tukey's whiskers of 1.5 box lengths";

/// Rows 0 to 8 and the extremes of each column: ssync and async with slow sockets, async with slow
/// nodes.
pub(crate) const VARIABILITY: [[f64; 10]; 3] = [
    [0.06, 1.21, 4.00, 2.19, 1.81, 1.03, 0.83, 0.89, 1.71, 1.11],
    [1.14, 1.86, 2.42, 3.55, 4.24, 3.39, 4.37, 1.51, 3.41, 1.51],
    [8.12, 1.47, 3.50, 3.88, 6.26, 7.65, 5.06, 5.71, 11.07, 2.89],
];

/// Paper 2, Table 3.
pub(crate) const HUNDRED_SOURCE: &str = "Zarins & Weiland 2020, Table 3 (page 135): 42 runs each; \
                                         threshold of 10 iterations ours";

/// A row of Table 3, in seconds or in parts of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) mean: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) deviation: f64,
}

impl Summary {
    /// In parts of `mean`.
    pub(crate) fn relative_to(self, mean: f64) -> Self {
        Self {
            mean: self.mean / mean,
            min: self.min / mean,
            max: self.max / mean,
            deviation: self.deviation / mean,
        }
    }
}

/// Unbalanced, then balanced. The first row's mean is below its minimum: one of them is misprinted.
pub(crate) const HUNDRED: [Summary; 2] = [
    Summary { mean: 118.1, min: 118.2, max: 120.9, deviation: 1.3 },
    Summary { mean: 118.1, min: 115.2, max: 120.7, deviation: 1.4 },
];
