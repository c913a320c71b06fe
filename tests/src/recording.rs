//! Every sweep of a run on threads, written down by the workers that made them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;
use std::time::Duration;

use tresse::engine::threads::{self, Activity, Cells, Observer};
use tresse_core::base::id::SubdomainId;
use tresse_core::base::rng::Rng;
use tresse_core::field::grid::Side;
use tresse_core::field::stencil::{Layout, Real};
use tresse_core::parts::ownership::Move;

/// One sweep of one subdomain; cells are kept as fingerprints.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Number of the worker.
    pub worker: u32,
    /// Number of the subdomain.
    pub subdomain: u32,
    /// Update count after the sweep.
    pub version: u64,
    /// Version of the halo that was read, by side.
    pub halos: [Option<u64>; 4],
    /// Halo that was read, by side.
    pub halo_cells: [u64; 4],
    /// The interior before and after.
    pub interior: [u64; 2],
    /// Edges before and after, by side.
    pub edges: [[u64; 4]; 2],
    /// The least and the greatest cell after.
    pub range: [f64; 2],
    /// Whether some cell is greater than before.
    pub rises: bool,
}

/// One worker's sweeps.
///
/// With fewer cores than workers, a run of small subdomains is over before the system changes
/// threads. So this one gives the core away at random moments, in the middle of a sweep, and makes
/// the first worker a slow one, as noise on its core does.
pub struct Recording {
    /// Sweeps, in the order in which they were made.
    pub sweeps: Vec<Sweep>,
    started: Option<Start>,
    slow: bool,
    rng: Rng,
}

impl Recording {
    /// Returns an empty recording.
    pub fn of_worker(worker: u32) -> Self {
        Self {
            sweeps: Vec::new(),
            started: None,
            slow: worker == 0,
            rng: Rng::new(11, u64::from(worker)),
        }
    }

    fn pause(&mut self) {
        if self.slow && self.rng.below(64) == 0 {
            thread::sleep(Duration::from_micros(100));
        }
        if self.rng.below(16) == 0 {
            thread::yield_now();
        }
    }
}

/// A sweep that has begun.
pub struct Start {
    halo_cells: [u64; 4],
    interior: Vec<f64>,
    edges: [u64; 4],
}

impl Start {
    /// Notes the state when the halos are read.
    pub fn of<F: Real>(layout: &Layout, cells: &[F]) -> Self {
        Self {
            halo_cells: [
                fingerprint(layout.top(cells)),
                fingerprint(layout.bottom(cells)),
                fingerprint(layout.left(cells)),
                fingerprint(layout.right(cells)),
            ],
            interior: interior(layout, cells).map(|cell| cell.to_f64()).collect(),
            edges: edges(layout, cells),
        }
    }

    /// Returns the sweep when the new cells are there; the caller fills in the other fields.
    pub fn end<F: Real>(self, layout: &Layout, cells: &[F]) -> Sweep {
        let after = || interior(layout, cells).map(|cell| cell.to_f64());
        Sweep {
            worker: 0,
            subdomain: 0,
            version: 0,
            halos: [None; 4],
            halo_cells: self.halo_cells,
            interior: [fingerprint(self.interior.iter()), fingerprint(interior(layout, cells))],
            edges: [self.edges, edges(layout, cells)],
            range: [after().fold(f64::INFINITY, f64::min), after().fold(-f64::INFINITY, f64::max)],
            rises: after().zip(&self.interior).any(|(after, before)| after > *before),
        }
    }
}

impl<'m, F: Real> Observer<Cells<'m, F>> for Recording {
    fn starts(&mut self, sweep: threads::Sweep<'_, Cells<'m, F>>) {
        self.started = Some(Start::of(sweep.part.layout(), sweep.part.cells()));
    }

    fn ends(&mut self, sweep: threads::Sweep<'_, Cells<'m, F>>) {
        let (layout, cells) = (sweep.part.layout(), sweep.part.cells());
        let Some(start) = self.started.take() else { return };
        self.sweeps.push(Sweep {
            worker: sweep.worker.0,
            subdomain: sweep.subdomain.0,
            version: sweep.version,
            halos: *sweep.halos,
            ..start.end(layout, cells)
        });
        self.pause();
    }
}

/// Two observers of one worker.
pub struct Both<A, B>(pub A, pub B);

impl<T, A: Observer<T>, B: Observer<T>> Observer<T> for Both<A, B> {
    fn starts(&mut self, sweep: threads::Sweep<'_, T>) {
        self.0.starts(sweep);
        self.1.starts(sweep);
    }

    fn ends(&mut self, sweep: threads::Sweep<'_, T>) {
        self.0.ends(sweep);
        self.1.ends(sweep);
    }

    fn turns(&mut self) {
        self.0.turns();
        self.1.turns();
    }

    fn returns(&mut self, activity: Activity) {
        self.0.returns(activity);
        self.1.returns(activity);
    }

    fn idles(&mut self, why: Activity) {
        self.0.idles(why);
        self.1.idles(why);
    }

    fn moves(&mut self, made: Move) {
        self.0.moves(made);
        self.1.moves(made);
    }

    fn takes(&mut self, subdomain: SubdomainId) {
        self.0.takes(subdomain);
        self.1.takes(subdomain);
    }
}

fn interior<'a, F>(layout: &Layout, cells: &'a [F]) -> impl Iterator<Item = &'a F> {
    let layout = *layout;
    (0..layout.rows()).flat_map(move |row| layout.row(cells, row))
}

fn edges<F: Real>(layout: &Layout, cells: &[F]) -> [u64; 4] {
    Side::ALL.map(|side| match side {
        Side::Top => fingerprint(layout.row(cells, 0)),
        Side::Bottom => fingerprint(layout.row(cells, layout.rows() - 1)),
        Side::Left => fingerprint(layout.column(cells, 0)),
        Side::Right => fingerprint(layout.column(cells, layout.columns() - 1)),
    })
}

fn fingerprint<'a, F: Real>(cells: impl IntoIterator<Item = &'a F>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for cell in cells {
        cell.to_f64().to_bits().hash(&mut hasher);
    }
    hasher.finish()
}
