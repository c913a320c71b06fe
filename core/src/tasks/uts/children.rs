//! Numbers of children of nodes: integers only, once a table is made.
//!
//! For each height the number of children is a step function of the node's random number, whose
//! steps are found by trying the formula. So all machines agree, whatever their logarithm's last
//! bit is.

use super::node::Node;
use super::tree::{Kind, MOST_CHILDREN, Shape, Tree};
use crate::base::table::At;

/// Steps of a row are compared this many at a time.
const STEP: usize = 16;

/// Number of steps in one comparison, as a number of children.
const FULL: u32 = 16;

/// The most rows of a table: a tree whose mean falls for ever has the last of them below.
const MOST_ROWS: u32 = 4_096;

/// A number above any random number.
const NEVER: u32 = u32::MAX;

/// Memory for the table of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildrenNeeds {
    /// Thresholds.
    pub thresholds: usize,
}

impl ChildrenNeeds {
    /// Returns the needs of a tree's table.
    pub fn of(tree: &Tree) -> Self {
        Self { thresholds: rows(tree) as usize * row_len(tree) }
    }
}

/// Returns the number of heights whose nodes have their numbers of children by the table.
fn levels(tree: &Tree) -> u32 {
    let geometric = match tree.shape {
        Shape::Linear | Shape::Fixed => tree.depth,
        Shape::Exponential => u32::MAX,
        Shape::Cyclic => 5 * tree.depth + 1,
    };
    match tree.kind {
        Kind::Binomial => 0,
        Kind::Balanced => tree.depth,
        Kind::Geometric => geometric.max(1),
        Kind::Hybrid => {
            // The comparison is that of the reference program: height < shift × depth.
            let shift = rounded_up(tree.shift * f64::from(tree.depth));
            shift.min(geometric)
        }
    }
}

/// Returns the number of rows of the table: one for each height that has its own distribution.
fn rows(tree: &Tree) -> u32 {
    match (tree.kind, tree.shape) {
        (Kind::Balanced, _) | (Kind::Geometric | Kind::Hybrid, Shape::Fixed) => 1,
        _ => MOST_ROWS.min(levels(tree)),
    }
}

/// Returns the number of thresholds of a row, a multiple of [`STEP`]: the most children of any
/// node.
fn row_len(tree: &Tree) -> usize {
    let mean = |row| mean(tree, row);
    let most = (0..rows(tree)).map(|row| formula(mean(row), (1 << 31) - 1)).max().unwrap_or(0);
    let most = if tree.kind == Kind::Balanced { whole(tree.branching) } else { most };
    (most as usize).next_multiple_of(STEP).max(STEP)
}

/// Returns a number without its fraction, within the bounds of its type.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cut off at the bounds"
)]
const fn rounded_down(number: f64) -> u32 {
    number as u32
}

/// Returns the least whole number that is not less.
fn rounded_up(number: f64) -> u32 {
    let below = rounded_down(number);
    below + u32::from(f64::from(below) < number)
}

/// Returns a number of children without its fraction, at most [`MOST_CHILDREN`].
fn whole(number: f64) -> u32 {
    rounded_down(number).min(MOST_CHILDREN)
}

/// Returns the mean number of children of a geometric tree at a height.
fn mean(tree: &Tree, height: u32) -> f64 {
    let (height, depth, b) = (f64::from(height), f64::from(tree.depth), tree.branching);
    if height == 0.0 {
        return b;
    }
    match tree.shape {
        Shape::Linear => b * (1.0 - height / depth),
        Shape::Exponential => b * libm::pow(height, -libm::log(b) / libm::log(depth)),
        Shape::Cyclic if height > 5.0 * depth => 0.0,
        Shape::Cyclic => libm::pow(b, libm::sin(2.0 * core::f64::consts::PI * height / depth)),
        Shape::Fixed if height < depth => b,
        Shape::Fixed => 0.0,
    }
}

/// Returns the number of children for a mean and a random number below 2³¹, by the geometric
/// distribution.
fn formula(mean: f64, random: u32) -> u32 {
    if mean.is_nan() || mean <= 0.0 {
        return 0;
    }
    let p = 1.0 / (1.0 + mean);
    let u = f64::from(random) / f64::from(1_u32 << 31);
    whole(libm::log(1.0 - u) / libm::log(1.0 - p))
}

/// Returns the least random number with which there are at least so many children.
fn threshold(mean: f64, children: u32) -> u32 {
    let (mut few, mut enough) = (0_u32, 1_u32 << 31);
    while few < enough {
        let middle = few + (enough - few) / 2;
        if formula(mean, middle) >= children {
            enough = middle;
        } else {
            few = middle + 1;
        }
    }
    if enough == 1 << 31 { NEVER } else { enough }
}

/// The numbers of children of a tree's nodes.
#[derive(Clone, Copy, Debug)]
pub struct Children<'m> {
    /// The root's, if it has a number of its own.
    root: Option<u32>,
    /// The heights that have their children by the table.
    levels: u32,
    rows: u32,
    row_len: usize,
    thresholds: &'m [u32],
    /// Below those: with random numbers below the first, the second number of children.
    binomial: (u32, u32),
}

impl<'m> Children<'m> {
    /// Fills `thresholds`, of the length of [`ChildrenNeeds`], with the table of a
    /// [valid](Tree::validate) tree.
    pub fn fill(tree: &Tree, thresholds: &mut [u32]) {
        let row_len = row_len(tree);
        for (row, height) in thresholds.chunks_exact_mut(row_len).zip(0..) {
            let mean = mean(tree, height);
            for (place, children) in row.iter_mut().zip(1..) {
                *place = match tree.kind {
                    Kind::Balanced if children <= whole(tree.branching) => 0,
                    Kind::Balanced => NEVER,
                    _ if children > MOST_CHILDREN => NEVER,
                    _ => threshold(mean, children),
                };
            }
        }
    }

    /// Returns the numbers of children of a [valid](Tree::validate) tree with its
    /// [table](Self::fill).
    pub fn new(tree: &Tree, thresholds: &'m [u32]) -> Self {
        let (rows, row_len) = (rows(tree), row_len(tree));
        let probability = rounded_up(tree.probability * f64::from(1_u32 << 31));
        let below = if tree.kind.is_binomial() { probability } else { 0 };
        let root = (tree.kind == Kind::Binomial).then_some(rounded_down(tree.branching));
        Self {
            root,
            levels: levels(tree),
            rows,
            row_len,
            thresholds: thresholds.stretch(..rows as usize * row_len),
            binomial: (below, tree.children),
        }
    }

    /// Returns the number of children of a node, by its height and its random number.
    #[inline(always)]
    pub fn of(&self, node: &Node) -> u32 {
        let random = node.random();
        if node.height < self.levels {
            let row = node.height.min(self.rows.saturating_sub(1)) as usize * self.row_len;
            let row = self.thresholds.stretch(row..row + self.row_len);
            let mut children = 0;
            // The loop has no branches among sixteen, which nobody could predict.
            for steps in row.as_chunks::<STEP>().0 {
                let more: u32 = steps.iter().map(|&least| u32::from(random >= least)).sum();
                children += more;
                if more < FULL {
                    break;
                }
            }
            return children;
        }
        match self.root {
            Some(children) if node.height == 0 => children,
            _ if random < self.binomial.0 => self.binomial.1,
            _ => 0,
        }
    }
}
