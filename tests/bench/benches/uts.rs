//! One tree, counted on one thread with our hash and with the compression function of the crate
//! `sha1`, pair by pair: medians, and the ratio.
//!
//! `cargo bench -p tresse-bench --bench uts [-- TREE [PAIRS]]`
//!
//! Both make the same search, in turns, so that other programs on the machine disturb both alike;
//! each turn is measured in the thread's own processor time.
#![expect(clippy::print_stdout, reason = "the figures are for a person")]

use rustix::time::{ClockId, clock_gettime};
use sha1::block_api::compress;
use tresse::engine::hashes;
use tresse_core::tasks::owned::OwnedTree;
use tresse_core::tasks::sharing::{Extent, Stack, Work};
use tresse_core::tasks::uts::{Hash, NamedTree, Node, Spawned, Spawning};

/// The state that SHA-1 begins with (FIPS 180-4, section 5.3.1).
const INITIAL: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// A child at a time, by the crate: the block as bytes, then its fastest compression function.
struct Sha1Crate;

impl Hash for Sha1Crate {
    fn spawn(&self, of: &Spawning, len: usize, children: &mut Spawned) {
        for lane in 0..len {
            let mut block = [0; 64];
            for (word, bytes) in of.iter().zip(block.chunks_exact_mut(4)) {
                bytes.copy_from_slice(&word[lane].to_be_bytes());
            }
            // The end of a message of 24 bytes, and its length in bits.
            (block[24], block[63]) = (0x80, 24 * 8);
            let mut state = INITIAL;
            compress(&mut state, &[block]);
            for (words, word) in children.iter_mut().zip(state) {
                words[lane] = word;
            }
        }
    }
}

/// Nodes, and the thread's own seconds.
fn count(tree: &OwnedTree, hash: impl Hash) -> (u64, f64) {
    let mut count = tree.count(hash);
    let (mut memory, mut extent) = (vec![Node::default(); 1 << 22], Extent::NONE);
    let mut stack = Stack::new(&mut memory, &mut extent);
    stack.push(Node::root(tree.tree().seed)).unwrap_or_else(|full| panic!("{full}"));
    let begin = seconds();
    while count.run(&mut stack, 1 << 16).unwrap_or_else(|full| panic!("{full}")) > 0 {}
    (count.totals().nodes, seconds() - begin)
}

fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let name = words.next().unwrap_or_else(|| "T1".to_owned());
    let pairs: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(7).max(1);
    let named = NamedTree::parse(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let tree = OwnedTree::new(&named.tree).unwrap_or_else(|error| panic!("{error}"));
    let best = hashes::Hash::best();
    let (mut ours, mut theirs, mut ratios) = (vec![], vec![], vec![]);
    for _ in 0..pairs {
        let ((nodes, own), (other, crates)) = (count(&tree, best), count(&tree, Sha1Crate));
        assert_eq!((nodes, other), (named.published.nodes, nodes), "the published count");
        ours.push(nodes as f64 / own * 1e-6);
        theirs.push(nodes as f64 / crates * 1e-6);
        ratios.push(crates / own);
    }
    println!("tree {name}, medians of {pairs} pairs; Mnodes/s of one thread's processor time");
    println!("tresse ({})  {:.2}", best.name(), median(ours));
    println!("crate sha1     {:.2}", median(theirs));
    println!("ratio          {:.2}", median(ratios));
}
