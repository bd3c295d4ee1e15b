//! How does the layer call the next layer, or the runtime of the device?

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{CL_INVALID_OPERATION, CL_OUT_OF_HOST_MEMORY, cl_int, cl_uint};

use crate::ending;

/// Entry points (functions of OpenCL) of the runtime or of the next layer. They never change once
/// the loader has passed them.
static TARGET: OnceLock<cl_icd_dispatch> = OnceLock::new();

/// Returns a table of entry points (functions of OpenCL) that are all missing.
pub(crate) const fn empty() -> cl_icd_dispatch {
    // SAFETY: every field is an optional function or a number, for which zero is a value.
    unsafe { std::mem::zeroed() }
}

/// Returns the entry points of the runtime or of the next layer; an empty table before the loader
/// has passed them.
pub(crate) fn target() -> &'static cl_icd_dispatch {
    TARGET.get_or_init(empty)
}

/// Entry points of this layer; each event of the layer begins with their address.
static OWN: OnceLock<cl_icd_dispatch> = OnceLock::new();

/// Returns the entry points of this layer, which `make` derives from those of the runtime at the
/// first call.
pub(crate) fn own_table(
    make: impl FnOnce(cl_icd_dispatch) -> cl_icd_dispatch,
) -> &'static cl_icd_dispatch {
    OWN.get_or_init(|| make(*target()))
}

/// Returns the address of the entry points of this layer; null before they are made.
pub(crate) fn own() -> *const cl_icd_dispatch {
    OWN.get().map_or(std::ptr::null(), std::ptr::from_ref)
}

/// Copies the first `entries` entry points from the loader's table, as those of the runtime or of
/// the next layer.
///
/// # Safety
/// `table` points to `entries` entry points.
pub(crate) unsafe fn set_target(table: *const cl_icd_dispatch, entries: cl_uint) {
    let mut copy = empty();
    let known = size_of::<cl_icd_dispatch>() / size_of::<usize>();
    let entries = known.min(entries as usize);
    // SAFETY: the table and the copy have at least `entries` words.
    unsafe {
        let to = std::ptr::from_mut(&mut copy).cast::<usize>();
        std::ptr::copy_nonoverlapping(table.cast::<usize>(), to, entries);
    }
    let _ = TARGET.set(copy);
}

/// Return type of an entry point (a function of OpenCL), with the value to return if the runtime
/// lacks the entry point or the layer itself fails.
pub(crate) trait NativeAnswer {
    /// Value to return where the runtime does not have the entry point.
    const MISSING: Self;
    /// Value to return where the layer itself failed.
    const FAILED: Self;
}

impl NativeAnswer for cl_int {
    const MISSING: Self = CL_INVALID_OPERATION;
    const FAILED: Self = CL_OUT_OF_HOST_MEMORY;
}

impl NativeAnswer for *mut c_void {
    const MISSING: Self = std::ptr::null_mut();
    const FAILED: Self = std::ptr::null_mut();
}

impl NativeAnswer for () {
    const MISSING: Self = ();
    const FAILED: Self = ();
}

/// Calls an entry point of the runtime or of the next layer and returns its answer; where the entry
/// point is missing, returns `NativeAnswer::MISSING`.
macro_rules! native {
    ($name:ident ( $($argument:expr),* $(,)? )) => {
        match $crate::native::target().$name {
            Some(call) => {
                let _pass = $crate::ending::pass();
                // SAFETY: the arguments are those of the program, which vouches for them as it does
                // without the layer, or handles and places that the layer keeps until the call is over.
                unsafe { call($($argument),*) }
            }
            None => $crate::native::NativeAnswer::MISSING,
        }
    };
}
pub(crate) use native;

/// Runs the body of an entry point that a thread of the program has called. Meanwhile threads of
/// the layer may call the runtime, even if the program is ending.
pub(crate) fn guarded<A: NativeAnswer>(body: impl FnOnce() -> A) -> A {
    let _visit = ending::visit();
    contained(body)
}

/// Runs the body of a callback that the runtime makes on one of its own threads. Meanwhile this
/// thread may call the runtime, even if the program is ending.
pub(crate) fn called_back(body: impl FnOnce()) {
    let _right = ending::called_by_runtime();
    contained(body);
}

/// Runs a body so that a panic in the layer does not reach the caller, which gets
/// `NativeAnswer::FAILED` instead.
pub(crate) fn contained<A: NativeAnswer>(body: impl FnOnce() -> A) -> A {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(A::FAILED)
}

/// Returns the bytes of the answer to a query; `None` where the runtime refuses. `ask` makes the
/// query with (size, place for the answer, place for its size).
pub(crate) fn asked_bytes(
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
) -> Option<Vec<u8>> {
    let mut size = 0;
    if ask(0, std::ptr::null_mut(), &raw mut size) != 0 {
        return None;
    }
    let mut bytes = vec![0_u8; size];
    (ask(size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()) == 0).then_some(bytes)
}

/// Returns the answer to a query, a value of fixed size; `None` where the runtime refuses. `ask`
/// makes the query with (size, place for the answer).
pub(crate) fn asked<T: Copy>(ask: impl FnOnce(usize, *mut c_void) -> cl_int) -> Option<T> {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    if ask(size_of::<T>(), value.as_mut_ptr().cast()) != 0 {
        return None;
    }
    // SAFETY: it is a number or a handle; zero is a value of both, and the call may have stored another.
    Some(unsafe { value.assume_init() })
}

/// Handle of an object of the runtime, or an address in the program, which the layer only passes
/// on, from any thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NativeHandle(pub(crate) *mut c_void);

// SAFETY: the layer does not look behind it, and the runtime's calls may come from any thread.
unsafe impl Send for NativeHandle {}
// SAFETY: as above.
unsafe impl Sync for NativeHandle {}

impl NativeHandle {
    pub(crate) const NULL: Self = Self(std::ptr::null_mut());

    pub(crate) const fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// Stores a second result of a call at the address `place`; if that is null, the program does not
/// want it.
///
/// # Safety
/// `place` is null or a place for a value.
pub(crate) unsafe fn store<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller says so.
        unsafe { place.write(value) };
    }
}

/// Locks a mutex, also after a panic of another thread. That is safe here: each change under the
/// layer's locks is a single assignment or insertion, so none is left half done.
pub(crate) fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
