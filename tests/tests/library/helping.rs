//! Workers that help on threads: what must hold of sweeps that one worker begins, and another ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use tresse::engine::threads::{Cells, End, Observer, Sweep};
use tresse_core::field::grid::Decomposition;
use tresse_core::run::{Balance, GridSize, Mode, RunConfig};
use tresse_tests::audit;
use tresse_tests::problems::{
    Failure, PULL, config, iterations, observe_until, random, range, within_ten_minutes,
};
use tresse_tests::recording::{Both, Recording};
use tresse_tests::reference::Reference;

const GRID: GridSize = GridSize { rows: 23, columns: 31 };
/// Three workers with six subdomains each, on however few cores.
const PARTS: (u32, u32) = (3, 6);
/// Beyond what a run comes to in which somebody helps.
const ITERATIONS: u64 = 1_000_000;
/// Sweeps that others are to make for the first worker before the run may end.
const HELPED: u64 = 3;

/// What the workers of a run show each other.
struct Shown {
    /// The newest version of each subdomain.
    versions: Vec<AtomicU64>,
    /// Sweeps that others have made while the first worker was stuck in them.
    helped: AtomicU64,
    interrupt: AtomicBool,
}

/// One worker, of which the first is stopped in every eighth of its sweeps: until another has made
/// that one, or for some slices of the system's time.
struct Stopped<'a> {
    shown: &'a Shown,
    is_first: bool,
    sweeps: u64,
    longest: Duration,
}

impl Stopped<'_> {
    fn stop(&self, subdomain: usize, version: u64) {
        let since = Instant::now();
        let is_made = || self.shown.versions[subdomain].load(Relaxed) >= version;
        while !is_made() && since.elapsed() < self.longest {
            thread::sleep(Duration::from_micros(100));
        }
        if is_made() && self.shown.helped.fetch_add(1, Relaxed) + 1 >= HELPED {
            self.shown.interrupt.store(true, Relaxed);
        }
    }
}

impl<'m> Observer<Cells<'m, f64>> for Stopped<'_> {
    fn starts(&mut self, sweep: Sweep<'_, Cells<'m, f64>>) {
        self.sweeps += 1;
        if self.is_first && self.sweeps.is_multiple_of(8) {
            self.stop(sweep.subdomain.index(), sweep.version);
        }
    }

    fn ends(&mut self, sweep: Sweep<'_, Cells<'m, f64>>) {
        self.shown.versions[sweep.subdomain.index()].fetch_max(sweep.version, Relaxed);
    }
}

/// Runs until others have made some of the first worker's sweeps.
fn is_helped(method: (Mode, Balance), always_help: bool) -> Result<(), Failure> {
    let problem = random(7, GRID, false);
    let config = config(GRID, PARTS, method, iterations(ITERATIONS));
    let config = RunConfig { help: true, always_help, ..config };
    // Nobody helps before a run has turned to pulling, and the others would make very many sweeps
    // meanwhile.
    let longest = Duration::from_millis(if config.may_switch() { 2 } else { 30 });
    let shown = Shown {
        versions: Decomposition::new(&config)?.ids().map(|_| AtomicU64::new(0)).collect(),
        helped: AtomicU64::new(0),
        interrupt: AtomicBool::new(false),
    };
    let observers = (0..config.workers).map(|worker| {
        let stopped = Stopped { shown: &shown, is_first: worker == 0, sweeps: 0, longest };
        Both(Recording::of_worker(worker), stopped)
    });
    let (solution, observers) =
        observe_until::<f64, _>((&problem, &config), observers.collect(), &shown.interrupt)?;
    let record = &solution.record;
    let mut sweeps: Vec<_> = observers.into_iter().flat_map(|both| both.0.sweeps).collect();
    sweeps.sort_by_key(|sweep| (sweep.subdomain, sweep.version));
    audit::run(&config, record, &sweeps)?;
    let (least, greatest) = range(&problem);
    audit::cells_stay_within(&sweeps, least, greatest)?;
    let helped = record.visits.map_or(0, |visits| visits.helped);
    if record.end != End::Interrupted || helped < HELPED {
        return Err(format!(
            "{method:?}: {helped} were helped with, and it ended as {:?}",
            record.end
        )
        .into());
    }
    let switched = record.auto.and_then(|auto| auto.switched);
    assert_eq!(switched.is_some(), config.may_switch(), "{method:?}");
    if config.mode == Mode::Exact {
        let mut reference = Reference::<f64>::new(&problem);
        (0..record.progress.least).for_each(|_| reference.sweep());
        assert_eq!(record.progress.least, record.progress.most);
        let same = |(one, other): (&f64, &f64)| one.to_bits() == other.to_bits();
        assert!(solution.field.iter().zip(&reference.field()).all(same), "not the serial cells");
    }
    Ok(())
}

#[test]
fn sweeps_that_another_has_made_are_whole_and_made_once() -> Result<(), Failure> {
    for mode in [Mode::Async, Mode::SemiSync(30), Mode::Exact] {
        for always_help in [false, true] {
            helped((mode, PULL), always_help)?;
        }
    }
    Ok(())
}

/// Checks the same where workers keep their subdomains at first, and borrow: until it shows that
/// one is stopped again and again.
#[test]
fn a_run_with_a_worker_that_is_stopped_turns_to_pulling() -> Result<(), Failure> {
    helped((Mode::Async, Balance::Auto), false)
}

fn helped(method: (Mode, Balance), always_help: bool) -> Result<(), Failure> {
    let helped = within_ten_minutes("a run in which workers help", move || {
        is_helped(method, always_help).map_err(|failure| failure.to_string())
    })?;
    Ok(helped?)
}
