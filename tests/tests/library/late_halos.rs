//! The engine of one process whose neighbour's edge is not there when it is wanted: at first not
//! even a place to read it from, then versions that come late. Nobody may sweep or take a residual
//! with what stands in the halo then.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tresse_core::base::unit::Unit;

use tresse::engine::kernel::Kernel;
use tresse::engine::threads::{
    Cells, End, Exchanged, Iteration, Local, MissingHalo, Observers, Peers, RunRecord, SlotTable,
    Slots, drive,
};
use tresse::files::problem::{Problem, Profile};
use tresse_core::base::id::{NodeId, SubdomainId};
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::owned::CellMemory;
use tresse_core::field::stencil::Terms;
use tresse_core::node::shared::{Claim, Claims, Copies};
use tresse_core::node::worker::Rounds;
use tresse_core::node::worker::{HaltStatus, Verdict, next_look};
use tresse_core::parts::halo::{Edges, HaloTag, Head, Mirror, Publication};
use tresse_core::run::{Balance, GridSize, Mode, Nodes, RunConfig};
use tresse_tests::problems::{
    Failure, config, edge_memory, from_above, iterations, placement, run, within_ten_minutes,
};

const ITERATIONS: u64 = 40;
/// The neighbour's edge, in all versions.
const EDGE: f64 = 0.25;
/// So often must be asked before anything comes.
const ASKED: u64 = 3;
const COLUMNS: usize = 12;

/// Another process, with a subdomain that is as far as the one here.
struct Late<'r> {
    cut: Decomposition,
    mirror: &'r Mirror<'r, f64>,
    /// State of the fetching thread.
    fetched: Mutex<Fetched>,
    is_hidden: AtomicBool,
    steps: AtomicU64,
    /// Reads with nothing there.
    waits: AtomicU64,
}

#[derive(Default)]
struct Fetched {
    asked: u64,
    versions: u64,
}

impl Late<'_> {
    fn fetched(&self) -> MutexGuard<'_, Fetched> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'r> Peers<'r, Cells<'r, f64>> for Late<'r> {
    const ALONE: bool = false;

    fn fill(&self, id: SubdomainId, subdomain: &mut Cells<'r, f64>) {
        problem(self.cut.grid()).fill(&self.cut, id, subdomain);
    }

    fn edges(&self, reader: SubdomainId, link: usize) -> Option<Edges<'r, 'r, f64>> {
        assert_eq!((reader, link), (SubdomainId(0), Side::Bottom.index()));
        (!self.is_hidden.load(Ordering::Relaxed)).then_some(Edges::Fetched(self.mirror))
    }

    fn bring_halos(&self) {
        self.waits.fetch_add(1, Ordering::Relaxed);
        let mut fetched = self.fetched();
        fetched.asked += 1;
        if fetched.asked.is_multiple_of(ASKED) {
            let edge: Vec<_> = (0..COLUMNS).map(|_| f64::shared_zero()).collect();
            for cell in &edge {
                f64::store(cell, EDGE);
            }
            self.mirror.publish(SubdomainId(1), fetched.versions, &edge);
            self.is_hidden.store(false, Ordering::Relaxed);
            fetched.versions += 1;
        }
    }

    fn give_up(&self, missing: &MissingHalo) -> ! {
        panic!("{missing}")
    }

    fn exchange(&self, local: &mut Local<'_, '_, 'r, Cells<'r, f64>>, _: f64) -> Exchanged {
        let due = next_look(local.now, 2);
        Exchanged { global: None, halts: false, due }
    }

    fn step(&self) -> bool {
        self.steps.fetch_add(1, Ordering::Relaxed) + 1 == ITERATIONS
    }

    /// Its subdomain has moved: it must be looked for again.
    fn go_through(&self, rounds: Rounds, local: &mut Local<'_, '_, 'r, Cells<'r, f64>>) {
        if rounds == Rounds::FETCH {
            self.is_hidden.store(true, Ordering::Relaxed);
            local.reconnect();
        }
    }

    /// The other process is as far.
    fn decide(
        &self,
        said: HaltStatus,
        residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>,
        judge: &mut dyn FnMut(f64, &HaltStatus) -> Verdict,
    ) -> Verdict {
        judge(residuals.map(|(_, residual)| residual).sum(), &said.and(said))
    }
}

/// Returns the problem on a grid with sides of any length.
fn problem(grid: GridSize) -> Problem {
    let mut problem = from_above(grid);
    problem.boundary = problem.boundary.with(Side::Left, Profile::Constant(0.7));
    problem
}

/// Runs the process with the upper half of the grid; returns its record, and the number of times
/// that it waited.
fn upper_half(config: &RunConfig) -> Result<(RunRecord, u64), Failure> {
    let cut = Decomposition::new(config)?;
    let here = SubdomainId(0);
    let mut memory = CellMemory::<f64>::allocate(&cut, Terms::NONE);
    let (head, edges) = (Head::new(), edge_memory(&cut, here));
    let publication = Publication::new(head.words(), edges.each_ref().map(Vec::as_slice));
    publication.vacate(here, 0);
    publication.admit(HaloTag { subdomain: here, owner: NodeId(0) });
    let publications = [publication];
    let mut parts: Vec<_> = memory.parts(Kernel::best()).take(1).map(Claim::new).collect();
    let mut claims = Claims::new(&mut parts);
    let parts = Copies::single(claims.all());
    let words = [const { AtomicU32::new(0) }; 2];
    let table = SlotTable::new(&words, [Some(0), None].into_iter());
    let slots = Slots { parts, publications: &publications, table };
    let (placement, interrupt) = (placement(1)?, AtomicBool::new(false));
    let iteration = Iteration { config, graph: &cut, placement: &placement, interrupt: &interrupt };
    let (fetching, fetched) = (Head::new(), edge_memory(&cut, SubdomainId(1)));
    let mirror = Mirror::new(fetching.words(), &fetched[Side::Top.index()]);
    let peers = Late {
        cut,
        mirror: &mirror,
        fetched: Mutex::default(),
        is_hidden: AtomicBool::new(true),
        steps: AtomicU64::new(0),
        waits: AtomicU64::new(0),
    };
    let observers = Observers::of_workers(vec![()]);
    let (record, _) =
        drive(&iteration, NodeId(0), slots, &mut claims, &peers, observers, &mut |_| {})?;
    Ok((record, peers.waits.into_inner()))
}

#[test]
fn a_synchronous_worker_waits_for_halos_that_come_late() -> Result<(), Failure> {
    let whole = GridSize { rows: 20, columns: COLUMNS };
    let stop = iterations(ITERATIONS);
    let config = config(whole, (2, 1), (Mode::Sync, Balance::None), stop);
    let config = RunConfig { nodes: Nodes { number: 2, ..Nodes::ONE }, ..config };
    let (found, waits) = within_ten_minutes("a run with late halos", {
        let config = config.clone();
        move || upper_half(&config)
    })??;
    assert_eq!((found.end, found.sweeps), (End::Iterations, ITERATIONS));
    // Before the first residual, once for each version but the first, and after they had moved.
    assert_eq!(waits, ASKED * (ITERATIONS + 1));

    // The other process's edge is to the upper half what a boundary is.
    let half = GridSize { rows: whole.rows / 2, ..whole };
    let mut problem = problem(half);
    problem.boundary = problem.boundary.with(Side::Bottom, Profile::Constant(EDGE));
    let alone = RunConfig { grid: half, workers: 1, nodes: Nodes::ONE, ..config };
    let (_, expected) = run(&problem, &alone)?;
    assert_eq!(found.residual, expected.residual);
    Ok(())
}
