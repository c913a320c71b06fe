//! A worker's tasks: executed from the top, handed to others from the bottom.

use core::cell::Cell;
use core::fmt;

use crate::base::bug::Minus;
use crate::base::table::At;

/// There is no place for more tasks.
///
/// Nothing has changed where this is answered: whoever lent the memory lends more, with what was in
/// it, and asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// The tasks that there must be places for, besides those that are there.
    pub more: usize,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are no places for {} more tasks", self.more)
    }
}

impl core::error::Error for Full {}

/// Places of the memory that the tasks of a stack are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extent {
    bottom: usize,
    top: usize,
}

impl Extent {
    /// The extent of an empty stack.
    pub const NONE: Self = Self { bottom: 0, top: 0 };

    /// Returns the number of tasks on the stack.
    pub const fn len(&self) -> usize {
        self.top.saturating_sub(self.bottom)
    }

    /// Whether there is no task.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Tasks in lent memory, the one to execute next on top.
///
/// Tasks that are taken from the bottom leave free places there; the rest moves down once these are
/// a quarter of all, so that each task moves a bounded number of times.
#[derive(Debug)]
pub struct Stack<'m, T> {
    tasks: &'m mut [T],
    extent: &'m mut Extent,
}

impl<'m, T: Copy> Stack<'m, T> {
    /// Returns the stack of the tasks that are in `tasks` at `extent`.
    pub fn new(tasks: &'m mut [T], extent: &'m mut Extent) -> Self {
        Self { tasks, extent }
    }

    /// Returns the number of tasks on the stack.
    pub fn len(&self) -> usize {
        self.extent.len()
    }

    /// Whether there is no task.
    pub fn is_empty(&self) -> bool {
        self.extent.is_empty()
    }

    /// Makes sure that `more` tasks can be pushed; an error where the memory is too short.
    #[inline]
    pub fn reserve(&mut self, more: usize) -> Result<(), Full> {
        if self.tasks.len().minus(self.extent.top) >= more {
            return Ok(());
        }
        self.move_down(more)
    }

    /// Moves all tasks to the front of the memory. An error where too little is free there, or
    /// `more` would not fit anyway.
    #[cold]
    fn move_down(&mut self, more: usize) -> Result<(), Full> {
        let (places, len) = (self.tasks.len(), self.len());
        if self.extent.bottom < places / 4 || places - len < more {
            return Err(Full { more });
        }
        let cells = Cell::from_mut(&mut *self.tasks).as_slice_of_cells();
        let from = cells.stretch(self.extent.bottom..self.extent.top);
        for (to, from) in cells.iter().zip(from) {
            to.set(from.get());
        }
        *self.extent = Extent { bottom: 0, top: len };
        Ok(())
    }

    /// Puts a task on top.
    #[inline]
    pub fn push(&mut self, task: T) -> Result<(), Full> {
        self.reserve(1)?;
        *self.tasks.at_mut(self.extent.top) = task;
        self.extent.top += 1;
        Ok(())
    }

    /// Puts tasks on top, the last one uppermost.
    #[inline]
    pub fn extend(&mut self, tasks: &[T]) -> Result<(), Full> {
        self.reserve(tasks.len())?;
        let end = self.extent.top + tasks.len();
        self.tasks.stretch_mut(self.extent.top..end).copy_from_slice(tasks);
        self.extent.top = end;
        Ok(())
    }

    /// Takes the task on top.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.extent.top -= 1;
        Some(*self.tasks.at(self.extent.top))
    }

    /// Returns all tasks, from the bottom to the top.
    pub fn as_slice(&self) -> &[T] {
        self.tasks.stretch(self.extent.bottom..self.extent.top)
    }

    /// Shortens the stack to its lowest `len` tasks.
    pub fn truncate(&mut self, len: usize) {
        self.extent.top = self.extent.top.min(self.extent.bottom + len);
    }

    /// Takes up to `most` tasks from the bottom: the answer stays readable until something is
    /// pushed.
    pub fn take_bottom(&mut self, most: usize) -> &[T] {
        let from = self.extent.bottom;
        let end = self.extent.top.min(from + most);
        self.extent.bottom = end;
        self.tasks.stretch(from..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_come_from_the_top_and_leave_from_the_bottom() {
        let (mut memory, mut extent) = ([0_u32; 8], Extent::default());
        let mut stack = Stack::new(&mut memory, &mut extent);
        stack.extend(&[1, 2, 3]).unwrap();
        stack.push(4).unwrap();
        assert_eq!((stack.pop(), stack.take_bottom(2)), (Some(4), &[1, 2][..]));
        assert_eq!((stack.as_slice(), stack.len()), (&[3][..], 1));
        assert_eq!(stack.take_bottom(9), [3]);
        assert_eq!(stack.pop(), None);
    }

    #[test]
    fn a_full_stack_moves_down_or_stays_as_it_is() {
        let (mut memory, mut extent) = ([0_u32; 8], Extent::default());
        let mut stack = Stack::new(&mut memory, &mut extent);
        stack.extend(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        assert_eq!(stack.push(9), Err(Full { more: 1 }));
        stack.take_bottom(1);
        assert_eq!(stack.push(9), Err(Full { more: 1 }), "one free place of eight");
        stack.take_bottom(1);
        assert_eq!(stack.extend(&[9, 10, 11]), Err(Full { more: 3 }));
        assert_eq!(stack.as_slice(), [3, 4, 5, 6, 7, 8]);
        stack.extend(&[9, 10]).unwrap();
        assert_eq!(stack.as_slice(), [3, 4, 5, 6, 7, 8, 9, 10]);
    }
}
