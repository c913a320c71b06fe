//! Sorting without a panic: that of the standard library has one for keys without a total order.

use crate::base::table::At;

/// Up to this length, insertion sort is faster.
const FEW: usize = 16;

/// Sorts a list by a key; elements with equal keys may come in any order.
pub fn sort_by_key<T: Copy, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    if list.len() <= FEW {
        insertion_sort(list, &key);
    } else {
        heap_sort(list, &key);
    }
}

/// Exchanges the elements at two indices, which must exist.
#[inline]
pub fn swap<T: Copy>(list: &mut [T], a: usize, b: usize) {
    let (first, second) = (*list.at(a), *list.at(b));
    *list.at_mut(a) = second;
    *list.at_mut(b) = first;
}

/// Moves the last element to its place in a list that is otherwise sorted.
pub fn insert_last<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    for place in (1..list.len()).rev() {
        let Some([before, moving]) = list.get_mut(place - 1..=place) else { return };
        if key(moving) >= key(before) {
            return;
        }
        core::mem::swap(before, moving);
    }
}

/// Sorts a short list by insertion sort.
fn insertion_sort<T: Copy, K: Ord>(list: &mut [T], key: &impl Fn(&T) -> K) {
    for end in 1..list.len() {
        let mut place = end;
        while place > 0 && is_less(list, place, place - 1, key) {
            swap(list, place, place - 1);
            place -= 1;
        }
    }
}

/// Sorts by Williams' heapsort.
fn heap_sort<T: Copy, K: Ord>(list: &mut [T], key: &impl Fn(&T) -> K) {
    for root in (0..list.len() / 2).rev() {
        sift_down(list, root, key);
    }
    for end in (1..list.len()).rev() {
        swap(list, 0, end);
        sift_down(list.get_mut(..end).unwrap_or_default(), 0, key);
    }
}

/// Lets the element at `root` sink until neither of its two children is greater.
fn sift_down<T: Copy, K: Ord>(heap: &mut [T], root: usize, key: &impl Fn(&T) -> K) {
    let mut root = root;
    loop {
        let (left, right) = (2 * root + 1, 2 * root + 2);
        let greater = if is_less(heap, left, right, key) { right } else { left };
        if !is_less(heap, root, greater, key) {
            return;
        }
        swap(heap, root, greater);
        root = greater;
    }
}

/// Whether both elements exist, and the key of `a` is less than that of `b`.
#[inline]
fn is_less<T, K: Ord>(list: &[T], a: usize, b: usize, key: &impl Fn(&T) -> K) -> bool {
    list.get(a).zip(list.get(b)).is_some_and(|(a, b)| key(a) < key(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn lists_of_any_length_are_sorted() {
        let mut rng = Rng::new(4, 0);
        for length in 0..100 {
            let mut list = [0; 100];
            let list = list.get_mut(..length).unwrap_or_default();
            list.fill_with(|| rng.below(40));
            let sum: u32 = list.iter().sum();
            sort_by_key(list, |&number| core::cmp::Reverse(number));
            assert!(list.is_sorted_by(|a, b| a >= b), "{list:?}");
            assert_eq!(list.iter().sum::<u32>(), sum);
            if let Some(last) = list.last_mut() {
                *last = 20;
            }
            insert_last(list, |&number| core::cmp::Reverse(number));
            assert!(list.is_sorted_by(|a, b| a >= b), "{list:?}");
        }
    }
}
