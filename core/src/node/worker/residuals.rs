//! The residuals of versions in the exact mode, known while everybody goes on.

use super::reduction::{Contribution, Reduction, Total};
use super::shares::{KEPT, SharedSum, Shares, Sum, Taking};
use crate::base::SharedNumber;
use crate::run::progress::Progress;

/// Longest way from one version whose residual is taken to the next, unless parts may be further
/// apart.
const LONGEST: u64 = 64;

/// The residuals of versions, each a sum of the shares of all parts.
///
/// In the exact mode a part goes on from a version with the halos of just that version, so its
/// share is that of one consistent state, whenever it is taken. All parts take their shares at the
/// same versions, and tell them beside their publications ([`Shares`]); once the least updated one
/// has passed such a version, all its shares are in. So a look costs a cache line of each part, and
/// stops nobody.
///
/// On one node the versions are those of a rule, and shares are added in the order of the parts'
/// numbers. Among several nodes there is one version at a time, which the first node asks for; each
/// node adds up the shares that its workers have told, and the first one adds these sums in the
/// order of the nodes.
///
/// Shares are taken along with sweeps until one of these sums is worth a verification, and apart
/// from then on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Residuals<N> {
    /// The last one that was found.
    known: SharedSum<N>,
    /// Whether shares are taken apart.
    is_apart: N,
    /// Shortest way from one version whose residual is taken to the next, a power of two.
    shortest: u64,
    /// The version that is asked for, where parts are on several nodes.
    reduction: Option<Reduction<N>>,
}

impl<N: SharedNumber> Residuals<N> {
    /// Returns the residuals of a run that has not begun, of parts that are at most `diameter`
    /// links apart ([`Graph::diameter`](crate::parts::Graph::diameter)), and so as many versions.
    pub fn new(diameter: u64) -> Self {
        // From the version that the least updated part has passed last to the one that the most
        // updated part is at, no part takes more shares than are kept.
        let shortest = diameter.saturating_add(1).div_ceil(KEPT - 1);
        Self {
            known: SharedSum::none(),
            is_apart: N::from(0),
            shortest: shortest.checked_next_power_of_two().unwrap_or(1 << 63),
            reduction: None,
        }
    }

    /// Returns the residuals on one node of several, of a run that has not begun.
    pub fn among_nodes() -> Self {
        Self { reduction: Some(Reduction::nothing()), ..Self::new(0) }
    }

    /// Returns how a part at `version` takes its share of that residual; none where it takes none.
    ///
    /// It is taken in every 64th version of a long run, and in a short one at least in every 64th
    /// part of it, as far as the shares that are kept of each part allow; among several nodes in
    /// the version that is asked for.
    #[inline]
    pub fn takes(&self, version: u64) -> Option<Taking> {
        if let Some(reduction) = &self.reduction {
            return reduction
                .version()
                .filter(|reduction| reduction.0 == version)
                .map(|(_, taken)| taken);
        }
        let is_taken = version.checked_rem(self.way(version)) == Some(0);
        is_taken.then(|| self.taking())
    }

    /// Returns how the shares of the next versions are taken.
    pub(super) fn taking(&self) -> Taking {
        if self.is_apart.load() == 0 { Taking::Fused } else { Taking::Separate }
    }

    /// Tells a part's share; by whoever holds the part, before it publishes the update of that
    /// version.
    pub fn tell(&self, part: &Shares<N>, share: Sum) {
        part.at(self.number(share.version)).store(share);
    }

    /// Returns the residual of the newest version that all parts have passed, where `least` is the
    /// count of the least updated one; none where it is known already, or where a part has gone so
    /// far meanwhile that its share is not kept any more. One looks at a time, on a node that has
    /// all parts.
    pub fn look<'s>(&self, parts: impl Iterator<Item = &'s Shares<N>>, least: u64) -> Option<Sum>
    where
        N: 's,
    {
        let passed = least.checked_sub(1)?;
        let version = passed - passed.checked_rem(self.way(passed))?;
        if self.known().is_some_and(|known| known.version >= version) {
            return None;
        }
        let number = self.number(version);
        let mut taken = None;
        let shares = parts.map(|part| {
            let share = part.at(number).load().filter(|share| share.version == version)?;
            (*taken.get_or_insert(share.taken) == share.taken).then_some(share.squares)
        });
        let squares = shares.sum::<Option<f64>>()?;
        let sum = Sum { version, taken: taken?, squares };
        self.known.store(sum);
        Some(sum)
    }

    /// Hears the word with which the first node asks this one for a version.
    pub fn hear(&self, word: u64) {
        if let Some(reduction) = &self.reduction {
            reduction.hear(word);
        }
    }

    /// Returns what this node tells the first one of the version that it is asked for, where its
    /// workers have told the shares of these `parts`, of all nodes, and those that are here have
    /// made this `progress`.
    pub fn contribution<'s>(
        &self,
        parts: impl Iterator<Item = &'s Shares<N>>,
        progress: &Progress,
    ) -> Contribution
    where
        N: 's,
    {
        let Some(reduction) = &self.reduction else { return Contribution::default() };
        reduction.contribution(progress, |version, taken| {
            let number = self.number(version);
            let shares = parts.filter_map(move |part| part.at(number).load());
            let of_it = move |share: &Sum| (share.version, share.taken) == (version, taken);
            shares.filter(of_it).map(|share| share.squares)
        })
    }

    /// Looks, on the first node, at what all nodes have told, in their order, and at the progress
    /// of all. One looks at a time.
    pub fn total(&self, contribution: impl Iterator<Item = Contribution>, all: &Progress) -> Total {
        let Some(reduction) = &self.reduction else { return Total::default() };
        let known = self.known().map(|known| known.version);
        let next = |from| (self.next(from), self.taking());
        let total = reduction.total(contribution, all, known, next);
        if let Some(sum) = total.known {
            self.known.store(sum);
        }
        total
    }

    /// Notes the residual of a version at which everybody is halted.
    pub fn halted(&self, version: u64, squares: f64) {
        self.known.store(Sum { version, taken: Taking::Separate, squares });
    }

    /// Returns the residual of the last version of which it is known; none before the run begins,
    /// and at the very moment at which another becomes known.
    pub fn known(&self) -> Option<Sum> {
        self.known.load()
    }

    /// Whether the next version is asked for before the residual of this one is judged.
    pub(super) const fn are_asked_for(&self) -> bool {
        self.reduction.is_some()
    }

    /// Lets shares be taken apart from now on.
    pub(super) fn take_separately(&self) {
        self.is_apart.store(1);
    }

    /// Returns the first version from this one on whose residual is taken by the rule.
    fn next(&self, from: u64) -> u64 {
        from.checked_next_multiple_of(self.way(from)).unwrap_or(from)
    }

    /// Returns the way from a version to the next whose residual is taken: powers of two, so that
    /// of a longer way no version is left out, and they are numbered without a gap, modulo those
    /// that are kept.
    #[inline]
    const fn way(&self, version: u64) -> u64 {
        let share = match (version / LONGEST).checked_ilog2() {
            Some(log) => 1 << log,
            None => 1,
        };
        let share = if share < LONGEST { share } else { LONGEST };
        if share > self.shortest { share } else { self.shortest }
    }

    const fn number(&self, version: u64) -> u64 {
        match version.checked_div(self.way(version)) {
            Some(number) => number,
            None => 0,
        }
    }
}

/// The residuals of versions, with the shares of all parts in them.
#[derive(Debug)]
pub struct Versions<'a, N> {
    /// The residuals.
    pub residuals: &'a Residuals<N>,
    /// The shares of each part that were told on this node.
    pub shares: &'a [Shares<N>],
}

impl<N> Copy for Versions<'_, N> {}

impl<N> Clone for Versions<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N: SharedNumber> Versions<'_, N> {
    /// See [`Residuals::look`].
    pub fn look(&self, least: u64) -> Option<Sum> {
        self.residuals.look(self.shares.iter(), least)
    }

    /// See [`Residuals::contribution`].
    pub fn contribution(&self, progress: &Progress) -> Contribution {
        self.residuals.contribution(self.shares.iter(), progress)
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    const fn share(version: u64, taken: Taking, squares: f64) -> Sum {
        Sum { version, taken, squares }
    }

    #[test]
    fn versions_are_those_of_every_64th_part_and_of_every_64th_sweep() {
        let residuals = Residuals::<Cell<u64>>::new(1);
        let taken = |from, to| (from..to).filter(|&at| residuals.takes(at).is_some());
        assert!(taken(0, 128).eq(0..128));
        assert!(taken(128, 256).eq((128..256).step_by(2)));
        assert!(taken(4_096, 1 << 14).eq((4_096..1 << 14).step_by(64)));
        let far = Residuals::<Cell<u64>>::new(300);
        assert!((0..1_000).filter(|&at| far.takes(at).is_some()).eq((0..1_000).step_by(128)));
    }

    /// Of every diameter, as far apart as parts can be, at every count.
    #[test]
    fn what_all_have_passed_is_kept_of_whoever_is_farthest() {
        // Miri takes minutes for all of them.
        let (diameters, versions) = if cfg!(miri) { (5, 100) } else { (40, 2_000) };
        for diameter in 0..diameters {
            let residuals = Residuals::<Cell<u64>>::new(diameter);
            let parts = [Shares::none(), Shares::none()];
            let [ahead, behind] = &parts;
            let pass = |part: &Shares<_>, number: u64, version| {
                if let Some(taken) = residuals.takes(version) {
                    let squares = (version + number) as f64;
                    residuals.tell(part, share(version, taken, squares));
                }
            };
            // The one ahead has contribution its next share, as it does before a sweep.
            (0..diameter).for_each(|version| pass(ahead, 0, version));
            let mut last = None;
            for least in 1..versions {
                pass(ahead, 0, least - 1 + diameter);
                pass(ahead, 0, least + diameter);
                pass(behind, 1, least - 1);
                let found = residuals.look(parts.iter(), least);
                if let Some(Sum { version, squares, .. }) = found {
                    assert_eq!(squares.to_bits(), ((2 * version + 1) as f64).to_bits());
                    last = Some(version);
                }
                let newest = (0..least).rfind(|&version| residuals.takes(version).is_some());
                assert_eq!(last, newest, "{least} of {diameter}");
            }
        }
    }

    #[test]
    fn a_version_whose_share_is_gone_is_passed_over() {
        let residuals = Residuals::<Cell<u64>>::new(1);
        let parts = [Shares::none(), Shares::none()];
        (0..5).for_each(|version| residuals.tell(&parts[0], share(version, Taking::Fused, 1.0)));
        residuals.tell(&parts[1], share(0, Taking::Fused, 1.0));
        assert_eq!(residuals.look(parts.iter(), 1), None, "gone");
        residuals.tell(&parts[1], share(1, Taking::Separate, 1.0));
        assert_eq!(residuals.look(parts.iter(), 2), None, "taken in different ways");
        residuals.tell(&parts[1], share(2, Taking::Fused, 2.0));
        let found = Some(share(2, Taking::Fused, 3.0));
        assert_eq!(residuals.look(parts.iter(), 3), found);
        assert_eq!((residuals.look(parts.iter(), 3), residuals.known()), (None, found), "known");
        residuals.halted(9, 0.5);
        assert_eq!(residuals.known(), Some(share(9, Taking::Separate, 0.5)));
        assert_eq!(residuals.look(parts.iter(), 10), None);
    }
}
