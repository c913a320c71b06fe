//! Examples that can be followed by hand.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "a test may panic")]

use super::*;
use crate::base::heap::Entry;
use crate::base::id::ObjectId;
use crate::base::rng::Rng;

/// Memory that the largest example needs.
const MOST: usize = 40;

type Method =
    fn(&Objects<'_>, u32, &mut [ProcessorId], CentralMemory<'_>) -> Result<(), CentralError>;

/// Returns the processors of up to 20 objects, and the loads of up to 10 processors.
fn placed(
    method: Method,
    loads: &[u64],
    fixed: &[bool],
    start: &[u32],
    processors: u32,
) -> ([u32; 20], [u64; 10]) {
    let objects = Objects::new(loads, fixed).unwrap();
    let mut owners = [ProcessorId(0); 20];
    for (owner, &start) in owners.iter_mut().zip(start) {
        *owner = ProcessorId(start);
    }
    let mut sums = [0; 10];
    let memory = CentralMemory {
        objects: &mut [Entry::EMPTY; MOST],
        processors: &mut [Entry::EMPTY; MOST],
        loads: &mut sums,
        subsets: &mut [Subset::EMPTY; MOST],
        partitions: &mut [Partition::EMPTY; MOST],
    };
    let owners = owners.get_mut(..loads.len()).unwrap();
    method(&objects, processors, owners, memory).unwrap();
    let mut placed = [u32::MAX; 20];
    for (place, owner) in placed.iter_mut().zip(owners) {
        *place = owner.0;
    }
    (placed, sums)
}

#[test]
fn longest_processing_time_first_as_by_hand() {
    // 8 | 7 | 6 → 5 to the third, 4 to the second.
    let (owners, loads) = placed(lpt, &[4, 5, 6, 7, 8], &[], &[], 3);
    assert!(owners.starts_with(&[1, 2, 2, 1, 0, u32::MAX]));
    assert!(loads.starts_with(&[8, 11, 11, 0]));
    // Equal loads by id, equal processors by id.
    let (owners, _) = placed(lpt, &[1, 1, 0, 1, 1], &[], &[], 2);
    assert!(owners.starts_with(&[0, 1, 0, 0, 1, u32::MAX]));
}

/// Graham's worst case: 2m + 1 objects, two each of 2m − 1 … m + 1 and three of m; the optimum is
/// 3m, longest processing time first ends at 4m − 1.
#[test]
fn longest_processing_time_first_has_its_worst_case() {
    let (_, loads) = placed(lpt, &[5, 5, 4, 4, 3, 3, 3], &[], &[], 3);
    assert_eq!(loads.iter().max(), Some(&11));
    let (_, loads) = placed(lpt, &[7, 7, 6, 6, 5, 5, 4, 4, 4], &[], &[], 4);
    assert_eq!(loads.iter().max(), Some(&15));
}

/// 8 − 7 = 1, 6 − 5 = 1, 4 − 1 = 3, 3 − 1 = 2; longest processing time first ends at 4, the optimum
/// is 0.
#[test]
fn differencing_as_in_the_textbook() {
    let (_, loads) = placed(karmarkar_karp, &[8, 7, 6, 5, 4], &[], &[], 2);
    assert!(loads.starts_with(&[16, 14, 0]));
    let (_, loads) = placed(lpt, &[8, 7, 6, 5, 4], &[], &[], 2);
    assert!(loads.starts_with(&[17, 13, 0]));
}

/// (8), (7) → (8, 7, 0); (6) → (8, 7, 6), difference 2; (5), (4) → (5, 4, 0), difference 5; last
/// (8 + 0, 7 + 4, 6 + 5).
#[test]
fn differencing_three_ways() {
    let (owners, loads) = placed(karmarkar_karp, &[8, 7, 6, 5, 4], &[], &[], 3);
    // Equal sums by their lowest objects: {7, 4} has object 1, {6, 5} object 2.
    assert!(owners.starts_with(&[2, 0, 1, 1, 0, u32::MAX]), "{owners:?}");
    assert!(loads.starts_with(&[11, 11, 8, 0]));
}

#[test]
fn fixed_objects_stay_and_count() {
    let (loads, fixed) = ([9, 5, 4, 2, 3], [true, false, false, true, false]);
    let start = [1, 1, 1, 2, 0];
    let (owners, sums) = placed(lpt, &loads, &fixed, &start, 3);
    // 5 to processor 0, 4 to 2, 3 to 0.
    assert!(owners.starts_with(&[1, 0, 2, 2, 0, u32::MAX]), "{owners:?}");
    assert!(sums.starts_with(&[8, 9, 6, 0]));
    let (owners, sums) = placed(karmarkar_karp, &loads, &fixed, &start, 3);
    // {5}, {4}, {3} to 0, 2, 1.
    assert!(owners.starts_with(&[1, 0, 2, 2, 1, u32::MAX]), "{owners:?}");
    assert!(sums.starts_with(&[5, 12, 6, 0]));
}

#[test]
fn random_owners_are_drawn_for_what_may_move() {
    let (loads, fixed) = ([1; 20], core::array::from_fn::<_, 20, _>(|id| id % 2 == 0));
    let objects = Objects::new(&loads, &fixed).unwrap();
    let mut owners = [ProcessorId(7); 20];
    random(&objects, 8, &mut owners, &mut Rng::new(1, 0)).unwrap();
    let (mut again, mut rng) = ([ProcessorId(7); 20], Rng::new(1, 0));
    for owner in again.iter_mut().skip(1).step_by(2) {
        *owner = ProcessorId(rng.below(8));
    }
    assert_eq!(owners, again);
    assert!(owners.iter().any(|owner| owner.0 != 7));
}

#[test]
fn what_cannot_be_placed_is_named_and_left_alone() {
    let objects = Objects::new(&[1, 2, 3], &[]).unwrap();
    let mut owners = [ProcessorId(1); 3];
    let unknown = ObjectsError::UnknownOwner(ObjectId(0), ProcessorId(1));
    let error = random(&objects, 1, &mut owners, &mut Rng::new(1, 0));
    assert_eq!(error, Err(CentralError::Objects(unknown)));
    let needs = CentralNeeds::of_karmarkar_karp(3, 2);
    for list in [List::Objects, List::Processors, List::Loads, List::Subsets, List::Partitions] {
        let lent = |of, needed: usize| needed - usize::from(of == list);
        let memory = CentralMemory {
            objects: &mut [Entry::EMPTY; MOST][..lent(List::Objects, needs.objects)],
            processors: &mut [Entry::EMPTY; MOST][..lent(List::Processors, needs.processors)],
            loads: &mut [0; MOST][..lent(List::Loads, needs.loads)],
            subsets: &mut [Subset::EMPTY; MOST][..lent(List::Subsets, needs.sets)],
            partitions: &mut [Partition::EMPTY; MOST][..lent(List::Partitions, needs.sets)],
        };
        match karmarkar_karp(&objects, 2, &mut owners, memory) {
            Err(CentralError::Memory { list: short, needed, lent }) => {
                assert_eq!((short, lent + 1), (list, needed));
            }
            other => panic!("{list}: {other:?}"),
        }
        assert_eq!(owners, [ProcessorId(1); 3]);
    }
}
