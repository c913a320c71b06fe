//! Numbers drawn from bytes: what makes worlds of what a fuzzer or a property test comes up with.

/// The bytes that are left; zeros where there are none.
#[derive(Debug)]
pub struct Choices<'b>(pub &'b [u8]);

impl Choices<'_> {
    /// Returns the next byte.
    pub fn byte(&mut self) -> u32 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        u32::from(*first)
    }

    /// Returns a number in `least..=most`, a range of at most 2¹⁶ numbers.
    pub fn between(&mut self, least: u32, most: u32) -> u32 {
        let range = most - least + 1;
        let drawn = if range <= 256 { self.byte() } else { self.byte() << 8 | self.byte() };
        least + drawn % range
    }

    /// Returns one of a few; the first where there are no bytes left.
    ///
    /// # Panics
    /// Where there are none to choose from.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.byte() as usize % all.len()]
    }
}
