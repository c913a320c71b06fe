//! Words of a rank, which the others see some time after they were written.

/// Something that is written whole, and seen by the others some time later, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Delayed<T> {
    seen: T,
    coming: Vec<T>,
}

impl<T: Clone> Delayed<T> {
    /// Everybody sees this.
    pub const fn new(value: T) -> Self {
        Self { seen: value, coming: Vec::new() }
    }

    /// Writes; the others see it after as many calls of [`Delayed::show`] as there are writes.
    pub fn write(&mut self, value: T) {
        self.coming.push(value);
    }

    /// Returns the value that was written last.
    pub fn newest(&self) -> &T {
        self.coming.last().unwrap_or(&self.seen)
    }

    /// Returns the value that the others see.
    pub const fn seen(&self) -> &T {
        &self.seen
    }

    /// Reports whether the others see what was written last.
    pub const fn is_settled(&self) -> bool {
        self.coming.is_empty()
    }

    /// Lets the others see the next write.
    pub fn show(&mut self) {
        if !self.coming.is_empty() {
            self.seen = self.coming.remove(0);
        }
    }
}
