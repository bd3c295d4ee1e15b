//! How do unmodified CUDA programs take turns on a device?
//!
//! `libraddle_cuda.so` stands in the place of the driver: a program that looks for `libcuda.so.1` finds
//! it in a folder of `LD_LIBRARY_PATH`. It opens the real driver by a path and passes every call on.
//! A launch waits in the calling thread until it is the program's turn.
//!
//! | part | question |
//! |---|---|
//! | `names` | which functions has a driver, and how does a call reach the real one? |
//! | `driver` | which file is the real driver? |
//! | `lookup` | which function gets a program that asks by name? |
//! | `entries` | which calls have a body of their own? |
//! | `here` | which gate does a launch of this thread go through? |
//! | `gate` | when may a launch go to the driver? |
//! | `burst` | when have the launches of a gate ended? |
//! | `ending` | from when on does the library leave the driver alone? |
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(unsafe_code, reason = "every entry point is called from C, and calls C")]
#![allow(
    clippy::disallowed_methods,
    reason = "a wait that is too long is ended; the clock decides nothing else"
)]
#![allow(non_snake_case, reason = "entry points have the driver's names")]

mod burst;
mod driver;
mod ending;
mod entries;
mod gate;
mod here;
mod lookup;
mod names;

use std::ffi::c_char;

/// Returns the version of this library. The real CUDA driver does not have this function.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_cuda_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the number of launches of this process that the library has scheduled; a graph is one.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_cuda_launches() -> u64 {
    here::launches()
}

/// Gives a hint about this process to the daemon, as `raddle_live::hint_by_number` does.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_cuda_hint(kind: u32, value: u64) -> i32 {
    raddle_live::hint_by_number(kind, value)
}

/// Opens the real driver when the library is loaded, before any of its functions can be called.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = driver::open;
