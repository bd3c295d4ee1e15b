//! Which file is the real driver, and how does the library call it?

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::names::{Slot, all, no_driver, slot};

/// Environment variable with the path of the real CUDA driver.
const DRIVER: &str = "RADDLE_CUDA_DRIVER";
/// File name under which programs load the CUDA driver.
const FILE: &str = "libcuda.so.1";
/// Folders in which the real CUDA driver is searched, after those of `LD_LIBRARY_PATH`.
const FOLDERS: [&str; 8] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/usr/local/cuda/compat",
    "/run/opengl-driver/lib",
];
/// Flags of `dlopen`: all symbols are looked up when the library is opened, and other libraries see
/// none of them.
const NOW_AND_LOCAL: c_int = 2;

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

/// Opens the real CUDA driver and stores the addresses of its functions.
pub(crate) extern "C" fn open() {
    let driver = places().find_map(|place| opened(&place));
    for entry in all() {
        match driver {
            None => entry.slot.set(no_driver as *mut ()),
            Some(driver) => {
                if let Some(function) = function(driver, entry.name) {
                    entry.slot.set(function);
                }
            }
        }
    }
}

/// Returns the paths at which the real CUDA driver may be, in the order in which they are tried.
fn places() -> Box<dyn Iterator<Item = PathBuf>> {
    if let Some(named) = std::env::var_os(DRIVER).filter(|named| !named.is_empty()) {
        return Box::new(std::iter::once(named.into()));
    }
    let searched = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = searched
        .as_bytes()
        .split(|&byte| byte == b':')
        .map(|it| OsStr::from_bytes(it).into())
        .collect();
    folders.extend(FOLDERS.map(PathBuf::from));
    Box::new(folders.into_iter().map(|folder| folder.join(FILE)))
}

/// Opens the library at a path, and returns its handle; `None` where there is no library, or where
/// it is this library itself and not the real driver.
fn opened(path: &Path) -> Option<*mut c_void> {
    if !path.is_absolute() || !path.exists() {
        return None;
    }
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: the path is a string, and a driver may be opened at any time.
    let library = unsafe { dlopen(path.as_ptr(), NOW_AND_LOCAL) };
    if library.is_null() {
        return None;
    }
    if function(library, c"raddle_cuda_version").is_some() {
        // SAFETY: the library was opened just now, and nothing of it is used.
        let _ = unsafe { dlclose(library) };
        return None;
    }
    Some(library)
}

fn function(library: *mut c_void, name: &CStr) -> Option<*mut ()> {
    // SAFETY: the library is open, and the name is a string.
    let found = unsafe { dlsym(library, name.as_ptr()) };
    (!found.is_null()).then_some(found.cast())
}

/// Type by which any driver function with at most six arguments is called, all of them numbers or
/// addresses. Excess arguments are in registers that the function does not read.
pub(crate) type AnyCall = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> c_int;

/// Calls the driver function in `slot` with the given arguments, and returns its result.
///
/// # Safety
/// As the function of the driver.
#[inline]
pub(crate) unsafe fn call<const N: usize>(slot: &Slot, arguments: [usize; N]) -> c_int {
    let mut all = [0; 6];
    all[..N].copy_from_slice(&arguments);
    let [a, b, c, d, e, f] = all;
    // SAFETY: the place holds a function of the driver, which returns a number and has no more arguments.
    let function = unsafe { std::mem::transmute::<*mut (), AnyCall>(slot.target()) };
    // SAFETY: the caller vouches for the arguments.
    unsafe { function(a, b, c, d, e, f) }
}

/// Calls the driver function whose address is in `slot`, and returns the text about a device that
/// the function writes; `None` where it fails. The function takes (place for the text, length of
/// the place, device).
pub(crate) fn text_of_device(slot: &Slot, device: c_int) -> Option<String> {
    let mut text = [0_u8; 100];
    let place = (&raw mut text).expose_provenance();
    // SAFETY: the place has as many bytes as are said.
    let result = unsafe { call(slot, [place, text.len() - 1, device as usize]) };
    let text = CStr::from_bytes_until_nul(&text).ok()?;
    (result == 0).then(|| text.to_string_lossy().trim().to_owned())
}

/// Returns the handle of the thread's current context; 0 where it has none.
#[inline]
pub(crate) fn current_context() -> usize {
    let mut context = 0_usize;
    // SAFETY: the place is one for a handle.
    let result = unsafe { call(&slot::cuCtxGetCurrent, [(&raw mut context).expose_provenance()]) };
    if result == 0 { context } else { 0 }
}

/// Returns whether launches in the stream are recorded for a graph instead of run, as the program
/// captures the stream.
#[inline]
pub(crate) fn is_capturing(stream: usize) -> bool {
    if !slot::cuStreamIsCapturing.is_there() {
        return false;
    }
    let mut status: c_int = 0;
    let place = (&raw mut status).expose_provenance();
    // SAFETY: the program vouches for the stream as it does without the library; the place is one for a number.
    let result = unsafe { call(&slot::cuStreamIsCapturing, [stream, place]) };
    result != 0 || status != 0
}

/// Guard that sets the capture mode of this thread, so that a stream capture in another thread does
/// not make calls of this library fail. The number is the thread's former mode, which is set again
/// when the guard is dropped.
pub(crate) struct Relaxed(c_int);

impl Relaxed {
    const MODE: c_int = 2;

    pub(crate) fn begin() -> Self {
        Self(Self::exchanged(Self::MODE))
    }

    fn exchanged(mut mode: c_int) -> c_int {
        if slot::cuThreadExchangeStreamCaptureMode.is_there() {
            let place = (&raw mut mode).expose_provenance();
            // SAFETY: the place is one for a number.
            let _ = unsafe { call(&slot::cuThreadExchangeStreamCaptureMode, [place]) };
        }
        mode
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        let _ = Self::exchanged(self.0);
    }
}
