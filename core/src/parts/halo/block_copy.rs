//! Units that several threads may read and write, many at once.
//!
//! A compiler keeps atomic loads and stores apart, one word after the other, and then a halo costs
//! up to three times what a copy of it does. x86-64 has a copy of its own. To the language it is a
//! load, or a store, of each byte, in some order and without any ordering: what it has of two
//! versions is thrown away by the reader, who looks at the version before and after. Elsewhere, and
//! under loom, the words are loaded and stored one by one.
//!
//! Miri has no assembler, and `ThreadSanitizer` (`cfg(tsan)`) does not see what it does. There the
//! one instruction is a loop of atomic loads or stores through the same pointers: everything around
//! it is what runs elsewhere.

use crate::base::unit::Unit;

/// Copies shared cells into `cells`, as many as both have, without any ordering: a torn read is
/// possible.
#[inline(always)]
pub(super) fn load_all<F: Unit>(shared: &[F::Shared], cells: &mut [F]) {
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    if size_of_val(cells) >= at_once::SHORT {
        return at_once::load(shared, cells);
    }
    for (cell, shared) in cells.iter_mut().zip(shared) {
        *cell = F::load(shared);
    }
}

/// Copies `cells` into shared cells, as many as both have, without any ordering among them.
#[inline(always)]
pub(super) fn store_all<F: Unit>(shared: &[F::Shared], cells: &[F]) {
    #[cfg(all(target_arch = "x86_64", not(loom)))]
    if size_of_val(cells) >= at_once::SHORT {
        return at_once::store(shared, cells);
    }
    for (shared, cell) in shared.iter().zip(cells) {
        F::store(shared, *cell);
    }
}

#[cfg(all(target_arch = "x86_64", not(loom)))]
mod at_once {
    #![expect(unsafe_code, reason = "the language has no atomic load of many words")]

    use crate::base::unit::Unit;

    /// Bytes below which the processor's copy takes longer to start than a loop does in all.
    pub(super) const SHORT: usize = 1 << 10;

    #[inline(always)]
    pub(super) fn load<F: Unit>(shared: &[F::Shared], cells: &mut [F]) {
        let number = cells.len().min(shared.len());
        // SAFETY: both have at least this number of cells, and nobody else has `cells`. What is
        // read are atomic integers with the bits of units, as `Unit` is sealed, and all bits
        // make a unit.
        unsafe {
            copy(shared.as_ptr(), cells.as_mut_ptr(), number, |from, to| to.write(F::load(&*from)));
        }
    }

    #[inline(always)]
    pub(super) fn store<F: Unit>(shared: &[F::Shared], cells: &[F]) {
        let number = cells.len().min(shared.len());
        let to = shared.as_ptr().cast_mut();
        // SAFETY: both have at least this number of cells. What is written are atomic integers,
        // which may be written through a shared reference.
        unsafe { copy(cells.as_ptr(), to, number, |from, to| F::store(&*to, from.read())) }
    }

    /// Copies a number of cells; `one` says how a single one is copied, where there is no
    /// assembler.
    ///
    /// The processor neither loads ahead of what was loaded before, such as a version, nor stores
    /// after what is stored next: it keeps loads in order, and stores.
    ///
    /// # Safety
    /// As many cells are on both sides, which overlap nowhere. Those of either side that others may
    /// write or read meanwhile are atomic, and `one` may be called for each cell and its place.
    #[inline(always)]
    unsafe fn copy<A, B>(
        from: *const A,
        to: *mut B,
        number: usize,
        #[cfg_attr(not(any(miri, tsan)), expect(unused, reason = "there is an assembler"))]
        one: impl Fn(*const A, *mut B),
    ) {
        const { assert!(size_of::<A>() == size_of::<B>()) };
        #[cfg(any(miri, tsan))]
        for place in 0..number {
            // SAFETY: as the caller says.
            unsafe { one(from.add(place), to.add(place)) };
        }
        #[cfg(not(any(miri, tsan)))]
        // SAFETY: as the caller says.
        unsafe {
            core::arch::asm!(
                "rep movsb",
                inout("rcx") number * size_of::<A>() => _,
                inout("rsi") from => _,
                inout("rdi") to => _,
                options(nostack, preserves_flags),
            );
        }
    }
}
