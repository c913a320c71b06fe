//! What decides a tree: the parameters of the reference program.

use core::fmt;

use serde::Serialize;

use super::named::NAMED;

/// How the number of children is distributed (`-t`).
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
    /// All of them, by their numbers.
    pub const ALL: [Self; 4] = [Self::Binomial, Self::Geometric, Self::Hybrid, Self::Balanced];
}

/// How the mean of a geometric tree depends on the height (`-a`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// 0: it falls to 0 at the depth.
    Linear,
    /// 1: it falls as a power of the height, to 1 at the depth.
    Exponential,
    /// 2: it rises and falls, five times.
    Cyclic,
    /// 3: it is the same up to the depth.
    Fixed,
}

impl Shape {
    /// All of them, by their numbers.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Exponential, Self::Cyclic, Self::Fixed];
}

/// The most children of a node that is not the root of a binomial tree.
pub(super) const MOST_CHILDREN: u32 = 100;

/// A tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tree {
    /// How many children there are (`-t`).
    pub kind: Kind,
    /// The mean number of children at the root, or that number (`-b`).
    pub branching: f64,
    /// The seed of the root (`-r`).
    pub seed: u32,
    /// The probability of children, binomial (`-q`).
    pub probability: f64,
    /// The number of children, binomial (`-m`).
    pub children: u32,
    /// How the mean depends on the height, geometric (`-a`).
    pub shape: Shape,
    /// The depth, but for binomial trees (`-d`).
    pub depth: u32,
    /// The share of the depth that is geometric, hybrid (`-f`).
    pub shift: f64,
    /// How often each child is made: the weight of a node (`-g`).
    pub granularity: u32,
}

impl Default for Tree {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why a tree cannot be searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TreeError {
    /// The branching factor is not a number from 0 to 2³⁰.
    Branching(f64),
    /// The probability is not a number from 0 to 1.
    Probability(f64),
    /// The share of the depth is not a number from 0 to 1.
    Shift(f64),
    /// A node would have more children than the reference program allows.
    Children(u32),
    /// It is infinite: a node has one child or more in the mean.
    Infinite(f64),
    /// It is deeper than there are tables for.
    Depth(u32),
    /// Children would be made no time at all, or too often.
    Granularity(u32),
}

/// The deepest geometric tree.
const MOST_DEPTH: u32 = 1 << 16;

/// The heaviest node.
const MOST_GRANULARITY: u32 = 1 << 24;

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

    /// Checks that the search ends, and can begin.
    pub fn validate(&self) -> Result<(), TreeError> {
        let Self { branching, probability, shift, children, depth, granularity, .. } = *self;
        if !(0.0..=f64::from(1 << 30)).contains(&branching) {
            return Err(TreeError::Branching(branching));
        }
        if !(0.0..=1.0).contains(&probability) {
            return Err(TreeError::Probability(probability));
        }
        if !(0.0..=1.0).contains(&shift) {
            return Err(TreeError::Shift(shift));
        }
        if children > MOST_CHILDREN {
            return Err(TreeError::Children(children));
        }
        let mean = probability * f64::from(children);
        // Some seeds end all the same: those of named trees are known to.
        let is_known = || NAMED.iter().any(|named| named.tree == *self);
        if matches!(self.kind, Kind::Binomial | Kind::Hybrid) && mean >= 1.0 && !is_known() {
            return Err(TreeError::Infinite(mean));
        }
        if self.kind != Kind::Binomial && depth > MOST_DEPTH {
            return Err(TreeError::Depth(depth));
        }
        if granularity == 0 || granularity > MOST_GRANULARITY {
            return Err(TreeError::Granularity(granularity));
        }
        Ok(())
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branching(value) => {
                write!(f, "a branching factor of {value} is not between 0 and {}", 1 << 30)
            }
            Self::Probability(value) => {
                write!(f, "a probability of {value} is not between 0 and 1")
            }
            Self::Shift(value) => {
                write!(f, "a share of the depth of {value} is not between 0 and 1")
            }
            Self::Children(value) => {
                write!(f, "{value} children of a node are more than {MOST_CHILDREN}")
            }
            Self::Infinite(mean) => {
                write!(
                    f,
                    "the tree is infinite: a node has {mean} children in the mean, which must be below 1"
                )
            }
            Self::Depth(value) => write!(f, "a depth of {value} is more than {MOST_DEPTH}"),
            Self::Granularity(value) => {
                write!(f, "a granularity of {value} is not between 1 and {MOST_GRANULARITY}")
            }
        }
    }
}

impl core::error::Error for TreeError {}
