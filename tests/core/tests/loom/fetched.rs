//! Edges that are fetched from afar, under every interleaving and every allowed reordering: the
//! core's own code on loom's atomics.

use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use tresse_core::base::id::{NodeId, SlotId, SubdomainId};
use tresse_core::base::unit::Unit;
use tresse_core::field::grid::Side;
use tresse_core::field::subdomain::{edges_of, halo_of};
use tresse_core::parts::halo::{
    Bounds, BufferFormat, EDGE_BUFFERS, FetchedEdge, HaloTag, Head, LABEL_WORDS, Location, Mirror,
    Publication, ReadContext, Reader, ReaderAction, Request, accept, head,
};
use tresse_core::run::schedule::Wanted;

use crate::{OWN, cells, explore, layout};

/// The words of a buffer.
const BUFFER: usize = LABEL_WORDS + 2;

/// Orders in which a transport goes through a buffer. Any word that it copies may also be an old
/// one, as no load is ordered.
const ORDERS: [[usize; BUFFER]; 3] = [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [4, 0, 2, 5, 1, 3]];

/// Known place of the neighbour.
const KNOWN: Location = Location { rank: NodeId(1), slot: SlotId(0), epoch: 0 };

/// Circumstances of the read.
const CONTEXT: ReadContext = ReadContext {
    bounds: Bounds { subdomains: 8, ranks: 2, slots: 1 },
    wanted: Wanted::Newest,
    is_in_memory: false,
};

/// A publication whose bottom edge is fetched.
struct Afar {
    head: &'static Head,
    edge: &'static [AtomicU32],
    publication: Publication<'static, f32>,
}

impl Afar {
    /// Returns a publication at version 1.
    fn new() -> &'static Self {
        let head: &'static Head = Box::leak(Box::new(Head::new()));
        let edge: &'static _ =
            (0..EDGE_BUFFERS * BUFFER).map(|_| f32::shared_zero()).collect::<Vec<_>>().leak();
        let edges = [&[], edge, &[], &[]];
        let publication = Publication::with_format(BufferFormat::Labelled, head.words(), edges);
        publication.vacate(OWN, 1);
        publication.publish_again([true; 4], edges_of(&layout(), &cells(1)));
        publication.admit(HaloTag { subdomain: OWN, owner: KNOWN.rank });
        Box::leak(Box::new(Self { head, edge, publication }))
    }

    fn publish(&self, version: u16) {
        self.publication.publish([true; 4], edges_of(&layout(), &cells(version)));
    }

    /// Reads the head, and then copies the buffer of the version that it says.
    fn fetch(&self, order: [usize; BUFFER]) -> (u64, Vec<AtomicU32>) {
        let asked = self.word(head::VERSION);
        (asked, self.copy(asked, order))
    }

    fn word(&self, place: usize) -> u64 {
        self.head.words()[place].load(Ordering::Acquire)
    }

    fn copy(&self, version: u64, order: [usize; BUFFER]) -> Vec<AtomicU32> {
        let start = usize::try_from(version).unwrap() % EDGE_BUFFERS * BUFFER;
        let mut words = [0; BUFFER];
        for place in order {
            words[place] = self.edge[start + place].load(Ordering::Relaxed);
        }
        words.into_iter().map(AtomicU32::new).collect()
    }

    /// Makes one look of a reader; returns the version that it accepts.
    fn look(&self, reader: &mut Reader) -> Option<u64> {
        assert_eq!(reader.begin(), Some(Request::Head(KNOWN)));
        let words = [self.word(head::VERSION), self.word(head::HALO_TAG)];
        let ReaderAction::Needs(Request::Edge(_, version)) = reader.on_words(words, &CONTEXT)
        else {
            return None;
        };
        let copy = self.copy(version, ORDERS[0]);
        let version = accept::<f32>(&copy, OWN, reader.edge()?)?.version;
        reader.accepted(version);
        Some(version)
    }
}

/// A rule that reads the version and the cells of a copied buffer.
type Rule = fn(&[AtomicU32], u64) -> Option<(u64, Vec<f64>)>;

/// Returns the rule that ships.
fn shipped(copy: &[AtomicU32], asked: u64) -> Option<(u64, Vec<f64>)> {
    let FetchedEdge { version, cells } = accept::<f32>(copy, OWN, asked..=u64::MAX)?;
    Some((version, cells.iter().map(|cell| f32::load(cell).into()).collect()))
}

/// Returns a rule that goes by the version in the label alone.
fn trusting(copy: &[AtomicU32], asked: u64) -> Option<(u64, Vec<f64>)> {
    let version = u64::from(f32::load_half(&copy[0]));
    let cells = copy[LABEL_WORDS..].iter().map(|cell| f32::load(cell).into()).collect();
    (version >= asked).then_some((version, cells))
}

/// Returns a rule that takes it for what was asked for.
fn credulous(copy: &[AtomicU32], asked: u64) -> Option<(u64, Vec<f64>)> {
    Some((asked, copy[LABEL_WORDS..].iter().map(|cell| f32::load(cell).into()).collect()))
}

/// An edge is fetched while its buffer is written for the version after the next, in each order.
fn fetched_in_any_order(rule: Rule) {
    for order in ORDERS {
        explore(2, move || {
            let afar = Afar::new();
            let reader = thread::spawn(move || {
                let (asked, copy) = afar.fetch(order);
                if let Some((version, cells)) = rule(&copy, asked) {
                    assert_eq!(cells, [version as f64; 2], "a torn edge");
                }
            });
            (2..=4).for_each(|version| afar.publish(version));
            reader.join().unwrap();
            let (asked, copy) = afar.fetch(order);
            assert_eq!(rule(&copy, asked), Some((4, vec![4.0; 2])), "nobody writes");
        });
    }
}

#[test]
fn what_is_fetched_is_whole_in_whatever_order_it_is_copied() {
    fetched_in_any_order(shipped);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn taking_the_version_for_that_of_all_cells_is_caught() {
    fetched_in_any_order(trusting);
}

#[test]
#[should_panic(expected = "a torn edge")]
fn taking_what_was_asked_for_is_caught() {
    fetched_in_any_order(credulous);
}

/// Edges are written before the head, so that a buffer may have a version that no head has shown
/// yet.
fn fetched_forwards(look: fn(&Afar, &mut Reader) -> Option<u64>) {
    explore(3, move || {
        let afar = Afar::new();
        let reader = thread::spawn(move || {
            let mut reader = Reader::new(OWN, KNOWN);
            let first = look(afar, &mut reader);
            let second = look(afar, &mut reader);
            assert!(second.is_none() || second >= first, "a halo went backwards");
            reader
        });
        (2..=4).for_each(|version| afar.publish(version));
        let mut reader = reader.join().unwrap();
        look(afar, &mut reader);
        assert_eq!(reader.fetched(), Some(4), "nobody writes");
        look(afar, &mut reader);
        assert!(reader.has_shown(4), "all of it is out");
    });
}

#[test]
fn what_is_fetched_never_goes_backwards() {
    fetched_forwards(Afar::look);
}

#[test]
#[should_panic(expected = "a halo went backwards")]
fn forgetting_what_is_here_is_caught() {
    fetched_forwards(|afar, reader| {
        reader.renew_whole();
        afar.look(reader)
    });
}

/// Returns the edge of a neighbour as it is fetched.
fn mirror() -> &'static Mirror<'static, f32> {
    let edge: &'static _ =
        (0..EDGE_BUFFERS * 2).map(|_| f32::shared_zero()).collect::<Vec<_>>().leak();
    Box::leak(Box::new(Mirror::new(Box::leak(Box::new(Head::new())).words(), edge)))
}

fn fetch(mirror: &Mirror<'_, f32>, id: SubdomainId, version: u16) {
    let edge = [0, 1].map(|_| {
        let cell = f32::shared_zero();
        f32::store(&cell, f32::from(version));
        cell
    });
    mirror.publish(id, u64::from(version), &edge);
}

fn read_fetched(mirror: &Mirror<'_, f32>) -> Option<u64> {
    let mut halo = vec![f32::NAN; layout().len()];
    let version = mirror.read(OWN, Wanted::Newest, halo_of(Side::Top, &layout(), &mut halo))?;
    let read: Vec<_> = layout().top(&halo).iter().map(|cell| f64::from(*cell)).collect();
    assert_eq!(read, [version as f64; 2], "a torn edge");
    Some(version)
}

/// Fetched versions have gaps: a buffer that is written again has another version than its number
/// would say.
#[test]
fn fetched_edges_are_read_whole() {
    explore(3, || {
        let mirror = mirror();
        fetch(mirror, OWN, 1);
        let reader = thread::spawn(move || {
            let first = read_fetched(mirror).unwrap();
            assert!(read_fetched(mirror).unwrap() >= first, "a halo went backwards");
        });
        for version in [4, 5, 10] {
            fetch(mirror, OWN, version);
        }
        reader.join().unwrap();
        assert_eq!(mirror.version(), 10);
    });
}

#[test]
fn nobody_reads_what_was_fetched_of_another() {
    explore(3, || {
        let mirror = mirror();
        fetch(mirror, OWN, 1);
        let reader = thread::spawn(move || {
            for _ in 0..2 {
                assert!(matches!(read_fetched(mirror), None | Some(1)));
            }
        });
        for version in [6, 7] {
            fetch(mirror, SubdomainId(OWN.0 + 1), version);
        }
        reader.join().unwrap();
    });
}

/// Checks that a reader never accepts the edge of another subdomain that the mirror holds for a
/// while.
#[test]
fn who_sleeps_while_a_mirror_shows_another_has_its_own() {
    explore(3, || {
        let mirror = mirror();
        fetch(mirror, OWN, 1);
        let reader = thread::spawn(move || {
            assert!(matches!(read_fetched(mirror), None | Some(1)));
        });
        fetch(mirror, SubdomainId(OWN.0 + 1), 6);
        fetch(mirror, OWN, 1);
        reader.join().unwrap();
    });
}
