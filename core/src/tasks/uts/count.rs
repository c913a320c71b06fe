//! Counting: the search as work for a pool.

use super::children::Children;
use super::node::{Hash, LANES, Node, Spawned, Spawning};
use super::totals::Totals;
use crate::base::table::At;
use crate::tasks::sharing::{Full, Stack, Work};

/// Children that are to be made, of one parent or several.
#[derive(Clone, Debug)]
struct Batch {
    /// The parents' states and the children's numbers.
    parents: Spawning,
    heights: [u32; LANES],
    /// Children that wait.
    len: usize,
    /// Memory for their states.
    children: Spawned,
}

/// Counts the nodes of a tree.
#[derive(Clone, Debug)]
pub struct Count<'t, H> {
    children: Children<'t>,
    /// How often each child is made: the weight of a node.
    granularity: u32,
    hash: H,
    totals: Totals,
    batch: Batch,
}

impl<'t, H: Hash> Count<'t, H> {
    /// Returns a count in which nothing is counted yet.
    pub const fn new(children: Children<'t>, granularity: u32, hash: H) -> Self {
        let batch = Batch {
            parents: [[0; LANES]; 6],
            heights: [0; LANES],
            len: 0,
            children: [[0; LANES]; 5],
        };
        let totals = Totals { nodes: 0, leaves: 0, depth: 0 };
        Self { children, granularity, hash, totals, batch }
    }

    /// Returns the totals so far.
    pub const fn totals(&self) -> Totals {
        self.totals
    }

    /// Adds the children of a node to the batch, `children` of them. The stack has places for all,
    /// and for those that wait in the batch.
    #[inline(always)]
    fn spawn(
        &mut self,
        node: &Node,
        children: u32,
        stack: &mut Stack<'_, Node>,
    ) -> Result<(), Full> {
        let [a, b, c, d, e] = node.state;
        for number in 0..children {
            let Batch { parents, heights, len, .. } = &mut self.batch;
            for (words, word) in parents.iter_mut().zip([a, b, c, d, e, number]) {
                if let Some(place) = words.get_mut(*len) {
                    *place = word;
                }
            }
            if let Some(place) = heights.get_mut(*len) {
                *place = node.height + 1;
            }
            *len += 1;
            if *len == LANES {
                self.flush(stack)?;
            }
        }
        Ok(())
    }

    /// Makes the children that wait in the batch, and puts them on the stack.
    #[inline(always)]
    fn flush(&mut self, stack: &mut Stack<'_, Node>) -> Result<(), Full> {
        let Self { hash, batch: Batch { parents, heights, len, children }, granularity, .. } = self;
        for _ in 0..*granularity {
            // Heavier nodes are made again and again, and the compiler must not notice.
            hash.spawn(core::hint::black_box(parents), *len, children);
        }
        let mut nodes = [Node::default(); LANES];
        let [a, b, c, d, e] = &*children;
        let words = a.iter().zip(b).zip(c).zip(d).zip(e).zip(&*heights);
        for (node, (((((a, b), c), d), e), height)) in nodes.iter_mut().zip(words) {
            *node = Node { state: [*a, *b, *c, *d, *e], height: *height };
        }
        let made = nodes.stretch(..*len);
        *len = 0;
        stack.extend(made)
    }
}

impl<H: Hash> Work for Count<'_, H> {
    type Task = Node;
    type Outcome = Totals;

    fn execute(&mut self, node: &Node, stack: &mut Stack<'_, Node>) -> Result<Totals, Full> {
        let children = self.children.of(node);
        stack.reserve(children as usize)?;
        self.spawn(node, children, stack)?;
        if self.batch.len > 0 {
            self.flush(stack)?;
        }
        Ok(Totals { nodes: 1, leaves: u64::from(children == 0), depth: node.height })
    }

    fn commit(&mut self, _: &Node, outcome: Totals) {
        self.totals = self.totals.and(outcome);
    }

    fn run(&mut self, stack: &mut Stack<'_, Node>, most: u32) -> Result<u32, Full> {
        let (mut done, mut leaves, mut depth) = (0, 0, self.totals.depth);
        let mut full = None;
        while done < most {
            let Some(node) = stack.pop() else {
                if self.batch.len == 0 {
                    break;
                }
                self.flush(stack)?;
                continue;
            };
            let children = self.children.of(&node);
            if children == 0 {
                leaves += 1;
            } else {
                if let Err(error) = stack.reserve(self.batch.len + children as usize) {
                    // There is still a place for it, and for each that waits.
                    stack.push(node)?;
                    full = Some(error);
                    break;
                }
                self.spawn(&node, children, stack)?;
            }
            depth = depth.max(node.height);
            done += 1;
        }
        if self.batch.len > 0 {
            self.flush(stack)?;
        }
        let totals = Totals { nodes: u64::from(done), leaves, depth };
        self.totals = self.totals.and(totals);
        match full {
            Some(full) if done == 0 => Err(full),
            _ => Ok(done),
        }
    }
}
