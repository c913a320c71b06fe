//! The number of sweeps for which a part is claimed.

use crate::run::Mode;
use crate::time::Duration;

/// Time for which a part is claimed at least, where sweeps are shorter: what a claim and a look at all others
/// cost is small beside it.
const WORTH: Duration = Duration::from_micros(2);
/// The most sweeps of a claim: those after the first see neighbours that hardly went on, and by so many more
/// updates a part may be ahead.
const MOST: u64 = 4;

/// Returns the number of sweeps for which a worker claims a part, where one takes `sweep`: more than one only
/// where sweeps are short, and never in the exact mode, in which a part cannot go on without its neighbours.
pub fn sweeps_a_claim(mode: Mode, sweep: Duration) -> u32 {
    if mode == Mode::Exact {
        return 1;
    }
    let sweeps = WORTH.0.checked_div(sweep.0).unwrap_or(MOST).clamp(1, MOST);
    u32::try_from(sweeps).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_sweeps_are_made_in_a_row() {
        let of = |sweep| sweeps_a_claim(Mode::Async, Duration(sweep));
        assert_eq!([0, 110, 500, 700, 1_100, 7_000].map(of), [4, 4, 4, 2, 1, 1]);
        assert_eq!(sweeps_a_claim(Mode::Exact, Duration(110)), 1);
    }
}
