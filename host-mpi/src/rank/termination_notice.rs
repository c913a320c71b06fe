//! The termination notice, which a rank writes when it is asked to end. Perhaps another rank is
//! gone and the launcher ends the whole job, so that there is no time for anything else.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, test_kill_process};
use tresse::terminal;

use crate::mpi::Entry;

/// A notice that is written once, by one rank of each node.
#[derive(Debug)]
pub(crate) struct TerminationNotice {
    is_sent: AtomicBool,
    /// Processes of the lower ranks on this node; while one of them lives, it writes the notice.
    before: Vec<Pid>,
}

impl TerminationNotice {
    /// Finds the ranks of this node. Collective.
    pub(crate) fn new(entry: &mut Entry) -> Self {
        let all = entry.all_gather_u64(u64::from(std::process::id()));
        let own = entry.rank();
        let process = |rank: tresse_core::base::id::RankId| {
            all.get(rank.index()).and_then(|id| Pid::from_raw(i32::try_from(*id).ok()?))
        };
        let before = entry.nodes().with(own).filter(|rank| *rank < own).filter_map(process);
        Self { is_sent: AtomicBool::new(false), before: before.collect() }
    }

    /// Writes to standard error where the run can be gone on with, on one rank of the node.
    pub(crate) fn send(&self, left: impl FnOnce() -> String) {
        if self.is_sent.swap(true, Ordering::Relaxed)
            || self.before.iter().any(|process| test_kill_process(*process).is_ok())
        {
            return;
        }
        terminal::tell(&format!("the run is asked to end: {}", left()));
    }
}
