//! Things put together by processor: one slice with a stretch for each.

use crate::base::id::ProcessorId;
use crate::base::table::At;

/// Puts `items` into `out`, processor by processor, and in each in the given order.
///
/// `first` has one element more than there are processors: where each one's stretch begins, and
/// the end of the last. `out` has a place for each item.
pub fn group<T>(
    items: impl Iterator<Item = (ProcessorId, T)> + Clone,
    first: &mut [u32],
    out: &mut [T],
) {
    first.fill(0);
    for (processor, _) in items.clone() {
        *first.at_mut(processor.index() + 1) += 1;
    }
    // Each processor's beginning, one place after its own: filling moves it to the end, which is
    // the beginning of the next.
    let mut sum = 0;
    for count in first.iter_mut().skip(1) {
        let begin = sum;
        sum += *count;
        *count = begin;
    }
    for (processor, item) in items {
        let place = first.at_mut(processor.index() + 1);
        *out.at_mut(*place) = item;
        *place += 1;
    }
}

/// Returns the stretch of one processor.
pub fn stretch(first: &[u32], processor: ProcessorId) -> core::ops::Range<usize> {
    let place = |index: usize| *first.at(index) as usize;
    place(processor.index())..place(processor.index() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_put_together_in_their_order() {
        let items = [(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd'), (0, 'e')];
        let items = items.iter().map(|&(processor, item)| (ProcessorId(processor), item));
        let (mut first, mut out) = ([9; 5], ['-'; 5]);
        group(items, &mut first, &mut out);
        assert_eq!(out, ['b', 'e', 'a', 'c', 'd']);
        assert_eq!(first, [0, 2, 2, 4, 5]);
        assert_eq!(stretch(&first, ProcessorId(2)), 2..4);
    }
}
