//! Reading and writing many shared cells at once.
//!
//! A compiler keeps atomic loads and stores apart, one word after the other, and then a halo costs up to three
//! times what a copy of it does. x86-64 has a copy of its own. To the language it is a load, or a store, of each
//! byte, in some order and without any ordering: what it has of two versions is thrown away by the
//! reader, who looks at the version before and after. Elsewhere, and under loom, the words are loaded
//! and stored one by one.
//!
//! Miri has no assembler, and `ThreadSanitizer` (`cfg(tsan)`) does not see what it does. There the one
//! instruction is a loop of atomic loads or stores through the same pointers: everything around it is what
//! runs elsewhere.

use super::shared_real::SharedReal;

/// Copies as many shared cells as there are on both sides, without any ordering.
#[inline(always)]
pub(super) fn read<F: SharedReal>(shared: &[F::Shared], cells: &mut [F]) {
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    if size_of_val(cells) >= at_once::SHORT {
        return at_once::read(shared, cells);
    }
    for (cell, shared) in cells.iter_mut().zip(shared) {
        *cell = F::load(shared);
    }
}

/// Copies as many cells as there are on both sides, without any ordering among them.
#[inline(always)]
pub(super) fn write<F: SharedReal>(shared: &[F::Shared], cells: &[F]) {
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    if size_of_val(cells) >= at_once::SHORT {
        return at_once::write(shared, cells);
    }
    for (shared, cell) in shared.iter().zip(cells) {
        F::store(shared, *cell);
    }
}

#[cfg(all(target_arch = "x86_64", not(loom)))]
mod at_once {
    #![expect(unsafe_code, reason = "the language has no atomic load of many words")]

    use super::SharedReal;

    /// Bytes below which the processor's copy takes longer to start than a loop does in all.
    pub(super) const SHORT: usize = 1 << 10;

    #[inline(always)]
    pub(super) fn read<F: SharedReal>(shared: &[F::Shared], cells: &mut [F]) {
        let number = cells.len().min(shared.len());
        // SAFETY: both have at least this number of cells, and nobody else has `cells`.
        unsafe { copy(shared.as_ptr(), cells.as_mut_ptr(), number) }
    }

    #[inline(always)]
    pub(super) fn write<F: SharedReal>(shared: &[F::Shared], cells: &[F]) {
        let number = cells.len().min(shared.len());
        // SAFETY: both have at least this number of cells, and nobody else has `cells`.
        unsafe { copy_out(cells.as_ptr(), shared.as_ptr(), number) }
    }

    /// # Safety
    /// As many shared cells and cells are there; nobody else reads or writes the cells.
    #[cfg(not(any(miri, tsan)))]
    #[inline(always)]
    unsafe fn copy<F: SharedReal>(from: *const F::Shared, to: *mut F, number: usize) {
        const { assert!(size_of::<F>() == size_of::<F::Shared>()) };
        // SAFETY: as the caller says. `SharedReal` is sealed: a shared cell is an atomic integer with
        // the bits of a float, and all bits make one. The processor does not load ahead of the version
        // that was read before, nor after the one that is read next: it keeps loads in order.
        unsafe {
            core::arch::asm!(
                "rep movsb",
                inout("rcx") number * size_of::<F>() => _,
                inout("rsi") from => _,
                inout("rdi") to => _,
                options(nostack, preserves_flags),
            );
        }
    }

    /// # Safety
    /// As above.
    #[cfg(any(miri, tsan))]
    unsafe fn copy<F: SharedReal>(from: *const F::Shared, to: *mut F, number: usize) {
        for place in 0..number {
            // SAFETY: as the caller says; the shared cell is an atomic.
            unsafe { to.add(place).write(F::load(&*from.add(place))) };
        }
    }

    /// # Safety
    /// As many shared cells and cells are there; nobody writes the cells.
    #[cfg(not(any(miri, tsan)))]
    #[inline(always)]
    unsafe fn copy_out<F: SharedReal>(from: *const F, to: *const F::Shared, number: usize) {
        const { assert!(size_of::<F>() == size_of::<F::Shared>()) };
        // SAFETY: as the caller says; a shared cell is an atomic integer, which may be written through a shared
        // reference. The processor stores what comes after, such as the version, after all of these.
        unsafe {
            core::arch::asm!(
                "rep movsb",
                inout("rcx") number * size_of::<F>() => _,
                inout("rsi") from => _,
                inout("rdi") to => _,
                options(nostack, preserves_flags),
            );
        }
    }

    /// # Safety
    /// As above.
    #[cfg(any(miri, tsan))]
    unsafe fn copy_out<F: SharedReal>(from: *const F, to: *const F::Shared, number: usize) {
        for place in 0..number {
            // SAFETY: as the caller says; the shared cell is an atomic.
            unsafe { F::store(&*to.add(place), from.add(place).read()) };
        }
    }
}
