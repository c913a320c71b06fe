//! SHA-1 of one block (FIPS 180-4), in the two forms that the trees need, for one message or
//! several side by side.

/// 32-bit words of one message, or of several side by side.
pub trait Words: Copy {
    /// Returns one word in all messages.
    fn splat(word: u32) -> Self;
    /// Returns the sum modulo 2³².
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Returns the bitwise exclusive or.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// Returns the words rotated to the left.
    #[must_use]
    fn rotated<const BITS: i32>(self) -> Self;
    /// Returns bitwise the second where this is 1, and the third where it is 0.
    #[must_use]
    fn choose(self, one: Self, zero: Self) -> Self;
    /// Returns bitwise the value that most of the three have.
    #[must_use]
    fn majority(self, other: Self, third: Self) -> Self;
}

impl Words for u32 {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        word
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn rotated<const BITS: i32>(self) -> Self {
        self.rotate_left(BITS.unsigned_abs())
    }

    #[inline(always)]
    fn choose(self, one: Self, zero: Self) -> Self {
        zero ^ (self & (one ^ zero))
    }

    #[inline(always)]
    fn majority(self, other: Self, third: Self) -> Self {
        (self & other) | (third & (self | other))
    }
}

const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// The constants of the four times twenty rounds.
const CONSTANTS: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Returns the state of a child: the SHA-1 hash of the node's state and, as four bytes, the child's
/// number.
#[inline(always)]
pub fn child<W: Words>(state: [W; 5], number: W) -> [W; 5] {
    let [a, b, c, d, e] = state;
    let zero = W::splat(0);
    let (end, bits) = (W::splat(1 << 31), W::splat(24 * 8));
    let mut words =
        [a, b, c, d, e, number, end, zero, zero, zero, zero, zero, zero, zero, zero, bits];
    block(&mut words)
}

/// Returns the state of a tree's root: that of 16 bytes of 0 and, as four bytes, the seed.
pub fn root(seed: u32) -> [u32; 5] {
    let mut words = [0, 0, 0, 0, seed, 1 << 31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8];
    block(&mut words)
}

/// One round; the five variables take turns in the names.
macro_rules! round {
    ($f:expr, $k:expr, $w:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
        $e = $a.rotated::<5>().add($f).add($e).add($k).add($w);
        $b = $b.rotated::<30>();
    };
}

/// A round's word: one of the message, or made of four earlier ones.
macro_rules! word {
    ($w:ident, $t:literal, first) => {
        $w[$t]
    };
    ($w:ident, $t:literal, later) => {{
        let [from, to] = [$t % 16, ($t + 13) % 16];
        let mixed = $w[to].xor($w[($t + 8) % 16]).xor($w[($t + 2) % 16]).xor($w[from]);
        $w[from] = mixed.rotated::<1>();
        $w[from]
    }};
}

macro_rules! rounds {
    ($w:ident, $f:ident, $k:ident, $a:ident $b:ident $c:ident $d:ident $e:ident,
     $([$t0:literal $t1:literal $t2:literal $t3:literal $t4:literal $kind:ident])+) => {
        $(
            round!($f($b, $c, $d), $k, word!($w, $t0, $kind), $a $b $c $d $e);
            round!($f($a, $b, $c), $k, word!($w, $t1, $kind), $e $a $b $c $d);
            round!($f($e, $a, $b), $k, word!($w, $t2, $kind), $d $e $a $b $c);
            round!($f($d, $e, $a), $k, word!($w, $t3, $kind), $c $d $e $a $b);
            round!($f($c, $d, $e), $k, word!($w, $t4, $kind), $b $c $d $e $a);
        )+
    };
}

/// The function of rounds 20 to 39 and 60 to 79.
#[inline(always)]
fn parity<W: Words>(b: W, c: W, d: W) -> W {
    b.xor(c).xor(d)
}

/// The function of rounds 0 to 19.
#[inline(always)]
fn choose<W: Words>(b: W, c: W, d: W) -> W {
    b.choose(c, d)
}

/// The function of rounds 40 to 59.
#[inline(always)]
fn majority<W: Words>(b: W, c: W, d: W) -> W {
    b.majority(c, d)
}

/// Returns the state after one block of sixteen words, from the initial state. `w` is overwritten.
#[inline(always)]
fn block<W: Words>(w: &mut [W; 16]) -> [W; 5] {
    let first = INITIAL.map(W::splat);
    let [mut a, mut b, mut c, mut d, mut e] = first;
    let [k0, k1, k2, k3] = CONSTANTS.map(W::splat);
    rounds!(w, choose, k0, a b c d e, [0 1 2 3 4 first] [5 6 7 8 9 first] [10 11 12 13 14 first]);
    round!(choose(b, c, d), k0, word!(w, 15, first), a b c d e);
    round!(choose(a, b, c), k0, word!(w, 16, later), e a b c d);
    round!(choose(e, a, b), k0, word!(w, 17, later), d e a b c);
    round!(choose(d, e, a), k0, word!(w, 18, later), c d e a b);
    round!(choose(c, d, e), k0, word!(w, 19, later), b c d e a);
    rounds!(w, parity, k1, a b c d e,
        [20 21 22 23 24 later] [25 26 27 28 29 later] [30 31 32 33 34 later] [35 36 37 38 39 later]);
    rounds!(w, majority, k2, a b c d e,
        [40 41 42 43 44 later] [45 46 47 48 49 later] [50 51 52 53 54 later] [55 56 57 58 59 later]);
    rounds!(w, parity, k3, a b c d e,
        [60 61 62 63 64 later] [65 66 67 68 69 later] [70 71 72 73 74 later] [75 76 77 78 79 later]);
    let [h0, h1, h2, h3, h4] = first;
    [h0.add(a), h1.add(b), h2.add(c), h3.add(d), h4.add(e)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_those_of_any_other_sha_1() {
        // These are the numbers of `sha1sum` for 16 bytes of 0 and 0, 0, 0, 19.
        let state = root(19);
        assert_eq!(state, [0xc698_8ab7, 0x0cc9_559a, 0xe4d6_cba2, 0x54e2_9a84, 0x5a85_f86b]);
        // The same for one message and for several side by side is tested where there are several.
        assert_ne!(child(state, 0), child(state, 1));
    }
}
