//! The seeded generator: every draw in the core goes through it, so a run can be repeated.

use rand_core::Rng as _;
use rand_pcg::Pcg32;

/// A small generator with independent streams.
///
/// Of a run's seed, stream 0 is that of its balancer; from 1, 2 and 3 times 2³² on are those of the
/// nodes, of the parasites and of the places of noise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Pcg32);

impl Rng {
    /// Returns the generator of one stream of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self(Pcg32::new(seed, stream))
    }

    /// Returns the generator of one of many things that are known by three numbers, such as a node
    /// and a worker. State and stream are hashes of them, so that generators of neighbouring
    /// numbers are independent.
    pub fn derived(seed: u64, of: [u64; 3]) -> Self {
        let state = of.iter().fold(seed, |hash, &number| mix(hash ^ number));
        Self(Pcg32::new(state, mix(state)))
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a uniform number in `0..bound`; 0 where the bound is 0.
    ///
    /// Draws again where the 32-bit range does not divide evenly (Lemire 2019), so that there is no
    /// bias.
    pub fn below(&mut self, bound: u32) -> u32 {
        let limit = bound.wrapping_neg().checked_rem(bound).unwrap_or(0);
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            if product & u64::from(u32::MAX) >= u64::from(limit) {
                return u32::try_from(product >> 32).unwrap_or(0);
            }
        }
    }

    /// Draws a uniform number in `0..=most`, without bias, as [`Rng::below`] does.
    pub fn up_to(&mut self, most: u64) -> u64 {
        let Some(bound) = most.checked_add(1) else { return self.0.next_u64() };
        let limit = bound.wrapping_neg().checked_rem(bound).unwrap_or(0);
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product & u128::from(u64::MAX) >= u128::from(limit) {
                return u64::try_from(product >> 64).unwrap_or(0);
            }
        }
    }
}

/// Returns a hash of a number: the output of `SplitMix64` at that state (Steele, Lea & Flood 2014).
///
/// It is written out, as the libraries' generators are not inlined and this is the innermost loop
/// of gossip.
#[inline]
pub const fn mix(number: u64) -> u64 {
    let state = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_reference_implementation() {
        // The first numbers of the generator that starts at 1234567.
        let state =
            |step: u64| 1_234_567_u64.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        assert_eq!(mix(state(0)), 6_457_827_717_110_365_317);
        assert_eq!(mix(state(1)), 3_203_168_211_198_807_973);
        assert_eq!(mix(state(2)), 9_817_491_932_198_370_423);
    }
}
