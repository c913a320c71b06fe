//! Unbalanced Tree Search: counting the nodes of a tree that nobody knows before (Olivier et al.
//! 2006).
//!
//! A node is a SHA-1 state; its children's are hashes of it and of their numbers, and the number of
//! its children is a function of its own. So the tree is the same wherever its parts are made, and
//! the number of its nodes and leaves and its depth do not depend on who counts what.
#![expect(clippy::many_single_char_names, reason = "the names of the words of a SHA-1 state")]

mod children;
mod count;
mod named;
mod node;
mod sha1;
mod totals;
mod tree;
mod validate;

pub use children::{Children, ChildrenNeeds};
pub use count::Count;
pub use named::{NAMED, NamedTree, Published};
pub use node::{Hash, LANES, Node, Portable, Spawned, Spawning};
pub use sha1::{Words, child, root};
pub use totals::Totals;
pub use tree::{Kind, Shape, Tree, TreeFlags};
pub use validate::TreeError;
