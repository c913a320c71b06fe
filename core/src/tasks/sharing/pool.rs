//! A manager's chunks: taken from the newest end, copied from the oldest.

use super::message::{Copied, Copies, CopyId, list};
use super::stack::Full;
use crate::base::table::At;

/// Stands for no slot.
const NONE: u32 = u32::MAX;

/// A place for one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolSlot {
    /// Number of uses of the slot, so that a copy of an earlier chunk is not mistaken for a copy of
    /// this one.
    uses: u32,
    /// The tasks that are still in the chunk, by their places in it.
    left: u128,
    /// The next older chunk.
    older: u32,
    /// The next newer chunk; the next free slot, where this one is free.
    newer: u32,
}

impl PoolSlot {
    /// A slot that was never used.
    pub const EMPTY: Self = Self { uses: 0, left: 0, older: NONE, newer: NONE };

    /// Returns the number of tasks that are still in the chunk.
    pub(super) const fn len(&self) -> usize {
        self.left.count_ones() as usize
    }
}

/// State of a pool besides its memory: the chunks that are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolState {
    oldest: u32,
    newest: u32,
    /// The first free slot.
    free: u32,
    /// Slots that were ever used: those after them are free and in no list.
    used: u32,
    chunks: usize,
    tasks: usize,
    /// The next chunk that is copied.
    next_copy: u32,
}

impl PoolState {
    pub(super) const EMPTY: Self = Self {
        oldest: NONE,
        newest: NONE,
        free: NONE,
        used: 0,
        chunks: 0,
        tasks: 0,
        next_copy: NONE,
    };

    pub(super) const fn chunks(&self) -> usize {
        self.chunks
    }

    pub(super) const fn tasks(&self) -> usize {
        self.tasks
    }
}

/// A pool on lent memory: a slot for each chunk, and in `tasks` the same number of places for each
/// slot.
pub(super) struct Pool<'m, T> {
    pub state: &'m mut PoolState,
    pub slots: &'m mut [PoolSlot],
    pub tasks: &'m mut [T],
    /// Places of a slot.
    pub chunk: usize,
}

impl<T: Copy> Pool<'_, T> {
    fn slot(&mut self, slot: u32) -> Option<&mut PoolSlot> {
        self.slots.get_mut(slot as usize)
    }

    /// Returns the places for the tasks of a slot.
    fn places(&mut self, slot: u32) -> &mut [T] {
        let from = slot as usize * self.chunk;
        self.tasks.stretch_mut(from..from + self.chunk)
    }

    /// Returns what is in the places of a slot.
    fn chunk_at(&self, slot: u32) -> &[T] {
        let from = slot as usize * self.chunk;
        self.tasks.stretch(from..from + self.chunk)
    }

    /// Whether there is a place for another chunk.
    pub fn has_room(&self) -> bool {
        self.state.chunks < self.slots.len()
    }

    /// Adds tasks, in as many chunks as they fill.
    pub fn add(&mut self, tasks: &[T]) -> Result<(), Full> {
        let chunks = tasks.len().div_ceil(self.chunk.max(1));
        let places = self.slots.len().min(self.tasks.len() / self.chunk.max(1));
        if self.state.chunks + chunks > places {
            return Err(Full { more: chunks * self.chunk });
        }
        tasks.chunks(self.chunk.max(1)).for_each(|chunk| self.add_chunk(chunk));
        Ok(())
    }

    /// Adds tasks as the newest chunk, in a free slot.
    fn add_chunk(&mut self, tasks: &[T]) {
        let number = if self.state.free == NONE {
            self.state.used += 1;
            self.state.used - 1
        } else {
            self.state.free
        };
        let newest = self.state.newest;
        let left = 1_u128.checked_shl(tasks.len() as u32).map_or(u128::MAX, |bit| bit - 1);
        let slot = self.slots.at_mut(number);
        let next_free = slot.newer;
        *slot = PoolSlot { uses: slot.uses.wrapping_add(1), left, older: newest, newer: NONE };
        if number == self.state.free {
            self.state.free = next_free;
        }
        match self.slot(newest) {
            Some(newest) => newest.newer = number,
            None => self.state.oldest = number,
        }
        self.state.newest = number;
        self.state.chunks += 1;
        self.state.tasks += tasks.len();
        if let Some(places) = self.places(number).get_mut(..tasks.len()) {
            places.copy_from_slice(tasks);
        }
    }

    /// Removes the chunk of a slot from the list of chunks, and adds the slot to the free ones.
    fn free(&mut self, number: u32) {
        let free = self.state.free;
        let Some(slot) = self.slot(number) else { return };
        let (older, newer, len) = (slot.older, slot.newer, slot.len());
        (slot.left, slot.older, slot.newer) = (0, NONE, free);
        match self.slot(older) {
            Some(slot) => slot.newer = newer,
            None => self.state.oldest = newer,
        }
        match self.slot(newer) {
            Some(slot) => slot.older = older,
            None => self.state.newest = older,
        }
        if self.state.next_copy == number {
            self.state.next_copy = newer;
        }
        self.state.free = number;
        self.state.chunks -= 1;
        self.state.tasks -= len;
    }

    /// Takes up to `most` tasks of the newest chunk. They stay readable until something is added.
    pub fn take(&mut self, most: usize) -> &[T] {
        let (number, chunk) = (self.state.newest, self.chunk);
        if most == 0 {
            return &[];
        }
        let Some(slot) = self.slot(number) else { return &[] };
        let (len, left) = (slot.len(), slot.left);
        if most < len && left.trailing_ones() as usize == len {
            let rest = len - most;
            slot.left &= !(u128::MAX << rest);
            // A later copy of this chunk has another number than the earlier ones.
            slot.uses = slot.uses.wrapping_add(1);
            self.state.tasks -= most;
            return self.places(number).stretch(rest..len);
        }
        self.free(number);
        let places = self.places(number);
        let mut len = 0;
        for place in (0..chunk).filter(|place| left >> place & 1 == 1) {
            *places.at_mut(len) = *places.at(place);
            len += 1;
        }
        places.stretch(..len)
    }

    /// Returns the tasks of a chunk of which there is a copy, as they were when it was copied.
    pub fn copied(&self, copy: CopyId) -> &[T] {
        let number = (copy.0 & u64::from(u32::MAX)) as u32;
        let len = self.slots.get(number as usize).map_or(0, PoolSlot::len);
        self.chunk_at(number).get(..len).unwrap_or_default()
    }

    /// Returns the next chunk to copy, from the oldest on, each in its turn, and the number of its
    /// tasks; only whole chunks are copied.
    fn copy(&mut self) -> Option<Copied> {
        let at = self.state.next_copy;
        let number = if at == NONE { self.state.oldest } else { at };
        let slot = self.slot(number)?;
        let (id, len, next) = (id(number, slot.uses), slot.len(), slot.newer);
        let is_whole = slot.left.trailing_ones() as usize == len;
        self.state.next_copy = next;
        is_whole.then_some(Copied { id, len: len as u16 })
    }

    /// Makes the newest chunk the next to be copied: nobody has a copy of it yet.
    pub const fn copy_newest_next(&mut self) {
        self.state.next_copy = self.state.newest;
    }

    /// Makes up to `most` copies, each of another chunk.
    pub fn copies(&mut self, most: u32) -> Copies {
        let most = (most as usize).min(self.state.chunks);
        list((0..most).filter_map(|_| self.copy()))
    }

    /// Takes the claimed tasks, one or the whole chunk. False where they are not there any more.
    pub fn claim(&mut self, copy: CopyId, task: Option<u8>) -> bool {
        let number = (copy.0 & u64::from(u32::MAX)) as u32;
        let Some(slot) = self.slot(number) else { return false };
        if slot.left == 0 || id(number, slot.uses) != copy {
            return false;
        }
        let mask = match task {
            None => slot.left,
            Some(task) => 1_u128.checked_shl(u32::from(task)).unwrap_or(0) & slot.left,
        };
        if mask == 0 {
            return false;
        }
        if mask == slot.left {
            self.free(number);
        } else {
            slot.left &= !mask;
            self.state.tasks -= 1;
        }
        true
    }
}

/// Returns the number of a chunk for those that have copies of it.
const fn id(slot: u32, uses: u32) -> CopyId {
    CopyId((uses as u64) << 32 | slot as u64)
}
