//! The residuals of versions in the exact mode, known while everybody goes on.

use super::reduction::{Contribution, Reduction, Total};
use super::shares::{KEPT, SharedSum, Shares, Sum, Taking};
use crate::base::SharedNumber;
use crate::run::progress::Progress;

/// Maximum number of versions from one residual to the next, unless parts may be further apart.
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
    /// The residual that was found last.
    known: SharedSum<N>,
    /// 1 once shares are taken separately ([`Taking::Separate`]).
    is_apart: N,
    /// Minimum number of versions from one residual to the next, a power of two.
    shortest: u64,
    /// The version that is asked for, where parts are on several nodes.
    reduction: Option<Reduction<N>>,
}

impl<N: SharedNumber> Residuals<N> {
    /// Returns the residuals of a run that has not begun. `diameter` is that of the graph
    /// ([`Graph::diameter`](crate::parts::Graph::diameter)): two parts differ by at most as many
    /// versions.
    pub fn new(diameter: u64) -> Self {
        // The shares that the least updated part completes may be older by `diameter` + 1 versions
        // than those that the most updated part takes: among so many versions, with residuals this
        // far apart, no more shares are taken than are kept.
        let shortest = diameter.saturating_add(1).div_ceil(KEPT - 1);
        Self {
            known: SharedSum::none(),
            is_apart: N::from(0),
            shortest: shortest.checked_next_power_of_two().unwrap_or(1 << 63),
            reduction: None,
        }
    }

    /// Returns the residuals on one of several nodes, before the run.
    pub fn among_nodes() -> Self {
        Self { reduction: Some(Reduction::nothing()), ..Self::new(0) }
    }

    /// Returns how a part at `version` takes its share of that version's residual; none where the
    /// version's residual is not taken.
    ///
    /// On one node it is taken at the multiples of an interval: 1/64 of the versions so far,
    /// rounded down to a power of two, at least 1 and at most 64; longer where parts may be so far
    /// apart that more shares would be taken than are kept. Among several nodes it is taken at the
    /// requested version.
    #[inline]
    pub fn taking_at(&self, version: u64) -> Option<Taking> {
        if let Some(reduction) = &self.reduction {
            let requested = reduction.version().filter(|(requested, _)| *requested == version);
            return requested.map(|(_, taken)| taken);
        }
        let is_taken = version.checked_rem(self.interval(version)) == Some(0);
        is_taken.then(|| self.taking())
    }

    /// Returns how the shares of the next versions are taken.
    pub(super) fn taking(&self) -> Taking {
        if self.is_apart.load() == 0 { Taking::Fused } else { Taking::Separate }
    }

    /// Publishes a part's share. Its holder calls this before it publishes the update of that
    /// version.
    pub fn publish_share(&self, part: &Shares<N>, share: Sum) {
        part.at(self.number(share.version)).store(share);
    }

    /// Returns the residual of the newest version that all parts have passed; `least` is the lowest
    /// update count. None where it is known already, or where a part is so far ahead that its share
    /// is no longer kept. One thread at a time calls it, on a node that has all parts.
    pub fn find_newest<'s>(
        &self,
        parts: impl Iterator<Item = &'s Shares<N>>,
        least: u64,
    ) -> Option<Sum>
    where
        N: 's,
    {
        // The shares of a version are there once the update that follows it is.
        let passed = least.checked_sub(1)?;
        let version = passed - passed.checked_rem(self.interval(passed))?;
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

    /// Takes the word by which the first node requests the residual of a version.
    pub fn receive_request(&self, word: u64) {
        if let Some(reduction) = &self.reduction {
            reduction.receive_request(word);
        }
    }

    /// Returns this node's contribution to the residual of the requested version. `parts` has the
    /// shares that its workers have published, of the parts of all nodes; `progress` is that of the
    /// parts here.
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

    /// On the first node, combines the contributions of all nodes, in their order; `all` is the
    /// progress of all. One thread at a time calls it.
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

    /// Records the residual, as a sum of squares, of the version at which everybody is halted.
    pub fn halted(&self, version: u64, squares: f64) {
        self.known.store(Sum { version, taken: Taking::Separate, squares });
    }

    /// Returns the residual of the last version of which it is known; none before the run begins,
    /// and at the very moment at which another becomes known.
    pub fn known(&self) -> Option<Sum> {
        self.known.load()
    }

    /// Whether versions are requested one by one, so that the next is requested before the residual
    /// of this one is judged.
    pub(super) const fn are_asked_for(&self) -> bool {
        self.reduction.is_some()
    }

    /// Makes shares be taken separately from now on.
    pub(super) fn take_separately(&self) {
        self.is_apart.store(1);
    }

    /// Returns the first version from `from` on whose residual is taken by the rule.
    fn next(&self, from: u64) -> u64 {
        from.checked_next_multiple_of(self.interval(from)).unwrap_or(from)
    }

    /// Returns the number of versions from one whose residual is taken to the next, at this
    /// version. It is a power of two, so that a longer interval skips no version of its own, and
    /// shares are numbered without a gap.
    #[inline]
    const fn interval(&self, version: u64) -> u64 {
        // A 64th of the versions so far, rounded down to a power of two.
        let interval = match (version / LONGEST).checked_ilog2() {
            Some(log) => 1 << log,
            None => 1,
        };
        let interval = if interval < LONGEST { interval } else { LONGEST };
        if interval > self.shortest { interval } else { self.shortest }
    }

    /// Returns the number of a version among those whose residual is taken. Consecutive ones differ
    /// by 1 modulo [`KEPT`], so their shares are kept at different places.
    const fn number(&self, version: u64) -> u64 {
        match version.checked_div(self.interval(version)) {
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
    /// See [`Residuals::find_newest`].
    pub fn find_newest(&self, least: u64) -> Option<Sum> {
        self.residuals.find_newest(self.shares.iter(), least)
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
        let taken = |from, to| (from..to).filter(|&at| residuals.taking_at(at).is_some());
        assert!(taken(0, 128).eq(0..128));
        assert!(taken(128, 256).eq((128..256).step_by(2)));
        assert!(taken(4_096, 1 << 14).eq((4_096..1 << 14).step_by(64)));
        let far = Residuals::<Cell<u64>>::new(300);
        assert!((0..1_000).filter(|&at| far.taking_at(at).is_some()).eq((0..1_000).step_by(128)));
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
                if let Some(taken) = residuals.taking_at(version) {
                    let squares = (version + number) as f64;
                    residuals.publish_share(part, share(version, taken, squares));
                }
            };
            // The one ahead has contribution its next share, as it does before a sweep.
            (0..diameter).for_each(|version| pass(ahead, 0, version));
            let mut last = None;
            for least in 1..versions {
                pass(ahead, 0, least - 1 + diameter);
                pass(ahead, 0, least + diameter);
                pass(behind, 1, least - 1);
                let found = residuals.find_newest(parts.iter(), least);
                if let Some(Sum { version, squares, .. }) = found {
                    assert_eq!(squares.to_bits(), ((2 * version + 1) as f64).to_bits());
                    last = Some(version);
                }
                let newest = (0..least).rfind(|&version| residuals.taking_at(version).is_some());
                assert_eq!(last, newest, "{least} of {diameter}");
            }
        }
    }

    #[test]
    fn a_version_whose_share_is_gone_is_passed_over() {
        let residuals = Residuals::<Cell<u64>>::new(1);
        let parts = [Shares::none(), Shares::none()];
        (0..5).for_each(|version| {
            residuals.publish_share(&parts[0], share(version, Taking::Fused, 1.0));
        });
        residuals.publish_share(&parts[1], share(0, Taking::Fused, 1.0));
        assert_eq!(residuals.find_newest(parts.iter(), 1), None, "gone");
        residuals.publish_share(&parts[1], share(1, Taking::Separate, 1.0));
        assert_eq!(residuals.find_newest(parts.iter(), 2), None, "taken in different ways");
        residuals.publish_share(&parts[1], share(2, Taking::Fused, 2.0));
        let found = Some(share(2, Taking::Fused, 3.0));
        assert_eq!(residuals.find_newest(parts.iter(), 3), found);
        assert_eq!(
            (residuals.find_newest(parts.iter(), 3), residuals.known()),
            (None, found),
            "known"
        );
        residuals.halted(9, 0.5);
        assert_eq!(residuals.known(), Some(share(9, Taking::Separate, 0.5)));
        assert_eq!(residuals.find_newest(parts.iter(), 10), None);
    }
}
