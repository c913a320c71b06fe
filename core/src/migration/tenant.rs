//! Whose edges lie in a berth: what is added to a halo so that a reader knows what it has read.

use super::{Bounds, halves, word};
use crate::id::{NodeId, SubdomainId};

/// The metadata of a halo: an id and the rank that owns it. (Its version is a word of its own.)
///
/// What keeps a reader from taking the edges of one subdomain for another's is an order. The writer
/// gives a berth that a subdomain leaves its new owner before it gets other edges, and writes the new
/// edges, then their version, then the new tenant. A reader looks at tenant and version, then at the
/// edges, then again at tenant and version; only the first look shows whose the edges were, only the
/// second that they still are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tenant {
    /// Whose edges they are.
    pub subdomain: SubdomainId,
    /// The rank that owns it: this one, or the one that it was given to.
    pub owner: NodeId,
}

impl Tenant {
    /// The word; 0 is nobody, as is an id that no subdomain has.
    pub const fn encode(self) -> u64 {
        match self.subdomain.0.checked_add(1) {
            Some(id) => word(self.owner.0, id),
            None => 0,
        }
    }

    /// Whether a word is the tenant of one of this subdomain's berths, old or new.
    #[inline]
    pub const fn is_of(word: u64, subdomain: SubdomainId) -> bool {
        let (_, id) = halves(word);
        match id.checked_sub(1) {
            Some(id) => id == subdomain.0,
            None => false,
        }
    }

    /// Reads a word; none where it is nobody, or names what there is not.
    pub fn decode(word: u64, bounds: Bounds) -> Option<Self> {
        let (owner, id) = halves(word);
        Some(Self { subdomain: bounds.subdomain(id.checked_sub(1)?)?, owner: bounds.rank(owner)? })
    }
}

/// What a reader has met where it expected a subdomain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Met {
    /// The subdomain.
    Here,
    /// The last of it: it has moved to this rank.
    Moved(NodeId),
    /// Another one, or nobody: only the rank's directory knows more.
    Stranger,
}

impl Met {
    /// Checks the tenant of a berth on rank `at`.
    pub fn of(tenant: Option<Tenant>, expected: SubdomainId, at: NodeId) -> Self {
        match tenant {
            Some(Tenant { subdomain, owner }) if subdomain == expected && owner == at => Self::Here,
            Some(Tenant { subdomain, owner }) if subdomain == expected => Self::Moved(owner),
            _ => Self::Stranger,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, berths: 2 };

    #[test]
    fn words_read_back_within_bounds() {
        for (id, owner) in (0..8).flat_map(|id| (0..6).map(move |owner| (id, owner))) {
            let tenant = Tenant { subdomain: SubdomainId(id), owner: NodeId(owner) };
            let exists = id < BOUNDS.subdomains && owner < BOUNDS.ranks;
            assert_eq!(Tenant::decode(tenant.encode(), BOUNDS), exists.then_some(tenant));
        }
        assert_eq!(Tenant { subdomain: SubdomainId(2), owner: NodeId(1) }.encode(), (1 << 32) + 3);
        assert_eq!(Tenant { subdomain: SubdomainId(u32::MAX), owner: NodeId(1) }.encode(), 0);
        for word in [0, 1 << 32, u64::MAX] {
            assert_eq!(Tenant::decode(word, BOUNDS), None);
        }
    }

    #[test]
    fn a_reader_notices_who_is_there() {
        let tenant = |id, owner| Some(Tenant { subdomain: SubdomainId(id), owner: NodeId(owner) });
        let met = |tenant| Met::of(tenant, SubdomainId(2), NodeId(1));
        assert_eq!(met(tenant(2, 1)), Met::Here);
        assert_eq!(met(tenant(2, 0)), Met::Moved(NodeId(0)));
        assert_eq!(met(tenant(1, 1)), Met::Stranger);
        assert_eq!(met(tenant(1, 2)), Met::Stranger);
        assert_eq!(met(None), Met::Stranger);
    }
}
