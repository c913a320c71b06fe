//! A node, and the making of its children, sixteen at a time.

use super::sha1;

/// A node of a tree: 24 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct Node {
    /// Its SHA-1 state.
    pub state: [u32; 5],
    /// Its distance from the root.
    pub height: u32,
}

impl Node {
    /// Returns the root of the trees with a seed.
    pub fn root(seed: u32) -> Self {
        Self { state: sha1::root(seed), height: 0 }
    }

    /// Returns its random number, below 2³¹.
    #[inline(always)]
    pub const fn random(&self) -> u32 {
        let [.., last] = self.state;
        last & 0x7fff_ffff
    }
}

/// Children that are made at a time.
pub const LANES: usize = 16;

/// Children to make: five words of the parent's state each, and the child's number.
pub type Spawning = [[u32; LANES]; 6];

/// The states of children, word by word.
pub type Spawned = [[u32; LANES]; 5];

/// Maker of the states of children. All give the same ones; some are faster.
pub trait Hash {
    /// Makes the states of the first `len` children that `of` describes; the places after them are
    /// undefined.
    fn spawn(&self, of: &Spawning, len: usize, children: &mut Spawned);
}

/// SHA-1 without the help of any processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Portable;

impl Hash for Portable {
    fn spawn(&self, of: &Spawning, len: usize, children: &mut Spawned) {
        let [a, b, c, d, e, numbers] = of;
        let [to_a, to_b, to_c, to_d, to_e] = children;
        let from = a.iter().zip(b).zip(c).zip(d).zip(e).zip(numbers).take(len);
        let to = to_a.iter_mut().zip(to_b).zip(to_c).zip(to_d).zip(to_e);
        for ((((((a, b), c), d), e), number), ((((to_a, to_b), to_c), to_d), to_e)) in from.zip(to)
        {
            [*to_a, *to_b, *to_c, *to_d, *to_e] = sha1::child([*a, *b, *c, *d, *e], *number);
        }
    }
}
