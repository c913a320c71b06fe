//! Notes of a run while it goes on.

use tresse_core::base::id::WorkerId;
use tresse_core::base::time::Instant;
use tresse_core::sim::machine::{Event, Wait, Watch};

use super::frame::Activity;

/// Greatest number of moves that are reported at once.
const MOST_MOVES: usize = 256;

/// Present waits, waiting times so far, and moves since the last frame.
#[derive(Clone, Debug)]
pub struct ActivityLog {
    waits: Vec<Option<(Instant, Activity)>>,
    waited: Vec<u64>,
    moved: Vec<(u32, u32, u32)>,
}

impl ActivityLog {
    /// Returns the log of a run that begins.
    pub fn new(workers: usize) -> Self {
        Self { waits: vec![None; workers], waited: vec![0; workers], moved: Vec::new() }
    }

    /// Returns the activity of each worker.
    pub fn activities(&self) -> Vec<Activity> {
        let activity =
            |wait: &Option<(_, Activity)>| wait.map_or(Activity::Works, |(_, what)| what);
        self.waits.iter().map(activity).collect()
    }

    /// Returns the nanoseconds that each worker has waited until now.
    pub fn waited(&self, now: Instant) -> impl Iterator<Item = u64> {
        self.waits
            .iter()
            .zip(&self.waited)
            .map(move |(wait, waited)| waited + wait.map_or(0, |(since, _)| now.since(since).0))
    }

    /// Returns the last moves since the previous call: subdomain, from and to.
    pub fn take_moves(&mut self) -> Vec<(u32, u32, u32)> {
        std::mem::take(&mut self.moved)
    }

    /// Ends the wait of a worker, if there is one, and adds its nanoseconds.
    fn goes_on(&mut self, now: Instant, worker: WorkerId) {
        let places = self.waits.get_mut(worker.index()).zip(self.waited.get_mut(worker.index()));
        if let Some((wait, waited)) = places
            && let Some((since, _)) = wait.take()
        {
            *waited += now.since(since).0;
        }
    }

    /// Notes a move of a subdomain between two workers.
    fn moves(&mut self, subdomain: u32, from: u32, to: u32) {
        if self.moved.len() >= MOST_MOVES {
            // Of many that are seen at once the last ones are as good as any.
            self.moved.drain(..MOST_MOVES / 2);
        }
        self.moved.push((subdomain, from, to));
    }
}

impl Watch for ActivityLog {
    fn see(&mut self, now: Instant, event: Event) {
        match event {
            Event::Started { worker, .. } | Event::Helps { worker, .. } => {
                self.goes_on(now, worker);
            }
            Event::Waits { worker, wait } => {
                self.goes_on(now, worker);
                let activity = match wait {
                    Wait::Barrier | Wait::Halt => Activity::AtBarrier,
                    Wait::Neighbours => Activity::ForNeighbours,
                };
                if let Some(place) = self.waits.get_mut(worker.index()) {
                    *place = Some((now, activity));
                }
            }
            Event::Moved(made) => self.moves(made.subdomain.0, made.from.0, made.to.0),
            Event::Arrived { transfer, worker } => {
                self.moves(transfer.subdomain.0, u32::MAX, worker.0);
            }
            Event::Round { .. }
            | Event::Swept { .. }
            | Event::Discarded { .. }
            | Event::Switched
            | Event::Sent(_)
            | Event::Refused { .. }
            | Event::Verified { .. } => {}
        }
    }
}
