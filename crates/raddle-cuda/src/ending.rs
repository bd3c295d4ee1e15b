//! From when on does the library leave the driver alone?
//!
//! When a program ends, the destructors of the driver run. The library's thread must not call it then;
//! calls of the program pass. A forked child has none of the library's threads, and the driver refuses
//! to work in it, so there all calls pass as well.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn pthread_atfork(
        before: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// True once no launch is scheduled any more: when the program ends, and in a child of the program
/// that was forked after this library had begun to schedule.
static OVER: AtomicBool = AtomicBool::new(false);
/// Function that ends the scheduling of launches, called at the end of the program.
static AT_END: OnceLock<fn()> = OnceLock::new();
/// True in a forked child of the program, in which the threads of this library do not exist.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Returns whether all calls now pass to the driver without being scheduled, as the program ends or
/// was forked.
#[inline]
pub(crate) fn is_over() -> bool {
    OVER.load(Ordering::SeqCst)
}

extern "C" fn end() {
    if !OVER.swap(true, Ordering::SeqCst) && !FORKED.load(Ordering::SeqCst) {
        AT_END.get().iter().for_each(|end| end());
    }
}

extern "C" fn in_child() {
    FORKED.store(true, Ordering::SeqCst);
    OVER.store(true, Ordering::SeqCst);
}

/// Registers `at_end` to be called at the end of the program, before all exit functions that the
/// driver has registered by now.
pub(crate) fn begin(at_end: fn()) {
    let _ = AT_END.set(at_end);
    // SAFETY: the library is never unmapped, and both functions may be called at any time.
    unsafe {
        let _ = atexit(end);
        let _ = pthread_atfork(None, None, Some(in_child));
    }
}
