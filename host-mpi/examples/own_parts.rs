//! Parts of one's own across ranks, for tests: each has another number of units and links, and the
//! edges between two have another length each way. Prints what each rank has left, as bits.
//!
//! `own_parts MODE WORKERS SPLIT STOP NODE_BALANCE [get] [threads|panics|grows|stops|dies|differs|half]`,
//! where STOP is a number of iterations or a tolerance. With `threads` it needs no MPI. `save=DIR`
//! saves all parts at once, and again when part 3 has made 300 updates, `from=DIR` goes on from what
//! was saved, and with `refuses` one of them does not unpack. `record=FILE` records the run, and
//! `replays=FILE` makes it again in place of a run. With `stops` the rank that part 3 is on is
//! stopped for half a second when the part has made 500 updates, and with `dies` it is killed once
//! there is a checkpoint.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that says what it found")]

use std::error::Error;
use std::path::Path;
use std::process::{self, Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs, iter};

use mpi::topology::Color;
use mpi::traits::Communicator as _;
use tresse::{Graph, Part, Run};
use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Duration;
use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
use tresse_core::parts::owned::{Edge, GraphMemory};
use tresse_core::run::{Mode, NodeBalance, Nodes, RunConfig, Stop};
use tresse_mpi::Access;
use tresse_mpi::rank::ranks::Entering;

/// The most links of a part.
const LINKS: usize = 7;

/// Asks for a checkpoint.
static SAVES: AtomicBool = AtomicBool::new(true);

/// Returns the units of a part.
fn length(id: u32) -> u32 {
    3 + (id * 7) % 11
}

/// Returns the units that a part publishes for another.
fn edge(from: u32, to: u32) -> u32 {
    1 + (3 * from + 5 * to) % 4
}

/// Returns all pairs of neighbours: a ring, and chords of two lengths.
fn pairs(parts: u32) -> impl Iterator<Item = (u32, u32)> {
    let chords = move |one| [1, 2 + one % 3].map(|by| (one, (one + by) % parts));
    let both = (0..parts).flat_map(chords).flat_map(|(one, other)| [(one, other), (other, one)]);
    both.filter(|(one, other)| one != other)
}

/// A vector, each unit of which becomes a mean of the neighbours' and of a constant.
#[derive(Clone, Debug)]
struct Vector {
    id: u32,
    own: Vec<f64>,
    beside: Vec<Vec<f64>>,
    updates: u64,
    fault: Option<Fault>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Panics,
    Grows,
    Refuses,
    Stops,
    Dies,
}

/// Updates after which the process of a part is stopped.
const LONG: u64 = 500;

/// Whether there is a complete checkpoint.
fn is_saved() -> bool {
    let folder = env::args().find_map(|word| word.strip_prefix("save=").map(str::to_owned));
    let names = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.any(|name| name.starts_with("checkpoint-") && !name.contains(".part"))
}

/// Lets a shell do something to this process.
fn suffer(what: &str) {
    let what = what.replace("SELF", &process::id().to_string());
    let done = Command::new("sh").arg("-c").arg(what).status();
    assert!(done.is_ok_and(|done| done.success()), "there is no shell");
}

impl Vector {
    fn of(id: SubdomainId, fault: Option<Fault>) -> Self {
        let own = vec![0.1; length(id.0) as usize];
        Self { id: id.0, own, beside: vec![Vec::new(); LINKS], updates: 0, fault }
    }

    fn next(&self) -> Vec<f64> {
        let all: Vec<_> = self.beside.iter().flatten().copied().collect();
        let mean = |place: usize| {
            let constant = f64::from(self.id + 1) / (place + 2) as f64;
            let other = all.iter().cycle().skip(place).step_by(2).take(all.len().max(1));
            0.1 * constant + 0.97 * other.sum::<f64>() / all.len().max(1) as f64
        };
        (0..self.own.len()).map(mean).collect()
    }
}

impl Part for Vector {
    type Unit = f64;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        let units = self.lengths()[link];
        edge.write(self.own.iter().cycle().skip(link).take(units as usize).copied());
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        self.beside[link] = edge.cells().collect();
    }

    fn update(&mut self, _: bool) -> Option<f64> {
        assert!(self.fault != Some(Fault::Panics) || self.updates < 20, "part 3 has had enough");
        let residual = self.residual();
        self.own = self.next();
        self.updates += 1;
        if (self.id, self.updates) == (3, 300) {
            SAVES.store(true, Ordering::Relaxed);
        }
        match self.fault.filter(|_| self.id == 3) {
            Some(Fault::Stops) if self.updates == LONG => {
                suffer("kill -STOP SELF; sleep 0.5; kill -CONT SELF");
            }
            Some(Fault::Dies) if self.updates.is_multiple_of(50) && is_saved() => {
                suffer("kill -KILL SELF");
            }
            _ => {}
        }
        Some(residual)
    }

    fn residual(&mut self) -> f64 {
        self.next().iter().zip(&self.own).map(|(next, own)| (next - own).powi(2)).sum()
    }

    fn pack(&self) -> impl Iterator<Item = f64> {
        let grown = if self.fault == Some(Fault::Grows) { 100 * self.updates.min(1) } else { 0 };
        let beside = self
            .beside
            .iter()
            .flat_map(|beside| iter::once(beside.len() as f64).chain(beside.iter().copied()));
        let more = iter::repeat_n(0.0, usize::try_from(grown).unwrap_or(0));
        iter::once(self.updates as f64).chain(self.own.iter().copied()).chain(beside).chain(more)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
    fn unpack(&mut self, id: SubdomainId, mut units: impl Iterator<Item = f64>) -> bool {
        let Some(updates) = units.next() else { return false };
        self.id = id.0;
        self.updates = updates as u64;
        self.own = units.by_ref().take(length(id.0) as usize).collect();
        for beside in &mut self.beside {
            let Some(length) = units.next() else { return false };
            *beside = units.by_ref().take(length as usize).collect();
        }
        self.own.len() == length(id.0) as usize && self.fault != Some(Fault::Refuses)
    }
}

impl Vector {
    /// Returns the units on each link: the neighbours are in the order of their numbers.
    fn lengths(&self) -> [u32; LINKS] {
        let mut lengths = [0; LINKS];
        let mut beside: Vec<_> = pairs(PARTS).filter(|(from, _)| *from == self.id).collect();
        beside.sort_unstable();
        beside.dedup();
        let edges = beside.into_iter().map(|(from, to)| edge(from, to));
        lengths.iter_mut().zip(edges).for_each(|(length, edge)| *length = edge);
        lengths
    }
}

/// The parts of every run.
const PARTS: u32 = 12;

fn main() -> ExitCode {
    // In words, as a person would see it.
    run().map_or_else(
        |error| {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [mode, workers, split, stop, balance, words @ ..] = &*arguments else {
        return Err(
            "MODE WORKERS SPLIT STOP NODE_BALANCE [get] [threads|panics|grows|differs|half]".into(),
        );
    };
    let has = |word: &str| words.iter().any(|other| other == word);
    let stop = match stop.parse() {
        Ok(iterations) => Stop { iterations: Some(iterations), ..Stop::NEVER },
        Err(_) => Stop { tolerance: Some(stop.parse()?), ..Stop::NEVER },
    };
    let mut config = RunConfig {
        mode: Mode::parse(mode)?,
        split: split.parse()?,
        stop,
        nodes: Nodes { balance: NodeBalance::parse(balance)?, ..Nodes::ONE },
        ..RunConfig::paper(workers.parse()?)
    };
    if config.mode.is_level() {
        config.balance = tresse_core::run::Balance::None;
    }
    let pairs: std::collections::BTreeSet<_> = pairs(PARTS).collect();
    let edges = pairs.into_iter().map(|(from, to)| Edge {
        from: SubdomainId(from),
        to: SubdomainId(to),
        units: edge(from, to),
    });
    let cells = (0..PARTS).map(length).collect();
    let graph = GraphMemory::new(cells, edges)?;
    let graph = graph.lend::<LINKS>()?;
    check(&graph);
    let folder = |word| words.iter().find_map(|other| other.strip_prefix(word)).map(Path::new);
    let faults = [
        ("panics", Fault::Panics),
        ("grows", Fault::Grows),
        ("refuses", Fault::Refuses),
        ("stops", Fault::Stops),
        ("dies", Fault::Dies),
    ];
    let fault = faults.into_iter().find_map(|(word, fault)| has(word).then_some(fault));
    // The memory of any part may become part 3.
    let moves = |fault: &Fault| matches!(fault, Fault::Stops | Fault::Dies);
    let make = |id: SubdomainId| Vector::of(id, fault.filter(|fault| id.0 == 3 || moves(fault)));
    let begun = |config| {
        let mut run = Run::new(config, &graph, make);
        if let Some(folder) = folder("save=") {
            run = run.saved_in(folder, Duration::from_millis(3_600_000)).saved_on(&SAVES);
        }
        if let Some(folder) = folder("from=") {
            run = run.resumed_from(folder);
        }
        if let Some(file) = folder("record=") {
            run = run.recorded_in(file);
        }
        run
    };
    if let Some(file) = folder("replays=") {
        let again = Run::new(config, &graph, make).replay(file)?;
        println!("equal: {}, {} sweeps", again.is_equal, again.sweeps);
        show_parts(&(0..).map(SubdomainId).zip(again.parts).collect::<Vec<_>>());
        return Ok(());
    }
    if has("threads") {
        let run = begun(RunConfig { nodes: Nodes::ONE, ..config }).on_threads()?;
        show(0, &run.record, &(0..).map(SubdomainId).zip(run.parts).collect::<Vec<_>>());
        return Ok(());
    }
    let universe = tresse_mpi::initialize()?;
    let mut world = universe.world();
    if has("half") {
        // The odd ranks of all are a run of their own.
        let color = Color::with_value(world.rank() % 2);
        world = world.split_by_color(color).ok_or("no communicator")?;
    }
    if has("differs") && world.rank() == 1 {
        config.seed += 1;
    }
    let access = Access { only_gets: has("get"), entering: Entering::Workers };
    let run = tresse_mpi::run_with(&world, &begun(config), access)?;
    show(world.rank(), &run.record, &run.parts);
    Ok(())
}

/// Checks that the links of the graph are in the order that the parts take them to be in.
fn check(graph: &impl Graph<LINKS>) {
    for id in (0..PARTS).map(SubdomainId) {
        let lengths = Vector::of(id, None).lengths();
        for (link, _) in graph.neighbours(id).into_iter().enumerate().filter(|(_, at)| at.is_some())
        {
            assert_eq!(lengths[link], graph.edge(graph.size(id), link));
        }
    }
}

fn show(rank: i32, record: &tresse::engine::threads::RunRecord, parts: &[(SubdomainId, Vector)]) {
    println!("rank {rank}: {}, {} transfers", record.end, record.transfers);
    show_parts(parts);
}

fn show_parts(parts: &[(SubdomainId, Vector)]) {
    for (id, part) in parts {
        let bits: Vec<_> = part.own.iter().map(|unit| format!("{:016x}", unit.to_bits())).collect();
        println!("part {id}: {} updates {}", part.updates, bits.join(" "));
    }
}
