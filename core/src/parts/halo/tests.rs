//! Rows that are copied at once, and what a mirror keeps.

extern crate std;

use self::std::sync::atomic::AtomicU64;
use self::std::vec;
use self::std::vec::Vec;

use super::{EDGE_BUFFERS, HEAD_WORDS, Mirror, block_copy};
use crate::base::id::SubdomainId;
use crate::base::unit::Unit;
use crate::run::schedule::Wanted;

#[test]
fn rows_are_read_as_far_as_both_sides_go() {
    let number = |index: usize| 1.0 + index as f64;
    for (shared, cells) in
        [(3, 3), (3, 2), (127, 127), (128, 128), (129, 128), (128, 131), (0, 500)]
    {
        let from: Vec<_> = (0..shared).map(|_| f64::shared_zero()).collect();
        from.iter().enumerate().for_each(|(index, cell)| f64::store(cell, number(index)));
        let mut into = vec![0.0; cells];
        block_copy::load_all::<f64>(&from, &mut into);
        for (index, cell) in into.into_iter().enumerate() {
            let expected = if index < shared { number(index) } else { 0.0 };
            assert_eq!(cell.to_bits(), expected.to_bits(), "{shared} into {cells}: {index}");
        }
    }
}

#[test]
fn rows_are_written_as_far_as_both_sides_go() {
    let number = |index: usize| 1.0 + index as f64;
    for (cells, shared) in
        [(3, 3), (3, 2), (127, 127), (128, 128), (129, 128), (128, 131), (0, 500)]
    {
        let from: Vec<_> = (0..cells).map(number).collect();
        let into: Vec<_> = (0..shared).map(|_| f64::shared_zero()).collect();
        block_copy::store_all::<f64>(&into, &from);
        for (index, cell) in into.iter().enumerate() {
            let expected = if index < cells { number(index) } else { 0.0 };
            let written = f64::load(cell).to_bits();
            assert_eq!(written, expected.to_bits(), "{cells} into {shared}: {index}");
        }
    }
}

/// A mirror goes from one neighbour to another; the version that is wanted of the new one lies
/// there of the one before, in the buffer that the new one's first edge leaves as it is.
#[test]
fn a_mirror_keeps_no_version_of_the_subdomain_before() {
    let words: [AtomicU64; HEAD_WORDS] = Default::default();
    let memory: Vec<_> = (0..EDGE_BUFFERS).map(|_| f64::shared_zero()).collect();
    let mirror = Mirror::<f64>::new(&words, &memory);
    let edge = [f64::shared_zero()];
    let (before, now) = (SubdomainId(1), SubdomainId(2));
    mirror.publish(before, 5, &edge);
    mirror.publish(before, 6, &edge);
    assert_eq!(mirror.read(before, Wanted::Exactly(5), |_| {}), Some(5));
    assert_eq!(mirror.read(before, Wanted::Exactly(6), |_| {}), Some(6));
    mirror.publish(now, 4, &edge);
    assert_eq!(mirror.read(before, Wanted::Newest, |_| {}), None);
    assert_eq!(mirror.read(now, Wanted::Exactly(6), |_| {}), None, "an edge of the one before");
    assert_eq!(mirror.read(now, Wanted::Exactly(4), |_| {}), Some(4));
}
