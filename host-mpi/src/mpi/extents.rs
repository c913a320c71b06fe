//! The number of words in each rank's part of a window, which MPI itself does not check.

use std::ffi::c_int;

use tresse_core::base::id::RankId;

/// A place outside a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outside {
    /// There is no such rank.
    #[error("no rank {0} in the window")]
    Rank(RankId),
    /// The part does not have all of the words.
    #[error("{words} words from {offset} on are outside rank {rank}'s part of {length}")]
    Words {
        /// Rank of the part.
        rank: RankId,
        /// Offset of the first word.
        offset: usize,
        /// Number of words asked for.
        words: usize,
        /// Number of words in the part.
        length: usize,
    },
    /// The number is more than MPI counts at once.
    #[error("{0} words at once are more than MPI counts")]
    Count(usize),
    /// The part is too large to be addressed.
    #[error("rank {rank} asks for {words} words, more than can be addressed")]
    Length {
        /// Rank of the part.
        rank: RankId,
        /// Number of words that the part should have.
        words: u64,
    },
}

/// The words in each rank's part of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extents {
    lengths: Vec<usize>,
}

/// Words of a window in the types of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Rank of the part.
    pub rank: c_int,
    /// Offset of the first word.
    pub displacement: usize,
    /// Number of words.
    pub count: c_int,
}

impl Extents {
    /// Returns the extents for the number of words of each rank, by rank, and the bytes of a word.
    pub fn new(lengths: &[u64], bytes: usize) -> Result<Self, Outside> {
        let addressed = |(rank, words): (u32, &u64)| {
            let length = usize::try_from(*words).ok();
            length
                .filter(|length| {
                    length.checked_mul(bytes).is_some_and(|all| isize::try_from(all).is_ok())
                })
                .ok_or(Outside::Length { rank: RankId(rank), words: *words })
        };
        Ok(Self { lengths: (0..).zip(lengths).map(addressed).collect::<Result<_, _>>()? })
    }

    /// Returns `words` words of a rank from an offset on in the types of MPI, if the part has all
    /// of them.
    #[inline]
    pub fn target(&self, rank: RankId, offset: usize, words: usize) -> Result<Target, Outside> {
        let length = *self.lengths.get(rank.index()).ok_or(Outside::Rank(rank))?;
        if offset.checked_add(words).is_none_or(|end| end > length) {
            return Err(Outside::Words { rank, offset, words, length });
        }
        Ok(Target {
            rank: c_int::try_from(rank.0).map_err(|_| Outside::Rank(rank))?,
            displacement: offset,
            count: c_int::try_from(words).map_err(|_| Outside::Count(words))?,
        })
    }

    /// Returns the number of words of a rank; 0 for a rank that does not exist.
    pub fn length(&self, rank: RankId) -> usize {
        self.lengths.get(rank.index()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_a_target() {
        let extents = Extents::new(&[5, 0, 1 << 40], 8).unwrap();
        let rank = RankId;
        let target = |rank: i32, displacement, count| Ok(Target { rank, displacement, count });
        assert_eq!(extents.target(rank(0), 2, 3), target(0, 2, 3));
        assert_eq!(extents.target(rank(0), 5, 0), target(0, 5, 0));
        assert_eq!(extents.target(rank(2), 1 << 39, 9), target(2, 1 << 39, 9));
        let outside = |rank, offset, words, length| {
            Err(Outside::Words { rank: RankId(rank), offset, words, length })
        };
        assert_eq!(extents.target(rank(0), 2, 4), outside(0, 2, 4, 5));
        assert_eq!(extents.target(rank(0), 6, 0), outside(0, 6, 0, 5));
        assert_eq!(extents.target(rank(1), 0, 1), outside(1, 0, 1, 0));
        assert_eq!(extents.target(rank(0), usize::MAX, 2), outside(0, usize::MAX, 2, 5));
        assert_eq!(extents.target(rank(3), 0, 0), Err(Outside::Rank(rank(3))));
        assert_eq!(extents.target(rank(2), 0, 1 << 31), Err(Outside::Count(1 << 31)));
        assert_eq!((extents.length(rank(0)), extents.length(rank(3))), (5, 0));
    }

    #[test]
    fn what_cannot_be_addressed_is_refused() {
        for words in [1 << 60, u64::MAX] {
            let refused = Outside::Length { rank: RankId(1), words };
            assert_eq!(Extents::new(&[1, words], 8), Err(refused));
        }
    }
}
