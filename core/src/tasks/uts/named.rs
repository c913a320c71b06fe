//! The trees that have names, with their published counts.

use super::totals::Totals;
use super::tree::{Kind, Shape, Tree};
use crate::base::grammar::ParseError;

/// Counts of a tree, as far as they are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Nodes.
    pub nodes: u64,
    /// The largest height.
    pub depth: Option<u32>,
    /// Nodes without children.
    pub leaves: Option<u64>,
}

impl Published {
    /// Whether the counts of a search are the published ones, as far as those are known.
    pub fn agrees(&self, found: &Totals) -> bool {
        self.nodes == found.nodes
            && self.depth.is_none_or(|depth| depth == found.depth)
            && self.leaves.is_none_or(|leaves| leaves == found.leaves)
    }
}

/// A tree with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedTree {
    /// Its name in the reference distribution.
    pub name: &'static str,
    /// The tree.
    pub tree: Tree,
    /// Its counts.
    pub published: Published,
}

impl NamedTree {
    /// Returns the tree of a name, in upper or lower case.
    pub fn parse(name: &str) -> Result<Self, ParseError> {
        let found = NAMED.iter().find(|named| named.name.eq_ignore_ascii_case(name));
        found.copied().ok_or(ParseError::new("the name of a tree, such as T1, T3L or T2XXL"))
    }
}

const fn counts(nodes: u64, depth: u32, leaves: u64) -> Published {
    Published { nodes, depth: Some(depth), leaves: Some(leaves) }
}

const fn geometric(shape: Shape, depth: u32, branching: f64, seed: u32) -> Tree {
    Tree { branching, seed, shape, depth, ..Tree::DEFAULT }
}

const fn binomial(probability: f64, children: u32, seed: u32) -> Tree {
    Tree { kind: Kind::Binomial, branching: 2000.0, seed, probability, children, ..Tree::DEFAULT }
}

const fn named(name: &'static str, tree: Tree, published: Published) -> NamedTree {
    NamedTree { name, tree, published }
}

use Shape::{Cyclic, Fixed, Linear};

/// The trees of the reference distribution, the smallest first.
pub const NAMED: [NamedTree; 15] = [
    named("T1", geometric(Fixed, 10, 4.0, 19), counts(4_130_071, 10, 3_305_118)),
    named("T5", geometric(Linear, 20, 4.0, 34), counts(4_147_582, 20, 2_181_318)),
    named("T2", geometric(Cyclic, 16, 6.0, 502), counts(4_117_769, 81, 2_342_762)),
    named("T3", binomial(0.124_875, 8, 42), counts(4_112_897, 1572, 3_599_034)),
    named(
        "T4",
        Tree { kind: Kind::Hybrid, ..geometric(Linear, 16, 6.0, 1) },
        counts(4_132_453, 134, 3_108_986),
    ),
    named("T1L", geometric(Fixed, 13, 4.0, 29), counts(102_181_082, 13, 81_746_377)),
    named("T2L", geometric(Cyclic, 23, 7.0, 220), counts(96_793_510, 67, 53_791_152)),
    named("T3L", binomial(0.200_014, 5, 7), counts(111_345_631, 17_844, 89_076_904)),
    named("T1XL", geometric(Fixed, 15, 4.0, 29), counts(1_635_119_272, 15, 1_308_100_063)),
    named(
        "T3XXL",
        binomial(0.499_995, 2, 316),
        Published { nodes: 2_793_220_501, depth: None, leaves: None },
    ),
    named(
        "T1XXL",
        geometric(Fixed, 15, 4.0, 19),
        Published { nodes: 4_230_646_601, depth: Some(15), leaves: None },
    ),
    named("T2XXL", binomial(0.499_999_995, 2, 0), counts(10_612_052_303, 216_370, 5_306_027_151)),
    named("T3WL", binomial(0.499_999_5, 2, 559), counts(157_063_495_159, 758_577, 78_531_748_579)),
    named("T1WL", geometric(Fixed, 18, 4.0, 19), counts(270_751_679_750, 18, 216_601_257_283)),
    named(
        "T2WL",
        binomial(0.499_999_999_5, 2, 559),
        counts(295_393_891_003, 1_021_239, 147_696_946_501),
    ),
];
