//! A tree that is known in full, and work on it that notes which worker has executed each node.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tresse_core::tasks::owned::OwnedTree;
use tresse_core::tasks::sharing::{Extent, Full, Stack, Work};
use tresse_core::tasks::uts::{Node, Portable, Tree};

use crate::views::solve::sentence;

/// Greatest number of nodes that are drawn.
const MOST_NODES: usize = 30_000;

/// Mark of a node that no worker knows of.
pub const UNSEEN: u8 = 0;
/// Mark of a node that waits to be executed.
pub const WAITS: u8 = 1;
/// First mark of executed nodes: a mark less `DONE` is twice the number of the worker, plus 1 where
/// the worker executed the node before it was certain that it might.
pub const DONE: u8 = 2;

/// The nodes of a tree, each before its children.
#[derive(Debug)]
pub struct Forest {
    numbers: HashMap<[u32; 5], usize>,
    children: Vec<Vec<Node>>,
    /// Parent of each node; the root is its own parent.
    pub parents: Vec<u32>,
    /// Distance of each node from the root.
    pub heights: Vec<u32>,
    /// Position of each node from left to right, from 0 to 1: leaves are side by side, and other
    /// nodes above the middle of their children.
    pub across: Vec<f32>,
}

impl Forest {
    /// Searches a tree once. An error is a sentence.
    pub fn new(tree: &Tree) -> Result<Self, String> {
        let owned = OwnedTree::new(tree).map_err(|error| sentence(&error))?;
        let mut count = owned.count(Portable);
        let root = Node::root(tree.seed);
        let mut forest = Self {
            numbers: HashMap::from([(root.state, 0)]),
            children: Vec::new(),
            parents: vec![0],
            heights: vec![0],
            across: Vec::new(),
        };
        let mut places = vec![Node::default(); 1 << 12];
        let mut nodes = vec![root];
        let mut next = 0;
        while let Some(node) = nodes.get(next).copied() {
            let children = loop {
                let mut extent = Extent::NONE;
                let mut stack = Stack::new(&mut places, &mut extent);
                match count.execute(&node, &mut stack) {
                    Ok(_) => break stack.as_slice().to_vec(),
                    Err(Full { more }) if more <= MOST_NODES => {
                        places.resize(more * 2, Node::default());
                    }
                    Err(_) => return Err(too_large()),
                }
            };
            for child in &children {
                forest.numbers.insert(child.state, nodes.len());
                forest.parents.push(u32::try_from(next).unwrap_or(u32::MAX));
                forest.heights.push(child.height);
                nodes.push(*child);
            }
            if nodes.len() > MOST_NODES {
                return Err(too_large());
            }
            forest.children.push(children);
            next += 1;
        }
        forest.lay_out();
        Ok(forest)
    }

    /// Returns the number of nodes.
    pub const fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns the number of a node in the forest.
    fn number(&self, node: &Node) -> usize {
        self.numbers.get(&node.state).copied().unwrap_or(0)
    }

    /// Returns the children of a node.
    fn children(&self, number: usize) -> &[Node] {
        self.children.get(number).map(Vec::as_slice).unwrap_or_default()
    }

    /// Places the leaves in the order of a search, from left to right, and all other nodes above
    /// them.
    fn lay_out(&mut self) {
        let mut across = vec![0.0_f32; self.len()];
        let mut leaves = 0_u32;
        // Each node is met twice: before and after its children.
        let mut path = vec![(0_usize, false)];
        while let Some((number, is_done)) = path.pop() {
            let children: Vec<usize> =
                self.children(number).iter().map(|node| self.number(node)).collect();
            let middle = match children.as_slice() {
                [] => {
                    leaves += 1;
                    leaves as f32
                }
                [first, .., last] | [first @ last] if is_done => {
                    let of = |number: &usize| across.get(*number).copied().unwrap_or(0.0);
                    f32::midpoint(of(first), of(last))
                }
                _ => {
                    path.push((number, true));
                    path.extend(children.iter().rev().map(|&child| (child, false)));
                    continue;
                }
            };
            if let Some(place) = across.get_mut(number) {
                *place = middle;
            }
        }
        for place in &mut across {
            *place = (*place - 0.5) / leaves.max(1) as f32;
        }
        self.across = across;
    }
}

/// Returns the sentence that refuses a tree of more than `MOST_NODES` nodes.
fn too_large() -> String {
    format!(
        "The tree has more than {MOST_NODES} nodes, too many to be drawn: choose a smaller branching factor or \
             probability, or `tresse uts`."
    )
}

/// The mark of each node, which all workers share.
pub type Marks = Rc<RefCell<Vec<u8>>>;

/// The work of one worker, which searches the tree.
#[derive(Clone, Debug)]
pub struct Grow {
    forest: Rc<Forest>,
    marks: Marks,
    own: u8,
}

impl Grow {
    /// Returns the work of a worker.
    pub fn new(forest: Rc<Forest>, marks: Marks, worker: u32) -> Self {
        Self { forest, marks, own: DONE + 2 * u8::try_from(worker).unwrap_or(u8::MAX / 4) }
    }

    /// Changes the mark of a node, by its number in the forest.
    fn mark(&self, number: usize, change: impl FnOnce(u8) -> u8) {
        if let Ok(mut marks) = self.marks.try_borrow_mut()
            && let Some(mark) = marks.get_mut(number)
        {
            *mark = change(*mark);
        }
    }
}

impl Work for Grow {
    type Task = Node;
    type Outcome = ();

    fn execute(&mut self, task: &Node, stack: &mut Stack<'_, Node>) -> Result<(), Full> {
        let number = self.forest.number(task);
        stack.extend(self.forest.children(number))?;
        // Until it is certain whose it is.
        self.mark(number, |mark| if mark < DONE { self.own + 1 } else { mark });
        for child in self.forest.children(number) {
            self.mark(self.forest.number(child), |mark| mark.max(WAITS));
        }
        Ok(())
    }

    fn commit(&mut self, task: &Node, (): ()) {
        self.mark(self.forest.number(task), |_| self.own);
    }

    fn undo(&mut self, task: &Node, (): ()) {
        // Whose it is may have executed it already.
        self.mark(self.forest.number(task), |mark| if mark == self.own + 1 { WAITS } else { mark });
    }
}
