//! SHA-1 of many messages side by side, as this processor does it best.
//!
//! The other unsafe file of this host: instructions that a processor does not have are undefined,
//! so each use of them rests on a check when the hash was made.
#![expect(unsafe_code, reason = "calls functions with target features, after looking for them")]

use tresse_core::tasks::uts::{self, Portable, Spawned, Spawning};

type Spawn = unsafe fn(&Spawning, usize, &mut Spawned);

/// Makes the children of nodes; all make the same ones.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    name: &'static str,
    spawn: Spawn,
}

impl Hash {
    /// Returns the fastest hash that this processor supports.
    pub fn best() -> Self {
        Self::wide().next().unwrap_or(Self::PORTABLE)
    }

    /// Returns all hashes that this processor supports, the fastest first.
    pub fn all_supported() -> Vec<Self> {
        Self::wide().chain([Self::PORTABLE]).collect()
    }

    /// `avx512`, `sha`, `avx2` or `portable`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The portable hash, which every build has.
    const PORTABLE: Self = Self { name: "portable", spawn: portable };

    /// Returns the hashes that this processor has instructions for, the widest first.
    #[cfg(target_arch = "x86_64")]
    fn wide() -> impl Iterator<Item = Self> {
        let avx512 = is_x86_feature_detected!("avx512f");
        let sha = is_x86_feature_detected!("sha") && is_x86_feature_detected!("sse4.1");
        let avx2 = is_x86_feature_detected!("avx2");
        let all: [(bool, &'static str, Spawn); 3] =
            [(avx512, "avx512", x86::avx512), (sha, "sha", x86::sha), (avx2, "avx2", x86::avx2)];
        all.into_iter().filter(|(has, ..)| *has).map(|(_, name, spawn)| Self { name, spawn })
    }

    /// Returns no hashes beyond the portable one, as on other processors none are known.
    #[cfg(not(target_arch = "x86_64"))]
    fn wide() -> impl Iterator<Item = Self> {
        std::iter::empty()
    }
}

impl uts::Hash for Hash {
    #[inline]
    fn spawn(&self, of: &Spawning, len: usize, children: &mut Spawned) {
        // SAFETY: `wide` found the features, or there are none.
        unsafe { (self.spawn)(of, len, children) }
    }
}

/// Hashes `len` children without special instructions.
fn portable(of: &Spawning, len: usize, children: &mut Spawned) {
    uts::Hash::spawn(&Portable, of, len, children);
}

#[cfg(target_arch = "x86_64")]
#[expect(clippy::many_single_char_names, reason = "the names of the words of a SHA-1 state")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, __m512i, _mm_add_epi32, _mm_cvtsi32_si128, _mm_extract_epi32,
        _mm_set_epi32, _mm_sha1msg1_epu32, _mm_sha1msg2_epu32, _mm_sha1nexte_epu32,
        _mm_sha1rnds4_epu32, _mm_xor_si128, _mm256_add_epi32, _mm256_and_si256, _mm256_or_si256,
        _mm256_set1_epi32, _mm256_sll_epi32, _mm256_srl_epi32, _mm256_xor_si256, _mm512_add_epi32,
        _mm512_rol_epi32, _mm512_set1_epi32, _mm512_ternarylogic_epi32, _mm512_xor_si512,
    };
    use std::mem::transmute;

    use tresse_core::tasks::uts::{LANES, Spawned, Spawning, Words, child};

    /// A vector of words, where the processor has what it takes.
    macro_rules! words {
        ($name:ident, $vector:ty, $splat:ident, $add:ident, $xor:ident,
         |$word:ident| $rotated:expr, |$x:ident, $y:ident, $z:ident| $choose:expr, $majority:expr) => {
            #[derive(Clone, Copy)]
            struct $name($vector);

            // SAFETY, of all: only functions with the features come here.
            impl Words for $name {
                #[inline(always)]
                fn splat(word: u32) -> Self {
                    Self(unsafe { $splat(word.cast_signed()) })
                }

                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    Self(unsafe { $add(self.0, other.0) })
                }

                #[inline(always)]
                fn xor(self, other: Self) -> Self {
                    Self(unsafe { $xor(self.0, other.0) })
                }

                #[inline(always)]
                fn rotated<const BITS: i32>(self) -> Self {
                    let $word = self.0;
                    Self(unsafe { $rotated })
                }

                #[inline(always)]
                fn choose(self, one: Self, zero: Self) -> Self {
                    let ($x, $y, $z) = (self.0, one.0, zero.0);
                    Self(unsafe { $choose })
                }

                #[inline(always)]
                fn majority(self, other: Self, third: Self) -> Self {
                    let ($x, $y, $z) = (self.0, other.0, third.0);
                    Self(unsafe { $majority })
                }
            }
        };
    }

    words!(
        Wide,
        __m512i,
        _mm512_set1_epi32,
        _mm512_add_epi32,
        _mm512_xor_si512,
        |word| _mm512_rol_epi32::<BITS>(word),
        |x, y, z| _mm512_ternarylogic_epi32::<0xca>(x, y, z),
        _mm512_ternarylogic_epi32::<0xe8>(x, y, z)
    );

    words!(
        Half,
        __m256i,
        _mm256_set1_epi32,
        _mm256_add_epi32,
        _mm256_xor_si256,
        |word| {
            let left = _mm_cvtsi32_si128(BITS);
            let right = _mm_cvtsi32_si128(32 - BITS);
            _mm256_or_si256(_mm256_sll_epi32(word, left), _mm256_srl_epi32(word, right))
        },
        |x, y, z| _mm256_xor_si256(z, _mm256_and_si256(x, _mm256_xor_si256(y, z))),
        _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(z, _mm256_or_si256(x, y)))
    );

    /// Hashes all children with AVX-512, one for each lane.
    #[target_feature(enable = "avx512f")]
    pub(super) fn avx512(of: &Spawning, _: usize, children: &mut Spawned) {
        // SAFETY: words of sixteen lanes have the size of a vector, and any bits are words.
        let load = |words: [u32; LANES]| Wide(unsafe { transmute::<[u32; LANES], __m512i>(words) });
        let [a, b, c, d, e, number] = of.map(load);
        *children = child([a, b, c, d, e], number)
            // SAFETY: the same the other way.
            .map(|words| unsafe { transmute::<__m512i, [u32; LANES]>(words.0) });
    }

    /// Hashes `len` children with AVX2, half of the lanes at a time.
    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(of: &Spawning, len: usize, children: &mut Spawned) {
        type Words8 = [u32; LANES / 2];
        for half in 0..len.div_ceil(LANES / 2) {
            let load = |words: &[u32; LANES]| {
                let words: Words8 = words.as_chunks().0[half];
                // SAFETY: eight words have the size of a vector, and any bits are words.
                Half(unsafe { transmute::<Words8, __m256i>(words) })
            };
            let [a, b, c, d, e, number] = of.each_ref().map(load);
            let made = child([a, b, c, d, e], number);
            for (to, words) in children.iter_mut().zip(made) {
                // SAFETY: the same the other way.
                to.as_chunks_mut().0[half] = unsafe { transmute::<__m256i, Words8>(words.0) };
            }
        }
    }

    /// Messages that are hashed side by side: the instructions take several cycles each.
    const SIDE_BY_SIDE: usize = 4;

    /// Four rounds of each message, with what they need of later words.
    macro_rules! rounds {
        ($w:ident $abcd:ident $e:ident $($group:literal)+) => {$(
            for lane in 0..SIDE_BY_SIDE {
                let [m0, now, m2] = [($group + 3) % 4, $group % 4, ($group + 2) % 4];
                let words = &mut $w[lane];
                let with = if $group == 0 {
                    _mm_add_epi32($e[lane], words[now])
                } else {
                    _mm_sha1nexte_epu32($e[lane], words[now])
                };
                $e[lane] = $abcd[lane];
                if $group >= 3 && $group < 19 {
                    words[($group + 1) % 4] = _mm_sha1msg2_epu32(words[($group + 1) % 4], words[now]);
                }
                $abcd[lane] = _mm_sha1rnds4_epu32::<{ $group / 5 }>($abcd[lane], with);
                if $group >= 1 && $group < 17 {
                    words[m0] = _mm_sha1msg1_epu32(words[m0], words[now]);
                }
                if $group >= 2 && $group < 18 {
                    words[m2] = _mm_xor_si128(words[m2], words[now]);
                }
            }
        )+};
    }

    /// Hashes `len` children, four side by side, with the processor's instructions for SHA-1.
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    pub(super) fn sha(of: &Spawning, len: usize, children: &mut Spawned) {
        let vector = |words: [u32; 4]| {
            let [a, b, c, d] = words.map(u32::cast_signed);
            _mm_set_epi32(a, b, c, d)
        };
        let first = vector([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]);
        let first_e = vector([0xc3d2_e1f0, 0, 0, 0]);
        let (zero, last) = (vector([0; 4]), vector([0, 0, 0, 24 * 8]));
        for from in (0..len).step_by(SIDE_BY_SIDE) {
            let mut words: [[__m128i; 4]; SIDE_BY_SIDE] = std::array::from_fn(|lane| {
                let [a, b, c, d, e, number] = of.each_ref().map(|words| words[from + lane]);
                [vector([a, b, c, d]), vector([e, number, 1 << 31, 0]), zero, last]
            });
            let mut abcd = [first; SIDE_BY_SIDE];
            let mut e = [first_e; SIDE_BY_SIDE];
            rounds!(words abcd e 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
            for lane in 0..SIDE_BY_SIDE {
                let e = _mm_sha1nexte_epu32(e[lane], first_e);
                let abcd = _mm_add_epi32(abcd[lane], first);
                let state = [
                    _mm_extract_epi32::<3>(abcd),
                    _mm_extract_epi32::<2>(abcd),
                    _mm_extract_epi32::<1>(abcd),
                    _mm_extract_epi32::<0>(abcd),
                    _mm_extract_epi32::<3>(e),
                ];
                for (to, word) in children.iter_mut().zip(state) {
                    to[from + lane] = word.cast_unsigned();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::base::rng::Rng;
    use tresse_core::tasks::uts::Hash as _;

    use super::*;

    #[test]
    fn all_hashes_agree_to_the_bit() {
        let mut rng = Rng::new(4, 4);
        for len in (0..=16).cycle().take(200) {
            let of: Spawning = std::array::from_fn(|_| {
                std::array::from_fn(|_| u32::try_from(rng.bits() >> 32).unwrap())
            });
            let made = |hash: &Hash| {
                let mut children = Spawned::default();
                hash.spawn(&of, len, &mut children);
                children.map(|words| words[..len].to_vec())
            };
            let expected = made(&Hash::PORTABLE);
            for hash in Hash::all_supported() {
                assert_eq!(made(&hash), expected, "{} {len}", hash.name());
            }
        }
    }
}
