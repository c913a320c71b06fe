//! The one version whose residual is asked for at a time, where parts are on several nodes.

use super::SharedNumber;
use super::shares::{NONE, Sum, Taking, tag, untag};
use crate::progress::Progress;

/// The margin shrinks by this part of it whenever all have heard of a version in time.
const SHRINK: u64 = 8;

/// What one node has told of the residual of the version that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Told {
    /// The word with which that version was asked for; 0 where the node has heard of none yet.
    pub asked: u64,
    /// The number of parts whose shares are in the sum.
    pub parts: u64,
    /// Sum of the squares of these shares.
    pub squares: f64,
}

/// What the first node makes of what all have told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gathered {
    /// The residual of the version that was asked for, once it is known.
    pub known: Option<Sum>,
    /// The word with which all nodes are to be asked for the next version, where that is due.
    pub asks: Option<u64>,
}

/// The version that all nodes are asked for, on one of them.
///
/// The first node names a version that no part has come to yet, by a word to every node. A part tells its share
/// on the node on which it passes that version, and nowhere else, so the residual is known once the numbers of
/// shares on all nodes add up to all parts, wherever parts have moved meanwhile. Only then is another version
/// asked for, so that no share is lost.
///
/// A node that hears of it too late has passed it without a share: then the least updated part of all is beyond
/// that version, and shares are missing. So another one is asked for, twice as far ahead of the most updated part.
#[derive(Clone, Debug)]
pub(super) struct Asked<N> {
    /// The word that this node has heard last.
    heard: N,
    /// The word with which the first node has asked last.
    last: N,
    /// Versions from the most updated part of all to the next one that is asked for.
    margin: N,
}

impl<N: SharedNumber> Asked<N> {
    pub(super) fn nothing() -> Self {
        Self { heard: N::from(NONE), last: N::from(NONE), margin: N::from(1) }
    }

    /// Returns the version that this node was asked for last, and how its shares are taken.
    #[inline]
    pub(super) fn version(&self) -> Option<(u64, Taking)> {
        untag(self.heard.load())
    }

    /// Hears a word of the first node. Versions that are asked for only go up, so that a word that comes late is
    /// known by that.
    pub(super) fn hear(&self, word: u64) {
        if word > self.heard.load() {
            self.heard.store(word);
        }
    }

    /// Returns what this node tells, whose parts have made this `progress`: `shares` are those of a version that it
    /// has. They are added up once all parts that are here have passed that version.
    pub(super) fn told<S: Iterator<Item = f64>>(
        &self,
        progress: &Progress,
        shares: impl FnOnce(u64, Taking) -> S,
    ) -> Told {
        let asked = self.heard.load();
        let none = Told { asked, parts: 0, squares: 0.0 };
        let Some((version, taken)) = untag(asked) else { return none };
        if progress.subdomains > 0 && progress.least <= version {
            return none;
        }
        let add = |told: Told, share| Told {
            parts: told.parts + 1,
            squares: told.squares + share,
            ..told
        };
        shares(version, taken).fold(none, add)
    }

    /// Looks, on the first node, at what all have `told` and at the progress of all; `known` is the last version of
    /// which the residual is known, and `next` says which version is to be asked for from a count on, and how.
    pub(super) fn gather(
        &self,
        told: impl Iterator<Item = Told>,
        all: &Progress,
        known: Option<u64>,
        next: impl FnOnce(u64) -> (u64, Taking),
    ) -> Gathered {
        let last = self.last.load();
        let mut margin = self.margin.load();
        if let Some((version, taken)) = untag(last)
            && known.is_none_or(|known| known < version)
        {
            let told = told.filter(|told| told.asked == last);
            let add = |(parts, squares): (u64, f64), told: Told| {
                (parts.saturating_add(told.parts), squares + told.squares)
            };
            let (parts, squares) = told.fold((0, 0.0), add);
            if parts == all.subdomains {
                self.margin.store((margin - margin / SHRINK).max(1));
                return Gathered { known: Some(Sum { version, taken, squares }), asks: None };
            }
            if all.least <= version {
                return Gathered::default();
            }
            margin = margin.saturating_mul(2);
            self.margin.store(margin);
        }
        let (version, taken) = next(all.most.saturating_add(margin));
        let word = tag(version, taken);
        self.last.store(word);
        Gathered { known: None, asks: Some(word) }
    }
}
