//! How does C firmware use a free map of raddle-bitmap?
//!
//! A static library without a standard library: it brings a heap, a panic handler, and three functions
//! that C calls.
#![no_std]

extern crate alloc;

use alloc::boxed::Box;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicUsize, Ordering};

use raddle_bitmap::FreeMap;

/// Heap that never gives memory back, since maps are made once, at boot. Firmware with an allocator
/// of its own would call that in place of this heap.
struct Heap {
    bytes: UnsafeCell<[u64; 512]>,
    used: AtomicUsize,
}

// SAFETY: each caller of `alloc` gets bytes of its own, by one atomic step.
unsafe impl Sync for Heap {}

// SAFETY: the bytes handed out lie in `bytes`, are aligned, and are handed out once.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let room = layout.size().saturating_add(layout.align());
        // A request without room leaves the heap as it is.
        let fits =
            |used: usize| used.checked_add(room).filter(|&end| end <= size_of::<[u64; 512]>());
        let Ok(from) = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) else {
            return core::ptr::null_mut();
        };
        let at = self.bytes.get().cast::<u8>().wrapping_add(from);
        at.wrapping_add(at.align_offset(layout.align()))
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static HEAP: Heap = Heap { bytes: UnsafeCell::new([0; 512]), used: AtomicUsize::new(0) };

#[panic_handler]
fn halt(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Returns a map of `blocks` free blocks, which is never freed; null for 0 blocks, or lack of room.
#[unsafe(no_mangle)]
pub extern "C" fn map_new(blocks: u32) -> *mut FreeMap {
    FreeMap::new(blocks).map_or(core::ptr::null_mut(), |map| Box::into_raw(Box::new(map)))
}

/// Takes the first run of `want` free blocks, and returns the number of its first block, from 0; -1
/// if no run is long enough.
///
/// # Safety
/// `map` must come from [`map_new`] and not be null, and no other call may use the map meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn map_take(map: *mut FreeMap, want: u32) -> i64 {
    // SAFETY: the caller promises a map of its own.
    let map = unsafe { &mut *map };
    let taken = map.first_fit(want).map(|plan| map.commit(plan));
    taken.and_then(Result::ok).map_or(-1, i64::from)
}

/// Frees `blocks` blocks from number `start` on. Returns 0, or -1 if one of them is not taken.
///
/// # Safety
/// As for [`map_take`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn map_release(map: *mut FreeMap, start: u32, blocks: u32) -> i32 {
    // SAFETY: the caller promises a map of its own.
    let map = unsafe { &mut *map };
    if map.release(start, blocks).is_ok() { 0 } else { -1 }
}
