//! How often does a piece of code allocate memory, and how many bytes does it keep, or have at
//! most?
//!
//! Sizes are the bytes that were asked for. A test makes the counting allocator its global one:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: raddle_testkit::CountingAllocator = raddle_testkit::CountingAllocator;
//!
//! assert_eq!(raddle_testkit::made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
//! ```
#![allow(unsafe_code, reason = "a counting allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// System allocator that also counts allocations and bytes, for tests that check that a piece of
/// code allocates little or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// Number of bytes of heap memory that all threads together have allocated and not yet freed.
static ALL: AtomicUsize = AtomicUsize::new(0);
/// Largest value of [`ALL`], in bytes, since the last call of [`peak`] began.
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator unchanged; only numbers are noted.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MADE.with(|made| made.set(made.get() + 1));
        HELD.with(|held| held.set(held.get().wrapping_add(layout.size() as i64)));
        let all = ALL.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(all, Ordering::Relaxed);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.with(|held| held.set(held.get().wrapping_sub(layout.size() as i64)));
        ALL.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    // Large blocks grow by moving their pages, so the old and the new one are never held both.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        MADE.with(|made| made.set(made.get() + 1));
        let (old, new) = (layout.size(), new_size);
        HELD.with(|held| held.set(held.get().wrapping_add(new as i64 - old as i64)));
        // Modulo 2^64: a decrease is added as its complement.
        let grown = new.wrapping_sub(old);
        let all = ALL.fetch_add(grown, Ordering::Relaxed).wrapping_add(grown);
        PEAK.fetch_max(all, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// Returns the number of allocations that `work` makes in this thread.
pub fn made(work: impl FnOnce()) -> u64 {
    let before = MADE.get();
    work();
    MADE.get() - before
}

/// Returns the number of bytes of heap memory that this thread has allocated and not yet freed;
/// below 0 where the thread frees bytes that another thread allocated.
#[must_use]
pub fn held() -> i64 {
    HELD.get()
}

/// Returns (peak of the heap memory of all threads during `work`, in bytes above what was allocated
/// before; result of `work`).
pub fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = ALL.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (PEAK.load(Ordering::Relaxed).saturating_sub(before), result)
}
