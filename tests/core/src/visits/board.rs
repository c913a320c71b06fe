//! The parts in a row, and what the workers of a node see of them.

use tresse_core::base::SharedNumber;
use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::node::{Board, Hands};
use tresse_core::parts::Graph;
use tresse_core::run::Mode;

use super::{Open, System};

/// Parts in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Row(pub(super) u32);

impl Graph<2> for Row {
    fn parts(&self) -> u32 {
        self.0
    }

    fn neighbours(&self, SubdomainId(id): SubdomainId) -> [Option<SubdomainId>; 2] {
        let after = (id + 1 < self.0).then_some(SubdomainId(id + 1));
        [id.checked_sub(1).map(SubdomainId), after]
    }

    fn size(&self, _: SubdomainId) -> [u32; 2] {
        [1, 1]
    }
}

/// What a worker keeps.
pub(super) struct Held<'s>(pub(super) &'s System, pub(super) usize);

impl Hands for Held<'_> {
    fn after(&self, place: Option<u32>) -> Option<u32> {
        let Self(System { row, holders, .. }, worker) = self;
        let mut rest = place.map_or(0, |place| place + 1)..row.0;
        rest.find(|&part| holders[part as usize] == Some(*worker))
    }

    fn count(&self, part: u32) -> (u64, SubdomainId) {
        (self.0.versions[part as usize], SubdomainId(part))
    }

    fn is_ready(&self, part: u32) -> bool {
        self.0.neighbours_admit(part as usize)
    }
}

/// What the workers of a node see; the second is the first of them.
pub(super) struct Seen<'s>(pub(super) &'s System, pub(super) usize);

impl Board for Seen<'_> {
    fn version(&self, part: SubdomainId) -> u64 {
        self.0.versions[part.index()]
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        self.0.holders[part.index()].is_none()
    }

    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        let control = &self.0.controls[self.0.node_of_part(part.index())];
        let halts = self.0.config.mode == Mode::Exact && control.halts(version);
        !halts && self.0.neighbours_admit(part.index())
    }

    fn is_open(&self, part: SubdomainId) -> bool {
        self.0.open[part.index()] == Open::Yes
    }

    fn stuck(&self, worker: WorkerId) -> u64 {
        self.0.stuck[self.1 + worker.index()].load()
    }

    fn tell_stuck(&self, part: SubdomainId) {
        if let Some(holder) = self.0.holders[part.index()] {
            self.0.stuck[holder].store(self.0.stuck[holder].load() + 1);
        }
    }

    fn least(&self, worker: WorkerId) -> u64 {
        self.0.least[self.1 + worker.index()].load()
    }

    fn publish_least(&self, worker: WorkerId, least: u64) {
        self.0.least[self.1 + worker.index()].store(least);
    }
}
