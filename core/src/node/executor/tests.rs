//! Parts of unlike degrees and edges, swept by threads: for Miri, which sees every access.

#![cfg(feature = "alloc")]
#![allow(clippy::indexing_slicing, reason = "a test that panics has failed")]

extern crate std;

use alloc::vec::Vec;
use core::cell::Cell;
use core::iter;
use core::sync::atomic::{AtomicBool, AtomicU32};
use std::thread;

use super::{
    Alone, Host, Node, OwnedNodeMemory, OwnedWorkerMemory, Setup, SlotTable, Slots, Step, Wait,
    Worker,
};
use crate::base::id::{NodeId, SocketId, SubdomainId, WorkerId};
use crate::base::time::{Duration, Instant};
use crate::base::topology::Topology;
use crate::node::shared::{Claim, Claims, Copies, Pairs};
use crate::parts::Part;
use crate::parts::halo::{EdgeReader, EdgeWriter};
use crate::parts::owned::{Edge, EdgeMemory, GraphMemory};
use crate::run::{Balance, PlbParams, RunConfig, Stop};

const PARTS: u32 = 6;
/// The most links of a part.
const LINKS: usize = 5;

/// A value that goes to the mean of the neighbours' and of its own number.
struct Mean {
    id: u32,
    own: f64,
    beside: [f64; LINKS],
    updates: u64,
}

/// Returns the neighbours of a part: the first has all others, which are in a row besides.
fn neighbours(id: u32) -> Vec<u32> {
    let is_beside = |other: &u32| *other != id && (id * other == 0 || id.abs_diff(*other) == 1);
    (0..PARTS).filter(is_beside).collect()
}

/// Returns the units of the edge from one part to another.
const fn units(from: u32, to: u32) -> u32 {
    1 + (3 * from + to) % 4
}

impl Mean {
    fn next(&self) -> f64 {
        let degree = neighbours(self.id).len();
        0.5 * (f64::from(self.id) + self.beside.iter().sum::<f64>() / degree as f64)
    }
}

impl Part for Mean {
    type Unit = f64;

    fn publish(&self, link: usize, edge: EdgeWriter<'_, f64>) {
        let units = units(self.id, neighbours(self.id)[link]);
        edge.write(iter::repeat_n(self.own, units as usize));
    }

    fn read(&mut self, link: usize, edge: EdgeReader<'_, f64>) {
        let cells: Vec<f64> = edge.cells().collect();
        self.beside[link] = cells.iter().sum::<f64>() / cells.len() as f64;
    }

    fn update(&mut self, _: bool) -> Option<f64> {
        let residual = self.residual();
        self.own = self.next();
        self.updates += 1;
        Some(residual)
    }

    fn residual(&mut self) -> f64 {
        (self.next() - self.own).powi(2)
    }

    // Not every part has as many links, so not as many units.
    fn pack(&self) -> impl Iterator<Item = f64> {
        let degree = neighbours(self.id).len();
        [self.own, self.updates as f64].into_iter().chain(self.beside.into_iter().take(degree))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
    fn unpack(&mut self, id: SubdomainId, mut units: impl Iterator<Item = f64>) -> bool {
        let (Some(own), Some(updates)) = (units.next(), units.next()) else { return false };
        (self.id, self.own, self.updates) = (id.0, own, updates as u64);
        self.beside = [0.0; LINKS];
        let degree = neighbours(self.id).len();
        let read = self.beside.iter_mut().zip(units).map(|(beside, unit)| *beside = unit);
        read.count() == degree
    }
}

/// A thread with a clock that goes on by as much whenever it is looked at.
struct Thread((), Cell<u64>);

impl Host<Mean, LINKS> for Thread {
    type Observer = ();

    fn observer(&mut self) -> &mut () {
        &mut self.0
    }

    fn now(&self) -> Instant {
        self.1.set(self.1.get() + 100_000);
        Instant(self.1.get())
    }

    fn wait(&mut self, _: Wait) {
        thread::yield_now();
    }
}

/// Iterates on two threads to the fixed point, and returns the parts' values.
fn values(balance: Balance) -> Vec<f64> {
    let config = &RunConfig {
        workers: 2,
        split: PARTS / 2,
        stop: Stop { absolute_tolerance: Some(1e-3), ..Stop::NEVER },
        balance,
        plb: PlbParams { pairs: 1, low: 1, high: 2, dead_band: 0 },
        ..RunConfig::default()
    };
    let cells = (0..PARTS).map(|id| 1 + id).collect();
    let edges = (0..PARTS).flat_map(|from| neighbours(from).into_iter().map(move |to| (from, to)));
    let edges = edges.map(|(from, to)| Edge {
        from: SubdomainId(from),
        to: SubdomainId(to),
        units: units(from, to),
    });
    let graph = GraphMemory::new(cells, edges).unwrap();
    let graph = &graph.lend::<LINKS>().unwrap();

    // Two copies of each, and two spare ones a worker.
    let [current, spare] =
        [PARTS, 2].map(|number| -> Vec<_> { (0..number).map(|_| AtomicU32::new(0)).collect() });
    let made = |id| Claim::new(Mean { id, own: 0.0, beside: [0.0; LINKS], updates: 0 });
    let mut copies: Vec<_> = (0..PARTS + 2).flat_map(|id| [id % PARTS; 2]).map(made).collect();
    let mut claims = Claims::new(&mut copies);
    let grips = [claims.grip(), claims.grip()];
    let parts = Copies::paired(claims.all(), Pairs { current: &current, spare: &spare });
    let edges = EdgeMemory::<f64, LINKS>::new(graph);
    let publications = &edges.lend();
    let words: Vec<_> = (0..PARTS).map(|_| AtomicU32::new(0)).collect();
    let slots = Slots { parts, publications, table: SlotTable::new(&words, (0..PARTS).map(Some)) };
    let (sockets, workers) = ([SocketId(0); 2], [0, 1].map(WorkerId));
    let topology = Topology::new(&sockets, &workers).unwrap();
    let interrupt = &AtomicBool::new(false);
    let setup = Setup { config, graph, node: NodeId(0), slots, peers: &Alone, topology, interrupt };
    let mut memory = OwnedNodeMemory::new(config, PARTS as usize, 2);
    let node = &Node::new(setup, claims.grip(), memory.lend()).unwrap();

    thread::scope(|scope| {
        for grip in grips {
            scope.spawn(move || {
                let mut memory = OwnedWorkerMemory::new(PARTS as usize);
                let host = Thread((), Cell::new(0));
                let mut worker = Worker::new(node, grip, memory.lend(), host);
                while worker.step() != Step::End {}
            });
        }
    });
    let mut grip = claims.grip();
    (0..PARTS).map(|id| slots.with(SubdomainId(id), &mut grip, |part| part.own)).collect()
}

#[test]
fn unlike_parts_come_to_their_fixed_point() {
    let mut expected = [0.0; PARTS as usize];
    for _ in 0..100 {
        let before = expected;
        for id in 0..PARTS {
            let beside = neighbours(id);
            let sum: f64 = beside.iter().map(|other| before[*other as usize]).sum();
            expected[id as usize] = 0.5 * (f64::from(id) + sum / beside.len() as f64);
        }
    }
    for balance in [Balance::None, Balance::Joint(Duration(0)), Balance::Pull(1)] {
        for (own, expected) in values(balance).iter().zip(&expected) {
            assert!((own - expected).abs() < 1e-2, "{balance:?}: {own} and {expected}");
        }
    }
}
