//! Which function gets a program that asks the driver for one by name?
//!
//! The real driver is asked first, as it knows versions and default streams. Where it answers with a
//! function in whose place the library stands, the program gets the library's.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::driver::call;
use crate::names::{Entry, Slot, all};

/// Flag by which a program asks for the forms of driver functions in which 0 is the default stream
/// of the calling thread.
const PER_THREAD: u64 = 2;

/// Asks the real driver for a function by name, through the driver's function in `slot`, and
/// returns the driver's result. If this library has a replacement for the found function, writes
/// the address of the replacement to `place`.
///
/// # Safety
/// As `cuGetProcAddress` of the driver: `name` is a string, `place` a place for an address, and
/// `status` a place for a number or null.
pub(crate) unsafe fn look_up(
    slot: &Slot,
    name: *const c_char,
    place: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> c_int {
    let arguments = [
        name.expose_provenance(),
        place.expose_provenance(),
        version as usize,
        flags as usize,
        status.expose_provenance(),
    ];
    // SAFETY: as the caller says.
    let result = unsafe { call(slot, arguments) };
    if result != 0 || name.is_null() || place.is_null() {
        return result;
    }
    // SAFETY: the driver has taken both.
    let (name, found) = unsafe { (CStr::from_ptr(name), place.read()) };
    if !found.is_null()
        && let Some(entry) = stands_for(name, found.cast(), flags)
    {
        // SAFETY: as above.
        unsafe { place.write(entry.own.cast_mut().cast()) };
    }
    result
}

/// Returns the entry of this library that replaces a function which the real driver found by name;
/// `None` where there is no replacement.
fn stands_for(name: &CStr, found: *mut (), flags: u64) -> Option<&'static Entry> {
    let name = name.to_bytes();
    let offered = || all().filter(|entry| entry.is_offered);
    let behind = |entry: &Entry| entry.name.to_bytes().strip_prefix(name).map(<[u8]>::to_vec);
    let is_variant = |rest: &[u8]| {
        rest.is_empty() || rest.starts_with(b"_v") || rest == b"_ptsz" || rest == b"_ptds"
    };
    let of_name = || offered().filter(|entry| behind(entry).is_some_and(|rest| is_variant(&rest)));
    let same = of_name().find(|entry| std::ptr::eq(entry.slot.target(), found));
    same.or_else(|| {
        // A driver may answer with a function that it does not export. Launches have one form in all versions.
        let wanted: &[u8] = if flags & PER_THREAD != 0 { b"_ptsz" } else { b"" };
        let launches = name.starts_with(b"cuLaunchKernel")
            || name == b"cuLaunchCooperativeKernel"
            || name == b"cuGraphLaunch";
        let fits = |entry: &&Entry| behind(entry).is_some_and(|rest| rest == wanted);
        let entry = of_name().filter(|_| launches).find(fits)?;
        entry.slot.set(found);
        Some(entry)
    })
}
