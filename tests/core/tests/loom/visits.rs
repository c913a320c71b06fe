//! Two threads that claim parts for one sweep at a time, in the exact mode, under every interleaving and
//! every allowed reordering: the hand-over, the publication and the halts that the engine uses, on loom's
//! atomics.

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;
use tresse_core::grid::Side;
use tresse_core::halo::{EDGE_BUFFERS, HaloTag, Head, Publication, SharedReal};
use tresse_core::id::{NodeId, SubdomainId, WorkerId};
use tresse_core::progress::Progress;
use tresse_core::run::{Mode, RunConfig, Stop};
use tresse_core::schedule::Wanted;
use tresse_core::shared::Handover;
use tresse_core::subdomain::{edges_of, halo_of};
use tresse_core::worker::{Control, Worker};

use crate::{cells, explore, layout};

/// Number of links between the two parts.
const DIAMETER: u64 = 1;
const ITERATIONS: u64 = 9;

struct Pair {
    /// What only the holder may touch: the version.
    parts: [Handover<u64>; 2],
    publications: [Publication<'static, f32>; 2],
    control: Control<AtomicU64>,
    /// Whether a worker asks whether a halt is in the way before it has read: the fault.
    asks_early: bool,
    /// Sweeps of both.
    made: AtomicU64,
}

/// Returns the side of a part on which the other one is.
const fn side(part: usize) -> Side {
    if part == 0 { Side::Bottom } else { Side::Top }
}

fn publication(part: usize) -> Publication<'static, f32> {
    let edges = Side::ALL.map(|own| {
        let length = if own == side(part) { EDGE_BUFFERS * layout().side(own) } else { 0 };
        &*(0..length).map(|_| f32::shared_zero()).collect::<Vec<_>>().leak()
    });
    let publication = Publication::new(Box::leak(Box::new(Head::new())).words(), edges);
    publication.admit(HaloTag { subdomain: SubdomainId(part as u32), owner: NodeId(0) });
    publication.publish_again([true; 4], edges_of(&layout(), &cells(0)));
    publication
}

impl Pair {
    fn new(asks_early: bool) -> &'static Self {
        let stop = Stop { iterations: Some(ITERATIONS), tolerance: None };
        let config = RunConfig { mode: Mode::Exact, stop, ..RunConfig::default() };
        let control = Control::new(&config);
        control.begin(&Progress::level(0, 2), false);
        Box::leak(Box::new(Self {
            parts: [Handover::new(0), Handover::new(0)],
            publications: [publication(0), publication(1)],
            control,
            asks_early,
            made: AtomicU64::new(0),
        }))
    }

    /// Claims a part and updates it, where that is possible.
    fn visit(&self, worker: u32, part: usize) {
        let Some(mut held) = self.parts[part].take(WorkerId(worker)) else { return };
        let own = &self.publications[part];
        let version = own.version();
        assert_eq!(held.with(|version| *version), version, "the holder before has published");
        if self.asks_early && !self.control.admits(version, DIAMETER) {
            return;
        }
        let mut halo = vec![f32::NAN; layout().len()];
        let (from, link) = (1 - part, side(1 - part).index());
        let read = self.publications[from].read(
            (SubdomainId(from as u32), link),
            Wanted::Exactly(version),
            halo_of(side(part), &layout(), &mut halo),
        );
        if read.is_none() || !self.asks_early && !self.control.admits(version, DIAMETER) {
            return;
        }
        let ring =
            if side(part) == Side::Top { layout().top(&halo) } else { layout().bottom(&halo) };
        assert!(ring.iter().all(|cell| f64::from(*cell) == version as f64), "another version");
        held.with(|version| *version += 1);
        let cells = cells(u16::try_from(version + 1).expect("few versions"));
        own.publish([true; 4], edges_of(&layout(), &cells));
        self.made.fetch_add(1, Ordering::Relaxed);
    }
}

/// One thread wishes a halt between its visits.
fn run(asks_early: bool) {
    let pair = Pair::new(asks_early);
    let other = thread::spawn(move || [1, 0, 1].into_iter().for_each(|part| pair.visit(1, part)));
    pair.visit(0, 0);
    Worker::new(WorkerId(0), Mode::Exact, false).ask_to_halt(&pair.control);
    [0, 1].into_iter().for_each(|part| pair.visit(0, part));
    other.join().unwrap();
    // Whoever is alone brings both to the halt, where nobody is beyond.
    for _ in 0..4 {
        [0, 1].into_iter().for_each(|part| pair.visit(0, part));
    }
    let versions = pair.publications.each_ref().map(Publication::version);
    assert_eq!(versions[0], versions[1], "parts halt at different counts");
    let made = pair.made.load(Ordering::Relaxed);
    assert!(pair.control.is_reached(made, 2) && versions[0] < ITERATIONS, "no halt: {versions:?}");
}

#[test]
fn two_threads_halt_at_one_count() {
    explore(3, || run(false));
}

#[test]
#[should_panic(expected = "parts halt at different counts")]
fn asking_for_the_halt_before_reading_is_caught() {
    explore(3, || run(true));
}
