//! Threads at the shared pieces, for Miri to look at (and to pass without); loom explores them
//! further.

extern crate std;

use self::std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use self::std::thread;
use self::std::vec;
use self::std::vec::Vec;
use crate::base::real::Real;
use crate::base::unit::Unit as _;

use super::{Barrier, Claim, Claims};
use crate::base::id::{NodeId, SubdomainId};
use crate::field::grid::Side;
use crate::field::stencil::Layout;
use crate::field::subdomain::{edges_of, halo_of};
use crate::parts::halo::{
    BufferFormat, EDGE_BUFFERS, FetchedEdge, HaloTag, Head, LABEL_WORDS, Publication, accept,
};
use crate::run::schedule::Wanted;

/// Miri is some hundred times slower.
const ROUNDS: u32 = if cfg!(miri) { 30 } else { 50_000 };

#[test]
fn edges_are_read_whole_while_they_are_written() {
    // Short ones word by word, and long ones at once.
    for columns in [5, 301] {
        let layout = Layout::new(3, columns).unwrap();
        read_while_written(layout, |version| version as f64);
        read_while_written(layout, |version| version as f32);
    }
}

/// A buffer is copied by somebody who takes the words in another order each time.
#[test]
fn what_is_fetched_in_any_order_is_whole_where_it_is_accepted() {
    const CELLS: usize = 37;
    const OWN: SubdomainId = SubdomainId(7);
    let length = CELLS + LABEL_WORDS;
    let edge: Vec<_> = (0..EDGE_BUFFERS * length).map(|_| f64::shared_zero()).collect();
    let (head, layout) = (Head::new(), Layout::new(1, CELLS).unwrap());
    let edges = [&[], edge.as_slice(), &[], &[]];
    let publication = Publication::<f64>::with_format(BufferFormat::Labelled, head.words(), edges);
    let cells = |version: u64| vec![version as f64; layout.len()];
    publication.vacate(OWN, 0);
    publication.publish_again([true; 4], edges_of(&layout, &cells(0)));
    let copy: Vec<_> = (0..length).map(|_| f64::shared_zero()).collect();
    let (accepted, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut torn = None;
    thread::scope(|scope| {
        scope.spawn(|| {
            // It goes on until some were accepted meanwhile, and some time longer.
            while !done.load(Ordering::Relaxed)
                && (accepted.load(Ordering::Relaxed) < u64::from(ROUNDS / 100)
                    || publication.version() < u64::from(ROUNDS / 10))
            {
                publication
                    .publish([true; 4], edges_of(&layout, &cells(publication.version() + 1)));
                thread::yield_now();
            }
            done.store(true, Ordering::Relaxed);
        });
        for stride in (1..length).cycle() {
            let asked = publication.version();
            let start = usize::try_from(asked).unwrap() % EDGE_BUFFERS * length;
            // 41 words: every stride comes by each of them.
            for place in (0..length).map(|step| step * stride % length) {
                if let (Some(to), Some(from)) = (copy.get(place), edge.get(start + place)) {
                    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            }
            let fetched = accept::<f64>(&copy, OWN, asked..=u64::MAX);
            if let Some(FetchedEdge { version, cells: read }) = fetched {
                let whole =
                    read.iter().all(|cell| f64::load(cell).bits() == (version as f64).bits());
                torn = torn.or((!whole).then_some(version));
                accepted.fetch_add(1, Ordering::Relaxed);
            }
            if torn.is_some() || done.load(Ordering::Relaxed) {
                done.store(true, Ordering::Relaxed);
                break;
            }
        }
    });
    assert_eq!(torn, None, "the version for which a torn edge was accepted");
}

fn read_while_written<F: Real>(layout: Layout, number: fn(u64) -> F) {
    let edges = Side::ALL.map(|side| {
        let cells = 0..EDGE_BUFFERS * layout.side(side);
        cells.map(|_| F::shared_zero()).collect::<Vec<_>>()
    });
    let [top, bottom, left, right] = &edges;
    let (head, owner) = (Head::new(), NodeId(0));
    let publication = Publication::<F>::new(head.words(), [top, bottom, left, right]);
    let own = SubdomainId(7);
    publication.admit(HaloTag { subdomain: own, owner });
    let cells = |version| vec![number(version); layout.len()];
    publication.publish_again([true; 4], edges_of(&layout, &cells(0)));
    thread::scope(|scope| {
        scope.spawn(|| {
            (1..=u64::from(ROUNDS)).for_each(|version| {
                publication.publish([true; 4], edges_of(&layout, &cells(version)));
            });
        });
        scope.spawn(|| {
            let (mut halo, mut last) = (cells(0), 0);
            while last < u64::from(ROUNDS) {
                for side in Side::ALL {
                    let version = publication
                        .read(
                            own,
                            side.opposite().index(),
                            Wanted::Newest,
                            halo_of(side, &layout, &mut halo),
                        )
                        .unwrap_or_else(|| unreachable!("nobody else has come"));
                    assert!(version >= last, "a halo went backwards");
                    last = version;
                    let read: Vec<_> = match side {
                        Side::Top => layout.top(&halo).to_vec(),
                        Side::Bottom => layout.bottom(&halo).to_vec(),
                        Side::Left => layout.left(&halo).copied().collect(),
                        Side::Right => layout.right(&halo).copied().collect(),
                    };
                    assert!(read.iter().all(|cell| *cell == number(version)));
                }
            }
        });
    });
}

#[test]
fn every_holder_sees_what_the_last_one_wrote() {
    let mut memory = [Claim::new(0)];
    let mut claims = Claims::new(&mut memory);
    let grips = [claims.grip(), claims.grip()];
    thread::scope(|scope| {
        for mut grip in grips {
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    while !grip.take(0) {
                        thread::yield_now();
                    }
                    grip.with(0, |count| *count += 1);
                    grip.leave(0);
                }
            });
        }
    });
    let mut grip = claims.grip();
    assert!(grip.take(0));
    assert_eq!(grip.with(0, |count| *count), 2 * ROUNDS);
}

#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    let (barrier, arrived) = (Barrier::new(3), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for round in 1..=u64::from(ROUNDS / 100) {
                    arrived.fetch_add(1, Ordering::Relaxed);
                    if let Some(generation) = barrier.arrive() {
                        while !barrier.is_open(generation) {
                            thread::yield_now();
                        }
                    }
                    assert!(arrived.load(Ordering::Relaxed) >= 3 * round);
                }
            });
        }
    });
}
