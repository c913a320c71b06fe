//! Trees: the parameters of the reference program.

use core::fmt;

use serde::Serialize;

/// Distribution of the number of children (`-t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// 0: the root has `b` children, every other node `m` of them with probability `q`, or none.
    Binomial,
    /// 1: geometric, with a mean that depends on the height.
    Geometric,
    /// 2: geometric up to a share of the depth, binomial below it.
    Hybrid,
    /// 3: `b` children each, up to the depth.
    Balanced,
}

impl Kind {
    /// All kinds, by their numbers.
    pub const ALL: [Self; 4] = [Self::Binomial, Self::Geometric, Self::Hybrid, Self::Balanced];

    /// Reports whether nodes have children by a probability (`-q`, `-m`), all of them or the lower
    /// ones.
    pub const fn is_binomial(self) -> bool {
        matches!(self, Self::Binomial | Self::Hybrid)
    }

    /// Reports whether nodes have children by a mean (`-a`), all of them or the upper ones.
    pub const fn is_geometric(self) -> bool {
        matches!(self, Self::Geometric | Self::Hybrid)
    }

    /// Reports whether the depth decides something (`-d`).
    pub const fn has_depth(self) -> bool {
        !matches!(self, Self::Binomial)
    }

    /// Reports whether upper nodes have other children than lower ones (`-f`).
    pub const fn is_mixed(self) -> bool {
        matches!(self, Self::Hybrid)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binomial => "binomial",
            Self::Geometric => "geometric",
            Self::Hybrid => "hybrid",
            Self::Balanced => "balanced",
        })
    }
}

/// Dependence of the mean of a geometric tree on the height (`-a`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// 0: the mean falls to 0 at the depth.
    Linear,
    /// 1: the mean falls as a power of the height, to 1 at the depth.
    Exponential,
    /// 2: the mean rises and falls, five times.
    Cyclic,
    /// 3: the mean is the same up to the depth.
    Fixed,
}

impl Shape {
    /// All shapes, by their numbers.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Exponential, Self::Cyclic, Self::Fixed];
}

/// The most children of a node that is not the root of a binomial tree.
pub(super) const MOST_CHILDREN: u32 = 100;

/// A tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tree {
    /// The distribution of the number of children (`-t`).
    pub kind: Kind,
    /// The mean number of children at the root, or that number (`-b`).
    pub branching: f64,
    /// The seed of the root (`-r`).
    pub seed: u32,
    /// The probability of children, binomial (`-q`).
    pub probability: f64,
    /// The number of children, binomial (`-m`).
    pub children: u32,
    /// The dependence of the mean on the height, geometric (`-a`).
    pub shape: Shape,
    /// The depth, but for binomial trees (`-d`).
    pub depth: u32,
    /// The share of the depth that is geometric, hybrid (`-f`).
    pub shift: f64,
    /// The number of times that each child is made: the weight of a node (`-g`).
    pub granularity: u32,
}

impl Default for Tree {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Tree {
    /// The parameters of the reference program, where none are given.
    pub const DEFAULT: Self = Self {
        kind: Kind::Geometric,
        branching: 4.0,
        seed: 0,
        probability: 15.0 / 64.0,
        children: 4,
        shape: Shape::Linear,
        depth: 6,
        shift: 0.5,
        granularity: 1,
    };

    /// Returns the flags of the reference program that make the tree, with what its kind has, and
    /// without its weight.
    pub const fn flags(&self) -> TreeFlags<'_> {
        TreeFlags(self)
    }
}

/// Flags of the reference program ([`Tree::flags`]).
#[derive(Clone, Copy, Debug)]
pub struct TreeFlags<'t>(&'t Tree);

impl fmt::Display for TreeFlags<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tree { kind, branching, seed, probability, children, shape, depth, shift, .. } =
            *self.0;
        write!(f, "-t {} -b {branching} -r {seed}", kind as u32)?;
        if kind.is_geometric() {
            write!(f, " -a {}", shape as u32)?;
        }
        if kind.has_depth() {
            write!(f, " -d {depth}")?;
        }
        if kind.is_mixed() {
            write!(f, " -f {shift}")?;
        }
        if kind.is_binomial() {
            write!(f, " -q {probability} -m {children}")?;
        }
        Ok(())
    }
}
