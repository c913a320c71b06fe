//! Measures the time of reading a halo: `mpirun -n 2 halo_get`, built with the feature `c-get`.
//!
//! A get of a window beside `MPI_Get` and `MPI_Win_flush` as written in C, and for comparison with
//! the check that accepts the halo, which C does without; and a halo that is read from shared
//! memory beside a copy of the same words: as its owner has just published it, and once it is in
//! this core's cache. Taken in turn; medians. Ends with an exit code other than 0 where a get or a
//! read costs more than it may.

#![expect(unsafe_code, reason = "calls C")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::error::Error;
use std::ffi::c_int;
use std::hint::{self, black_box};
use std::process::ExitCode;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::field::grid::Side;
use tresse_core::field::stencil::Layout;
use tresse_core::field::subdomain::{edges_of, halo_of};
use tresse_core::parts::halo::{
    BufferFormat, EDGE_BUFFERS, HEAD_WORDS, HaloTag, Head, LABEL_WORDS, Publication, accept,
};
use tresse_core::run::schedule::Wanted;
use tresse_mpi::mpi::{Entry, Window};

/// Words of a halo.
const SIZES: [usize; 3] = [300, 1000, 8192];
const LARGEST: usize = 8192;
/// The word that asks the owner for one more version.
const REQUEST: usize = HEAD_WORDS + EDGE_BUFFERS * LARGEST;
/// Number of times that both kinds of reads are timed, each time over as many halos as have this
/// many words together.
const ROUNDS: usize = 101;
const WORDS_PER_ROUND: usize = 1 << 20;
/// Number of times that a new halo is read and copied.
const FRESH: usize = 1001;
/// Greatest time of a get relative to C's, and of a read relative to a copy.
const MOST: [f64; 2] = [1.2, 2.0];

unsafe extern "C" {
    fn halo_get_open(words: c_int) -> c_int;
    fn halo_get(rank: c_int, words: c_int, into: *mut u64) -> c_int;
    fn halo_get_close() -> c_int;
}

/// Runs the measurement; fails where a get or a read costs more than it may.
fn main() -> ExitCode {
    let run = Entry::start().map_err(Into::into).and_then(|mut entry| run(&mut entry));
    match run {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Reports whether everything is as cheap as it should be.
fn run(entry: &mut Entry) -> Result<bool, Box<dyn Error>> {
    if entry.ranks() != 2 || entry.nodes().number() != 1 {
        return Err("needs two ranks on one node: mpirun -n 2 halo_get".into());
    }
    let window = Window::allocate(entry, REQUEST + 1)?;
    // SAFETY: both ranks call it, and no other thread calls MPI while this one has the entry.
    unsafe { halo_get_open(c_int::try_from(LARGEST)?) };
    let tag = HaloTag { subdomain: SubdomainId(0), owner: entry.rank() };
    publication(window.local(), LARGEST).ok_or("no room")?.admit(tag);
    entry.barrier();
    let mut cheap = true;
    if entry.rank() == RankId(0) {
        println!("{}, ns for a halo", entry.library());
        for words in SIZES {
            cheap &= gets(entry, &window, words)?;
        }
        entry.barrier();
        for words in SIZES {
            cheap &= reads(&window, words)?;
        }
    } else {
        // Some libraries answer only a rank that has entered MPI.
        entry.barrier();
        SIZES.into_iter().try_for_each(|words| publish(window.local(), words))?;
    }
    entry.barrier();
    // SAFETY: as above; it was opened.
    unsafe { halo_get_close() };
    window.free(entry)?;
    Ok(cheap)
}

/// Returns a subdomain whose bottom edge is in a rank's words.
fn publication(window: &[AtomicU64], words: usize) -> Option<Publication<'_, f64>> {
    let (head, edge) = window.split_first_chunk()?;
    Some(Publication::new(head, [&[], edge.get(..EDGE_BUFFERS * words)?, &[], &[]]))
}

/// Publishes as many versions as are asked for.
fn publish(window: &[AtomicU64], words: usize) -> Result<(), Box<dyn Error>> {
    let published = publication(window, words).ok_or("no room")?;
    let layout = Layout::new(1, words).ok_or("too large")?;
    let cells = vec![1.0; layout.len()];
    for _ in 0..2 * FRESH {
        while window[REQUEST].load(Ordering::Acquire) == published.version() {
            hint::spin_loop();
        }
        published.publish([false, true, false, false], edges_of(&layout, &cells));
    }
    Ok(())
}

/// Measures a get beside C's, without and with the check; returns whether it is cheap enough.
fn gets(
    entry: &mut Entry,
    window: &Window<AtomicU64>,
    words: usize,
) -> Result<bool, Box<dyn Error>> {
    let mut ours: Box<[_]> = (0..words).map(|_| AtomicU64::new(0)).collect();
    let mut theirs = vec![0_u64; words];
    let count = c_int::try_from(words)?;
    let medians = in_turn(
        words,
        || window.get(entry, RankId(1), 0, &mut ours).is_ok(),
        // SAFETY: the window is open and has as many words, and so has `theirs`; this thread has
        // the entry.
        || unsafe { halo_get(1, count, theirs.as_mut_ptr()) == 0 },
    )?;
    let buffer = labelled(words).ok_or("no room")?;
    let with_check = in_turn(
        words,
        || {
            let is_there = window.get(entry, RankId(1), 0, &mut ours).is_ok();
            is_there && accept::<f64>(black_box(&buffer), SubdomainId(0), 0..=0).is_some()
        },
        // SAFETY: as above.
        || unsafe { halo_get(1, count, theirs.as_mut_ptr()) == 0 },
    )?;
    let cheap = report("get", "C", words, medians, Some(MOST[0]));
    Ok(cheap & report("get and check", "C", words, with_check, None))
}

/// Returns a buffer of this number of cells as it is fetched.
fn labelled(words: usize) -> Option<Vec<AtomicU64>> {
    let edge: Vec<_> =
        (0..EDGE_BUFFERS * (LABEL_WORDS + words)).map(|_| AtomicU64::new(0)).collect();
    let (head, layout) = (Head::new(), Layout::new(1, words)?);
    let edges = [&[], edge.as_slice(), &[], &[]];
    let publication = Publication::<f64>::with_format(BufferFormat::Labelled, head.words(), edges);
    publication.vacate(SubdomainId(0), 0);
    publication.publish_again([true; 4], edges_of(&layout, &vec![1.0; layout.len()]));
    Some(edge.into_iter().take(LABEL_WORDS + words).collect())
}

/// Measures the read of a halo beside a copy of its words; returns whether it is cheap enough.
fn reads(window: &Window<AtomicU64>, words: usize) -> Result<bool, Box<dyn Error>> {
    let memory = window.of(RankId(1)).ok_or("no shared memory")?;
    let published = publication(memory, words).ok_or("no room")?;
    let layout = Layout::new(1, words).ok_or("too large")?;
    let mut cells = vec![0.0; layout.len()];
    let mut copy = vec![0_u64; words];
    let buffer = |version| usize::try_from(version % EDGE_BUFFERS as u64).unwrap_or(0) * words;
    let (id, newest) = (SubdomainId(0), Wanted::Newest);
    let mut read = || {
        published
            .read(id, Side::Bottom.index(), newest, halo_of(Side::Top, &layout, &mut cells))
            .is_some()
    };
    let mut take = || {
        let start = HEAD_WORDS + buffer(published.version());
        let Some(buffer) = memory.get(start..start + words) else { return false };
        // SAFETY: `copy` has as many words, and the owner writes none of them until it is asked.
        unsafe { ptr::copy_nonoverlapping(buffer.as_ptr().cast(), copy.as_mut_ptr(), words) };
        black_box(&mut copy);
        true
    };
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..FRESH {
        for (times, halo) in
            times.iter_mut().zip([&mut read as &mut dyn FnMut() -> bool, &mut take])
        {
            let next = published.version() + 1;
            memory[REQUEST].store(next, Ordering::Release);
            while published.version() < next {
                hint::spin_loop();
            }
            times.push(nanoseconds(1, halo).ok_or("not read")?);
        }
    }
    let cheap = report("read new", "memcpy", words, times.map(median), Some(MOST[1]));
    let medians = in_turn(words, read, take)?;
    Ok(cheap & report("read again", "memcpy", words, medians, Some(MOST[1])))
}

/// Returns the median nanoseconds of one and of the other.
fn in_turn(
    words: usize,
    mut one: impl FnMut() -> bool,
    mut other: impl FnMut() -> bool,
) -> Result<[f64; 2], Box<dyn Error>> {
    let times = WORDS_PER_ROUND / words;
    let mut rounds = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let [first, second] = &mut rounds;
        first.push(nanoseconds(times, &mut one).ok_or("not read")?);
        second.push(nanoseconds(times, &mut other).ok_or("not read")?);
    }
    Ok(rounds.map(median))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the mean nanoseconds of reading a halo `times` times; `None` where a read fails.
fn nanoseconds(times: usize, halo: &mut (impl FnMut() -> bool + ?Sized)) -> Option<f64> {
    let begin = Instant::now();
    let all = (0..times).all(|_| black_box(halo()));
    all.then(|| begin.elapsed().as_nanos() as f64 / times as f64)
}

/// Reports whether one costs no more of the other than it may.
fn report(
    what: &str,
    beside: &str,
    words: usize,
    [one, other]: [f64; 2],
    most: Option<f64>,
) -> bool {
    let ratio = one / other;
    let limit = most.map_or_else(String::new, |most| format!(" (at most {most})"));
    println!("{words} words: {what} {one:.0}, {beside} {other:.0}: {ratio:.2}{limit}");
    most.is_none_or(|most| ratio <= most)
}
