//! Unbalanced trees: what is published of them, and SHA-1 by others.

#![expect(clippy::unwrap_used, reason = "trees that make sense")]

use tresse_core::tasks::owned::OwnedTree;
use tresse_core::tasks::sharing::{Extent, Stack, Work};
use tresse_core::tasks::uts::{
    Hash, Kind, NAMED, NamedTree, Node, Portable, Totals, Tree, TreeError,
};

/// Counts a tree on one thread, so many nodes at a time.
fn count(tree: &Tree, hash: impl Hash, most: u32) -> Totals {
    let tree = OwnedTree::new(tree).unwrap();
    let mut count = tree.count(hash);
    let (mut memory, mut extent) = (vec![Node::default(); 1 << 20], Extent::NONE);
    let mut stack = Stack::new(&mut memory, &mut extent);
    stack.push(Node::root(tree.tree().seed)).unwrap();
    while count.run(&mut stack, most).unwrap() > 0 {}
    count.totals()
}

#[test]
fn small_trees_have_the_published_counts() {
    for name in ["T1", "T2", "T3", "T4", "T5"] {
        let named = NamedTree::parse(name).unwrap();
        let found = count(&named.tree, Portable, 1_000);
        assert!(named.published.agrees(&found), "{name}: {found:?}");
    }
}

#[test]
fn it_does_not_matter_how_many_nodes_are_made_at_a_time() {
    let tree = Tree { depth: 8, ..NamedTree::parse("T1").unwrap().tree };
    let all = count(&tree, Portable, u32::MAX);
    assert!(all.nodes > 1_000, "{all:?}");
    for most in [1, 2, 7, 16, 100] {
        assert_eq!(count(&tree, Portable, most), all, "{most}");
    }
    // A node's weight changes nothing but the time.
    assert_eq!(count(&Tree { granularity: 3, ..tree }, Portable, 64), all);
}

#[test]
fn a_full_stack_loses_no_node() {
    let tree = NamedTree::parse("T3").unwrap().tree;
    let owned = OwnedTree::new(&tree).unwrap();
    let mut count = owned.count(Portable);
    let (mut memory, mut extent) = (vec![Node::default(); 2], Extent::NONE);
    Stack::new(&mut memory, &mut extent).push(Node::root(tree.seed)).unwrap();
    let mut times_full = 0;
    loop {
        match count.run(&mut Stack::new(&mut memory, &mut extent), 1_000) {
            Ok(0) => break,
            Ok(_) => {}
            Err(full) => {
                times_full += 1;
                memory.resize(memory.len() + full.more, Node::default());
            }
        }
    }
    assert!(times_full > 3, "{times_full}");
    assert!(NamedTree::parse("t3").unwrap().published.agrees(&count.totals()));
}

#[test]
fn trees_that_never_end_are_refused() {
    let tree = Tree { kind: Kind::Binomial, probability: 0.25, children: 4, ..Tree::DEFAULT };
    assert_eq!(tree.validate(), Err(TreeError::Infinite(1.0)));
    assert_eq!(Tree { children: 3, ..tree }.validate(), Ok(()));
    let bad = Tree { probability: f64::NAN, ..tree };
    assert!(matches!(bad.validate(), Err(TreeError::Probability(_))));
    let bad = Tree { branching: f64::INFINITY, ..Tree::DEFAULT };
    assert!(matches!(bad.validate(), Err(TreeError::Branching(_))));
    assert_eq!(Tree { granularity: 0, ..Tree::DEFAULT }.validate(), Err(TreeError::Granularity(0)));
    // With the seed of T3L the tree is known to end, though a node has 1.00007 children in the
    // mean.
    let known = NamedTree::parse("T3L").unwrap().tree;
    assert!(matches!(Tree { seed: 8, ..known }.validate(), Err(TreeError::Infinite(_))));
    assert!(NamedTree::parse("T6").is_err());
}

#[test]
fn the_named_trees_make_sense() {
    for named in NAMED {
        assert_eq!(named.tree.validate(), Ok(()), "{}", named.name);
    }
}
