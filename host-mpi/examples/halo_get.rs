//! What a halo costs: `mpirun -n 2 halo_get`, built with the feature `c-get`.
//!
//! A get of a window beside `MPI_Get` and `MPI_Win_flush` as written in C, and a halo that is read
//! from shared memory beside a copy of as many words; taken in turn, medians of many rounds. Ends
//! with an exit code other than 0 where one costs more than it may.

#![expect(unsafe_code, reason = "calls C")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::error::Error;
use std::ffi::c_int;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use tresse_core::grid::Side;
use tresse_core::id::{NodeId, SubdomainId};
use tresse_core::migration::Tenant;
use tresse_core::schedule::Wanted;
use tresse_core::shared::{HEAD_WORDS, Publication, SLOTS};
use tresse_core::stencil::Layout;
use tresse_mpi::{Entry, Window};

/// Words of a halo.
const SIZES: [usize; 3] = [300, 1000, 8192];
/// How often one and the other are timed, each time over so many halos that they have this many
/// words together.
const ROUNDS: usize = 101;
const WORDS_PER_ROUND: usize = 1 << 20;
/// What a get may cost of C's, and a read of a copy.
const MOST: [f64; 2] = [1.2, 2.0];

unsafe extern "C" {
    fn halo_get_open(words: c_int) -> c_int;
    fn halo_get(rank: c_int, words: c_int, into: *mut u64) -> c_int;
    fn halo_get_close() -> c_int;
}

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

/// Whether everything is as cheap as it should be.
fn run(entry: &mut Entry) -> Result<bool, Box<dyn Error>> {
    if entry.ranks() != 2 || entry.nodes().number() != 1 {
        return Err("needs two ranks on one node: mpirun -n 2 halo_get".into());
    }
    let largest = SIZES.into_iter().max().unwrap_or(0);
    let window = Window::allocate(entry, HEAD_WORDS + SLOTS * largest)?;
    // SAFETY: both ranks call it, and no other thread calls MPI while this one has the entry.
    unsafe { halo_get_open(c_int::try_from(largest)?) };
    let tenant = Tenant { subdomain: SubdomainId(0), owner: entry.rank() };
    publication(window.local()).ok_or("no room")?.admit(tenant);
    entry.barrier();
    let mut cheap = true;
    if entry.rank() == NodeId(0) {
        println!("{}, ns for a halo, medians of {ROUNDS}", entry.library());
        for words in SIZES {
            cheap &= gets(entry, &window, words)?;
            cheap &= reads(&window, words)?;
        }
    } else {
        // Some libraries answer only a rank that has entered MPI.
        entry.barrier();
    }
    if entry.rank() == NodeId(0) {
        entry.barrier();
    }
    // SAFETY: as above; it was opened.
    unsafe { halo_get_close() };
    window.free(entry)?;
    Ok(entry.sum_u64(u64::from(!cheap)) == 0)
}

/// A subdomain whose bottom edge is in a rank's words.
fn publication(words: &[AtomicU64]) -> Option<Publication<'_, f64>> {
    let (head, edge) = words.split_first_chunk()?;
    Some(Publication::new(head, [&[], edge, &[], &[]]))
}

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
        || window.get(entry, NodeId(1), 0, &mut ours).is_ok(),
        // SAFETY: the window is open and has as many words, and so has `theirs`; this thread has
        // the entry.
        || unsafe { halo_get(1, count, theirs.as_mut_ptr()) == 0 },
    )?;
    Ok(report("get", "C", words, medians, MOST[0]))
}

fn reads(window: &Window<AtomicU64>, words: usize) -> Result<bool, Box<dyn Error>> {
    let published = window.of(NodeId(1)).and_then(publication).ok_or("no shared memory")?;
    let layout = Layout::new(1, words).ok_or("too large")?;
    let mut cells = vec![1.0; layout.len()];
    let (from, mut to) = (vec![0.0_f64; words], vec![1.0_f64; words]);
    let id = SubdomainId(0);
    let medians = in_turn(
        words,
        || published.read_into(id, Side::Top, &layout, &mut cells, Wanted::Newest).is_some(),
        || {
            black_box(&mut to[..]).copy_from_slice(black_box(&from));
            true
        },
    )?;
    Ok(report("read", "memcpy", words, medians, MOST[1]))
}

/// The median nanoseconds of one and of the other.
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
    Ok(rounds.map(|mut times| {
        times.sort_unstable_by(f64::total_cmp);
        times[ROUNDS / 2]
    }))
}

fn nanoseconds(times: usize, halo: &mut impl FnMut() -> bool) -> Option<f64> {
    let begin = Instant::now();
    let all = (0..times).all(|_| black_box(halo()));
    all.then(|| begin.elapsed().as_nanos() as f64 / times as f64)
}

fn report(what: &str, beside: &str, words: usize, [one, other]: [f64; 2], most: f64) -> bool {
    let ratio = one / other;
    println!("{words} words: {what} {one:.0}, {beside} {other:.0}: {ratio:.2} (at most {most})");
    ratio <= most
}
