//! What the papers measured, to stand beside what we measure; each figure with its place.

use serde::Serialize;

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
