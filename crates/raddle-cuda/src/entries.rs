//! Which calls of the driver does the library answer by a function of its own?
//!
//! Launches wait for the turn. Waits of the program let ended launches be reported at once. Before a
//! context ends, the library forgets its events there. Streams may get a priority. Everything else is a
//! jump to the driver ([`names`](crate::names)).

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Once, OnceLock};

use crate::burst::LaunchStream;
use crate::driver::{AnyCall, call};
use crate::here::{Destroyed, forget, scheduled, stream_gone, waited};
use crate::lookup::look_up;
use crate::names::slot;

/// Environment variable with the priority that every CUDA stream of the program gets.
const PRIORITY: &str = "RADDLE_CUDA_PRIORITY";

/// Defines the launch functions, which pass a launch to the driver when it is the program's turn.
/// `$from` makes the stream of a launch from its handle.
macro_rules! launches {
    ($($name:ident($($argument:ident: $kind:ty),*) in $from:ident($stream:expr), $is_graph:literal;)*) => {$(
        /// Launches as the driver's function of this name does, when it is the program's turn.
        ///
        /// # Safety
        /// As the driver's function.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $kind),*) -> c_int {
            let stream = LaunchStream::$from($stream);
            scheduled(stream, $is_graph, || {
                // SAFETY: the place holds the driver's function of this name, which has this type.
                let function = unsafe {
                    std::mem::transmute::<*mut (), unsafe extern "C" fn($($kind),*) -> c_int>(slot::$name.target())
                };
                // SAFETY: the program vouches for its arguments as it does without the library.
                unsafe { function($($argument),*) }
            })
        }
    )*};
}

launches! {
    cuLaunchKernel(function: usize, x: c_uint, y: c_uint, z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: usize, arguments: usize, extra: usize) in legacy(stream), false;
    cuLaunchKernel_ptsz(function: usize, x: c_uint, y: c_uint, z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: usize, arguments: usize, extra: usize) in per_thread(stream), false;
    cuLaunchCooperativeKernel(function: usize, x: c_uint, y: c_uint, z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: usize, arguments: usize) in legacy(stream), false;
    cuLaunchCooperativeKernel_ptsz(function: usize, x: c_uint, y: c_uint, z: c_uint, block_x: c_uint,
        block_y: c_uint, block_z: c_uint, shared: c_uint, stream: usize, arguments: usize) in per_thread(stream), false;
    cuLaunchKernelEx(config: *const LaunchConfig, function: usize, arguments: usize, extra: usize)
        in legacy(stream_of(config)), false;
    cuLaunchKernelEx_ptsz(config: *const LaunchConfig, function: usize, arguments: usize, extra: usize)
        in per_thread(stream_of(config)), false;
    cuGraphLaunch(graph: usize, stream: usize) in legacy(stream), true;
    cuGraphLaunch_ptsz(graph: usize, stream: usize) in per_thread(stream), true;
    cuLaunch(function: usize) in legacy(0), false;
    cuLaunchGrid(function: usize, width: c_int, height: c_int) in legacy(0), false;
    cuLaunchGridAsync(function: usize, width: c_int, height: c_int, stream: usize) in legacy(stream), false;
}

/// Sizes and stream of a launch, with the memory layout of the driver's interface
/// (`CUlaunchConfig`).
#[derive(Debug)]
#[repr(C)]
pub(crate) struct LaunchConfig {
    sizes: [c_uint; 7],
    stream: usize,
}

/// Returns the handle of a launch's stream; 0, the default stream, where the program passes no
/// configuration.
fn stream_of(config: *const LaunchConfig) -> usize {
    // SAFETY: the program vouches for its configuration as it does without the library.
    unsafe { config.as_ref() }.map_or(0, |config| config.stream)
}

/// Defines driver functions of at most six arguments that call `$before` with the first argument,
/// then the real driver, then `$after` with the result.
macro_rules! around {
    ($($name:ident: $before:expr, $after:expr;)*) => {$(
        /// Calls the driver's function of this name, and updates this library's records before or
        /// after the call.
        ///
        /// # Safety
        /// As the driver's function.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_int {
            let _: AnyCall = $name;
            $before(a);
            // SAFETY: the program vouches for its arguments as it does without the library.
            let result = unsafe { call(&slot::$name, [a, b, c, d, e, f]) };
            $after(result);
            result
        }
    )*};
}

around! {
    cuInit: no_work, began;
    cuStreamSynchronize: no_work, ended;
    cuStreamSynchronize_ptsz: no_work, ended;
    cuCtxSynchronize: no_work, ended;
    cuCtxSynchronize_v2: no_work, ended;
    cuEventSynchronize: no_work, ended;
    cuStreamDestroy: stream_gone, no_work;
    cuStreamDestroy_v2: stream_gone, no_work;
    cuCtxDestroy: one_context, no_work;
    cuCtxDestroy_v2: one_context, no_work;
    cuCtxDetach: one_context, no_work;
    cuDevicePrimaryCtxReset: reset, no_work;
    cuDevicePrimaryCtxReset_v2: reset, no_work;
    cuGreenCtxDestroy: all_contexts, no_work;
}

const fn no_work<T: Copy>(_: T) {}

/// Notes, after the first successful `cuInit` (`result` is 0), that this process has loaded the
/// library: adds the process to a list in a file, if the environment names one.
fn began(result: c_int) {
    static MARKED: Once = Once::new();
    if result == 0 {
        MARKED.call_once(raddle_live::mark_loaded);
    }
}

fn ended(_: c_int) {
    waited();
}

fn one_context(context: usize) {
    forget(Destroyed::Context(context));
}

fn reset(device: usize) {
    let device = device as c_int;
    forget(Destroyed::OfDevice(device));
    // A count that is too low makes the library wait without need, one that is too high would be wrong.
    held(device).iter().for_each(|held| held.store(0, Ordering::SeqCst));
}

fn all_contexts(_: usize) {
    forget(Destroyed::All);
}

/// Number of references to the primary context of each device that the program holds.
static HELD: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];

fn held(device: c_int) -> Option<&'static AtomicU32> {
    HELD.get(usize::try_from(device).ok()?)
}

/// Retains the primary context of a device for the program, and counts the reference.
///
/// # Safety
/// As the driver's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDevicePrimaryCtxRetain(place: usize, device: c_int) -> c_int {
    // SAFETY: the program vouches for its arguments as it does without the library.
    let result = unsafe { call(&slot::cuDevicePrimaryCtxRetain, [place, device as usize]) };
    if let Some(held) = held(device).filter(|_| result == 0) {
        held.fetch_add(1, Ordering::SeqCst);
    }
    result
}

/// Defines functions by which the program releases a reference to the primary context of a device;
/// releasing the last one destroys the context.
macro_rules! releases {
    ($($name:ident)*) => {$(
        /// Releases a reference of the program to the primary context of a device.
        ///
        /// # Safety
        /// As the driver's function.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(device: c_int) -> c_int {
            if held(device).is_none_or(|held| held.load(Ordering::SeqCst) <= 1) {
                forget(Destroyed::OfDevice(device));
            }
            // SAFETY: the program vouches for its arguments as it does without the library.
            let result = unsafe { call(&slot::$name, [device as usize]) };
            if let Some(held) = held(device).filter(|_| result == 0) {
                let one_less = |held: u32| held.checked_sub(1);
                let _ = held.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
            }
            result
        }
    )*};
}

releases! { cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2 }

/// Returns the priority that every stream gets, in the driver's numbers (lower is more urgent);
/// `None` where the environment sets none, so that the program decides.
fn priority() -> Option<c_int> {
    static WANTED: OnceLock<Option<c_int>> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var(PRIORITY).ok()?.parse().ok())
}

/// Creates a stream, with the priority that the environment sets, if any.
///
/// # Safety
/// As the driver's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuStreamCreate(place: usize, flags: c_uint) -> c_int {
    // SAFETY: the program vouches for its arguments as it does without the library.
    unsafe {
        match priority() {
            None => call(&slot::cuStreamCreate, [place, flags as usize]),
            Some(priority) => {
                call(&slot::cuStreamCreateWithPriority, [place, flags as usize, priority as usize])
            }
        }
    }
}

/// Creates a stream, with the priority that the environment sets, or else the one that the program
/// passes.
///
/// # Safety
/// As the driver's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuStreamCreateWithPriority(
    place: usize,
    flags: c_uint,
    of_program: c_int,
) -> c_int {
    let priority = priority().unwrap_or(of_program);
    // SAFETY: the program vouches for its arguments as it does without the library.
    unsafe { call(&slot::cuStreamCreateWithPriority, [place, flags as usize, priority as usize]) }
}

/// Finds a driver function by name; if this library has a replacement for that function, the
/// program gets the replacement.
///
/// # Safety
/// As the driver's function.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuGetProcAddress(
    name: *const c_char,
    place: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> c_int {
    // SAFETY: as the caller says.
    unsafe { look_up(&slot::cuGetProcAddress, name, place, version, flags, std::ptr::null_mut()) }
}

/// Defines newer forms of [`cuGetProcAddress`], which also report why a function was not found.
macro_rules! look_ups {
    ($($name:ident)*) => {$(
        /// Finds a driver function by name; if this library has a replacement for that function,
        /// the program gets the replacement.
        ///
        /// # Safety
        /// As the driver's function.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(
            name: *const c_char,
            place: *mut *mut c_void,
            version: c_int,
            flags: u64,
            status: *mut c_int,
        ) -> c_int {
            // SAFETY: as the caller says.
            unsafe { look_up(&slot::$name, name, place, version, flags, status) }
        }
    )*};
}

look_ups! { cuGetProcAddress_v2 cuGetProcAddress_v2_ptsz }
