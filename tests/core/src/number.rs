//! Numbers of a node in plain memory, for models that remember them.

use std::hash::{Hash, Hasher};
use std::sync::atomic::AtomicU64;

use tresse_core::base::SharedNumber;

/// A number of a node that can be copied and compared, with all else that the checker remembers.
#[derive(Debug)]
pub struct Number(AtomicU64);

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }
}

impl Clone for Number {
    fn clone(&self) -> Self {
        Self::from(self.load())
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.load() == other.load()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.load().hash(state);
    }
}

impl SharedNumber for Number {
    fn load(&self) -> u64 {
        SharedNumber::load(&self.0)
    }

    fn store(&self, value: u64) {
        SharedNumber::store(&self.0, value);
    }

    fn lower(&self, value: u64) {
        self.0.lower(value);
    }

    fn subtract(&self, value: u64) -> u64 {
        self.0.subtract(value)
    }
}
