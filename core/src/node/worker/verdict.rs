//! What nodes say to each other while all are halted, and what the first of them decides for all.

use crate::run::progress::Progress;
use crate::run::{End, Stop};

/// What a node says, or what all have said together, when all are halted and everything has
/// arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HaltStatus {
    /// Progress of the subdomains that are there.
    pub progress: Progress,
    /// Whether the run is interrupted.
    pub is_interrupted: bool,
    /// Whether a checkpoint is wanted.
    pub wants_to_save: bool,
    /// The spread of counts for which workers are to pull from now on, as borrowing does not make
    /// up for it ([`Balancer::switches_at`](crate::balance::Balancer::switches_at)); none where
    /// they are not.
    pub wants_to_pull: Option<u64>,
}

impl HaltStatus {
    /// Number of words that it is sent in.
    pub const WORDS: usize = 7;

    /// Combines what two nodes report; every subdomain is on one of them.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            progress: self.progress.and(other.progress),
            is_interrupted: self.is_interrupted || other.is_interrupted,
            wants_to_save: self.wants_to_save || other.wants_to_save,
            wants_to_pull: self.wants_to_pull.max(other.wants_to_pull),
        }
    }

    /// Returns the words in which it is sent.
    pub const fn encode(&self) -> [u64; Self::WORDS] {
        let [least, most, updates, subdomains] = progress_words(&self.progress);
        let Self { is_interrupted, wants_to_save, wants_to_pull, .. } = *self;
        let [interrupted, save] = [is_interrupted as u64, wants_to_save as u64];
        [least, most, updates, subdomains, interrupted, save, spread_word(wants_to_pull)]
    }

    /// Returns the status in these words.
    pub const fn decode(words: &[u64; Self::WORDS]) -> Self {
        let &[least, most, updates, subdomains, interrupted, save, pull] = words;
        Self {
            progress: Progress { least, most, updates, subdomains },
            is_interrupted: interrupted != 0,
            wants_to_save: save != 0,
            wants_to_pull: pull.checked_sub(1),
        }
    }
}

/// What the first node decides for all, on the residual of a consistent state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Sum of squares of the residual, over all subdomains in the order of their numbers.
    pub sum: f64,
    /// Progress of all subdomains.
    pub progress: Progress,
    /// Reason for the end of the run; none where it goes on.
    pub end: Option<End>,
    /// Whether a checkpoint is to be written.
    pub saves: bool,
    /// The spread of counts for which workers pull from now on: on all nodes, subdomains go home
    /// and are claimed for one sweep at a time. None where nothing changes.
    pub switches_at: Option<u64>,
}

impl Verdict {
    /// Number of words that it is sent in.
    pub const WORDS: usize = 8;

    /// Returns the verdict that the run goes on, with what the nodes want in `status`.
    pub const fn go_on(sum: f64, status: &HaltStatus) -> Self {
        let (saves, switches_at) = (status.wants_to_save, status.wants_to_pull);
        Self { sum, progress: status.progress, end: None, saves, switches_at }
    }

    /// Returns the verdict that the run ends. A checkpoint is written unless the end is final.
    pub(super) const fn end(sum: f64, status: &HaltStatus, end: End, stop: &Stop) -> Self {
        let saves = !end.is_final(stop);
        Self { sum, progress: status.progress, end: Some(end), saves, switches_at: None }
    }

    /// Returns the words in which it is sent.
    pub fn encode(&self) -> [u64; Self::WORDS] {
        let [least, most, updates, subdomains] = progress_words(&self.progress);
        let place = self.end.and_then(|end| End::ALL.iter().position(|&other| other == end));
        let end = place.map_or(0, |place| place as u64 + 1);
        let (saves, switches_at) = (self.saves.into(), spread_word(self.switches_at));
        [self.sum.to_bits(), least, most, updates, subdomains, end, saves, switches_at]
    }

    /// Returns the verdict in these words; an unknown reason to end is read as none.
    pub fn decode(words: &[u64; Self::WORDS]) -> Self {
        let &[sum, least, most, updates, subdomains, end, saves, switches_at] = words;
        let place = end.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        Self {
            sum: f64::from_bits(sum),
            progress: Progress { least, most, updates, subdomains },
            end: place.and_then(|place| End::ALL.get(place).copied()),
            saves: saves != 0,
            switches_at: switches_at.checked_sub(1),
        }
    }
}

/// Returns the word of an optional spread: the spread plus 1, or 0 for none.
const fn spread_word(spread: Option<u64>) -> u64 {
    match spread {
        Some(spread) => spread.saturating_add(1),
        None => 0,
    }
}

/// Returns the four numbers of a progress, in the order in which they are sent.
const fn progress_words(progress: &Progress) -> [u64; 4] {
    let &Progress { least, most, updates, subdomains } = progress;
    [least, most, updates, subdomains]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_was_said() {
        let progress = Progress { least: 3, most: 9, updates: 21, subdomains: 4 };
        for flags in 0..8 {
            let (is_interrupted, wants_to_save) = (flags & 1 != 0, flags & 2 != 0);
            let wants_to_pull = (flags & 4 != 0).then_some(flags);
            let status = HaltStatus { progress, is_interrupted, wants_to_save, wants_to_pull };
            assert_eq!(HaltStatus::decode(&status.encode()), status);
            for end in End::ALL.map(Some).into_iter().chain([None]) {
                let (saves, switches_at) = (wants_to_save, wants_to_pull);
                let verdict = Verdict { sum: 0.125, progress, end, saves, switches_at };
                assert_eq!(Verdict::decode(&verdict.encode()), verdict);
            }
        }
    }

    #[test]
    fn what_one_says_all_say() {
        let quiet = HaltStatus { progress: Progress::level(3, 2), ..HaltStatus::default() };
        let interrupted = HaltStatus { is_interrupted: true, ..quiet };
        let wanting = HaltStatus { wants_to_save: true, progress: Progress::default(), ..quiet };
        let pulling = |spread| HaltStatus {
            wants_to_pull: Some(spread),
            progress: Progress::default(),
            ..quiet
        };
        let each = [quiet, interrupted, wanting, pulling(90), pulling(70)];
        let status = HaltStatus {
            progress: Progress::level(3, 4),
            is_interrupted: true,
            ..HaltStatus::default()
        };
        let status = HaltStatus { wants_to_save: true, wants_to_pull: Some(90), ..status };
        assert_eq!(each.into_iter().fold(HaltStatus::default(), HaltStatus::and), status);
    }

    #[test]
    fn what_ends_short_is_saved() {
        let status = HaltStatus { wants_to_save: true, ..HaltStatus::default() };
        let stop = |tolerance| Stop { iterations: Some(9), tolerance, ..Stop::NEVER };
        let saves = |end, tolerance| Verdict::end(1.0, &status, end, &stop(tolerance)).saves;
        assert!(saves(End::Interrupted, None) && saves(End::Iterations, Some(1e-4)));
        assert!(!saves(End::Iterations, None) && !saves(End::Converged, Some(1e-4)));
        assert!(!saves(End::Stagnated, Some(1e-4)));
        assert!(Verdict::go_on(1.0, &status).saves);
    }

    #[test]
    fn who_goes_on_turns_where_one_node_wants_to() {
        let status = HaltStatus { wants_to_pull: Some(90), ..HaltStatus::default() };
        assert_eq!(Verdict::go_on(1.0, &status).switches_at, Some(90));
        assert_eq!(Verdict::go_on(1.0, &HaltStatus::default()).switches_at, None);
        let stop = Stop { iterations: Some(9), ..Stop::NEVER };
        assert_eq!(Verdict::end(1.0, &status, End::Iterations, &stop).switches_at, None);
    }
}
