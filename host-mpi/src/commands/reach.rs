//! The access of ranks to each other: `--halo` and `--progress`, and the measurement behind their
//! defaults.

use std::fmt;

use super::error::SolveError;
use crate::commands::args::{HaloChoice, ProgressChoice, ReachChoices};
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};
use crate::mpi::probe::Passive;
use crate::rank::ranks::Entering;

/// The access of ranks to each other, as requested and measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub(super) entering: Entering,
    pub(super) only_gets: bool,
    /// Result of the measurement; `None` where all wait for messages.
    passive: Option<Passive>,
}

impl Reach {
    /// Finds the access by flags and measurement; `has_windows` says whether ranks read each
    /// other's windows. Collective.
    pub(super) fn find(
        entry: &mut Entry,
        choices: ReachChoices,
        has_windows: bool,
    ) -> Result<Self, Refused> {
        let only_gets = choices.halo == Some(HaloChoice::Get);
        let measured = has_windows.then(|| Passive::measure(entry, only_gets)).transpose();
        let passive = together(entry, measured.map_err(|error| SolveError::Rank(error.into())))?;
        let entering = match choices.progress {
            None | Some(ProgressChoice::Poll) => Entering::Workers,
            Some(ProgressChoice::Thread) => Entering::Watcher,
            Some(ProgressChoice::None) => Entering::Nobody,
        };
        Ok(Self { entering, only_gets, passive })
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(passive) = self.passive else {
            return f.write_str("every rank waits for the rows above and below, sent as messages");
        };
        passive.fmt(f)?;
        match self.entering {
            _ if passive.median.is_none() => Ok(()),
            Entering::Workers => f.write_str("; workers look after gets after every sweep"),
            Entering::Watcher => f.write_str("; a thread looks after gets"),
            Entering::Nobody => {
                f.write_str("; only balancers and workers that wait look after gets")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Returns what is said by `--halo get`, where a get takes 20 µs.
    fn by_gets(entering: Entering) -> String {
        let median = Some(Duration::from_micros(20));
        let passive = Some(Passive { needs_entering: false, median });
        Reach { entering, only_gets: true, passive }.to_string()
    }

    #[test]
    fn who_looks_after_gets_is_said_where_there_are_some() {
        let read = "a rank can be read while it computes, in 20.0µs (median); ";
        for (entering, who) in [
            (Entering::Workers, "workers look after gets after every sweep"),
            (Entering::Watcher, "a thread looks after gets"),
            (Entering::Nobody, "only balancers and workers that wait look after gets"),
        ] {
            assert_eq!(by_gets(entering), format!("{read}{who}"));
        }
        let quiet = Reach {
            entering: Entering::Workers,
            only_gets: false,
            passive: Some(Passive { needs_entering: false, median: None }),
        };
        assert_eq!(quiet.to_string(), "all ranks read each other's memory");
        let messages = Reach { passive: None, ..quiet };
        assert!(messages.to_string().ends_with("sent as messages"), "{messages}");
    }
}
