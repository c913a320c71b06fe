//! A twin of the slides' application: objects of our own on eight processors, whose loads have much
//! the same statistics.
//!
//! The slide has 100 objects, 13 on some processors and 12 on others, of which a few take a
//! thousand times as long as many (kurtosis 9.86), and one processor has more than half of all load
//! (imbalance 3.4128). So the twin has three kinds of objects: idle ones, common ones that take
//! some 30 ms each, and heavy ones of some 290 ms, all of those on the first processor, among idle
//! ones; two processors have only idle objects, the other five only common ones. Within its kind
//! every load has the same chance.

use tresse_core::base::id::ProcessorId;
use tresse_core::base::rng::mix;

use tresse_traces::load_traces::generate::{Drawn, Interval, Loads, Setup, phase};

pub(super) const PROCESSORS: u32 = 8;

const IDLE: Interval = Interval { low: 0.25e-3, high: 0.5e-3 };
const COMMON: Interval = Interval { low: 25e-3, high: 37.5e-3 };
const HEAVY: Interval = Interval { low: 0.275, high: 0.305 };

/// Processor, number of objects, and load of each object.
const GROUPS: [(u32, u32, Interval); 9] = [
    (0, 8, HEAVY),
    (0, 5, IDLE),
    (1, 13, IDLE),
    (2, 13, IDLE),
    (3, 13, COMMON),
    (4, 12, COMMON),
    (5, 12, COMMON),
    (6, 12, COMMON),
    (7, 12, COMMON),
];

/// Draws loads and owners, the same ones for the same seed.
pub(super) fn draw(seed: u64) -> Drawn {
    let mut all = Drawn::default();
    for (group, &(processor, objects, loads)) in (0..).zip(&GROUPS) {
        let setup = Setup { processors: 1, objects, on: 1, loads: Loads::Uniform(loads) };
        let drawn = phase(&setup, mix(seed ^ group));
        all.owners.extend(drawn.seconds.iter().map(|_| ProcessorId(processor)));
        all.seconds.extend(drawn.seconds);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::grapevine::{EIGHT_INITIAL, EIGHT_MEAN, objects};
    use tresse_traces::load_statistics::LoadStatistics;

    #[test]
    fn the_statistics_are_nearly_those_of_the_slide() {
        let near = |ours: f64, published: f64, part: f64| {
            assert!((ours / published - 1.0).abs() < part, "{ours} for {published}");
        };
        for seed in 0..100 {
            let Drawn { seconds, owners } = draw(seed);
            let each = LoadStatistics::of(&seconds).unwrap();
            assert_eq!(each.n, 100);
            near(each.min, objects::MIN, 0.5);
            near(each.mean, objects::MEAN, 0.04);
            near(each.max, objects::MAX, 0.1);
            near(each.deviation, objects::DEVIATION, 0.06);
            near(each.skewness.unwrap(), objects::SKEWNESS, 0.06);
            near(each.kurtosis.unwrap(), objects::KURTOSIS, 0.06);
            let mut sums = [0.0; 8];
            let mut counts = [0; 8];
            for (owner, load) in owners.iter().zip(&seconds) {
                sums[owner.index()] += load;
                counts[owner.index()] += 1;
            }
            assert_eq!(counts, [13, 13, 13, 13, 12, 12, 12, 12]);
            let processors = LoadStatistics::of(&sums).unwrap();
            near(processors.mean, EIGHT_MEAN, 0.04);
            near(processors.imbalance, EIGHT_INITIAL, 0.05);
        }
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
