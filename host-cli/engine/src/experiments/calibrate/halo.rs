//! Measures the costs of halos: those copied from a subdomain of the same worker, and those that
//! another core has just published, with publishing the edge on this side.

use tresse_core::base::id::WorkerId;

use super::figures::{CalibrationFigures, Figure};
use super::run::{Sides, Watched};
use super::timeline::between_sweeps;

/// A grid in two cuts, without moves.
pub(super) struct Cuts<'a> {
    /// Run with one subdomain for each worker, all of whose halos come from others.
    pub whole: &'a Watched,
    /// Run with several subdomains for each worker, some of whose halos come from its own.
    pub parts: &'a Watched,
}

/// Mean number of cells along a side, and time between two sweeps for one such side.
type Cost = (f64, f64);

/// Measures the cost of the halo of one side, from grids with short and with long sides.
pub(super) fn measure(short: &Cuts<'_>, long: &Cuts<'_>, figures: &mut CalibrationFigures) {
    for (halo, cell, short, long) in [
        (Figure::CoreHalo, Figure::CoreHaloCell, short.core(), long.core()),
        (Figure::SocketHalo, Figure::SocketHaloCell, short.socket(), long.socket()),
        (Figure::NodeHalo, Figure::NodeHaloCell, short.node(), long.node()),
    ] {
        let (Some(short), Some(long)) = (short, long) else { continue };
        let (first, each) = line(short, long);
        figures.add(halo, Some(first));
        figures.add(cell, Some(each));
    }
}

/// Returns the time between the sweeps of one iteration, on average over the workers.
pub(super) fn whole_iteration(run: &Watched) -> Option<f64> {
    let workers = (0..).map(WorkerId).take(run.sweeps.len());
    mean(workers.filter_map(|worker| Some((0.0, between(run, worker)?)))).map(|(_, time)| time)
}

/// Returns the costs of a line through two points; neither is below zero.
pub(super) fn line((x, y): Cost, (other_x, other_y): Cost) -> (f64, f64) {
    let slope = if other_x > x { ((other_y - y) / (other_x - x)).max(0.0) } else { 0.0 };
    // Where the slope is none, the mean is the best guess.
    let first = if slope > 0.0 { y - slope * x } else { f64::midpoint(y, other_y) };
    (first.max(0.0), slope)
}

impl Cuts<'_> {
    fn workers(&self) -> impl Iterator<Item = WorkerId> + use<> {
        (0..).map(WorkerId).take(self.whole.sweeps.len())
    }

    /// Returns the cost of a halo from the same core: the time beyond that of a run with one
    /// subdomain.
    fn core(&self) -> Option<Cost> {
        let costs = self.workers().filter_map(|worker| {
            let sides = self.parts.sides(worker, |other| other == worker);
            let more = between(self.parts, worker)? - between(self.whole, worker)?;
            each(sides, more)
        });
        mean(costs)
    }

    /// Returns the cost of a halo from the same socket, by workers all of whose neighbours are
    /// there.
    fn socket(&self) -> Option<Cost> {
        let costs = self.workers().filter_map(|worker| {
            let [near, far] = self.near_and_far(worker);
            let time = between(self.whole, worker)?;
            if far.number == 0 { each(near, time) } else { None }
        });
        mean(costs)
    }

    /// Returns the cost of a halo from another socket: the time that is left without the halos from
    /// the same socket.
    fn node(&self) -> Option<Cost> {
        let (_, on_socket) = self.socket().unwrap_or_default();
        let costs = self.workers().filter_map(|worker| {
            let [near, far] = self.near_and_far(worker);
            each(far, between(self.whole, worker)? - on_socket * near.number as f64)
        });
        mean(costs)
    }

    /// Returns the sides of a worker's neighbours on its own socket, and of those on others.
    fn near_and_far(&self, worker: WorkerId) -> [Sides; 2] {
        let socket = |worker: WorkerId| self.whole.sockets.get(worker.index());
        [true, false].map(|near| {
            self.whole
                .sides(worker, |other| other != worker && (socket(other) == socket(worker)) == near)
        })
    }
}

/// Returns the time of a worker between two of its sweeps, if there are enough of them.
fn between(run: &Watched, worker: WorkerId) -> Option<f64> {
    between_sweeps(run.sweeps.get(worker.index())?, &run.members(worker))
}

/// Shares a time out among sides: the mean cells and the time of each; `None` without sides.
fn each(sides: Sides, time: f64) -> Option<Cost> {
    let number = sides.number as f64;
    (sides.number > 0).then(|| (sides.cells as f64 / number, time / number))
}

/// Returns the mean number of cells and the mean time of all costs, if there are any.
fn mean(costs: impl Iterator<Item = Cost>) -> Option<Cost> {
    let (number, cells, time) = costs
        .fold((0.0, 0.0, 0.0), |(n, cells, time), cost| (n + 1.0, cells + cost.0, time + cost.1));
    (number > 0.0).then(|| (cells / number, time / number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_never_below_zero() {
        let is = |found: Cost, expected: Cost| {
            assert!(
                (found.0 - expected.0).abs() + (found.1 - expected.1).abs() < 1e-9,
                "{found:?}"
            );
        };
        is(line((75.0, 100.0), (300.0, 325.0)), (25.0, 1.0));
        is(line((75.0, 20.0), (300.0, 10.0)), (15.0, 0.0));
        is(line((75.0, 10.0), (300.0, 325.0)), (0.0, 1.4));
    }
}
