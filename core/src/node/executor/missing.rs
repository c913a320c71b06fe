//! A halo that a worker needs and does not find.

use core::error::Error;
use core::fmt;

use crate::base::id::SubdomainId;
use crate::run::schedule::Wanted;

/// A halo that was not to be had when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Whether the halo can never come, as its owner has gone on and keeps that version no longer.
    pub fn is_lost(&self) -> bool {
        self.known.is_some_and(|known| self.wanted.is_gone(known))
    }
}

impl fmt::Display for MissingHalo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reader, neighbour, wanted, known, .. } = self;
        write!(f, "the edge of subdomain {neighbour}, which subdomain {reader} needs ")?;
        match wanted {
            Wanted::Newest => f.write_str("to take the residual")?,
            Wanted::Exactly(version) => write!(f, "of update {version}")?,
        }
        match known {
            None => f.write_str(", is lost: it is nowhere")?,
            Some(known) => write!(f, ", is lost: its owner is at {known}")?,
        }
        f.write_str(
            "; please report this, and go on from a checkpoint, if there is one, with --resume",
        )
    }
}

impl Error for MissingHalo {}

#[cfg(test)]
mod tests {
    use core::fmt::Write as _;

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
        let mut said = heapless::String::<200>::new();
        write!(said, "{}", missing(Wanted::Exactly(7), Some(9))).unwrap();
        assert!(said.contains("subdomain 2") && said.contains("update 7") && said.contains("at 9"));
    }
}
