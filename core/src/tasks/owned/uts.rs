//! A tree of [`uts`](crate::tasks::uts) with its table.

use alloc::vec;
use alloc::vec::Vec;

use crate::tasks::uts::{Children, ChildrenNeeds, Count, Hash, Tree, TreeError};

/// A tree with the table of its numbers of children.
#[derive(Clone, Debug)]
pub struct OwnedTree {
    tree: Tree,
    thresholds: Vec<u32>,
}

impl OwnedTree {
    /// Makes the table of a tree.
    pub fn new(tree: &Tree) -> Result<Self, TreeError> {
        tree.validate()?;
        let mut thresholds = vec![0; ChildrenNeeds::of(tree).thresholds];
        Children::fill(tree, &mut thresholds);
        Ok(Self { tree: *tree, thresholds })
    }

    /// Returns the tree.
    pub const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the numbers of children of its nodes.
    pub fn children(&self) -> Children<'_> {
        Children::new(&self.tree, &self.thresholds)
    }

    /// Returns a count of its nodes, which has counted none.
    pub fn count<H: Hash>(&self, hash: H) -> Count<'_, H> {
        Count::new(self.children(), self.tree.granularity, hash)
    }
}
