//! The order of a processor's objects (line 4).

use crate::balance::grapevine::config::Order;
use crate::balance::objects::{Average, Objects};
use crate::base::id::ObjectId;
use crate::base::rng::Rng;
use crate::base::sort::{sort_by_key, swap};

/// Arranges the objects of a processor of load `load`, which come in the order of their numbers.
///
/// The named orders are those of vt's `TemperedLB`; equal loads come in the order of their numbers
/// where loads ascend, and against it where they descend.
pub fn arrange(
    order: Order,
    list: &mut [ObjectId],
    objects: &Objects<'_>,
    load: u64,
    average: Average,
    rng: &mut Rng,
) {
    match order {
        Order::Arbitrary => shuffle(list, rng),
        Order::Id => {}
        Order::Ascending => ascend(list, objects),
        Order::Descending => {
            ascend(list, objects);
            list.reverse();
        }
        Order::FewestMigrations => {
            ascend(list, objects);
            // The excess is the load above the average, as often as there are processors.
            let excess = average.times(load).saturating_sub(u128::from(average.total));
            let marginal =
                list.partition_point(|&object| average.times(objects.load(object)) < excess);
            reverse_through(list, marginal);
        }
        Order::SmallObjects => {
            ascend(list, objects);
            let excess = average.times(load).saturating_sub(u128::from(average.total));
            let mut sum = 0;
            let marginal = list.iter().position(|&object| {
                sum += average.times(objects.load(object));
                sum >= excess
            });
            reverse_through(list, marginal.unwrap_or(list.len()));
        }
    }
}

fn ascend(list: &mut [ObjectId], objects: &Objects<'_>) {
    sort_by_key(list, |&object| (objects.load(object), object));
}

/// Reverses the order of the objects up to the one at place `marginal`, that one included.
fn reverse_through(list: &mut [ObjectId], marginal: usize) {
    let end = marginal.saturating_add(1).min(list.len());
    if let Some(small) = list.get_mut(..end) {
        small.reverse();
    }
}

/// Shuffles a list (Fisher and Yates).
pub fn shuffle<T: Copy>(list: &mut [T], rng: &mut Rng) {
    for end in (1..list.len()).rev() {
        let most = u32::try_from(end).unwrap_or(u32::MAX - 1);
        swap(list, end, rng.below(most + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arranges vt's six objects on one of two processors, with this excess in tenths.
    fn arranged(order: Order, excess: u64) -> [u32; 6] {
        let loads = [20, 60, 90, 40, 30, 50];
        let objects = Objects::new(&loads, &[]).unwrap();
        let mut list = [0, 1, 2, 3, 4, 5].map(ObjectId);
        // The average is the load less the excess.
        let average = Average { total: 2 * (290 - excess), processors: 2 };
        arrange(order, &mut list, &objects, 290, average, &mut Rng::new(0, 0));
        list.map(|object| object.0)
    }

    /// Expected values: vt's own test of `TemperedLB`.
    #[test]
    fn orders_are_those_of_vt() {
        assert_eq!(arranged(Order::Id, 45), [0, 1, 2, 3, 4, 5]);
        assert_eq!(arranged(Order::Descending, 45), [2, 1, 5, 3, 4, 0]);
        assert_eq!(arranged(Order::Ascending, 45), [0, 4, 3, 5, 1, 2]);
        assert_eq!(arranged(Order::FewestMigrations, 45), [5, 3, 4, 0, 1, 2]);
        assert_eq!(arranged(Order::FewestMigrations, 125), [2, 1, 5, 3, 4, 0]);
        assert_eq!(arranged(Order::FewestMigrations, 15), [0, 4, 3, 5, 1, 2]);
        assert_eq!(arranged(Order::SmallObjects, 45), [4, 0, 3, 5, 1, 2]);
        assert_eq!(arranged(Order::SmallObjects, 285), [2, 1, 5, 3, 4, 0]);
        assert_eq!(arranged(Order::SmallObjects, 15), [0, 4, 3, 5, 1, 2]);
    }

    #[test]
    fn an_arbitrary_order_is_a_permutation_by_the_seed() {
        let mut list = [0, 1, 2, 3, 4, 5, 6, 7];
        shuffle(&mut list, &mut Rng::new(3, 0));
        assert_ne!(list, [0, 1, 2, 3, 4, 5, 6, 7]);
        list.sort_unstable();
        assert_eq!(list, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
