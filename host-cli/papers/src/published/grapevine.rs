//! The slides on Grapevine: Pébaÿ & Lifflander 2019.

/// Source of the tables.
pub(crate) const SOURCE: &str = "Pébaÿ & Lifflander 2019, Recent results in distributed load \
                                 balancing, slides \"Experimental Findings with 6\", \"with 6'\", \
                                 \"2^15 instead of 10^4 objects with 6'\", \"Prescribed VT Object \
                                 Moves\"";

/// One iteration: transfers, rejected, rejection rate in percent, imbalance.
pub(crate) type Iteration = (u32, u32, f64, f64);

/// A table of iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Table {
    /// Title of the slide.
    pub(crate) slide: &'static str,
    /// Imbalance at the start.
    pub(crate) initial: f64,
    /// Iterations, from the first on.
    pub(crate) iterations: [Iteration; 10],
}

/// Table of criterion 6, 10⁴ objects.
pub(crate) const ORIGINAL: Table = Table {
    slide: "Experimental Findings with 6",
    initial: 280.0,
    iterations: [
        (9_084, 154_931, 94.46, 187.0),
        (4, 1_654, 99.76, 187.0),
        (1, 1_130, 99.91, 187.0),
        (7, 2_682, 99.74, 185.0),
        (6, 2_396, 99.75, 183.0),
        (2, 1_143, 99.83, 183.0),
        (1, 1_041, 99.90, 183.0),
        (0, 882, 100.0, 183.0),
        (0, 882, 100.0, 182.0),
        (3, 1_405, 99.79, 182.0),
    ],
};

/// Table of criterion 6', 10⁴ objects.
pub(crate) const RELAXED: Table = Table {
    slide: "Experimental Findings with 6'",
    initial: 280.0,
    iterations: [
        (11_292, 648, 5.427, 3.34),
        (4_044, 3_603, 47.12, 1.60),
        (2_201, 3_412, 60.79, 0.873),
        (1_324, 3_586, 73.03, 0.632),
        (765, 3_171, 80.56, 0.632),
        (410, 2_969, 87.87, 0.626),
        (247, 2_794, 91.88, 0.626),
        (159, 2_749, 94.53, 0.626),
        (120, 2_682, 95.72, 0.626),
        (72, 2_643, 97.35, 0.623),
    ],
};

/// Table of criterion 6', 2¹⁵ objects.
pub(crate) const MORE_OBJECTS: Table = Table {
    slide: "2^15 instead of 10^4 objects with 6'",
    initial: 270.0,
    iterations: [
        (33_761, 269, 0.790, 1.52),
        (7_179, 3_642, 33.66, 0.714),
        (4_227, 5_946, 58.45, 0.399),
        (3_304, 9_023, 73.20, 0.317),
        (2_496, 9_570, 79.31, 0.273),
        (1_978, 10_138, 83.67, 0.187),
        (1_419, 9_895, 87.46, 0.139),
        (1_026, 9_312, 90.08, 0.139),
        (692, 8_938, 92.81, 0.139),
        (463, 8_379, 94.76, 0.139),
    ],
};

/// Statistics of some loads, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Loads {
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) deviation: f64,
}

/// Title of the slide with the case of eight processors.
pub(crate) const EIGHT_SLIDE: &str = "Prescribed VT Object Moves";
/// Average load of the eight processors.
pub(crate) const EIGHT_MEAN: f64 = 0.525_95;
/// Imbalance of the eight processors at the start.
pub(crate) const EIGHT_INITIAL: f64 = 3.412_8;
/// Loads of the eight processors after five iterations with criterion 6.
pub(crate) const EIGHT_ORIGINAL: Loads = Loads { min: 0.285_42, max: 1.750_8, deviation: 0.464_54 };
/// Loads of the eight processors after five iterations with criterion 6'.
pub(crate) const EIGHT_RELAXED: Loads =
    Loads { min: 0.495_39, max: 0.573_15, deviation: 0.024_726 };

/// Loads of the objects of the eight processors at the start, which the twin should resemble.
#[cfg(test)]
pub(crate) mod objects {
    pub(crate) const MIN: f64 = 0.000_267_03;
    pub(crate) const MEAN: f64 = 0.042_076;
    pub(crate) const MAX: f64 = 0.304_04;
    pub(crate) const DEVIATION: f64 = 0.074_587;
    pub(crate) const SKEWNESS: f64 = 2.885_5;
    /// Kurtosis, not the excess.
    pub(crate) const KURTOSIS: f64 = 9.857_4;
}
