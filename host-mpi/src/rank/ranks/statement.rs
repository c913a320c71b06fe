//! What a rank says to the first one before that decides for all, as bytes: [`HaltStatus`], and the
//! residuals of its subdomains.

use tresse_core::base::id::SubdomainId;
use tresse_core::node::worker::HaltStatus;

/// An error of what ranks have said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum StatementError {
    /// A rank has sent something else.
    #[error("what a rank says of its subdomains cannot be read: please report this")]
    Unreadable,
    /// Two ranks have the same subdomain.
    #[error("subdomain {0} is on two ranks: please report this")]
    Twice(u64),
    /// No rank has the subdomain.
    #[error("subdomain {0} is on no rank: please report this")]
    Lost(usize),
}

/// Bytes of [`HaltStatus`].
const SAID: usize = 8 * HaltStatus::WORDS;

/// Encodes what a rank publishes at a halt, with the residual (a sum of squares) of each of its
/// subdomains.
pub(super) fn encode(
    said: &HaltStatus,
    residuals: &mut dyn Iterator<Item = (SubdomainId, f64)>,
) -> Vec<u8> {
    let residuals = residuals.flat_map(|(id, residual)| [u64::from(id.0), residual.to_bits()]);
    said.encode().into_iter().chain(residuals).flat_map(u64::to_le_bytes).collect()
}

/// Returns the sum of the residuals over all subdomains, each of which is exactly once in what the
/// ranks say, and what they say together. The order of the sum is that of the subdomains' numbers,
/// as in one process.
pub(super) fn in_order(
    all: &[Vec<u8>],
    subdomains: u32,
) -> Result<(f64, HaltStatus), StatementError> {
    let mut residuals = vec![None; subdomains as usize];
    let mut together = HaltStatus::default();
    for bytes in all {
        let (said, rest) = bytes.split_first_chunk::<SAID>().ok_or(StatementError::Unreadable)?;
        together = together.and(HaltStatus::decode(&words(said)));
        let (pairs, odd) = rest.as_chunks::<16>();
        if !odd.is_empty() {
            return Err(StatementError::Unreadable);
        }
        for [id, residual] in pairs.iter().map(|pair| words::<2>(pair)) {
            let place = usize::try_from(id).ok().and_then(|id| residuals.get_mut(id));
            match place.ok_or(StatementError::Unreadable)? {
                Some(_) => return Err(StatementError::Twice(id)),
                place => *place = Some(f64::from_bits(residual)),
            }
        }
    }
    let known = residuals.iter().enumerate();
    let sum: Result<f64, _> =
        known.map(|(id, residual)| residual.ok_or(StatementError::Lost(id))).sum();
    Ok((sum?, together))
}

/// Returns the words in these bytes.
fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let (words, _) = bytes.as_chunks::<8>();
    std::array::from_fn(|place| words.get(place).map_or(0, |word| u64::from_le_bytes(*word)))
}

#[cfg(test)]
mod tests {
    use tresse_core::run::progress::Progress;

    use super::*;

    fn said(pairs: &[(u32, f64)]) -> Vec<u8> {
        let progress = Progress::level(7, pairs.len() as u64);
        let said =
            HaltStatus { progress, is_interrupted: pairs.is_empty(), ..HaltStatus::default() };
        encode(&said, &mut pairs.iter().map(|&(id, residual)| (SubdomainId(id), residual)))
    }

    #[test]
    fn every_subdomain_counts_once_and_in_order() {
        let values = [0.1, 0.2, 0.3, 0.4];
        let ranks = [said(&[(3, values[3]), (1, values[1])]), said(&[]), said(&[(0, values[0])])];
        assert_eq!(in_order(&ranks, 4), Err(StatementError::Lost(2)));
        let all = [ranks.as_slice(), &[said(&[(2, values[2])])]].concat();
        let (sum, together) = in_order(&all, 4).unwrap();
        assert_eq!(sum.to_bits(), values.iter().sum::<f64>().to_bits());
        assert_eq!(together.progress, Progress::level(7, 4));
        assert!(together.is_interrupted && !together.wants_to_save);
        let twice = [all.as_slice(), &[said(&[(1, 0.0)])]].concat();
        assert_eq!(in_order(&twice, 4), Err(StatementError::Twice(1)));
        assert_eq!(in_order(&all, 3), Err(StatementError::Unreadable));
        for short in [0, SAID - 1, SAID + 9] {
            assert_eq!(in_order(&[vec![0; short]], 3), Err(StatementError::Unreadable));
        }
    }
}
