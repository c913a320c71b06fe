//! All parts on the first rank.

use mpi::traits::Communicator;
use tresse::Run;
use tresse_core::base::bug::OrBug as _;
use tresse_core::base::id::SubdomainId;
use tresse_core::parts::{Graph, Part};

use super::Iterated;
use crate::mpi::{Entry, LaunchError};
use crate::rank::{read_parts, write_part};

/// Returns all parts of a run in the order of their numbers on the first rank, and nothing on the
/// others. Collective; `iterated` is what [`run()`](crate::run()) has left.
pub fn gather<C, T, G, M, const N: usize>(
    communicator: &C,
    run: &Run<'_, G, M>,
    iterated: &Iterated<T>,
) -> Result<Option<Vec<T>>, LaunchError>
where
    C: Communicator,
    T: Part,
    G: Graph<N>,
    M: Fn(SubdomainId) -> T,
{
    let mut entry = Entry::over(communicator)?;
    Ok(gather_parts(&mut entry, &iterated.parts, run.graph().parts(), run.make()))
}

/// Returns all parts on the first rank, made anew and as they are packed. Collective.
pub(super) fn gather_parts<T: Part>(
    entry: &mut Entry,
    own: &[(SubdomainId, T)],
    parts: u32,
    make: impl Fn(SubdomainId) -> T,
) -> Option<Vec<T>> {
    let mut message = Vec::new();
    for (id, part) in own {
        write_part(*id, part, &mut message);
    }
    let messages = entry.gather_bytes(message)?;
    let mut all: Vec<_> = (0..parts).map(SubdomainId).map(make).collect();
    for message in messages {
        read_parts(&message, &mut |id, units: &mut dyn Iterator<Item = T::Unit>| {
            if let Some(part) = all.get_mut(id.index()) {
                part.unpack(id, units).or_bug("a part does not unpack what it has packed");
            }
        });
    }
    Some(all)
}
