//! Sets of objects in lists ordered by their sums, on lent memory.

use core::cmp::Reverse;

use crate::base::table::At;

/// Stands for no set, in place of its number.
pub(super) const NONE: u32 = u32::MAX;

/// Memory for a set of objects. A set has the number of its lowest object, so that there is one for
/// each object.
#[derive(Clone, Copy, Debug)]
pub struct Subset {
    sum: u64,
    /// The object after this one in its set, in a circle.
    next: u32,
    /// The next larger set in the same list.
    larger: u32,
}

impl Subset {
    /// An unused entry of memory to be lent.
    pub const EMPTY: Self = Self { sum: 0, next: NONE, larger: NONE };
}

/// All sets. A list is named by its first and smallest set.
pub(super) struct Subsets<'m>(pub &'m mut [Subset]);

impl Subsets<'_> {
    /// Makes a set of one object, a list of its own.
    pub fn add(&mut self, object: u32, load: u64) {
        *self.0.at_mut(object) = Subset { sum: load, next: object, larger: NONE };
    }

    fn get(&self, number: u32) -> Subset {
        *self.0.at(number)
    }

    /// Returns the sum of a set's loads.
    pub fn sum(&self, set: u32) -> u64 {
        self.get(set).sum
    }

    /// Returns the next larger set in the same list.
    pub fn larger(&self, set: u32) -> u32 {
        self.get(set).larger
    }

    /// Returns every object of a set.
    pub fn objects(&self, set: u32) -> impl Iterator<Item = u32> + '_ {
        let next = move |&object: &u32| Some(self.get(object).next).filter(|&next| next != set);
        core::iter::successors(Some(set), next)
    }

    /// Returns the key by which lists are ordered: the larger sum comes later, at equal sums the
    /// lower number.
    fn order(&self, set: u32) -> (u64, Reverse<u32>) {
        (self.sum(set), Reverse(set))
    }

    fn set_larger(&mut self, set: u32, larger: u32) {
        self.0.at_mut(set).larger = larger;
    }

    /// Unites the objects of two sets, and returns the set that has them all.
    pub fn unite(&mut self, one: u32, other: u32) -> u32 {
        let (a, b) = (self.get(one), self.get(other));
        // Two circles whose successors are exchanged are one circle.
        for (set, next) in [(one, b.next), (other, a.next)] {
            *self.0.at_mut(set) = Subset { sum: a.sum + b.sum, next, larger: NONE };
        }
        one.min(other)
    }

    /// Merges two lists, each in ascending order of sums, into one. Lists are named by their first
    /// set.
    pub fn merge(&mut self, mut one: u32, mut other: u32) -> u32 {
        let (mut first, mut last) = (NONE, NONE);
        while one != NONE && other != NONE {
            if self.order(other) < self.order(one) {
                core::mem::swap(&mut one, &mut other);
            }
            self.append(&mut first, last, one);
            last = one;
            one = self.larger(one);
        }
        self.append(&mut first, last, if one == NONE { other } else { one });
        first
    }

    /// Links the list `added` behind the set `last` of another list, or makes it the whole list
    /// where that is empty.
    pub fn append(&mut self, first: &mut u32, last: u32, added: u32) {
        if last == NONE {
            *first = added;
        } else {
            self.set_larger(last, added);
        }
    }

    /// Sorts sets that are linked in any order by their sums: a merge sort from the bottom up, in
    /// which one list of each length can wait.
    pub fn sort(&mut self, mut unordered: u32) -> u32 {
        let mut waiting = [NONE; u32::BITS as usize];
        while unordered != NONE {
            let mut list = unordered;
            unordered = self.larger(unordered);
            self.set_larger(list, NONE);
            for place in &mut waiting {
                if *place == NONE {
                    *place = list;
                    break;
                }
                list = self.merge(*place, list);
                *place = NONE;
            }
        }
        waiting.into_iter().fold(NONE, |all, list| self.merge(all, list))
    }

    /// Takes `number` sets from the front of a list. Returns those as a list in reverse order, and
    /// the rest.
    pub fn take_reversed(&mut self, mut list: u32, number: u32) -> (u32, u32) {
        let mut taken = NONE;
        for _ in 0..number {
            let rest = self.larger(list);
            self.set_larger(list, taken);
            taken = list;
            list = rest;
        }
        (taken, list)
    }

    /// Unites the first set of one chain with the first of the other, and so on, `number` times;
    /// returns the united sets, in no order, and the rest of `one`.
    pub fn unite_each(&mut self, mut one: u32, mut other: u32, number: u32) -> (u32, u32) {
        let mut united = NONE;
        for _ in 0..number {
            let rest = (self.larger(one), self.larger(other));
            let set = self.unite(one, other);
            self.set_larger(set, united);
            united = set;
            (one, other) = rest;
        }
        (united, one)
    }

    /// Returns the largest sum of sets that are linked in any order; 0 for no set.
    pub fn largest_sum(&self, list: u32) -> u64 {
        let next = |&set: &u32| Some(self.larger(set)).filter(|&next| next != NONE);
        let sets = core::iter::successors(Some(list).filter(|&set| set != NONE), next);
        sets.map(|set| self.sum(set)).max().unwrap_or(0)
    }
}
