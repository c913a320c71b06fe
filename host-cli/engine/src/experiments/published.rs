//! What the paper has measured of its methods.

use serde::Serialize;

/// Source of Zarins & Weiland 2017, Table 2.
pub const TABLE_2_SOURCE: &str = "Zarins & Weiland 2017, Table 2 (page 7): medians of 300 \
                                  runs, 19 % noise on one core of 36 (Cirrus) or 24 (ARCHER)";

/// A figure as it is printed, and as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// The figure as it is printed.
    pub text: &'static str,
    /// The number.
    pub value: f64,
}

/// Serialised as the number.
impl Serialize for Printed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value)
    }
}

/// The time that noise adds for a method, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Increase {
    /// On a node of Cirrus.
    pub cirrus: Printed,
    /// On a node of ARCHER.
    pub archer: Printed,
}

type Percent = (&'static str, f64);

/// Pairs the percentages of both machines, each as it is printed and as a number.
const fn increase(cirrus: Percent, archer: Percent) -> Increase {
    let [cirrus, archer] =
        [Printed { text: cirrus.0, value: cirrus.1 }, Printed { text: archer.0, value: archer.1 }];
    Increase { cirrus, archer }
}

/// Published increases, one for each of [`METHODS`](super::methods::METHODS).
pub const TABLE_2: [Increase; 8] = [
    increase(("13%", 13.0), ("18%", 18.0)),
    increase(("11%", 11.0), ("18%", 18.0)),
    increase(("11%", 11.0), ("18%", 18.0)),
    increase(("8%", 8.0), ("10%", 10.0)),
    increase(("9%", 9.0), ("11%", 11.0)),
    // "<1%": half of that stands for it.
    increase(("1%", 1.0), ("<1%", 0.5)),
    increase(("1%", 1.0), ("1%", 1.0)),
    increase(("-2%", -2.0), ("1%", 1.0)),
];
