//! Memory for a balancer that goes by measured sweeps.

use alloc::vec;
use alloc::vec::Vec;

use crate::balance::measured::{CONFIG, Held, Measured, MeasuredNeeds, Placed, Window};
use crate::base::id::ProcessorId;

use super::OwnedGrapevineMemory;

/// The vectors behind [`Measured`].
#[derive(Clone, Debug)]
pub struct OwnedMeasuredMemory {
    times: Vec<u64>,
    windows: Vec<Window>,
    placed: Vec<Placed>,
    loads: Vec<u64>,
    fixed: Vec<bool>,
    owners: Vec<ProcessorId>,
    held: Vec<Held>,
    grapevine: OwnedGrapevineMemory,
}

impl OwnedMeasuredMemory {
    /// Allocates the memory that is needed.
    pub fn new(needs: &MeasuredNeeds) -> Self {
        let MeasuredNeeds { subdomains, workers } = *needs;
        Self {
            times: vec![0; subdomains],
            windows: vec![Window::EMPTY; subdomains],
            placed: vec![Placed::EMPTY; subdomains],
            loads: vec![0; subdomains],
            fixed: vec![false; subdomains],
            owners: vec![ProcessorId(0); subdomains],
            held: vec![Held::EMPTY; workers],
            grapevine: OwnedGrapevineMemory::new(&CONFIG, subdomains, workers),
        }
    }

    /// Returns the bytes of the memory that is needed.
    pub fn bytes(needs: &MeasuredNeeds) -> u64 {
        let MeasuredNeeds { subdomains, workers } = *needs;
        let of_subdomain = size_of::<([u64; 2], Window, Placed, ProcessorId, bool)>() as u64;
        (subdomains as u64)
            .saturating_mul(of_subdomain)
            .saturating_add((workers as u64).saturating_mul(size_of::<Held>() as u64))
            .saturating_add(OwnedGrapevineMemory::bytes(&CONFIG, subdomains, workers))
    }

    /// Lends the memory for one run.
    pub fn lend(&mut self) -> Measured<'_> {
        Measured {
            times: &mut self.times,
            windows: &mut self.windows,
            placed: &mut self.placed,
            loads: &mut self.loads,
            fixed: &mut self.fixed,
            owners: &mut self.owners,
            held: &mut self.held,
            grapevine: self.grapevine.lend(),
            looks: 0,
        }
    }
}
