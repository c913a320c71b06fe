//! Checks everything that ranks do with each other through MPI: `mpirun -n 4 window_check`.
//!
//! Rank 0 names each check as it passes; the first that fails on any rank ends all of them, with an
//! exit code other than 0. With `--fail`, one of them does.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::env;
use std::error::Error;
use std::fmt::Debug;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::field::grid::Side;
use tresse_core::field::stencil::Layout;
use tresse_core::field::subdomain::{edges_of, halo_of};
use tresse_core::parts::halo::{
    BufferFormat, EDGE_BUFFERS, FetchedEdge, HEAD_WORDS, HaloTag, LABEL_WORDS, Publication, accept,
    head,
};
use tresse_core::run::schedule::Wanted;
use tresse_mpi::mpi::probe::Passive;
use tresse_mpi::mpi::{Entry, Outside, Progress, Window, WindowError};

type Failure = Box<dyn Error>;
type Checked = Result<(), Failure>;
type Check = fn(&mut Entry) -> Checked;

/// The checks, in their order; all ranks make each of them.
const CHECKS: [(&str, Check); 13] = [
    ("nodes", nodes),
    ("collectives", collectives),
    ("bytes to all", bytes_to_all),
    ("zeroed words of any number", zeroed),
    ("shared memory", shared_memory),
    ("put, get", put_and_get),
    ("get without waiting", get_without_waiting),
    ("32-bit words", short_words),
    ("store, load, fetch and add", store_and_add),
    ("compare and swap", compare_and_swap),
    ("refusals", refusals),
    ("no halo is read torn", torn_reads),
    ("reading a rank that computes", computing),
];

/// Makes all checks in order, on all ranks together.
fn main() -> ExitCode {
    let mut entry = match Entry::start() {
        Ok(entry) => entry,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let first = entry.rank().0 == 0;
    if first {
        println!("{}, {} ranks", entry.library(), entry.ranks());
    }
    let planted: Option<(&str, Check)> =
        env::args().any(|it| it == "--fail").then_some(("a failure", failing));
    for (name, check) in planted.into_iter().chain(CHECKS) {
        if let Err(failure) = check(&mut entry) {
            eprintln!("rank {}: {name}: {failure}", entry.rank());
            // The others may wait for this rank.
            entry.abort(1);
        }
        entry.barrier();
        if first {
            println!("{name}: passed");
        }
    }
    ExitCode::SUCCESS
}

/// Fails where two values differ.
fn same<T: PartialEq + Debug>(found: T, expected: T) -> Checked {
    match [found, expected] {
        [found, expected] if found == expected => Ok(()),
        [found, expected] => Err(format!("{found:?}, not {expected:?}").into()),
    }
}

/// Fails on rank 1, while the others wait.
fn failing(entry: &mut Entry) -> Checked {
    same(vec![2], vec![2 + i32::from(entry.rank().0 == 1)])
}

fn all_ranks(entry: &Entry) -> impl Iterator<Item = RankId> + use<> {
    (0..entry.ranks()).map(RankId)
}

/// Checks that ranks count themselves and their nodes alike.
fn nodes(entry: &mut Entry) -> Checked {
    let mates = all_ranks(entry).filter(|rank| entry.same_node(*rank)).count();
    same(entry.node_ranks() as usize, mates)?;
    same(entry.node_rank() < entry.node_ranks(), true)?;
    let first = u64::from(entry.node_rank() == 0);
    let nodes = entry.nodes().number();
    same(entry.sum_u64(first), nodes.into())
}

/// Checks barrier, sum, maximum, gather and broadcast.
fn collectives(entry: &mut Entry) -> Checked {
    entry.barrier();
    entry.enter();
    let (rank, ranks) = (u64::from(entry.rank().0), u64::from(entry.ranks()));
    same(entry.sum_u64(rank + 1), ranks * (ranks + 1) / 2)?;
    same(entry.max_u64(rank), ranks - 1)?;
    same(entry.all_gather_u64(rank * rank), (0..ranks).map(|rank| rank * rank).collect())?;
    let mut said = vec![byte(entry.rank().index()); 3 * entry.rank().index() + 5];
    entry.broadcast(&mut said);
    same(said, vec![0; 5])
}

/// Returns a byte that depends on the number.
fn byte(number: usize) -> u8 {
    u8::try_from(number % 256).unwrap_or(0)
}

/// Returns the message that a rank sends to another: they have several lengths, and one is empty.
fn message(from: usize, to: usize) -> Vec<u8> {
    vec![byte(16 * from + to); 100_000 * ((from + 2 * to) % 3)]
}

/// Checks messages of any length from every rank to every other.
fn bytes_to_all(entry: &mut Entry) -> Checked {
    let (own, ranks) = (entry.rank().index(), entry.ranks() as usize);
    let received = entry.all_to_all_bytes((0..ranks).map(|to| message(own, to)).collect());
    same(received, (0..ranks).map(|from| message(from, own)).collect())?;
    let gathered = entry.gather_bytes(message(own, 0));
    let expected = (0..ranks).map(|from| message(from, 0)).collect();
    same(gathered, (own == 0).then_some(expected))
}

/// Checks that new windows have their lengths and are zero, also after one that was used.
fn zeroed(entry: &mut Entry) -> Checked {
    // The last rank has none.
    let length = |rank: RankId, ranks| (1000 + rank.index()) * usize::from(rank.0 + 1 < ranks);
    let ranks = entry.ranks();
    let own = length(entry.rank(), ranks);
    for _ in 0..2 {
        let window = Window::<AtomicU64>::allocate(entry, own)?;
        same(window.local().len(), own)?;
        for rank in all_ranks(entry) {
            same(window.words(rank), length(rank, ranks))?;
            let words = window.of(rank).map(|words| (words.len(), sum(words)));
            same(words, entry.same_node(rank).then_some((length(rank, ranks), 0)))?;
        }
        entry.barrier();
        // What a window was used for must not be found in the next.
        window.local().iter().for_each(|word| word.store(7, Ordering::Relaxed));
        window.free(entry)?;
    }
    Ok(())
}

/// Adds up words.
fn sum(words: &[AtomicU64]) -> u64 {
    words.iter().map(|word| word.load(Ordering::Relaxed)).sum()
}

/// Checks that ranks of a node add to each other's words directly.
fn shared_memory(entry: &mut Entry) -> Checked {
    let window = Window::<AtomicU64>::allocate(entry, 3)?;
    let mates: Vec<_> = all_ranks(entry).filter(|rank| entry.same_node(*rank)).collect();
    for word in mates.iter().filter_map(|rank| window.of(*rank)?.get(2)) {
        word.fetch_add(u64::from(entry.rank().0) + 1, Ordering::Relaxed);
    }
    entry.barrier();
    let expected: u32 = mates.iter().map(|rank| rank.0 + 1).sum();
    same(sum(window.local()), expected.into())?;
    Ok(window.free(entry)?)
}

/// Returns a word that only one rank writes to one place.
fn word(from: RankId, to: RankId, place: usize) -> u64 {
    (u64::from(from.0) << 48) + (u64::from(to.0) << 32) + place as u64 + 1
}

/// Words that ranks put, each to its own stretch of every rank's.
const STRETCH: usize = 500;

/// Returns a window in which every rank has put its own words on every rank.
fn put_everywhere(entry: &mut Entry) -> Result<Window<AtomicU64>, WindowError> {
    let (own, ranks) = (entry.rank(), entry.ranks() as usize);
    let window = Window::allocate(entry, ranks * STRETCH)?;
    for to in all_ranks(entry) {
        let words: Vec<_> = (0..STRETCH).map(|place| word(own, to, place).into()).collect();
        window.put(entry, to, own.index() * STRETCH, &words)?;
    }
    entry.barrier();
    Ok(window)
}

/// Returns the words that `put_everywhere` has left at a rank.
fn put_at(entry: &Entry, to: RankId) -> Vec<u64> {
    let of = |from| (0..STRETCH).map(move |place| word(from, to, place));
    all_ranks(entry).flat_map(of).collect()
}

fn plain(words: &[AtomicU64]) -> Vec<u64> {
    words.iter().map(|word| word.load(Ordering::Relaxed)).collect()
}

/// Returns words that no check expects, to be overwritten by a get.
fn buffer(words: usize) -> Box<[AtomicU64]> {
    (0..words).map(|_| AtomicU64::new(u64::MAX)).collect()
}

/// Checks that a get finds what was put, whole and in part.
fn put_and_get(entry: &mut Entry) -> Checked {
    let window = put_everywhere(entry)?;
    same(plain(window.local()), put_at(entry, entry.rank()))?;
    for rank in all_ranks(entry) {
        let mut all = buffer(window.words(rank));
        window.get(entry, rank, 0, &mut all)?;
        same(plain(&all), put_at(entry, rank))?;
        let mut some = buffer(3);
        window.get(entry, rank, 100, &mut some)?;
        same(plain(&some), put_at(entry, rank)[100..103].to_vec())?;
    }
    Ok(window.free(entry)?)
}

/// Checks gets that are started together, waited for and tested in turn.
fn get_without_waiting(entry: &mut Entry) -> Checked {
    let window = put_everywhere(entry)?;
    let ranks: Vec<_> = all_ranks(entry).collect();
    let mut started = Vec::new();
    for rank in &ranks {
        let get = window.start_get(entry, *rank, 0, buffer(window.words(*rank)));
        started.push(get?);
    }
    for (place, (rank, mut get)) in ranks.iter().zip(started).enumerate() {
        let words = if place % 2 == 0 {
            get.wait(entry)?
        } else {
            loop {
                match get.test(entry)? {
                    Progress::Done(words) => break words,
                    Progress::Pending(pending) => get = pending,
                }
            }
        };
        same(plain(&words), put_at(entry, *rank))?;
    }
    Ok(window.free(entry)?)
}

/// Checks words of 32 bits.
fn short_words(entry: &mut Entry) -> Checked {
    let window = Window::<AtomicU32>::allocate(entry, 7)?;
    let own = entry.rank().0;
    let next = RankId((own + 1) % entry.ranks());
    let words: Vec<_> = (0..5).map(|place| AtomicU32::new(10 * own + place)).collect();
    window.put(entry, next, 2, &words)?;
    entry.barrier();
    let mut words = [const { AtomicU32::new(1) }; 4];
    window.get(entry, next, 1, &mut words)?;
    same(words.map(AtomicU32::into_inner), [0, 10 * own, 10 * own + 1, 10 * own + 2])?;
    Ok(window.free(entry)?)
}

/// Checks a remote store and load, and that additions of all ranks are atomic.
fn store_and_add(entry: &mut Entry) -> Checked {
    const TIMES: u64 = 200;
    let window = Window::<AtomicU64>::allocate(entry, 2)?;
    let (own, ranks) = (entry.rank(), entry.ranks());
    let next = RankId((own.0 + 1) % ranks);
    window.store(entry, next, 1, u64::MAX - u64::from(own.0))?;
    same(window.load(entry, next, 1)?, u64::MAX - u64::from(own.0))?;
    let mut before = 0;
    for _ in 0..TIMES {
        before += window.fetch_add(entry, RankId(0), 0, 1)?;
    }
    // Nobody found the same number twice.
    let all = TIMES * u64::from(ranks);
    same(entry.sum_u64(before), all * (all - 1) / 2)?;
    same(window.load(entry, RankId(0), 0)?, all)?;
    same(window.fetch_add(entry, own, 1, 1 << 63).is_ok(), true)?;
    Ok(window.free(entry)?)
}

/// Checks that swaps of all ranks are atomic.
fn compare_and_swap(entry: &mut Entry) -> Checked {
    const TIMES: u64 = 100;
    let window = Window::<AtomicU64>::allocate(entry, 1)?;
    let last = RankId(entry.ranks() - 1);
    let (mut seen, mut swapped) = (0, 0);
    while swapped < TIMES {
        let new = seen + 1;
        let before = window.compare_and_swap(entry, last, 0, seen, new)?;
        swapped += u64::from(before == seen);
        seen = if before == seen { new } else { before };
    }
    entry.barrier();
    same(window.load(entry, last, 0)?, TIMES * u64::from(entry.ranks()))?;
    Ok(window.free(entry)?)
}

/// Checks that what is outside of a window is refused, and a window that is being read is not
/// freed.
fn refusals(entry: &mut Entry) -> Checked {
    let window = Window::<AtomicU64>::allocate(entry, 4)?;
    let (own, beyond) = (entry.rank(), RankId(entry.ranks()));
    let outside = |result: Result<(), WindowError>, expected| match result {
        Err(WindowError::Outside(outside)) => same(outside, expected),
        other => Err(format!("{other:?}").into()),
    };
    let past = |offset, words| Outside::Words { rank: own, offset, words, length: 4 };
    outside(window.get(entry, own, 2, &mut buffer(3)), past(2, 3))?;
    outside(window.put(entry, own, usize::MAX, &buffer(2)), past(usize::MAX, 2))?;
    outside(window.start_get(entry, own, 4, buffer(1)).map(|_| ()), past(4, 1))?;
    outside(window.store(entry, own, 4, 1), past(4, 1))?;
    outside(window.compare_and_swap(entry, own, 5, 0, 1).map(|_| ()), past(5, 1))?;
    outside(window.get(entry, beyond, 0, &mut buffer(1)), Outside::Rank(beyond))?;
    same(window.of(beyond).is_none(), true)?;
    let huge = Window::<AtomicU64>::allocate(entry, usize::MAX).map(|_| ());
    outside(huge, Outside::Length { rank: RankId(0), words: u64::MAX })?;
    same(sum(window.local()), 0)?;
    let under_way = window.start_get(entry, own, 0, buffer(4))?;
    if entry.nodes().number() > 1 {
        // MPICH cannot end over UCX while there are windows.
        under_way.wait(entry)?;
        return Ok(window.free(entry)?);
    }
    // The memory must outlive what is read from it; this window is given up on purpose.
    let refused = window.free(entry);
    same(matches!(refused, Err(WindowError::Busy)), true)?;
    same(plain(&under_way.wait(entry)?), vec![0; 4])
}

/// Subdomain whose halo is read while it is written.
const READ: SubdomainId = SubdomainId(0);

/// Number of the halo's cells.
const CELLS: usize = 512;

/// Time for which versions follow each other without a pause.
const HAMMERED: Duration = Duration::from_millis(500);

/// The words of a buffer.
const BUFFER: usize = LABEL_WORDS + CELLS;

/// Returns the place of a version of the edge.
fn edge_start(version: u64) -> usize {
    HEAD_WORDS + usize::try_from(version % EDGE_BUFFERS as u64).unwrap_or(0) * BUFFER
}

/// Returns a subdomain whose bottom edge is in a rank's words.
fn publication(words: &[AtomicU64]) -> Option<Publication<'_, f64>> {
    let (head, edge) = words.split_first_chunk()?;
    Some(Publication::with_format(BufferFormat::Labelled, head, [&[], edge, &[], &[]]))
}

/// Publishes versions of a halo without a pause on each rank, and reads those of the next rank;
/// every halo that is accepted must be whole.
fn torn_reads(entry: &mut Entry) -> Checked {
    let window = Window::allocate(entry, HEAD_WORDS + EDGE_BUFFERS * BUFFER)?;
    let next = RankId((entry.rank().0 + 1) % entry.ranks());
    let layout = Layout::new(1, CELLS).ok_or("a layout")?;
    let own = publication(window.local()).ok_or("a publication")?;
    own.vacate(READ, 0);
    own.publish_again([true; 4], edges_of(&layout, &vec![0.0; layout.len()]));
    own.admit(HaloTag { subdomain: READ, owner: entry.rank() });
    entry.barrier();
    let mut cells = vec![0.0; layout.len()];
    let memory = window.of(next).and_then(publication).map(|publication| {
        hammer(&window, layout, |check| {
            let version = publication.read(
                READ,
                Side::Bottom.index(),
                Wanted::Newest,
                halo_of(Side::Top, &layout, &mut cells),
            );
            Ok(version.map(|version| check(version, &mut layout.top(&cells).iter().copied())))
        })
    });
    entry.barrier();
    // As the ranks of a run do: the head, then the buffer of the version that it says.
    let mpi = hammer(&window, layout, |check| {
        let mut newest = [AtomicU64::new(0)];
        window.get(entry, next, head::VERSION, &mut newest)?;
        let version = *newest[0].get_mut();
        let mut copy = buffer(BUFFER);
        window.get(entry, next, edge_start(version), &mut copy)?;
        let accepted = accept::<f64>(&copy, READ, version..=u64::MAX);
        Ok(accepted.map(|FetchedEdge { version, cells }| {
            check(
                version,
                &mut cells.iter().map(|cell| f64::from_bits(cell.load(Ordering::Relaxed))),
            )
        }))
    });
    for (how, read) in [("memory", memory.unwrap_or(Ok([0; 2]))), ("MPI", mpi)] {
        let [accepted, rejected] = read?.map(|number| entry.sum_u64(number));
        if entry.rank().0 == 0 {
            println!("  through {how}: {accepted} halos; {rejected} rejected");
        }
    }
    Ok(window.free(entry)?)
}

/// Whether all cells are of a version.
type Whole<'a> = &'a dyn Fn(u64, &mut dyn Iterator<Item = f64>) -> bool;

/// Publishes without a pause in one thread and reads in another for a while; `read` answers whether
/// what it has accepted was whole. How many halos were accepted, and how many were not.
fn hammer(
    window: &Window<AtomicU64>,
    layout: Layout,
    mut read: impl FnMut(Whole<'_>) -> Result<Option<bool>, WindowError>,
) -> Result<[u64; 2], Failure> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| publish_until(&stop, window.local(), layout));
        let [mut accepted, mut rejected] = [0; 2];
        let begin = Instant::now();
        let result = loop {
            match read(&|version, mut cells| {
                Iterator::all(&mut cells, |cell| cell.to_bits() == bits(version))
            }) {
                Ok(Some(true)) => accepted += 1,
                Ok(Some(false)) => break Err("a halo was accepted though torn".into()),
                Ok(None) => rejected += 1,
                Err(error) => break Err(error.into()),
            }
            if begin.elapsed() > HAMMERED && accepted > 0 {
                break Ok([accepted, rejected]);
            }
        };
        stop.store(true, Ordering::Relaxed);
        result
    })
}

/// Returns every cell of a version.
fn bits(version: u64) -> u64 {
    (version as f64).to_bits()
}

/// Publishes an edge of one number again and again, until it is stopped.
fn publish_until(stop: &AtomicBool, words: &[AtomicU64], layout: Layout) {
    let Some(publication) = publication(words) else { return };
    let begin = Instant::now();
    let mut cells = vec![0.0; layout.len()];
    while !stop.load(Ordering::Relaxed) {
        cells.fill((publication.version() + 1) as f64);
        publication.publish([false, true, false, false], edges_of(&layout, &cells));
        if begin.elapsed() > HAMMERED {
            // Whoever is too slow to read it till now gets time for it.
            thread::sleep(HAMMERED / 4);
        }
    }
}

/// Reports whether it can be read depends on the library; that all ranks find the same does not.
fn computing(entry: &mut Entry) -> Checked {
    for always in [false, true] {
        let passive = Passive::measure(entry, always)?;
        if entry.rank().0 == 0 {
            println!("  {passive}");
        }
        let measured = entry.ranks() > 1 && (always || entry.nodes().number() > 1);
        same(passive.median.is_some(), measured)?;
        let all = entry.all_gather_u64(u64::from(passive.needs_entering));
        same(all.iter().all(|needs| *needs == u64::from(passive.needs_entering)), true)?;
    }
    Ok(())
}
