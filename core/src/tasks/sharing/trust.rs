//! Number of copies that are worth sending, by the share of claims that are granted.

/// Certainty that a copy will be granted, in 64ths.
const CERTAIN: u32 = 64;

/// Recent success of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Trust {
    /// Moving average of granted claims, in 64ths.
    granted: u32,
    /// Messages since the last one with a copy.
    without: u32,
}

impl Trust {
    pub const NEW: Self = Self { granted: CERTAIN / 2, without: 0 };

    /// Records that a claim was granted or not.
    pub const fn arbitrated(&mut self, granted: bool) {
        let to = if granted { CERTAIN } else { 0 };
        self.granted = (7 * self.granted + to) / 8;
    }

    /// Returns the number of copies to send, at most `most`: none if two thirds of the claims fail,
    /// but for one now and then, since claims that nobody makes do not tell how many would fail.
    pub const fn copies(&mut self, most: u32) -> u32 {
        let copies = if self.granted * 3 < CERTAIN { 0 } else { most * self.granted / CERTAIN + 1 };
        if copies == 0 && self.without < 16 {
            self.without += 1;
            return 0;
        }
        self.without = 0;
        let copies = if copies == 0 { 1 } else { copies };
        if copies < most { copies } else { most }
    }
}
