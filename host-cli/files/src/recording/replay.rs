//! Makes the sweeps of a recorded run again, on one thread.
//!
//! A sweep depends on the sweep of the same subdomain before it, and on those sweeps that its halos
//! are of. Any order that keeps to this gives the same cells. In a run the halos of a sweep
//! are read one after the other while the neighbours go on, and a store may become visible later
//! than a load that follows it. So there need not be a moment at which all neighbours stand where
//! they were read; every edge is kept until nobody can need it any more ([`inbox`]).
//!
//! Each worker's events are read in their order. A worker whose next sweep lacks something waits in
//! a list of the subdomain that it needs to go on, and is looked at again when that has happened.

mod inbox;
mod lane;
mod replayed;

use std::collections::VecDeque;
use std::io::{Read, Seek};

use ndarray::Array2;
use tresse_core::base::id::SubdomainId;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::CellMemory;
use tresse_core::field::stencil::{Kernel, Real};
use tresse_core::parts::{Graph, Part};
use tresse_core::run::Precision;

use self::lane::{Lane, LaneState};
use self::replayed::{Link, ReplayedPart};
use super::error::RecordingError;
use super::event::Swept;
use super::reader::Recording;
use crate::field::{Field, assembled};

/// The result of a replay.
pub struct Replayed {
    /// Cells after the last sweep.
    pub field: Field,
    /// Number of sweeps that were made.
    pub sweeps: u64,
}

/// Makes all sweeps of a recording again by the kernel of its precision, and keeps at most
/// `available` bytes of edges.
pub fn replay<R: Read + Seek>(
    recording: &mut Recording<R>,
    single: impl Kernel<f32> + Copy,
    double: impl Kernel<f64> + Copy,
    available: u64,
) -> Result<Replayed, RecordingError> {
    let (field, sweeps) = match recording.head().config.precision {
        Precision::F32 => {
            replay_as(recording, single, available).map(|(cells, n)| (Field::F32(cells), n))
        }
        Precision::F64 => {
            replay_as(recording, double, available).map(|(cells, n)| (Field::F64(cells), n))
        }
    }?;
    Ok(Replayed { field, sweeps })
}

/// Repeats the run with cells of `F`. Returns the field and the number of sweeps.
fn replay_as<F: Real, R: Read + Seek>(
    recording: &mut Recording<R>,
    kernel: impl Kernel<F> + Copy,
    available: u64,
) -> Result<(Array2<F>, u64), RecordingError> {
    let decomposition = Decomposition::new(&recording.head().config)?;
    let problem = recording.head().problem.clone();
    let mut memory = CellMemory::<F>::allocate(&decomposition, problem.terms());
    let parts = decomposition.ids().zip(memory.parts(kernel)).map(|(id, mut part)| {
        problem.fill(&decomposition, id, &mut part);
        part
    });
    let parts = parts.collect();
    let tracks = recording.head().cores.len();
    let (parts, sweeps) = replay_parts(recording, tracks, &decomposition, parts, available)?;
    let cells = assembled(&decomposition, |id, show| {
        parts.get(id.index()).into_iter().for_each(|part| show(part));
    });
    Ok((cells, sweeps))
}

/// Makes the sweeps of recorded parts again, which are as the run began with them; `tracks` are
/// those of workers. Keeps at most `available` bytes of edges. Returns the parts, and the number of
/// sweeps.
pub(super) fn replay_parts<T: Part, G: Graph<N>, R: Read + Seek, H, const N: usize>(
    recording: &mut Recording<R, H>,
    tracks: usize,
    graph: &G,
    parts: Vec<T>,
    available: u64,
) -> Result<(Vec<T>, u64), RecordingError> {
    let mut replay = Replay::new(recording, tracks, graph, parts, available)?;
    replay.run()?;
    Ok((replay.places.into_iter().map(|place| place.own).collect(), replay.sweeps))
}

struct Replay<'r, T: Part, R, H, const N: usize> {
    recording: &'r mut Recording<R, H>,
    places: Vec<ReplayedPart<T, N>>,
    lanes: Vec<Lane<N>>,
    ready: VecDeque<usize>,
    /// Lanes that could go on by filling an inbox beyond its usual length, and lanes that were in
    /// this state earlier.
    crowding: Vec<usize>,
    sweeps: u64,
    /// Bytes of edges that are stored, and the greatest permitted number.
    edge_bytes: u64,
    available: u64,
}

/// The obstacle that keeps a lane from its next sweep.
enum Lacks {
    Nothing,
    /// This subdomain must be swept first.
    Sweep(SubdomainId),
    /// This subdomain must first read the edges that were sent to it.
    Reading(SubdomainId),
}

impl<'r, T: Part, R: Read + Seek, H, const N: usize> Replay<'r, T, R, H, N> {
    /// Sets up all parts at the start, with their first edges sent and each lane's first sweep
    /// read.
    fn new(
        recording: &'r mut Recording<R, H>,
        tracks: usize,
        graph: &impl Graph<N>,
        parts: Vec<T>,
        available: u64,
    ) -> Result<Self, RecordingError> {
        let ids = (0..).map(SubdomainId);
        let places = ids.zip(parts).map(|(id, own)| ReplayedPart::new(own, id, graph));
        let places: Vec<_> = places.collect();
        let lanes: Vec<_> = (0..tracks).map(Lane::new).collect();
        let parts = places.len();
        let mut replay = Self {
            recording,
            places,
            ready: (0..lanes.len()).collect(),
            lanes,
            crowding: Vec::new(),
            sweeps: 0,
            edge_bytes: 0,
            available,
        };
        for id in (0..).map(SubdomainId).take(parts) {
            replay.send_edges(id)?;
        }
        for lane in 0..replay.lanes.len() {
            replay.read_next_sweep(lane)?;
        }
        Ok(replay)
    }

    /// Repeats all sweeps. Returns an error where some can never run, or where their number is
    /// wrong.
    fn run(&mut self) -> Result<(), RecordingError> {
        loop {
            while let Some(lane) = self.ready.pop_front() {
                self.advance_lane(lane, false)?;
            }
            // Whoever waits for somebody to read may have to be let through: the reader itself may
            // wait for it, behind another subdomain of the same worker.
            let Some(lane) = self.crowding.pop() else { break };
            self.lanes[lane].is_listed = false;
            if self.lanes[lane].state == LaneState::Crowds {
                self.advance_lane(lane, true)?;
            }
        }
        if let Some(stuck) = self.lanes.iter().find_map(|lane| lane.next) {
            let Swept { subdomain, version, .. } = stuck;
            return Err(RecordingError::nonsense(format!(
                "nothing leads to update {version} of subdomain {subdomain}"
            )));
        }
        if self.sweeps != self.recording.sweeps() {
            return Err(RecordingError::nonsense("its sweeps are not as many as its end says"));
        }
        Ok(())
    }

    /// Makes the sweeps of a lane until one is not possible yet. With `may_crowd`, one sweep may
    /// fill an inbox beyond its limit.
    fn advance_lane(&mut self, lane: usize, mut may_crowd: bool) -> Result<(), RecordingError> {
        while let Some(next) = self.lanes[lane].next {
            self.forget(&next);
            match self.lacks(&next)? {
                Lacks::Reading(_) if may_crowd => may_crowd = false,
                Lacks::Nothing => {}
                Lacks::Reading(subdomain) => {
                    if !std::mem::replace(&mut self.lanes[lane].is_listed, true) {
                        self.crowding.push(lane);
                    }
                    self.watch(lane, LaneState::Crowds, subdomain);
                    return Ok(());
                }
                Lacks::Sweep(subdomain) => {
                    self.watch(lane, LaneState::Waits, subdomain);
                    return Ok(());
                }
            }
            self.lanes[lane].state = LaneState::Ready;
            self.sweep(&next)?;
            self.read_next_sweep(lane)?;
        }
        self.lanes[lane].state = LaneState::Done;
        Ok(())
    }

    /// Lets a lane wait, in this state, until something changes at a subdomain.
    fn watch(&mut self, lane: usize, state: LaneState, subdomain: SubdomainId) {
        self.lanes[lane].state = state;
        let watched_by = &mut self.places[subdomain.index()].watched_by;
        if watched_by.last() != Some(&lane) {
            watched_by.push(lane);
        }
    }

    /// Drops the edges that a subdomain's next sweep, and thus all its later ones, no longer needs.
    fn forget(&mut self, next: &Swept<N>) {
        let place = &mut self.places[next.subdomain.index()];
        if place.version + 1 != next.version {
            return;
        }
        let mut bytes = 0;
        for (inbox, halo) in place.inboxes.iter_mut().zip(next.halos) {
            bytes += inbox.forget_before(halo.unwrap_or(0));
        }
        if bytes > 0 {
            self.edge_bytes -= bytes;
            self.wake(next.subdomain);
        }
    }

    /// Returns the obstacle to a sweep; fails where the sweep can never be made.
    fn lacks(&self, next: &Swept<N>) -> Result<Lacks, RecordingError> {
        let Swept { subdomain, version, halos } = *next;
        let place = &self.places[subdomain.index()];
        if place.version >= version {
            return Err(RecordingError::nonsense(format!(
                "update {version} of subdomain {subdomain} is made twice"
            )));
        }
        if place.version + 1 < version {
            return Ok(Lacks::Sweep(subdomain));
        }
        for ((inbox, halo), link) in place.inboxes.iter().zip(halos).zip(place.links) {
            let (Some(halo), Some(Link { neighbour, .. })) = (halo, link) else { continue };
            if self.places[neighbour.index()].version < halo {
                return Ok(Lacks::Sweep(neighbour));
            }
            if inbox.get(halo).is_none() {
                return Err(RecordingError::nonsense(format!(
                    "update {version} of subdomain {subdomain} reads an older halo than before"
                )));
            }
        }
        let full = |Link { neighbour, back, .. }: Link| {
            let inbox = self.places[neighbour.index()].inboxes.get(back)?;
            inbox.is_full().then_some(neighbour)
        };
        let full = place.links.into_iter().flatten().find_map(full);
        Ok(full.map_or(Lacks::Nothing, Lacks::Reading))
    }

    /// Makes a sweep to which there is no obstacle.
    fn sweep(&mut self, next: &Swept<N>) -> Result<(), RecordingError> {
        self.places[next.subdomain.index()].sweep(&next.halos);
        self.sweeps += 1;
        self.send_edges(next.subdomain)?;
        self.wake(next.subdomain);
        Ok(())
    }

    /// Reads the next sweep of a lane.
    fn read_next_sweep(&mut self, lane: usize) -> Result<(), RecordingError> {
        let Some(next) = self.lanes[lane].advance(self.recording)? else { return Ok(()) };
        let nonsense = |what| {
            let Swept { subdomain, version, .. } = next;
            Err(RecordingError::nonsense(format!(
                "update {version} of subdomain {subdomain} {what}"
            )))
        };
        let Some(place) = self.places.get(next.subdomain.index()) else {
            return nonsense("is of a subdomain that is not there");
        };
        let is_there = |link: &Option<Link>| link.is_some();
        if !place.links.iter().map(is_there).eq(next.halos.iter().map(Option::is_some)) {
            return nonsense("has halos on other links than neighbours");
        }
        Ok(())
    }

    /// Makes the lanes ready that wait for a subdomain.
    fn wake(&mut self, subdomain: SubdomainId) {
        for lane in self.places[subdomain.index()].watched_by.drain(..) {
            let state = &mut self.lanes[lane].state;
            if matches!(state, LaneState::Waits | LaneState::Crowds) {
                *state = LaneState::Ready;
                self.ready.push_back(lane);
            }
        }
    }

    /// Sends the edges of a subdomain's newest version to its neighbours.
    fn send_edges(&mut self, id: SubdomainId) -> Result<(), RecordingError> {
        for (number, link) in self.places[id.index()].links.into_iter().enumerate() {
            let Some(link) = link else { continue };
            let both = [id.index(), link.neighbour.index()];
            let Ok([from, to]) = self.places.get_disjoint_mut(both) else { continue };
            self.edge_bytes += from.send(number, link, to);
        }
        if self.edge_bytes > self.available {
            return Err(RecordingError::Memory {
                needed: self.edge_bytes,
                available: self.available,
            });
        }
        Ok(())
    }
}
