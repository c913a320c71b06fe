//! A halo that a worker needs and does not find.

use tresse_core::base::id::SubdomainId;
use tresse_core::run::schedule::Wanted;

/// A halo that was not to be had when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the edge of subdomain {neighbour}, which subdomain {reader} needs {}, is lost: {}; please report \
     this, and go on from a checkpoint, if there is one, with --resume",
    of(*wanted), known.map_or("it is nowhere".to_owned(), |known| format!("its owner is at {known}"))
)]
pub struct MissingHalo {
    /// Subdomain whose halo is missing.
    pub reader: SubdomainId,
    /// Link of the subdomain on which the halo is missing.
    pub link: usize,
    /// Neighbour whose edge is the halo.
    pub neighbour: SubdomainId,
    /// The version that is wanted.
    pub wanted: Wanted,
    /// Newest known version of the edge; `None` as long as the neighbour's place is unknown.
    pub known: Option<u64>,
}

impl MissingHalo {
    /// Reports whether the halo can never come: its owner has gone on, and no longer keeps it.
    pub fn is_lost(&self) -> bool {
        self.known.is_some_and(|known| self.wanted.is_gone(known))
    }

    /// Ends a process that is alone, where no halo is ever missing: all edges are in its memory,
    /// and a barrier keeps them.
    #[expect(clippy::panic, reason = "a broken invariant")]
    pub(super) fn never_alone(&self) -> ! {
        panic!("{self}")
    }
}

fn of(wanted: Wanted) -> String {
    match wanted {
        Wanted::Newest => "to take the residual".to_owned(),
        Wanted::Exactly(version) => format!("of update {version}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_is_waited_for_and_what_is_gone_is_not() {
        let missing = |wanted, known| MissingHalo {
            reader: SubdomainId(1),
            link: 0,
            neighbour: SubdomainId(2),
            wanted,
            known,
        };
        for (known, is_lost) in [(None, false), (Some(6), false), (Some(8), false), (Some(9), true)]
        {
            assert_eq!(missing(Wanted::Exactly(7), known).is_lost(), is_lost, "{known:?}");
            assert!(!missing(Wanted::Newest, known).is_lost());
        }
        let said = missing(Wanted::Exactly(7), Some(9)).to_string();
        assert!(said.contains("subdomain 2") && said.contains("update 7") && said.contains("at 9"));
    }
}
