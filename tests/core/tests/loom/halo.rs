//! The halo exchange and the barrier under every interleaving and every allowed reordering: the
//! core's own code on loom's atomics.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use loom::thread;
use tresse_core::base::id::{NodeId, SubdomainId};
use tresse_core::base::unit::Unit;
use tresse_core::field::grid::Side;
use tresse_core::field::subdomain::{edges_of, halo_of};
use tresse_core::node::shared::{Barrier, Grip};
use tresse_core::parts::halo::{EDGE_BUFFERS, HaloTag, Head, Publication};
use tresse_core::run::schedule::Wanted;

use crate::claim::claims;
use crate::{OWN, cells, explore, layout};

/// Returns a subdomain with a neighbour above or below, its initial edge published. Loom makes
/// many; the little that is leaked is no harm.
fn subdomain(neighbour: Side) -> &'static Publication<'static, f32> {
    let edges = Side::ALL.map(|side| {
        let length = if side == neighbour { EDGE_BUFFERS * layout().side(side) } else { 0 };
        &*(0..length).map(|_| f32::shared_zero()).collect::<Vec<_>>().leak()
    });
    let publication = Publication::new(Box::leak(Box::new(Head::new())).words(), edges);
    publication.admit(HaloTag { subdomain: OWN, owner: NodeId(0) });
    publication.publish_again([true; 4], edges_of(&layout(), &cells(0)));
    Box::leak(Box::new(publication))
}

/// Reads the edge of the neighbour on `side`; the version, once it is sure that all cells are of
/// that version.
fn read(side: Side, neighbour: &Publication<'_, f32>, wanted: Wanted) -> Option<u64> {
    let mut halo = vec![f32::NAN; layout().len()];
    let version = neighbour.read(
        OWN,
        side.opposite().index(),
        wanted,
        halo_of(side, &layout(), &mut halo),
    )?;
    let cells = if side == Side::Top { layout().top(&halo) } else { layout().bottom(&halo) };
    let read: Vec<_> = cells.iter().map(|cell| f64::from(*cell)).collect();
    assert_eq!(read, [version as f64; 2], "a torn edge");
    Some(version)
}

/// Four versions, so that the first buffer is written again while it may be read.
#[test]
fn a_reader_of_the_newest_sees_whole_edges_that_never_go_backwards() {
    explore(3, || {
        let above = subdomain(Side::Bottom);
        let reader = thread::spawn(move || {
            let first = read(Side::Top, above, Wanted::Newest).unwrap();
            let second = read(Side::Top, above, Wanted::Newest).unwrap();
            assert!(second >= first, "a halo went backwards");
        });
        for version in 1..=4 {
            above.publish([true; 4], edges_of(&layout(), &cells(version)));
        }
        reader.join().unwrap();
        assert_eq!(above.version(), 4);
    });
}

/// Checks that a reader that has seen version 1 gets exactly that version while the neighbour is
/// one ahead, and nothing in its place once the neighbour is further ahead.
#[test]
fn a_reader_of_one_version_gets_it_or_nothing() {
    explore(3, || {
        let above = subdomain(Side::Bottom);
        above.publish([true; 4], edges_of(&layout(), &cells(1)));
        let reader = thread::spawn(move || {
            assert!(matches!(read(Side::Top, above, Wanted::Exactly(1)), Some(1) | None));
            read(Side::Top, above, Wanted::Exactly(1))
        });
        for version in 2..=4 {
            above.publish([true; 4], edges_of(&layout(), &cells(version)));
        }
        assert!(matches!(reader.join().unwrap(), Some(1) | None));
        assert_eq!(read(Side::Top, above, Wanted::Exactly(1)), None);
        assert_eq!(read(Side::Top, above, Wanted::Exactly(3)), Some(3));
    });
}

/// The synchronous mode: between two barriers each reads the other's version of the same count,
/// which is there even if the other is already one ahead.
#[test]
fn neighbours_at_a_barrier_read_their_own_count() {
    explore(2, || {
        let (above, below) = (subdomain(Side::Bottom), subdomain(Side::Top));
        let barrier = Arc::new(Barrier::new(2));
        let others = Arc::clone(&barrier);
        let other = thread::spawn(move || iterate(Side::Top, below, above, &others));
        iterate(Side::Bottom, above, below, &barrier);
        other.join().unwrap();
    });
}

fn iterate(
    side: Side,
    own: &Publication<'_, f32>,
    neighbour: &Publication<'_, f32>,
    barrier: &Barrier,
) {
    for iteration in 0..2 {
        let wanted = Wanted::Exactly(u64::from(iteration));
        assert_eq!(read(side, neighbour, wanted), Some(u64::from(iteration)));
        own.publish([true; 4], edges_of(&layout(), &cells(iteration + 1)));
        pass(barrier);
    }
}

/// Times at which a worker publishes an edge that was only copied while it had both subdomains:
/// before it releases one of them, or otherwise, which is wrong.
#[derive(Clone, Copy, PartialEq)]
enum PublishesAgain {
    Before,
    After,
    Never,
}

/// The place of the one that leaves.
const LEAVER: usize = 0;

/// A subdomain above another, both in the hands of worker 0 and at version 2, which none of their
/// common edge is published of; the hand-over is that of the one that leaves.
struct Together {
    above: &'static Publication<'static, f32>,
    /// Those of both workers; the first has the one that leaves.
    grips: [Grip<'static, ()>; 2],
}

impl Together {
    fn new() -> Self {
        let above = subdomain(Side::Bottom);
        (1..=2).for_each(|version| above.publish([false; 4], edges_of(&layout(), &cells(version))));
        let mut claims = claims([()]);
        let mut grips = [claims.grip(), claims.grip()];
        assert!(grips[0].take(LEAVER));
        Self { above, grips }
    }

    /// Lets the leaver go, as the engine does.
    fn part(above: &Publication<'_, f32>, mut grip: Grip<'_, ()>, publishes: PublishesAgain) {
        let publish_again = || above.publish_again([true; 4], edges_of(&layout(), &cells(2)));
        if publishes == PublishesAgain::Before {
            publish_again();
        }
        grip.leave(LEAVER);
        if publishes == PublishesAgain::After {
            publish_again();
        }
    }
}

/// Waits until worker 1 has the leaver.
fn take(grip: &mut Grip<'_, ()>) {
    while !grip.take(LEAVER) {
        thread::yield_now();
    }
}

/// Publishes the upper one's edge with every version, until the buffer of version 2 is written
/// again.
fn go_on(above: &Publication<'_, f32>) {
    (3..=5).for_each(|version| above.publish([true; 4], edges_of(&layout(), &cells(version))));
}

/// Reads the upper one's edge, which is whole from here on, and of version 2 at least.
fn read_after_parting(above: &Publication<'_, f32>) {
    let first = read(Side::Top, above, Wanted::Newest).unwrap();
    assert!(first >= 2, "a halo went backwards");
    let second = read(Side::Top, above, Wanted::Newest).unwrap();
    assert!(second >= first, "a halo went backwards");
}

/// The lower one leaves, and its new holder reads the edge of the one that stays.
fn the_reader_leaves(publishes: PublishesAgain) {
    explore(3, move || {
        let Together { above, grips: [gives, mut takes] } = Together::new();
        let taker = thread::spawn(move || {
            take(&mut takes);
            read_after_parting(above);
        });
        Together::part(above, gives, publishes);
        go_on(above);
        taker.join().unwrap();
    });
}

/// The upper one leaves, and its new holder goes on where the old one stopped, which reads now.
fn the_writer_leaves(publishes: PublishesAgain) {
    explore(3, move || {
        let Together { above, grips: [gives, mut takes] } = Together::new();
        let taker = thread::spawn(move || {
            take(&mut takes);
            go_on(above);
        });
        Together::part(above, gives, publishes);
        read_after_parting(above);
        taker.join().unwrap();
    });
}

#[test]
fn who_takes_a_neighbour_finds_the_edges_beside_it() {
    the_reader_leaves(PublishesAgain::Before);
}

#[test]
fn who_gives_a_neighbour_away_finds_its_edge() {
    the_writer_leaves(PublishesAgain::Before);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn an_edge_that_is_not_published_again_is_caught_by_the_taker() {
    the_reader_leaves(PublishesAgain::Never);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn an_edge_that_is_not_published_again_is_caught_by_the_giver() {
    the_writer_leaves(PublishesAgain::Never);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn an_edge_that_is_published_too_late_is_caught_by_the_taker() {
    the_reader_leaves(PublishesAgain::After);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn an_edge_that_is_published_too_late_is_caught_by_the_giver() {
    the_writer_leaves(PublishesAgain::After);
}

/// Nobody leaves before all have come, round after round, and what was written before is seen.
///
/// Two parties: with a third one that spins, loom runs into its limit of branches.
#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    explore(4, || meet(2, 3));
}

/// Waits until all have come.
fn pass(barrier: &Barrier) {
    if let Some(generation) = barrier.arrive() {
        while !barrier.is_open(generation) {
            thread::yield_now();
        }
    }
}

fn meet(parties: u32, rounds: u32) {
    let shared = Arc::new((Barrier::new(parties), AtomicU32::new(0)));
    let party = move |shared: &(Barrier, AtomicU32)| {
        let (barrier, arrived) = shared;
        for round in 1..=rounds {
            arrived.fetch_add(1, Ordering::Relaxed);
            pass(barrier);
            let arrived = arrived.load(Ordering::Relaxed);
            assert!(arrived >= parties * round, "left before all had come");
        }
    };
    let start = |_| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || party(&shared))
    };
    let others: Vec<_> = (1..parties).map(start).collect();
    party(&shared);
    others.into_iter().for_each(|other| other.join().unwrap());
}

/// A copy of [`Publication`] with one edge of two cells, whose parts can be weakened.
struct Copied {
    version: AtomicU64,
    cells: Vec<AtomicU32>,
    writer_fence: bool,
    reader_fence: bool,
}

impl Copied {
    fn buffer(&self, version: u64) -> &[AtomicU32] {
        let buffers = self.cells.len() / 2;
        let start = version as usize % buffers * 2;
        &self.cells[start..start + 2]
    }

    fn publish(&self) {
        let version = self.version.load(Ordering::Relaxed) + 1;
        if self.writer_fence {
            fence(Ordering::Release);
        }
        for cell in self.buffer(version) {
            cell.store(version as u32, Ordering::Relaxed);
        }
        self.version.store(version, Ordering::Release);
    }

    fn read(&self) {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let cells: Vec<_> =
                self.buffer(version).iter().map(|cell| cell.load(Ordering::Relaxed)).collect();
            if self.reader_fence {
                fence(Ordering::Acquire);
            }
            if self.version.load(Ordering::Relaxed) <= version + 1 {
                assert_eq!(cells, [version as u32; 2], "a torn edge");
                return;
            }
        }
    }
}

fn copied(buffers: usize, writer_fence: bool, reader_fence: bool) {
    explore(3, move || {
        let cells = (0..2 * buffers).map(|_| AtomicU32::new(0)).collect();
        let version = AtomicU64::new(0);
        let copied = Arc::new(Copied { version, cells, writer_fence, reader_fence });
        let readers = Arc::clone(&copied);
        let reader = thread::spawn(move || readers.read());
        for _ in 0..4 {
            copied.publish();
        }
        reader.join().unwrap();
    });
}

#[test]
fn the_copy_is_sound_as_it_is() {
    copied(3, true, true);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn two_buffers_are_too_few() {
    copied(2, true, true);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn a_writer_without_its_fence_is_caught() {
    copied(3, false, true);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn a_reader_without_its_fence_is_caught() {
    copied(3, true, false);
}

/// Another subdomain comes while the last one's edge is read: whoever wants that one sees whole
/// edges of it, or that it is gone.
#[test]
fn a_reader_is_never_given_another_subdomains_edge() {
    explore(3, || {
        let place = subdomain(Side::Bottom);
        place.publish([true; 4], edges_of(&layout(), &cells(1)));
        let reader = thread::spawn(move || {
            for _ in 0..2 {
                assert!(matches!(read(Side::Top, place, Wanted::Newest), None | Some(1)));
            }
        });
        // Of the version that the last one would have had next, and in its newest buffer.
        place.vacate(SubdomainId(OWN.0 + 1), 4);
        place.publish_again([true; 4], edges_of(&layout(), &cells(4)));
        place.admit(HaloTag { subdomain: SubdomainId(OWN.0 + 1), owner: NodeId(0) });
        reader.join().unwrap();
        assert_eq!(read(Side::Top, place, Wanted::Newest), None);
    });
}

/// A subdomain goes, another one lies in its place, and it comes back with the version that it had:
/// who slept meanwhile has whole edges of it, or nothing.
#[test]
fn who_sleeps_while_a_subdomain_goes_and_comes_back_has_its_edges() {
    explore(3, || {
        let place = subdomain(Side::Bottom);
        place.publish([true; 4], edges_of(&layout(), &cells(1)));
        let reader = thread::spawn(move || {
            assert!(matches!(read(Side::Top, place, Wanted::Newest), None | Some(1)));
        });
        let settle = |id, version: u16, value: u16| {
            place.vacate(id, version.into());
            place.publish_again([true; 4], edges_of(&layout(), &cells(value)));
            place.admit(HaloTag { subdomain: id, owner: NodeId(0) });
        };
        // In the buffer that is read.
        settle(SubdomainId(OWN.0 + 1), 4, 9);
        settle(OWN, 1, 1);
        reader.join().unwrap();
        assert_eq!(read(Side::Top, place, Wanted::Newest), Some(1));
    });
}
