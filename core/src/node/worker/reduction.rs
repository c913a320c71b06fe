//! The one version whose residual is asked for at a time, where parts are on several nodes.

use super::shares::{NONE, Sum, Taking, tag, untag};
use crate::base::SharedNumber;
use crate::run::progress::Progress;

/// The margin shrinks by one part in this number whenever all nodes have got a request in time.
const SHRINK: u64 = 8;

/// What one node reports of the residual of the requested version.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contribution {
    /// The request word of that version; 0 where the node has received none yet.
    pub asked: u64,
    /// Number of parts whose shares are in the sum.
    pub parts: u64,
    /// Sum of the squares of these shares.
    pub squares: f64,
}

/// The first node's result from the contributions of all nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// The residual of the requested version, once it is known.
    pub known: Option<Sum>,
    /// The request word for the next version, to be sent to all nodes; none while one is
    /// outstanding.
    pub asks: Option<u64>,
}

/// The version that all nodes are asked for, on one of them.
///
/// The first node names a version that no part has come to yet, by a word to every node. A part
/// tells its share on the node on which it passes that version, and nowhere else, so the residual
/// is known once the numbers of shares on all nodes add up to all parts, wherever parts have moved
/// meanwhile. Only then is another version asked for, and at once, so that no share is lost, and no
/// time.
///
/// A node that hears of it too late has passed it without a share: then the least updated part of
/// all is beyond that version, and shares are missing. So another one is asked for, twice as far
/// ahead of the most updated part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reduction<N> {
    /// The last request word that this node has received.
    heard: N,
    /// The last request word that the first node has sent.
    last: N,
    /// How many versions ahead of the most updated part the next request is.
    margin: N,
}

impl<N: SharedNumber> Reduction<N> {
    /// Returns the state of a node before any version was requested.
    pub(super) fn nothing() -> Self {
        Self { heard: N::from(NONE), last: N::from(NONE), margin: N::from(1) }
    }

    /// Returns the version that was last requested of this node, and how its shares are taken.
    #[inline]
    pub(super) fn version(&self) -> Option<(u64, Taking)> {
        untag(self.heard.load())
    }

    /// Takes the first node's request word. Requested versions only go up, so a smaller word is a
    /// late one and is dropped.
    pub(super) fn receive_request(&self, word: u64) {
        if word > self.heard.load() {
            self.heard.store(word);
        }
    }

    /// Returns this node's contribution. `progress` is that of the parts here; `shares` returns the
    /// shares of a version that this node has. They are added up once all parts here have passed
    /// that version.
    pub(super) fn contribution<S: Iterator<Item = f64>>(
        &self,
        progress: &Progress,
        shares: impl FnOnce(u64, Taking) -> S,
    ) -> Contribution {
        let asked = self.heard.load();
        let none = Contribution { asked, parts: 0, squares: 0.0 };
        let Some((version, taken)) = untag(asked) else { return none };
        if progress.subdomains > 0 && progress.least <= version {
            return none;
        }
        let add = |contribution: Contribution, share| Contribution {
            parts: contribution.parts + 1,
            squares: contribution.squares + share,
            ..contribution
        };
        shares(version, taken).fold(none, add)
    }

    /// On the first node, combines the contributions of all. `all` is the progress of all; `known`
    /// is the last version whose residual is known; `next` returns the version to request from a
    /// count on, and how its shares are taken.
    pub(super) fn total(
        &self,
        contribution: impl Iterator<Item = Contribution>,
        all: &Progress,
        known: Option<u64>,
        next: impl FnOnce(u64) -> (u64, Taking),
    ) -> Total {
        let (last, mut margin) = (self.last.load(), self.margin.load());
        let mut found = None;
        if let Some((version, taken)) = untag(last)
            && known.is_none_or(|known| known < version)
        {
            let contribution = contribution.filter(|contribution| contribution.asked == last);
            let add = |(parts, squares): (u64, f64), contribution: Contribution| {
                (parts.saturating_add(contribution.parts), squares + contribution.squares)
            };
            let (parts, squares) = contribution.fold((0, 0.0), add);
            if parts == all.subdomains {
                found = Some(Sum { version, taken, squares });
                margin -= margin / SHRINK;
            } else if all.least > version {
                margin = margin.saturating_mul(2);
            } else {
                return Total::default();
            }
            self.margin.store(margin);
        }
        let (version, taken) = next(all.most.saturating_add(margin));
        let word = tag(version, taken);
        self.last.store(word);
        Total { known: found, asks: Some(word) }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;
    use crate::node::worker::{Residuals, Shares};

    const PARTS: usize = 4;

    /// A node, which may have told the share of any part.
    struct Node {
        residuals: Residuals<Cell<u64>>,
        shares: [Shares<Cell<u64>>; PARTS],
    }

    impl Node {
        fn new() -> Self {
            let shares = core::array::from_fn(|_| Shares::none());
            Self { residuals: Residuals::among_nodes(), shares }
        }

        /// Passes a version with some parts; each has a share of its own.
        fn passes(&self, parts: core::ops::Range<usize>, version: u64) {
            for (part, shares) in self.shares.iter().enumerate().filter(|it| parts.contains(&it.0))
            {
                if let Some(taken) = self.residuals.taking_at(version) {
                    let squares = part as f64 + 0.5;
                    self.residuals.publish_share(shares, Sum { version, taken, squares });
                }
            }
        }

        fn contribution(&self, least: u64, parts: u64) -> Contribution {
            self.residuals.contribution(self.shares.iter(), &Progress::level(least, parts))
        }
    }

    fn counts(least: u64, most: u64) -> Progress {
        Progress { least, most, updates: 0, subdomains: PARTS as u64 }
    }

    /// Returns two nodes, of which the first has asked for a version, and that version.
    fn asked(most: u64) -> ([Node; 2], u64) {
        let nodes = [Node::new(), Node::new()];
        let asks = nodes[0].residuals.total([].into_iter(), &counts(0, most)).asks.unwrap();
        for node in &nodes {
            node.residuals.receive_request(asks);
        }
        let (version, taken) = untag(asks).unwrap();
        assert_eq!(taken, Taking::Fused);
        (nodes, version)
    }

    /// The part that the second node has told is with the first one now, and the other way round.
    #[test]
    fn a_version_is_known_once_the_shares_of_all_are_in_wherever_they_are() {
        let ([first, second], version) = asked(10);
        assert_eq!(version, 11);
        let taken = |at| first.residuals.taking_at(at);
        assert_eq!([10, 11, 12].map(taken), [None, Some(Taking::Fused), None]);
        first.passes(0..2, version);
        second.passes(2..3, version);
        let missing = [first.contribution(12, 2), second.contribution(12, 1)];
        let all = counts(11, 12);
        assert_eq!(first.residuals.total(missing.into_iter(), &all), Total::default());
        second.passes(3..4, version);
        let contribution = [first.contribution(12, 3), second.contribution(12, 1)];
        assert_eq!(contribution.map(|contribution| contribution.parts), [2, 2]);
        let Total { known, asks } = first.residuals.total(contribution.into_iter(), &all);
        let sum = Sum { version, taken: Taking::Fused, squares: 8.0 };
        assert_eq!((known, first.residuals.known()), (Some(sum), Some(sum)));
        assert_eq!(asks.and_then(untag), Some((13, Taking::Fused)), "the next one");
    }

    #[test]
    fn shares_are_told_once_all_that_is_here_has_passed() {
        let ([first, second], version) = asked(10);
        first.passes(0..2, version);
        assert_eq!(first.contribution(version, 2).parts, 0);
        assert_eq!(first.contribution(version + 1, 2).parts, 2);
        assert_eq!(first.contribution(0, 0).parts, 2, "nothing is here any more");
        assert_eq!(second.contribution(version + 1, 2).parts, 0);
        assert_eq!(Node::new().contribution(version + 1, 2), Contribution::default());
    }

    #[test]
    fn who_has_heard_too_late_is_asked_for_a_version_that_is_twice_as_far_ahead() {
        let ([first, second], version) = asked(10);
        first.passes(0..2, version);
        second.passes(2..3, version);
        let mut at = version + 1;
        for margin in [2, 4, 8] {
            let contribution = [first.contribution(at, 2), second.contribution(at, 2)];
            let Total { known, asks } =
                first.residuals.total(contribution.into_iter(), &counts(at, at));
            assert_eq!(known, None);
            let version = at + margin;
            assert_eq!(asks.and_then(untag), Some((version, Taking::Fused)));
            // The second node does not hear it.
            first.residuals.receive_request(asks.unwrap());
            first.passes(0..2, version);
            at = version + 1;
        }
        // What it has contribution of the first version counts for no other.
        second.passes(3..4, version);
        let contribution = [first.contribution(at, 2), second.contribution(at, 2)];
        assert_eq!(contribution.map(|contribution| contribution.parts), [2, 2]);
        assert_eq!(first.residuals.total(contribution.into_iter(), &counts(at, at)).known, None);
    }

    #[test]
    fn the_margin_falls_again_while_all_hear_in_time() {
        let ([first, second], _) = asked(0);
        let mut at = 1_000_000;
        let mut margins = [0; 60];
        for (round, margin) in margins.iter_mut().enumerate() {
            let contribution = [first.contribution(at, 2), second.contribution(at, 2)];
            let asks =
                first.residuals.total(contribution.into_iter(), &counts(at, at)).asks.unwrap();
            let (version, _) = untag(asks).unwrap();
            *margin = version - at;
            if round >= 15 {
                first.residuals.receive_request(asks);
                second.residuals.receive_request(asks);
                first.passes(0..2, version);
                second.passes(2..4, version);
            }
            at = version + 1;
        }
        assert!((30_000..70_000).contains(&margins[15]), "{margins:?}");
        assert!(margins[16..].is_sorted_by(|a, b| a + 64 >= *b), "{margins:?}");
        assert!(margins[59] < 1_000, "{margins:?}");
    }

    #[test]
    fn a_word_that_comes_late_changes_nothing() {
        let node = Node::new();
        for (word, version) in [(tag(20, Taking::Fused), 20), (tag(9, Taking::Separate), 20)] {
            node.residuals.receive_request(word);
            assert_eq!(node.residuals.taking_at(version), Some(Taking::Fused));
        }
        node.residuals.receive_request(tag(30, Taking::Separate));
        assert_eq!([20, 30].map(|at| node.residuals.taking_at(at)), [None, Some(Taking::Separate)]);
    }

    /// A version from before the last halt is no news.
    #[test]
    fn after_a_halt_beyond_a_version_the_next_one_is_asked_for() {
        let ([first, second], version) = asked(10);
        first.passes(0..2, version);
        second.passes(2..4, version);
        first.residuals.halted(version + 4, 0.25);
        let contribution =
            [first.contribution(version + 4, 2), second.contribution(version + 4, 2)];
        let all = counts(version + 4, version + 4);
        let Total { known, asks } = first.residuals.total(contribution.into_iter(), &all);
        assert_eq!((known, asks.and_then(untag)), (None, Some((version + 5, Taking::Fused))));
    }
}
