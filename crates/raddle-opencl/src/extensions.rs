//! Which functions of extensions may a program call past the layer?
//!
//! Functions that enqueue past the lanes (queues that the layer schedules) would overtake the work
//! that waits there, and replayed command buffers hold launches that the layer never sees: both are
//! hidden.

use std::ffi::{CStr, c_char, c_void};

use opencl_sys::{
    CL_DEVICE_EXTENSIONS, CL_INVALID_VALUE, CL_PLATFORM_EXTENSIONS, cl_device_id, cl_device_info,
    cl_int, cl_platform_id, cl_platform_info,
};

use crate::native::{asked_bytes, guarded, native};

/// Name under which a program that knows the layer finds [`crate::raddle_layer_version`].
pub const VERSION_FUNCTION: &CStr = c"raddle_layer_version";

/// Name under which a program that knows the layer finds [`crate::raddle_layer_count`].
pub const COUNT_FUNCTION: &CStr = c"raddle_layer_count";

/// Name under which a program finds [`crate::raddle_layer_hint`].
pub const HINT_FUNCTION: &CStr = c"raddle_layer_hint";

/// Result of a program's look-up of an OpenCL extension function by its name.
enum FoundExtension {
    /// No extension function is returned to the program, as if the extension did not exist.
    Hidden,
    /// A function of the layer is returned to the program; its address is this one.
    Ours(*mut c_void),
    /// The function of the runtime is returned, if the runtime has it.
    Native,
}

fn found(name: *const c_char) -> FoundExtension {
    if name.is_null() {
        return FoundExtension::Native;
    }
    // SAFETY: the program gives a string that ends with zero, as the runtime needs it.
    let name = unsafe { CStr::from_ptr(name) };
    if name == VERSION_FUNCTION {
        return FoundExtension::Ours(crate::raddle_layer_version as *mut c_void);
    }
    if name == COUNT_FUNCTION {
        return FoundExtension::Ours(crate::raddle_layer_count as *mut c_void);
    }
    if name == HINT_FUNCTION {
        return FoundExtension::Ours(crate::raddle_layer_hint as *mut c_void);
    }
    let bytes = name.to_bytes();
    let hidden = bytes.starts_with(b"clEnqueue") || has(bytes, b"CommandBuffer");
    if hidden { FoundExtension::Hidden } else { FoundExtension::Native }
}

fn has(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

pub(crate) unsafe extern "C" fn of_platform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    guarded(|| match found(name) {
        FoundExtension::Hidden => std::ptr::null_mut(),
        FoundExtension::Ours(function) => function,
        FoundExtension::Native => native!(clGetExtensionFunctionAddressForPlatform(platform, name)),
    })
}

pub(crate) unsafe extern "C" fn of_any(name: *const c_char) -> *mut c_void {
    guarded(|| match found(name) {
        FoundExtension::Hidden => std::ptr::null_mut(),
        FoundExtension::Ours(function) => function,
        FoundExtension::Native => native!(clGetExtensionFunctionAddress(name)),
    })
}

pub(crate) unsafe extern "C" fn device_info(
    device: cl_device_id,
    what: cl_device_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    guarded(|| {
        if what != CL_DEVICE_EXTENSIONS {
            return native!(clGetDeviceInfo(device, what, size, value, size_ret));
        }
        let told = asked_bytes(|size, value, ret| {
            native!(clGetDeviceInfo(device, what, size, value, ret))
        });
        match told {
            Some(told) => tell(&without_hidden(&told), size, value, size_ret),
            None => native!(clGetDeviceInfo(device, what, size, value, size_ret)),
        }
    })
}

pub(crate) unsafe extern "C" fn platform_info(
    platform: cl_platform_id,
    what: cl_platform_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    guarded(|| {
        if what != CL_PLATFORM_EXTENSIONS {
            return native!(clGetPlatformInfo(platform, what, size, value, size_ret));
        }
        let told = asked_bytes(|size, value, ret| {
            native!(clGetPlatformInfo(platform, what, size, value, ret))
        });
        match told {
            Some(told) => tell(&without_hidden(&told), size, value, size_ret),
            None => native!(clGetPlatformInfo(platform, what, size, value, size_ret)),
        }
    })
}

/// Returns the list of extension names `told` without the extensions whose functions the layer
/// hides (command buffers), and with a zero byte at the end.
fn without_hidden(told: &[u8]) -> Vec<u8> {
    let names = told.strip_suffix(&[0]).unwrap_or(told);
    let kept = names.split(|&byte| byte == b' ').filter(|name| !has(name, b"command_buffer"));
    let mut all = kept.collect::<Vec<_>>().join(&b' ');
    all.push(0);
    all
}

/// Answers a query of the program with `bytes`, as the runtime would, and returns the OpenCL code.
/// `bytes` is copied to `value`, which has room for `size` bytes, and its length to `size_ret`;
/// null pointers are skipped. If `bytes` is longer than `size`, nothing is copied, and the code is
/// an error.
pub(crate) fn tell(bytes: &[u8], size: usize, value: *mut c_void, size_ret: *mut usize) -> cl_int {
    if !value.is_null() {
        if size < bytes.len() {
            return CL_INVALID_VALUE;
        }
        // SAFETY: the program says that the place has `size` bytes, and these are not more.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast::<u8>(), bytes.len()) };
    }
    if !size_ret.is_null() {
        // SAFETY: the program gives the place for a size.
        unsafe { size_ret.write(bytes.len()) };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hidden_extensions_are_left_out() {
        let told = b"cl_khr_fp64 cl_khr_command_buffer cl_khr_icd cl_khr_command_buffer_mutable_dispatch\0";
        assert_eq!(without_hidden(told), b"cl_khr_fp64 cl_khr_icd\0");
        assert_eq!(without_hidden(b"\0"), b"\0");
    }

    #[test]
    fn an_answer_that_does_not_fit_is_refused() {
        let (mut place, mut size) = ([9_u8; 4], 0);
        let to = place.as_mut_ptr().cast();
        assert_eq!(tell(b"abc", 2, to, &raw mut size), CL_INVALID_VALUE);
        assert_eq!((place, size), ([9; 4], 0), "nothing was stored");
        assert_eq!(tell(b"abc", 3, to, &raw mut size), 0);
        assert_eq!((place, size), (*b"abc\x09", 3));
    }
}
