//! Where the subdomains of this process lie, and which of them are here.

use std::sync::atomic::{AtomicU32, Ordering};

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::shared::{Handover, Publication, SharedReal};
use tresse_core::subdomain::Subdomain;

use super::run::Taken;

/// A subdomain that is in another process.
const ELSEWHERE: u32 = u32::MAX;

/// The berth of each subdomain that is in this process.
#[derive(Debug)]
pub struct Places(Vec<AtomicU32>);

impl Places {
    /// Every subdomain in the berth that is named for it; none for those that are elsewhere.
    pub fn new(berths: impl Iterator<Item = Option<u32>>) -> Self {
        Self(berths.map(|berth| AtomicU32::new(berth.unwrap_or(ELSEWHERE))).collect())
    }

    /// Subdomains in all, here and elsewhere.
    pub fn subdomains(&self) -> usize {
        self.0.len()
    }

    /// The berth of a subdomain that is here.
    #[inline]
    pub fn berth(&self, id: SubdomainId) -> Option<usize> {
        let berth = self.0.get(id.index())?.load(Ordering::Acquire);
        (berth != ELSEWHERE).then_some(berth as usize)
    }

    /// A subdomain has come to a berth, or has gone.
    pub fn place(&self, id: SubdomainId, berth: Option<u32>) {
        if let Some(place) = self.0.get(id.index()) {
            place.store(berth.unwrap_or(ELSEWHERE), Ordering::Release);
        }
    }

    /// All that are here with their berths, in ascending order.
    pub fn here(&self) -> impl Iterator<Item = (SubdomainId, usize)> + '_ {
        (0..).map(SubdomainId).zip(&self.0).filter_map(|(id, berth)| {
            let berth = berth.load(Ordering::Acquire);
            (berth != ELSEWHERE).then_some((id, berth as usize))
        })
    }
}

/// The subdomains of this process: by berth their cells, to be taken, and what they publish.
#[derive(Clone, Copy)]
pub struct Berths<'r, F: SharedReal> {
    /// Cells.
    pub subdomains: &'r [Handover<Subdomain<'r, F>>],
    /// What is published of them.
    pub publications: &'r [Publication<'r, F>],
    /// Which of the berths each subdomain lies in.
    pub places: &'r Places,
}

impl<'r, F: SharedReal> Berths<'r, F> {
    /// What a subdomain that is here publishes.
    #[inline]
    pub fn publication(&self, id: SubdomainId) -> Option<&'r Publication<'r, F>> {
        self.publications.get(self.places.berth(id)?)
    }

    /// All that are here with what they publish, in ascending order.
    pub fn here(&self) -> impl Iterator<Item = (SubdomainId, &'r Publication<'r, F>)> {
        let publications = self.publications;
        self.places.here().filter_map(|(id, berth)| Some((id, publications.get(berth)?)))
    }

    /// Takes a subdomain for a worker, if it is here and nobody holds it.
    pub(super) fn take(&self, id: SubdomainId, worker: WorkerId) -> Option<Taken<'r, F>> {
        let berth = self.places.berth(id)?;
        let held = self.subdomains.get(berth)?.take(worker)?;
        Some(Taken { id, held, publication: self.publications.get(berth)? })
    }
}
