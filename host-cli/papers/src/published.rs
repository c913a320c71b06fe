//! The papers' measurements, to stand beside ours; each with its place.

pub(crate) mod grapevine;
pub(crate) mod speculation;

pub(crate) use tresse_engine::experiments::published::{TABLE_2, TABLE_2_SOURCE};

/// Returns a published range, by its middle.
const fn range(low: f64, high: f64) -> f64 {
    f64::midpoint(low, high)
}

/// Source in paper 1, section 5.3.
pub(crate) const SPEED_UP_SOURCE: &str = "Zarins & Weiland 2017, Figures 4 and 5 and section 5.3 \
                                          (page 6): the gain of the best balanced method with \
                                          noise; the middle of each published range";

/// Gains of the best balanced method over another one, with noise, in percent, over both machines.
pub(crate) const SPEED_UPS: [(&str, f64); 5] = [
    ("sync", range(22.0, 25.0)),
    ("ssync(1)", range(14.0, 19.0)),
    ("ssync(30)", range(14.0, 19.0)),
    ("async(1)", range(5.0, 8.0)),
    ("async(4)", range(5.0, 8.0)),
];

/// Source in paper 1, Figure 3 and sections 5.1 and 5.2.
pub(crate) const LANDSCAPE_SOURCE: &str = "Zarins & Weiland 2017, Figure 3 and sections 5.1 and \
                                           5.2 (page 6): medians of 300 runs of 5000 iterations; \
                                           the middle of each published range";

/// Loss of a method against the rate of async(1), quiet, in percent: Cirrus, then ARCHER.
pub(crate) const OVERHEADS: [(&str, [Option<f64>; 2]); 4] = [
    ("async(4)", [None, Some(4.0)]),
    ("split(0.001)", [Some(range(1.0, 2.0)), Some(range(5.0, 7.0))]),
    ("joint(0.001)", [Some(range(7.0, 9.0)), Some(range(17.0, 19.0))]),
    ("hybrid(0.001, 500)", [Some(range(1.0, 2.0)), Some(range(4.0, 7.0))]),
];

/// Change of the spread by noise on one core, in percent: Cirrus, then ARCHER.
pub(crate) const SPREAD_CHANGES: [(&str, [Option<f64>; 2]); 4] = [
    ("ssync(1)", [None, Some(8.0)]),
    ("ssync(30)", [None, Some(76.0)]),
    ("async(1)", [Some(107.0), Some(443.0)]),
    ("hybrid(0.001, 500)", [Some(24.0), Some(-38.0)]),
];

/// Loss of the methods that wait against the balanced ones, with noise, in percent of the iteration
/// rate: Cirrus, then ARCHER.
pub(crate) const WAITING_SLOWER: [f64; 2] = [range(8.0, 10.0), 15.0];

/// Source in paper 2, Zarins & Weiland 2020, Figures 1 and 2.
pub(crate) const SOCKETS_SOURCE: &str = "Zarins & Weiland 2020, Figures 1 and 2 and section \
                                         5, pictures without printed numbers; \
                                         threshold of 10 iterations ours";

/// Source in paper 2, Figure 3.
pub(crate) const NODES_SOURCE: &str = "Zarins & Weiland 2020, Figure 3 and section 5, a picture \
                                       without printed numbers; threshold of 10 iterations ours";

/// Source in paper 2, Table 2.
pub(crate) const VARIABILITY_SOURCE: &str = "Zarins & Weiland 2020, Table 2 (page 135): spread \
                                             between the whiskers, unbalanced / balanced; ours \
                                             with Tukey's whiskers of 1.5 box lengths";

/// Rows 0 to 8 and the extremes of each column of Table 2: ssync and async with slow sockets, async
/// with slow nodes.
pub(crate) const VARIABILITY: [[f64; 10]; 3] = [
    [0.06, 1.21, 4.00, 2.19, 1.81, 1.03, 0.83, 0.89, 1.71, 1.11],
    [1.14, 1.86, 2.42, 3.55, 4.24, 3.39, 4.37, 1.51, 3.41, 1.51],
    [8.12, 1.47, 3.50, 3.88, 6.26, 7.65, 5.06, 5.71, 11.07, 2.89],
];

/// Source in paper 2, Table 3.
pub(crate) const HUNDRED_SOURCE: &str = "Zarins & Weiland 2020, Table 3 (page 135): 42 runs each; \
                                         threshold of 10 iterations ours";

/// Seconds, unbalanced and then balanced: mean, least, greatest, deviation. The first row's mean is
/// below its least: one of them is misprinted.
pub(crate) const HUNDRED: [[f64; 4]; 2] = [[118.1, 118.2, 120.9, 1.3], [118.1, 115.2, 120.7, 1.4]];
