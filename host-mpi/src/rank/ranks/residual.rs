//! The residuals of all ranks as one.

/// An error of the residuals that ranks have sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ResidualError {
    /// A rank has sent something else.
    #[error("a rank's residuals cannot be read: please report this")]
    Unreadable,
    /// Two ranks have the same subdomain.
    #[error("subdomain {0} is on two ranks: please report this")]
    Twice(u64),
    /// No rank has the subdomain.
    #[error("subdomain {0} is on no rank: please report this")]
    Lost(usize),
}

/// Returns the sum over all subdomains, each of which is exactly once in the messages of the ranks: pairs
/// of its number and its residual's bits. The order is that of the numbers, as in one process.
pub(super) fn in_order(said: &[Vec<u8>], subdomains: u32) -> Result<f64, ResidualError> {
    let mut residuals = vec![None; subdomains as usize];
    for bytes in said {
        let mut rest = bytes.as_slice();
        while let Some((id, after)) = rest.split_first_chunk() {
            let (residual, after) = after.split_first_chunk().ok_or(ResidualError::Unreadable)?;
            let id = u64::from_le_bytes(*id);
            let place = usize::try_from(id).ok().and_then(|id| residuals.get_mut(id));
            match place.ok_or(ResidualError::Unreadable)? {
                Some(_) => return Err(ResidualError::Twice(id)),
                place => *place = Some(f64::from_le_bytes(*residual)),
            }
            rest = after;
        }
        if !rest.is_empty() {
            return Err(ResidualError::Unreadable);
        }
    }
    let known = residuals.iter().enumerate();
    known.map(|(id, residual)| residual.ok_or(ResidualError::Lost(id))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pairs: &[(u64, f64)]) -> Vec<u8> {
        pairs.iter().flat_map(|(id, sum)| [id.to_le_bytes(), sum.to_le_bytes()].concat()).collect()
    }

    #[test]
    fn every_subdomain_counts_once_and_in_order() {
        let values = [0.1, 0.2, 0.3, 0.4];
        let ranks = [said(&[(3, values[3]), (1, values[1])]), said(&[]), said(&[(0, values[0])])];
        assert_eq!(in_order(&ranks, 4), Err(ResidualError::Lost(2)));
        let all = [ranks.as_slice(), &[said(&[(2, values[2])])]].concat();
        let sum: f64 = values.iter().sum();
        assert_eq!(in_order(&all, 4).map(f64::to_bits), Ok(sum.to_bits()));
        let twice = [all.as_slice(), &[said(&[(1, 0.0)])]].concat();
        assert_eq!(in_order(&twice, 4), Err(ResidualError::Twice(1)));
        assert_eq!(in_order(&all, 3), Err(ResidualError::Unreadable));
        assert_eq!(in_order(&[vec![0; 9]], 3), Err(ResidualError::Unreadable));
    }
}
