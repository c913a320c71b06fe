//! The end where workers give each other tasks, so that no manager sees them.
//!
//! Each worker says what it has sent and got when it has nothing to do. Once all have said so, and
//! as much was got as was sent, they are asked again: if nothing has changed for any of them, then
//! nothing has happened between their first answers and the second question, when nothing was on
//! the way (Mattern 1987, the method of four counters).

use super::managers::Members;
use super::member::Member;
use super::message::{Counts, Message, Outbox};

/// State of the manager's search for the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Ending {
    /// Number of the last probe.
    round: u32,
    /// Number of answers that are missing.
    missing: usize,
    /// Whether somebody was busy, or has got something since.
    has_changed: bool,
    /// Whether somebody was idle since the question.
    ask_again: bool,
}

impl Ending {
    /// Records the counts of a worker that is idle, and probes all workers where that may be the
    /// end. `all` are the manager's members, `members` their states.
    pub fn handle_idle<T>(
        &mut self,
        index: usize,
        counts: Counts,
        all: &Members,
        members: &mut [Member],
        out: &mut impl Outbox<T>,
    ) {
        if let Some(member) = members.get_mut(index) {
            // An earlier message may come later.
            let total = |counts: Counts| counts.given + counts.sent;
            if member.idle.is_none_or(|before| total(before) <= total(counts)) {
                // It was busy after it had said what the question was asked for.
                self.has_changed |= member.idle != Some(counts);
                member.idle = Some(counts);
            }
        }
        self.ask_again = true;
        self.probe_if_quiet(all, members, out);
    }

    /// Takes a worker's answer to the probe number `round`: its counts, or none where it is busy.
    /// Returns true if it is the last answer, and all tasks are executed.
    pub fn handle_report<T>(
        &mut self,
        index: usize,
        round: u32,
        idle: Option<Counts>,
        all: &Members,
        members: &[Member],
        out: &mut impl Outbox<T>,
    ) -> bool {
        if round != self.round || self.missing == 0 {
            return false;
        }
        self.missing -= 1;
        let before = members.get(index).and_then(|member| member.idle);
        self.has_changed |= idle.is_none() || idle != before;
        if self.missing > 0 {
            return false;
        }
        if !self.has_changed {
            return true;
        }
        self.probe_if_quiet(all, members, out);
        false
    }

    /// Asks all workers once more whether they are idle, if all have said so and as many messages
    /// were got as sent. Does nothing while answers are missing, or nobody has become idle since
    /// the last probe.
    fn probe_if_quiet<T>(&mut self, all: &Members, members: &[Member], out: &mut impl Outbox<T>) {
        if self.missing > 0 || !self.ask_again {
            return;
        }
        let mut total = Counts::default();
        for member in members {
            let Some(Counts { given, sent }) = member.idle else { return };
            total = Counts { given: total.given + given, sent: total.sent + sent };
        }
        if total.given != total.sent {
            return;
        }
        let round = self.round.wrapping_add(1);
        *self = Self { round, missing: all.number, has_changed: false, ask_again: false };
        for index in 0..all.number {
            out.send(all.peer(index), Message::Probe { round }, &[]);
        }
    }
}
