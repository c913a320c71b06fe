//! The central references.

use tresse_core::balance::central::{self, CentralError, CentralMemory, CentralNeeds};
use tresse_core::balance::objects::Objects;
use tresse_core::id::ProcessorId;
use tresse_core::rng::Rng;

#[inline(never)]
pub fn needs(objects: usize, processors: u32) -> (CentralNeeds, CentralNeeds) {
    (
        CentralNeeds::of_lpt(objects, processors),
        CentralNeeds::of_karmarkar_karp(objects, processors),
    )
}

#[inline(never)]
pub fn random(
    objects: &Objects<'_>,
    processors: u32,
    owners: &mut [ProcessorId],
    rng: &mut Rng,
) -> Result<(), CentralError> {
    central::random(objects, processors, owners, rng)
}

#[inline(never)]
pub fn lpt(
    objects: &Objects<'_>,
    processors: u32,
    owners: &mut [ProcessorId],
    memory: CentralMemory<'_>,
) -> Result<(), CentralError> {
    central::lpt(objects, processors, owners, memory)
}

#[inline(never)]
pub fn karmarkar_karp(
    objects: &Objects<'_>,
    processors: u32,
    owners: &mut [ProcessorId],
    memory: CentralMemory<'_>,
) -> Result<(), CentralError> {
    central::karmarkar_karp(objects, processors, owners, memory)
}

#[inline(never)]
pub fn lower_bound(
    objects: &Objects<'_>,
    owners: &[ProcessorId],
    processors: u32,
    sums: &mut [u64],
) -> u64 {
    central::add_up_fixed(objects, owners, sums);
    central::lower_bound(objects, processors, sums)
}
