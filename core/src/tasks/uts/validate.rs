//! Checks of trees before a search.

use core::fmt;

use super::named::NAMED;
use super::tree::{MOST_CHILDREN, Tree};

/// Reason why a tree cannot be searched.
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
    /// The tree is infinite: a node has one child or more in the mean.
    Infinite(f64),
    /// The tree is deeper than there are tables for.
    Depth(u32),
    /// Children would be made no time at all, or too often.
    Granularity(u32),
}

/// The deepest geometric tree.
const MOST_DEPTH: u32 = 1 << 16;

/// The heaviest node.
const MOST_GRANULARITY: u32 = 1 << 24;

impl Tree {
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
        if self.kind.is_binomial() && mean >= 1.0 && !is_known() {
            return Err(TreeError::Infinite(mean));
        }
        if self.kind.has_depth() && depth > MOST_DEPTH {
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
