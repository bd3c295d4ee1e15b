//! Clients that look at platforms and devices.

use std::ffi::{CStr, c_char};

use opencl_sys::CL_DEVICE_EXTENSIONS;

use super::cl::{cl, text};

/// Returns the number of OpenCL devices, as text.
pub(super) fn devices() -> String {
    super::cl::devices().len().to_string()
}

/// Returns the version that the layer gives to a program which asks for it.
pub(super) fn version() -> String {
    let Some((platform, _)) = super::cl::devices().pop() else { return "no device".to_owned() };
    let name = raddle_opencl::VERSION_FUNCTION.as_ptr();
    let function = cl!(clGetExtensionFunctionAddressForPlatform(platform, name));
    if function.is_null() {
        return "no layer".to_owned();
    }
    // SAFETY: by its name it is the layer's function, which has this type.
    let version: extern "C" fn() -> *const c_char = unsafe { std::mem::transmute(function) };
    // SAFETY: it gives a string that ends with zero and stays.
    unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned()
}

/// Says of itself that its work is due after 20 ms, and gives back the layer's answer: for how many
/// programs the daemon took it.
pub(super) fn says() -> String {
    let Some((platform, _)) = super::cl::devices().pop() else { return "no device".to_owned() };
    let kit = super::kit::Kit::new();
    assert_eq!(cl!(clFinish(kit.queue)), 0);
    let name = raddle_opencl::HINT_FUNCTION.as_ptr();
    let function = cl!(clGetExtensionFunctionAddressForPlatform(platform, name));
    if function.is_null() {
        return "no layer".to_owned();
    }
    // SAFETY: by its name it is the layer's function, which has this type.
    let hint: extern "C" fn(u32, u64) -> i32 = unsafe { std::mem::transmute(function) };
    let mut tries = (0..2000).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        hint(1, 20_000_000)
    });
    let joined = tries.find(|joined| *joined != 0);
    format!("{joined:?} {} {}", hint(5, 0), hint(9, 0))
}

/// Returns which parts of the extension for command buffers a program sees; the layer hides them.
pub(super) fn command_buffers() -> String {
    let Some((platform, device)) = super::cl::devices().pop() else {
        return "no device".to_owned();
    };
    let name = c"clEnqueueCommandBufferKHR".as_ptr();
    let function = cl!(clGetExtensionFunctionAddressForPlatform(platform, name));
    let told = text(|size, value, ret| {
        cl!(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, value, ret))
    });
    let named = told.contains("cl_khr_command_buffer");
    format!("function {}, named {named}", !function.is_null())
}

/// Returns the counts of the layer, each as (name, count); none where the layer is not loaded.
pub(super) fn counts() -> Vec<(&'static str, u64)> {
    let Some((platform, _)) = super::cl::devices().pop() else { return Vec::new() };
    let name = raddle_opencl::COUNT_FUNCTION.as_ptr();
    let function = cl!(clGetExtensionFunctionAddressForPlatform(platform, name));
    if function.is_null() {
        return Vec::new();
    }
    // SAFETY: by its name it is the layer's function, which has this type.
    let count: unsafe extern "C" fn(*const c_char) -> u64 =
        unsafe { std::mem::transmute(function) };
    let wanted = [
        c"launches",
        c"in-order",
        c"cut",
        c"left",
        c"killed",
        c"refused",
        c"opaque-no-flag",
        c"unjudged-no-compiler",
        c"unjudged-macro",
    ];
    let named = wanted.iter().map(|name| {
        // SAFETY: the name ends with zero.
        (name.to_str().expect("plain text"), unsafe { count(name.as_ptr()) })
    });
    named.collect()
}
