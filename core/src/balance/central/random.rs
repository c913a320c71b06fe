//! A random placement: every object may go anywhere.

use super::CentralError;
use crate::balance::objects::Objects;
use crate::base::id::ProcessorId;
use crate::base::rng::Rng;

/// Puts each object that may move on a processor of its own choice, with equal chances, in the
/// order of their ids: one draw each.
pub fn random(
    objects: &Objects<'_>,
    processors: u32,
    owners: &mut [ProcessorId],
    rng: &mut Rng,
) -> Result<(), CentralError> {
    objects.check(owners, processors)?;
    for (object, owner) in objects.ids().zip(owners) {
        if !objects.is_fixed(object) {
            *owner = ProcessorId(rng.below(processors));
        }
    }
    Ok(())
}
