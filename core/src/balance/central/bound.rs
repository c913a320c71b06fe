//! A bound that no placement can be better than.

use crate::balance::objects::Objects;

/// Returns a bound on the highest load, below which no placement is: the largest of the average,
/// rounded up; the largest load; where there are more objects than processors, the sum of the two
/// least of the P + 1 largest loads, since two of those share a processor; and the largest of the
/// loads that cannot move, `fixed`, which has the sum of each processor ([`super::add_up_fixed`]),
/// or none where all objects may move.
///
/// Reads all loads as often as the largest one has bits.
pub fn lower_bound(objects: &Objects<'_>, processors: u32, fixed: &[u64]) -> u64 {
    let loads = || objects.ids().map(|object| objects.load(object));
    let largest = loads().max().unwrap_or(0);
    let average = match processors {
        0 => 0,
        _ => objects.total().div_ceil(u64::from(processors)),
    };
    let fixed = fixed.iter().copied().max().unwrap_or(0);
    largest.max(average).max(sharing(loads, largest, processors)).max(fixed)
}

/// Returns the sum of the two least of the P + 1 largest loads, since two of those share one of P
/// processors; 0 where there are fewer. `largest` is the largest load.
fn sharing<L: Iterator<Item = u64>>(loads: impl Fn() -> L, largest: u64, processors: u32) -> u64 {
    let number = u64::from(processors) + 1;
    let reaching = |least: u64| loads().filter(|&load| load >= least).count() as u64;
    if processors == 0 || reaching(0) < number {
        return 0;
    }
    // The least of them, bit by bit: the greatest that this number of loads reach.
    let mut last = 0;
    for bit in (0..u64::BITS - largest.leading_zeros()).rev() {
        let candidate = last | 1 << bit;
        if reaching(candidate) >= number {
            last = candidate;
        }
    }
    // The one before it: greater, where just P loads are.
    let above = || loads().filter(|&load| load > last);
    let previous =
        if above().count() as u64 == u64::from(processors) { above().min() } else { None };
    previous.unwrap_or(last) + last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(loads: &[u64], processors: u32, fixed: &[u64]) -> u64 {
        lower_bound(&Objects::new(loads, &[]).unwrap(), processors, fixed)
    }

    #[test]
    fn each_part_can_be_the_largest() {
        // The average, 13 ÷ 3.
        assert_eq!(bound(&[1, 2, 3, 2, 2, 3], 3, &[]), 5);
        assert_eq!(bound(&[9, 1, 1], 3, &[]), 9);
        // 6 and 5 share; the average is 21 ÷ 4.
        assert_eq!(bound(&[5, 5, 5, 6], 3, &[]), 10);
        assert_eq!(bound(&[6, 5, 6], 2, &[]), 11);
        assert_eq!(bound(&[6, 5, 6], 2, &[0, 12]), 12);
    }

    #[test]
    fn the_largest_numbers_fit() {
        assert_eq!(bound(&[], 0, &[]), 0);
        assert_eq!(bound(&[], 3, &[]), 0);
        assert_eq!(bound(&[4], 0, &[]), 4);
        assert_eq!(bound(&[u64::MAX], 1, &[]), u64::MAX);
        assert_eq!(bound(&[1 << 63, (1 << 63) - 1], 1, &[]), u64::MAX);
        assert_eq!(bound(&[0, 0, 0], 2, &[]), 0);
    }
}
