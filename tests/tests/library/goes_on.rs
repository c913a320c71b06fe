//! Runs that go on from where an earlier one stopped, on real threads, with counts far apart.

use std::sync::atomic::{AtomicBool, AtomicU32};

use tresse::engine::kernel::Kernel;
use tresse::engine::threads::{
    Cells, End, Iteration, MissingHalo, Observer, Observers, Peers, RunRecord, SlotTable, Slots,
    Sweep, drive,
};
use tresse_core::base::id::{NodeId, SubdomainId};
use tresse_core::base::time::Duration;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::owned::CellMemory;
use tresse_core::field::stencil::Terms;
use tresse_core::node::shared::{Claim, Claims, Copies};
use tresse_core::parts::halo::{HaloTag, Head, Publication};
use tresse_core::run::{Balance, GridSize, Mode, RunConfig, Stop};
use tresse_tests::problems::{
    Failure, config, edge_memory, from_above, iterations, placement, tolerance, within_ten_minutes,
};

/// So far were the subdomains of worker 0 when the earlier run stopped, and so far those of worker
/// 1.
const COUNTS: [u64; 4] = [48_000, 48_000, 18_000, 18_000];

/// Nobody else, and cells that are those of an earlier run: the subdomains that are ahead have
/// settled at 0.5, the others are as the problem has them.
struct Earlier {
    cut: Decomposition,
    counts: [u64; 4],
    initial: f64,
}

impl<'r> Peers<'r, Cells<'r, f64>> for Earlier {
    const ALONE: bool = true;

    fn fill(&self, id: SubdomainId, subdomain: &mut Cells<'r, f64>) {
        let is_ahead = Some(&self.counts[id.index()]) == self.counts.iter().max();
        if is_ahead {
            let boundary = |side, _| f64::from(u8::from(side == Side::Top));
            subdomain.fill(|_, _| 0.5, |_, _| 0.0, boundary);
        } else {
            from_above(self.cut.grid()).fill(&self.cut, id, subdomain);
        }
    }

    fn initial(&self) -> Option<f64> {
        Some(self.initial)
    }

    fn give_up(&self, missing: &MissingHalo) -> ! {
        panic!("{missing:?}")
    }
}

const GRID: GridSize = GridSize { rows: 16, columns: 12 };

/// Goes on with the counts above; the residual is relative to one whose sum of squares is
/// `initial`.
fn go_on(mode: Mode, stop: Stop, initial: f64) -> Result<RunRecord, Failure> {
    let config = config(GRID, (2, 2), (mode, Balance::None), stop);
    let earlier = Earlier { cut: Decomposition::new(&config)?, counts: COUNTS, initial };
    let (record, _) = within_ten_minutes("a run that goes on", move || {
        go_on_with(&config, &earlier, vec![(); 2])
    })??;
    Ok(record)
}

fn go_on_with<O: for<'m> Observer<Cells<'m, f64>>>(
    config: &RunConfig,
    earlier: &Earlier,
    observers: Vec<O>,
) -> Result<(RunRecord, Vec<O>), Failure> {
    let cut = earlier.cut;
    let mut memory = CellMemory::<f64>::allocate(&cut, Terms::NONE);
    let heads: Vec<_> = cut.ids().map(|_| Head::new()).collect();
    let edges: Vec<_> = cut.ids().map(|id| edge_memory(&cut, id)).collect();
    let publications: Vec<_> = cut
        .ids()
        .zip(heads.iter().zip(&edges))
        .map(|(id, (head, edges))| {
            let publication = Publication::new(head.words(), edges.each_ref().map(Vec::as_slice));
            publication.vacate(id, earlier.counts[id.index()]);
            publication.admit(HaloTag { subdomain: id, owner: NodeId(0) });
            publication
        })
        .collect();
    let mut parts: Vec<_> = memory.parts(Kernel::best()).map(Claim::new).collect();
    let mut claims = Claims::new(&mut parts);
    let parts = Copies::single(claims.all());
    let words: Vec<_> = cut.ids().map(|_| AtomicU32::new(0)).collect();
    let table = SlotTable::new(&words, (0..cut.subdomains()).map(Some));
    let slots = Slots { parts, publications: &publications, table };
    let (placement, interrupt) = (placement(config.workers)?, AtomicBool::new(false));
    let iteration = Iteration { config, graph: &cut, placement: &placement, interrupt: &interrupt };
    let observers = Observers::of_workers(observers);
    Ok(drive(&iteration, NodeId(0), slots, &mut claims, earlier, observers, &mut |_| {})?)
}

#[test]
fn those_who_are_ahead_wait_for_the_others_and_the_run_converges() -> Result<(), Failure> {
    let record = go_on(Mode::SemiSync(2), tolerance(1e-6), 1.0)?;
    assert_eq!(record.end, End::Converged, "{:?}", record.residual);
    assert!(record.progress.least >= 47_998, "{:?}", record.progress);
    Ok(())
}

#[test]
fn iterations_are_those_of_both_runs_together() -> Result<(), Failure> {
    for mode in [Mode::Async, Mode::SemiSync(2)] {
        // On average 33,000 are made.
        let record = go_on(mode, iterations(33_100), 1.0)?;
        assert_eq!(record.end, End::Iterations);
        let made = record.progress.mean();
        assert!(made >= 33_100.0, "{mode}: {:?}", record.progress);
        assert_eq!(record.progress.updates - record.sweeps, COUNTS.iter().sum::<u64>());
    }
    Ok(())
}

/// The subdomains that a worker has swept, in this order.
struct Swept(Vec<u32>);

impl<'m> Observer<Cells<'m, f64>> for Swept {
    fn starts(&mut self, _: Sweep<'_, Cells<'m, f64>>) {}

    fn ends(&mut self, sweep: Sweep<'_, Cells<'m, f64>>) {
        self.0.push(sweep.subdomain.0);
    }
}

/// One thread alone, so that its sweeps are in one order only.
#[test]
fn a_worker_that_levels_sweeps_what_is_behind_beside_one_other_at_a_time() -> Result<(), Failure> {
    let balance = Balance::Borrow(Duration::from_micros(20), 8);
    let config = config(GRID, (1, 4), (Mode::Async, balance), iterations(16));
    let cut = Decomposition::new(&config)?;
    let earlier = Earlier { cut, counts: [9, 9, 0, 9], initial: 1.0 };
    let (record, swept) = within_ten_minutes("a worker that levels", move || {
        go_on_with(&config, &earlier, vec![Swept(Vec::new())])
    })??;
    // In each iteration a pair, in the order of their numbers, then the three that are behind the
    // fourth, then all.
    let behind = [[0, 2], [1, 2], [2, 3]].into_iter().cycle().take(13).flatten();
    let expected = behind.chain([1, 2, 3]).chain([0, 1, 2, 3]).chain([0, 1, 2, 3]);
    assert_eq!(swept[0].0, expected.collect::<Vec<_>>());
    assert_eq!((record.progress.least, record.progress.most), (16, 16));
    Ok(())
}
