//! Objects with loads, which are placed on processors: the input of every balancer of loads.

use core::fmt;

use serde::{Serialize, Serializer};

use crate::base::id::{ObjectId, ProcessorId, number_of};
use crate::base::table::At;

/// The objects to be placed: one load an object, in any unit, and whether it must stay.
///
/// The sum of all loads fits 64 bits and there are fewer than 2³² objects, so that every decision
/// is exact in 128 bits.
#[derive(Clone, Copy, Debug)]
pub struct Objects<'a> {
    loads: &'a [u64],
    fixed: &'a [bool],
    total: u64,
}

/// Objects or owners that do not describe a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectsError {
    /// There are 2³² objects or more.
    TooMany,
    /// The sum of the loads does not fit 64 bits.
    Total,
    /// A list has not one element for each object.
    Lengths {
        /// Number of objects.
        objects: usize,
        /// Number of elements of the list.
        elements: usize,
    },
    /// An object's owner is not one of the processors.
    UnknownOwner(ObjectId, ProcessorId),
}

impl fmt::Display for ObjectsError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => f.write_str("there are 2^32 objects or more"),
            Self::Total => f.write_str("the sum of the loads does not fit 64 bits"),
            Self::Lengths { objects, elements } => {
                write!(f, "a list has {elements} elements for {objects} objects")
            }
            Self::UnknownOwner(object, owner) => {
                write!(f, "object {object} is on processor {owner}, which is not there")
            }
        }
    }
}

impl core::error::Error for ObjectsError {}

impl<'a> Objects<'a> {
    /// Returns objects with these loads; `fixed` has one element for each, or none where all may
    /// move.
    pub fn new(loads: &'a [u64], fixed: &'a [bool]) -> Result<Self, ObjectsError> {
        if u32::try_from(loads.len()).is_err() {
            return Err(ObjectsError::TooMany);
        }
        if !fixed.is_empty() && fixed.len() != loads.len() {
            let (objects, elements) = (loads.len(), fixed.len());
            return Err(ObjectsError::Lengths { objects, elements });
        }
        let total = loads.iter().try_fold(0_u64, |sum, &load| sum.checked_add(load));
        Ok(Self { loads, fixed, total: total.ok_or(ObjectsError::Total)? })
    }

    /// Whether every object has one of `processors` as its owner.
    pub fn check(&self, owners: &[ProcessorId], processors: u32) -> Result<(), ObjectsError> {
        if owners.len() != self.len() {
            let (objects, elements) = (self.len(), owners.len());
            return Err(ObjectsError::Lengths { objects, elements });
        }
        let stray = self.ids().zip(owners).find(|(_, owner)| owner.0 >= processors);
        stray.map_or(Ok(()), |(object, &owner)| Err(ObjectsError::UnknownOwner(object, owner)))
    }

    /// Returns the number of objects.
    pub const fn len(&self) -> usize {
        self.loads.len()
    }

    /// Whether there are no objects.
    pub const fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Returns the ids of all objects.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ObjectId> + Clone + use<> {
        (0..number_of(self.loads.len())).map(ObjectId)
    }

    /// Returns the load of an object.
    #[inline]
    pub fn load(&self, object: ObjectId) -> u64 {
        *self.loads.at(object)
    }

    /// Whether an object may not move.
    #[inline]
    pub fn is_fixed(&self, object: ObjectId) -> bool {
        debug_assert!(object.index() < self.len(), "an object is not there");
        self.fixed.get(object.index()).copied().unwrap_or(false)
    }

    /// Returns the sum of all loads.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Adds the loads of processors to `sums`, which has an element for each; the owners are
    /// [checked](Self::check).
    pub fn add_up(&self, owners: &[ProcessorId], sums: &mut [u64]) {
        debug_assert_eq!(owners.len(), self.len(), "an object has no owner");
        for (owner, load) in owners.iter().zip(self.loads) {
            *sums.at_mut(*owner) += load;
        }
    }
}

/// The average load of a processor as a fraction, so that comparing needs no division.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Average {
    /// Sum of all loads.
    pub total: u64,
    /// Number of processors.
    pub processors: u32,
}

/// A number in millionths: thresholds and targets are given in it, so that they are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millionths(pub u64);

/// Serialised as the number.
impl Serialize for Millionths {
    #[expect(clippy::float_arithmetic, reason = "a figure of a report")]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1e6)
    }
}

impl Millionths {
    /// One.
    pub const ONE: Self = Self(1_000_000);
}

impl Average {
    /// Whether the average is above a load.
    #[inline]
    pub fn is_above(self, load: u64) -> bool {
        self.times(load) < u128::from(self.total)
    }

    /// Whether a load is above `threshold` times the average.
    #[inline]
    pub fn is_exceeded(self, threshold: Millionths, load: u64) -> bool {
        // The total times the threshold fits 128 bits; the load in millionths may not.
        let limit = u128::from(self.total) * u128::from(threshold.0);
        let whole = limit / u128::from(Millionths::ONE.0);
        // An integer is above a fraction where it is above its whole part.
        self.times(load) > whole
    }

    /// Returns a load times the number of processors, to be compared with [`Average::total`].
    #[inline]
    pub fn times(self, load: u64) -> u128 {
        u128::from(load) * u128::from(self.processors)
    }

    /// Returns the imbalance of a maximum load, max ÷ average − 1 (Pébaÿ & Lifflander 2019); 0
    /// without any load.
    #[expect(clippy::float_arithmetic, reason = "a figure of a report")]
    pub fn imbalance(self, max: u64) -> f64 {
        if self.total == 0 {
            return 0.0;
        }
        self.times(max) as f64 / self.total as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_with_the_average_are_exact() {
        let average = Average { total: 10, processors: 3 };
        assert!(average.is_above(3) && !average.is_above(4));
        assert!(
            average.is_exceeded(Millionths::ONE, 4) && !average.is_exceeded(Millionths::ONE, 3)
        );
        let twice = Millionths(2_000_000);
        assert!(average.is_exceeded(twice, 7) && !average.is_exceeded(twice, 6));
        let most = Average { total: u64::MAX, processors: u32::MAX };
        assert!(!most.is_exceeded(Millionths(u64::MAX), u64::MAX));
    }

    #[test]
    fn imbalance_is_max_over_mean_less_one() {
        let average = Average { total: 8, processors: 4 };
        assert!((average.imbalance(5) - 1.5).abs() < 1e-12);
        assert!(Average::default().imbalance(0).abs() < 1e-12);
    }

    #[test]
    fn bad_placements_are_named() {
        assert_eq!(Objects::new(&[u64::MAX, 1], &[]).unwrap_err(), ObjectsError::Total);
        let lengths = ObjectsError::Lengths { objects: 2, elements: 1 };
        assert_eq!(Objects::new(&[1, 2], &[true]).unwrap_err(), lengths);
        let objects = Objects::new(&[1, 2], &[]).unwrap();
        assert_eq!(objects.check(&[ProcessorId(0)], 1), Err(lengths));
        let unknown = ObjectsError::UnknownOwner(ObjectId(1), ProcessorId(1));
        assert_eq!(objects.check(&[ProcessorId(0), ProcessorId(1)], 1), Err(unknown));
        assert_eq!(objects.check(&[ProcessorId(0); 2], 1), Ok(()));
    }
}
