//! The only process of a run: nobody to talk to, but it may save its parts, and go on from saved
//! ones.

use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::time::Instant;
use tresse_core::node::executor::{Exchanged, Local, Moment, Peers, RemoteProgress, Slots};
use tresse_core::parts::Part;
use tresse_core::parts::halo::HaloTag;

use crate::checkpoints::Keeper;

/// The process, with the keeper of its parts.
pub(super) struct Single<K>(pub(super) K);

impl<K> Single<K> {
    /// Publishes the counts that the parts go on with.
    pub(super) fn publish<T: Part, const N: usize>(&self, slots: &Slots<'_, T, N>)
    where
        K: Keeper<T>,
    {
        for (id, publication) in slots.here() {
            if let Some(updates) = self.0.updates(id) {
                publication.vacate(id, updates);
                publication.admit(HaloTag { subdomain: id, owner: RankId(0) });
            }
        }
    }
}

impl<'r, T: Part, K: Keeper<T>, const N: usize> Peers<'r, T, N> for Single<K> {
    const ALONE: bool = true;

    fn fill(&self, id: SubdomainId, part: &mut T) {
        self.0.fill(id, part);
    }

    fn initial(&self) -> Option<f64> {
        self.0.initial()
    }

    fn exchange(&self, local: &mut Local<'_, '_, 'r, T, N>, sum: f64) -> Exchanged {
        Exchanged { halts: self.0.is_wanted(local.now), ..local.alone(sum) }
    }

    fn wants_to_save(&self, now: Instant) -> bool {
        self.0.is_wanted(now)
    }

    fn begin_saving(&self, moment: &Moment) -> bool {
        self.0.begin(moment, &mut ())
    }

    fn save(&self, id: SubdomainId, updates: u64, part: &T) {
        self.0.save(id, updates, part);
    }

    fn saved(&self) {
        self.0.complete(&mut ());
    }

    fn remote(&self, _: &mut [u64]) -> Option<RemoteProgress> {
        Some(RemoteProgress { before: self.0.all_updates(), ..RemoteProgress::default() })
    }
}
