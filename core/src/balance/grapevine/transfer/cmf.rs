//! The choice among known processors: the cumulative mass function of lines 1 and 2.

use crate::balance::grapevine::config::Cmf;
use crate::balance::objects::Average;
use crate::base::rng::Rng;

/// Fills `cumulative` with the running sums of the chances of processors with these `loads`.
///
/// The chances are `1 − L/L_max`, with `L_max` the average for [`Cmf::Original`], times a common
/// factor that makes them integers: a common factor of all loads changes no draw. Returns how
/// many entries are filled: as many as there are loads, or 0 where all of them have no chance.
pub fn weigh(cmf: Cmf, average: Average, loads: &[u64], cumulative: &mut [u128]) -> usize {
    let total = u128::from(average.total);
    let limit = match cmf {
        Cmf::Original => total,
        Cmf::NormByMax => loads.iter().map(|&load| average.times(load)).fold(total, u128::max),
    };
    let weight = |&load: &u64| limit.saturating_sub(average.times(load));
    debug_assert!(cumulative.len() >= loads.len(), "a processor has no place for its chance");
    let mut sum = sum_up(loads.iter().map(weight), cumulative);
    if sum == 0 && cmf == Cmf::NormByMax {
        sum = sum_up(loads.iter().map(|_| 1), cumulative);
    }
    if sum == 0 { 0 } else { loads.len().min(cumulative.len()) }
}

/// Fills `cumulative` with the running sums of the weights, and returns the last of them.
fn sum_up(weights: impl Iterator<Item = u128>, cumulative: &mut [u128]) -> u128 {
    let mut sum = 0;
    for (entry, weight) in cumulative.iter_mut().zip(weights) {
        // The sum fits, as it has at most 2³² loads of at most 2⁶⁴ × 2³².
        sum += weight;
        *entry = sum;
    }
    sum
}

/// Draws a place of `cumulative` by its chances; none where it is empty, else somebody has one.
pub fn sample(cumulative: &[u128], rng: &mut Rng) -> Option<usize> {
    let sum = *cumulative.last()?;
    debug_assert!(sum > 0, "nobody has a chance to be drawn");
    let draw = share(sum, rng.bits());
    Some(cumulative.partition_point(|&bound| bound <= draw))
}

/// Returns the whole part of `sum × draw / 2⁶⁴`.
fn share(sum: u128, draw: u64) -> u128 {
    let draw = u128::from(draw);
    let (high, low) = (sum >> 64, sum & u128::from(u64::MAX));
    draw * high + ((draw * low) >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chances(cmf: Cmf, loads: &[u64]) -> [u128; 4] {
        let mut cumulative = [0; 4];
        let filled = weigh(cmf, Average { total: 40, processors: 4 }, loads, &mut cumulative);
        let mut before = 0;
        let mut chances = [0; 4];
        for (chance, &sum) in chances.iter_mut().zip(cumulative.iter().take(filled)) {
            *chance = sum - before;
            before = sum;
        }
        chances
    }

    #[test]
    fn chances_by_hand() {
        // The average is 10; all are times four.
        assert_eq!(chances(Cmf::Original, &[4, 10, 12, 0]), [24, 0, 0, 40]);
        assert_eq!(chances(Cmf::NormByMax, &[4, 10, 12, 0]), [32, 8, 0, 48]);
        assert_eq!(chances(Cmf::NormByMax, &[4, 8]), [24, 8, 0, 0]);
        assert_eq!(chances(Cmf::Original, &[10, 11]), [0; 4]);
        assert_eq!(chances(Cmf::NormByMax, &[12, 12]), [1, 1, 0, 0]);
        assert_eq!(chances(Cmf::NormByMax, &[5, 5, 5]), [20, 20, 20, 0]);
        assert_eq!(chances(Cmf::NormByMax, &[11]), [1, 0, 0, 0]);
    }

    #[test]
    fn draws_follow_the_chances() {
        let mut rng = Rng::new(7, 0);
        let mut draw = || sample(&[1, 1, 6], &mut rng).unwrap();
        let first = (0..6000).map(|_| draw()).inspect(|&place| assert_ne!(place, 1));
        let hits = first.filter(|&place| place == 0).count();
        assert!(hits.abs_diff(1000) < 120, "{hits}");
        assert_eq!(share(u128::from(u64::MAX) << 60, u64::MAX) >> 60, u128::from(u64::MAX) - 1);
    }
}
