//! How do unmodified OpenCL programs leave a device when another one is more urgent?
//!
//! `libraddle_opencl.so` is a layer: the OpenCL loader loads it if `OPENCL_LAYERS` names it, and
//! every call of the program passes through its table of entry points. It links no OpenCL library.
#![expect(unsafe_code, reason = "every entry point is called from C, and calls C")]

mod arguments;
mod calls;
mod counts;
mod ending;
mod events;
mod extensions;
mod judged;
mod lanes;
mod later;
mod memory;
mod native;
mod program;
mod registry;
mod sizes;
mod table;
mod watch;
mod words;

use std::ffi::{c_char, c_void};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_layer::{
    CL_LAYER_API_VERSION, CL_LAYER_API_VERSION_100, CL_LAYER_NAME, cl_layer_info,
    cl_layer_properties,
};
use opencl_sys::{CL_INVALID_VALUE, cl_int, cl_uint};

pub use extensions::{COUNT_FUNCTION, HINT_FUNCTION, VERSION_FUNCTION};

/// Name of the layer, which the OpenCL loader asks for.
const NAME: &std::ffi::CStr = c"raddle";

/// Answers the loader's questions about the layer: its interface version and its name.
///
/// # Safety
/// As the loader's interface says: `value` has `size` bytes or is null, `size_ret` is a place or
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetLayerInfo(
    what: cl_layer_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    match what {
        CL_LAYER_API_VERSION => {
            extensions::tell(&CL_LAYER_API_VERSION_100.to_ne_bytes(), size, value, size_ret)
        }
        CL_LAYER_NAME => extensions::tell(NAME.to_bytes_with_nul(), size, value, size_ret),
        _ => CL_INVALID_VALUE,
    }
}

/// Takes over the table of entry points (functions of OpenCL) of the runtime or of the next layer,
/// `target`. Writes the table of this layer to `layer`, and the number of its entry points to
/// `entries_ret`. Returns 0, or the OpenCL error code for a null pointer.
///
/// # Safety
/// As the loader's interface says: `target` has `entries` entry points, the other two are places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clInitLayer(
    entries: cl_uint,
    target: *const cl_icd_dispatch,
    entries_ret: *mut cl_uint,
    layer: *mut *const cl_icd_dispatch,
) -> cl_int {
    if target.is_null() || layer.is_null() || entries_ret.is_null() {
        return CL_INVALID_VALUE;
    }
    native::guarded(|| {
        // SAFETY: the loader gives a table of `entries` entries and two places.
        unsafe {
            native::set_target(target, entries);
            layer.write(table::layer());
            entries_ret.write(entries.min(table::entries()));
        }
        raddle_live::mark_loaded();
        0
    })
}

/// Does the work of [`clInitLayer`] for newer loaders, whose call has properties; none of them is
/// known to the layer.
///
/// # Safety
/// As [`clInitLayer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clInitLayerWithProperties(
    entries: cl_uint,
    target: *const cl_icd_dispatch,
    entries_ret: *mut cl_uint,
    layer: *mut *const cl_icd_dispatch,
    _: *const cl_layer_properties,
) -> cl_int {
    // SAFETY: as the caller says.
    unsafe { clInitLayer(entries, target, entries_ret, layer) }
}

/// Ends the layer, before the loader unloads the runtime: from now on no thread of the layer calls
/// the runtime, or the layer below this one. Returns 0.
#[unsafe(no_mangle)]
pub extern "C" fn clDeinitLayer() -> cl_int {
    ending::end();
    0
}

/// Returns the value of the layer's counter with the name `name`; `u64::MAX` for an unknown name.
///
/// # Safety
/// `name` is a string that ends with zero.
pub unsafe extern "C" fn raddle_layer_count(name: *const c_char) -> u64 {
    let name = program::text(name).unwrap_or_default();
    counts::all().find(|(known, _)| *known == name).map_or(u64::MAX, |(_, count)| count)
}

/// Gives a hint about this process to the daemon, as `raddle_live::hint_by_number` does.
pub extern "C" fn raddle_layer_hint(kind: u32, value: u64) -> i32 {
    raddle_live::hint_by_number(kind, value)
}

/// Returns the version of the layer. A program finds this function only where the layer is loaded.
pub extern "C" fn raddle_layer_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
