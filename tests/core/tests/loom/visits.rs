//! Two threads that claim parts for one sweep at a time, in the exact mode, under every
//! interleaving and every allowed reordering: the hand-over, the publication and the halts that the
//! engine uses, on loom's atomics.

use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;
use tresse_core::base::id::{NodeId, SubdomainId, WorkerId};
use tresse_core::base::time::Instant;
use tresse_core::base::unit::Unit;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::subdomain::{edges_of, halo_of};
use tresse_core::node::shared::{Claims, Grip};
use tresse_core::node::worker::{Control, Worker};
use tresse_core::node::{Around, Board, Homes, Visit, Visitor};
use tresse_core::parts::halo::{EDGE_BUFFERS, HaloTag, Head, Publication};
use tresse_core::run::progress::Progress;
use tresse_core::run::schedule::Wanted;
use tresse_core::run::{Balance, Mode, RunConfig, Stop};

use crate::claim::claims;
use crate::{cells, explore, layout};

/// Number of links between the two parts.
const DIAMETER: u64 = 1;
const ITERATIONS: u64 = 9;

struct Pair {
    publications: [Publication<'static, f32>; 2],
    homes: Homes<'static>,
    control: Control<AtomicU64>,
    /// Whether a worker says that it has read before it has: the fault.
    reads_late: bool,
    /// Sweeps of both.
    made: AtomicU64,
}

/// Hints that lead to one part.
struct Leads(usize);

impl Board for Leads {
    fn version(&self, _: SubdomainId) -> u64 {
        0
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        part.index() == self.0
    }

    fn is_ready(&self, _: SubdomainId, _: u64) -> bool {
        true
    }

    fn is_open(&self, _: SubdomainId) -> bool {
        false
    }

    fn stuck(&self, _: WorkerId) -> u64 {
        0
    }

    fn tell_stuck(&self, _: SubdomainId) {}

    fn least(&self, _: WorkerId) -> u64 {
        0
    }

    fn publish_least(&self, _: WorkerId, _: u64) {}
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
    /// Returns two parts, and the claims of what only the holder may touch: their versions.
    fn new(reads_late: bool) -> (&'static Self, Claims<'static, u64>) {
        let config = config();
        let control = Control::new(&config, 2);
        control.begin(&Progress::level(0, 2), false);
        let Ok(cut) = Decomposition::new(&config) else { panic!("parts have a row each") };
        let homes = Homes::new(
            &cut,
            |part| cut.first_owner(part),
            vec![SubdomainId(0); 2].leak(),
            vec![0; 3].leak(),
        );
        let pair = Box::leak(Box::new(Self {
            publications: [publication(0), publication(1)],
            homes,
            control,
            reads_late,
            made: AtomicU64::new(0),
        }));
        (pair, claims([0, 0]))
    }

    /// Lets a worker visit a part, where that is possible.
    fn visit(&self, grip: &mut Grip<'static, u64>, part: usize) {
        let mut visitor = Visitor::new(&config());
        let around = Around {
            me: grip.worker(),
            homes: &self.homes,
            board: &Leads(part),
            control: &self.control,
            diameter: DIAMETER,
        };
        let mut is_claimed = false;
        loop {
            match visitor.next(&around, || Instant::ZERO) {
                Visit::Claim(id) if !is_claimed => {
                    assert_eq!(id.index(), part);
                    is_claimed = grip.take(part);
                    if !is_claimed {
                        return;
                    }
                    visitor.handle_claimed();
                }
                Visit::Read(_) => {
                    if self.reads_late || self.reads(part) {
                        visitor.handle_read(self.publications[part].version());
                    }
                }
                Visit::Sweep { .. } => {
                    if !self.reads_late || self.reads(part) {
                        self.sweep(part, grip);
                    }
                }
                Visit::Leave(_) | Visit::Claim(_) | Visit::Help { .. } | Visit::Done(_) => break,
            }
        }
        if is_claimed {
            grip.leave(part);
        }
    }

    /// Reads the edge of the other part in the version that this one is at.
    fn reads(&self, part: usize) -> bool {
        let version = self.publications[part].version();
        let mut halo = vec![f32::NAN; layout().len()];
        let (from, link) = (1 - part, side(1 - part).index());
        let read = self.publications[from].read(
            SubdomainId(from as u32),
            link,
            Wanted::Exactly(version),
            halo_of(side(part), &layout(), &mut halo),
        );
        let ring =
            if side(part) == Side::Top { layout().top(&halo) } else { layout().bottom(&halo) };
        assert!(
            read.is_none() || ring.iter().all(|cell| f64::from(*cell) == version as f64),
            "another version"
        );
        read.is_some()
    }

    fn sweep(&self, part: usize, grip: &mut Grip<'static, u64>) {
        let own = &self.publications[part];
        let version = own.version();
        grip.with(part, |held| {
            assert_eq!(*held, version, "the holder before has published");
            *held += 1;
        });
        let cells = cells(u16::try_from(version + 1).expect("few versions"));
        own.publish([true; 4], edges_of(&layout(), &cells));
        self.made.fetch_add(1, Ordering::Relaxed);
    }
}

/// Two parts, one below the other, at home with a worker each.
fn config() -> RunConfig {
    let stop = Stop { iterations: Some(ITERATIONS), ..Stop::NEVER };
    let (mode, balance) = (Mode::Exact, Balance::Pull(0));
    RunConfig { workers: 2, split: 1, mode, balance, stop, ..RunConfig::default() }
}

/// One thread wishes a halt between its visits.
fn run(reads_late: bool) {
    let (pair, mut claims) = Pair::new(reads_late);
    let (mut own, mut other) = (claims.grip(), claims.grip());
    let other = thread::spawn(move || {
        [1, 0, 1].into_iter().for_each(|part| pair.visit(&mut other, part));
    });
    pair.visit(&mut own, 0);
    Worker::new(WorkerId(0), Mode::Exact, false).ask_to_halt(&pair.control);
    [0, 1].into_iter().for_each(|part| pair.visit(&mut own, part));
    other.join().unwrap();
    // Whoever is alone brings both to the halt, where nobody is beyond.
    for _ in 0..4 {
        [0, 1].into_iter().for_each(|part| pair.visit(&mut own, part));
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
fn reading_after_the_halt_is_asked_about_is_caught() {
    explore(3, || run(true));
}
